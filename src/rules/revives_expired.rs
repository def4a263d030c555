//! `revives-expired`: a late event writes a final state without requiring the pending one.

use super::rows::RowCase;
use super::{Candidate, Scope};
use crate::facts::Facts;
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::resolve::Ty;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Kind, Op, Operand, Predicate};
use crate::window::View;
use crate::window::protect::Protection;

pub static RULE: Rule = Rule {
    name: "revives-expired",
    group: Group::Request,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a late event writes a final state without requiring the pending one",
    page: include_str!("../../rules/revives-expired.md"),
};

const STATES: &[&str] = &["status", "state"];
const FINAL: &[&str] = &["confirmed", "paid", "settled", "completed"];
const DEAD: &[&str] = &["expired", "cancelled"];
const LATE: &[&str] = &["webhook", "callback", "notice", "payment", "paid"];

/// A late event sets a final state; which state the row is in by then is not required to be the pending one.
pub fn applies(case: &RowCase) -> bool {
    revives(case.view, case.window.act, case.around.facts)
}

/// Writes of late events that no check of the state precedes; those that one precedes are windows on rows.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    scope.at_events(&RULE, |view, id| {
        let around = scope.surroundings(view);
        let judged = scope.rows(view).iter().filter(|window| window.act == id).any(|window| {
            !matches!(view.protection(window, &around), Some(Protection::Existence | Protection::NeverUpdated))
        });
        !judged && revives(view, id, scope.facts)
    })
}

fn revives(view: &View, id: EventId, facts: &Facts) -> bool {
    let Some(sql) = view.sql(id) else { return false };
    let statement = sql.statement.effective();
    let (Kind::Update, Some(table)) = (statement.kind, statement.table) else { return false };
    let Some(set) = statement.sets.iter().find(|set| has_word(set.column, STATES) && !set.relative) else {
        return false;
    };
    let words = |operand: &Operand| words_of(view, &sql.args, operand);
    if !words(&set.value).iter().any(|word| FINAL.contains(&word.as_str())) {
        return false;
    }
    let keyed = |filter: &Predicate| matches!(filter, Predicate::Compare { op: Op::Eq, right: Operand::Param(_), .. });
    if !statement.filters.iter().any(keyed) {
        return false;
    }
    let target = words(&set.value);
    let mut revived = false;
    for filter in &statement.filters {
        match filter {
            Predicate::Compare { column, op, right } if column.name == set.column => match op {
                Op::Eq | Op::In if is_dead(&words(right)) => revived = true,
                Op::Ne | Op::NotIn if words(right) == target => {}
                _ => return false,
            },
            Predicate::Compare { op: Op::Eq, .. } => {}
            _ => return false,
        }
    }
    let ends = || facts.states(table, set.column).any(|state| is_dead(&words_in(state.as_str())));
    revived || ends() || is_late(view, id)
}

fn is_dead(words: &[String]) -> bool {
    words.iter().any(|word| DEAD.contains(&word.as_str()))
}

/// A function on the way to the write, its type or that of a parameter has the name of something that comes late.
fn is_late(view: &View, id: EventId) -> bool {
    let event = view.event(id);
    let on_the_way = event.path.iter().map(|site| site.callee);
    std::iter::once(view.function).chain(on_the_way).any(|function| {
        let def = view.program.function(function);
        let types = def.params.iter().chain([&def.self_ty]).filter_map(|ty| type_name(view, ty));
        std::iter::once(view.program.source(function).name).chain(types).any(|name| has_word(name, LATE))
    })
}

fn type_name(view: &View, ty: &Ty) -> Option<Symbol> {
    match ty {
        Ty::Adt(id, _) => Some(view.program.adt(*id).name),
        Ty::Ref(_, inner) => type_name(view, inner),
        Ty::Ext(_, args) => args.iter().find_map(|arg| type_name(view, arg)),
        _ => None,
    }
}

/// The words of the literals that an operand stands for.
fn words_of(view: &View, args: &[Option<ValueId>], operand: &Operand) -> Vec<String> {
    match operand {
        Operand::Literal(text) | Operand::Expr { text, .. } => words_in(text.as_str()),
        Operand::Param(n) => {
            args.get(*n as usize).copied().flatten().map(|value| words_of_value(view, value)).unwrap_or_default()
        }
        _ => Vec::new(),
    }
}

fn words_of_value(view: &View, value: ValueId) -> Vec<String> {
    match view.trace.arena.get(value) {
        Value::Lit(text) => words_in(text.as_str()),
        Value::Const(path) => words_in(path.as_str().rsplit("::").next().unwrap_or_default()),
        Value::Wrap(_, inner) => words_of_value(view, *inner),
        Value::Op(_, args) => args.iter().flat_map(|arg| words_of_value(view, *arg)).collect(),
        _ => Vec::new(),
    }
}

fn has_word(name: Symbol, words: &[&str]) -> bool {
    words_in(name.as_str()).iter().any(|word| words.contains(&word.as_str()))
}

/// `PaymentNotice`, `payment_notice` and `PAYMENT_NOTICE` have two words, in lower case.
pub fn words_in(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for c in text.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() && after_lower {
            words.push(String::new());
        }
        if c.is_alphanumeric() {
            words.last_mut().expect("there is always a word").extend(c.to_lowercase());
        }
        after_lower = c.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}
