//! The condition that a check makes, as SQL: what the write has to repeat.

use super::{Case, resource};
use crate::flow::cond::Test;
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::ir::BinOp;
use crate::sql::{Kind, Op, Operand, Predicate, Projection};
use crate::window::database::RowWindow;
use crate::window::decision::{Decider, Question};

/// The condition under which the act runs: what Rust compares, else what the read selects its rows by, else the value that was read.
pub fn of(case: &Case, window: &RowWindow) -> Option<String> {
    // What is asked of the column that the race is about says more than what is asked beside it.
    let about = resource::column(case, window);
    let is_beside = |decider: &&Decider| !columns(case, decider).contains(&about);
    let mut deciders: Vec<&Decider> = window.deciders.iter().collect();
    deciders.sort_by_key(is_beside);
    let compared = || deciders.iter().find_map(|decider| asked(case, window, decider));
    let read = || {
        let column = resource::column(case, window).filter(|_| window.is_data())?;
        Some(format!("{column} = <the value read>"))
    };
    compared().or_else(|| selected(case, window)).or_else(read)
}

fn columns(case: &Case, decider: &Decider) -> Vec<Option<Symbol>> {
    case.view.columns_of_part(decider.event, decider.part).iter().map(|column| Some(column.name)).collect()
}

/// A comparison made in Rust, of the column itself and not of what is computed from it.
fn asked(case: &Case, window: &RowWindow, decider: &Decider) -> Option<String> {
    let negated = decider.atom.negated;
    if let (Test::True, Some(test)) = (decider.atom.test, projection(case, decider).and_then(|of| of.test.as_ref())) {
        return text(case, decider.event, test, negated);
    }
    let column = case.view.columns_of_part(decider.event, decider.part).first()?.name;
    let column_or_sum = match is_read(case, decider.atom.value) {
        true => column.to_string(),
        false => {
            let (op, by) = shifted(case, decider.atom.value)?;
            format!("{column} {op} {}", operand(case, decider, by))
        }
    };
    if !is_column(column) {
        return None;
    }
    // Whether there is a row says nothing of its columns.
    let row = decider.part.is_none() && decider.atom.test == Test::Some;
    match decider.atom.test {
        Test::Some | Test::True | Test::Variant(_) if column_or_sum != column.as_str() => None,
        _ if row || column == "*" || is_repeated(case, window, column) => None,
        Test::Compare(op, other) => {
            Some(format!("{column_or_sum} {} {}", compare(op, negated), operand(case, decider, other)))
        }
        Test::Some => Some(format!("{column} IS {}NULL", if negated { "" } else { "NOT " })),
        Test::True => Some(format!("{column} = {}", !negated)),
        Test::Variant(_) => Some(format!("{column} = <the state that was checked>")),
        _ => None,
    }
}

/// The other side of a comparison: a literal, a column of the same row, or a value to bind.
fn operand(case: &Case, decider: &Decider, value: ValueId) -> String {
    let arena = &case.view.trace.arena;
    if let Some(text) = arena.as_lit(value) {
        return literal(text);
    }
    let touches = case.view.touches(value);
    match (arena.get(value), &touches[..]) {
        (Value::Field(..), [touch]) if touch.event == decider.event && !touch.control => {
            match &case.view.columns_of_part(touch.event, touch.part.map(|part| part.0))[..] {
                [column] if column.name != "*" => column.name.to_string(),
                _ => placeholder(case, value),
            }
        }
        _ => placeholder(case, value),
    }
}

/// `taken + seats`: what was read, with something that was not added or taken away.
pub fn shifted(case: &Case, value: ValueId) -> Option<(Symbol, ValueId)> {
    let Value::Op(op, sides) = case.view.trace.arena.get(value) else { return None };
    let [left, right] = sides[..] else { return None };
    let plain = matches!(op.as_str(), "+" | "-") && is_read(case, left) && case.view.touches(right).is_empty();
    plain.then_some((*op, right))
}

/// What is bound, by the name that the code has for it.
pub fn placeholder(case: &Case, value: ValueId) -> String {
    let name = resource::name(case.view, value);
    let last = name.rsplit(['.', ':']).next().unwrap_or_default();
    match last.starts_with(|first: char| first.is_alphabetic()) && last.chars().all(|c| c.is_alphanumeric() || c == '_')
    {
        true => format!(":{last}"),
        false => "$n".to_owned(),
    }
}

/// A part of a tuple is no column.
pub fn is_column(name: Symbol) -> bool {
    name.as_str().parse::<u32>().is_err()
}

/// A value as it was read, or what stands for it where there was none: nothing is computed from it.
pub fn is_read(case: &Case, value: ValueId) -> bool {
    let arena = &case.view.trace.arena;
    let mut at = value;
    loop {
        at = match arena.get(at) {
            Value::Field(inner, _) | Value::Element(inner) | Value::Content(inner) | Value::Wrap(_, inner) => *inner,
            Value::Op(..) => return false,
            Value::Phi(arms) => {
                return arms
                    .iter()
                    .all(|(_, arm)| *arm != at && !matches!(arena.get(*arm), Value::Op(..) | Value::Phi(_)));
            }
            _ => return true,
        }
    }
}

fn projection<'a>(case: &'a Case, decider: &Decider) -> Option<&'a Projection> {
    let projections = &case.view.sql(decider.event)?.statement.effective().projections;
    let Some(part) = decider.part else { return projections.first().filter(|_| projections.len() == 1) };
    let place = || part.as_str().parse::<usize>().ok().and_then(|place| projections.get(place));
    projections.iter().find(|projection| projection.name == Some(part)).or_else(place)
}

/// What the read asks of the columns that the write sets, and the write does not repeat.
fn selected(case: &Case, window: &RowWindow) -> Option<String> {
    let there = Question::Presence { absent: false };
    if !window.decides(|question| question == there) {
        return None;
    }
    let check = case.view.sql(window.check)?.statement.effective();
    let act = case.view.sql(window.act)?.statement.effective();
    let is_set = |of: Symbol| act.kind == Kind::Delete || act.sets.iter().any(|set| set.column == of);
    let missing = |filter: &&Predicate| column(filter).is_some_and(|of| is_set(of) && !is_repeated(case, window, of));
    let texts: Vec<String> =
        check.filters.iter().filter(missing).filter_map(|filter| text(case, window.check, filter, false)).collect();
    (!texts.is_empty()).then(|| texts.join(" AND "))
}

/// The write asks something of the column already.
fn is_repeated(case: &Case, window: &RowWindow, of: Symbol) -> bool {
    let act = case.view.sql(window.act).map(|sql| sql.statement.effective());
    act.is_some_and(|act| act.filters.iter().filter_map(column).any(|column| column == of))
}

fn column(filter: &Predicate) -> Option<Symbol> {
    match filter {
        Predicate::Compare { column, .. } => Some(column.name),
        _ => None,
    }
}

/// A condition of a statement, as SQL.
fn text(case: &Case, of: EventId, predicate: &Predicate, negated: bool) -> Option<String> {
    let Predicate::Compare { column, op, right } = predicate else { return None };
    let column = column.name;
    let right = match right {
        Operand::Literal(text) => literal(*text),
        Operand::Param(index) => {
            let bound = case.view.sql(of).and_then(|sql| sql.args.get(*index as usize).copied().flatten());
            bound.map_or_else(|| "$n".to_owned(), |value| placeholder(case, value))
        }
        Operand::Column(other) => other.name.to_string(),
        Operand::Generated(text) => text.to_string(),
        Operand::Expr { .. } | Operand::Excluded(_) => return None,
    };
    let op = match op {
        Op::IsNull | Op::IsNotNull => {
            let not = if (*op == Op::IsNotNull) == negated { "" } else { "NOT " };
            return Some(format!("{column} IS {not}NULL"));
        }
        Op::Eq => compare(BinOp::Eq, negated),
        Op::Ne => compare(BinOp::Ne, negated),
        Op::Lt => compare(BinOp::Lt, negated),
        Op::Le => compare(BinOp::Le, negated),
        Op::Gt => compare(BinOp::Gt, negated),
        Op::Ge => compare(BinOp::Ge, negated),
        _ => return None,
    };
    Some(format!("{column} {op} {right}"))
}

fn literal(text: Symbol) -> String {
    let bare = text.as_str().parse::<f64>().is_ok() || matches!(text.as_str(), "true" | "false" | "null");
    if bare { text.to_string() } else { format!("'{text}'") }
}

/// The operator of SQL for one of Rust, turned round where the comparison must not hold.
pub fn compare(op: BinOp, negated: bool) -> &'static str {
    match (op, negated) {
        (BinOp::Lt, false) | (BinOp::Ge, true) => "<",
        (BinOp::Le, false) | (BinOp::Gt, true) => "<=",
        (BinOp::Gt, false) | (BinOp::Le, true) => ">",
        (BinOp::Ge, false) | (BinOp::Lt, true) => ">=",
        (BinOp::Eq, true) | (BinOp::Ne, false) => "<>",
        _ => "=",
    }
}
