//! Amounts that a window compares and changes: numbers where the code has them, else a name and what is added to it (`max - 1`).

use std::fmt;

use super::{Case, predicate, resource};
use crate::flow::cond::Test;
use crate::flow::event::EventKind;
use crate::flow::value::{EventId, Value, ValueId};
use crate::ir::BinOp;
use crate::sql::{Operand, Statement};
use crate::window::decision::{Decider, Question};

/// `9`, `max`, `max - 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Amount {
    base: Option<String>,
    offset: i64,
}

/// What both requests see, and what each does to it.
pub struct Story {
    /// The name that each asks for one of (`seats`), where the amounts depend on it.
    pub wanted: Option<String>,
    pub seen: Amount,
    /// `seen` is what a comparison lets through, not any number.
    pub compared: bool,
    pub change: Option<Change>,
}

/// What the act adds, and whether it adds to what is there or to what was read.
pub struct Change {
    pub by: i64,
    pub relative: bool,
}

impl Amount {
    pub fn number(offset: i64) -> Amount {
        Amount { base: None, offset }
    }

    pub fn named(base: &str, offset: i64) -> Amount {
        Amount { base: Some(base.to_owned()), offset }
    }

    /// A plain number below zero.
    pub fn is_negative(&self) -> bool {
        self.base.is_none() && self.offset < 0
    }

    /// The name in it, where it has one, and what is added to that.
    pub fn parts(&self) -> (Option<&str>, i64) {
        (self.base.as_deref(), self.offset)
    }

    /// As a query writes it: a name of the code is for a person to replace.
    pub fn as_sql(&self) -> String {
        match &self.base {
            None => self.to_string(),
            Some(base) => Amount { base: Some(format!("<{base}>")), offset: self.offset }.to_string(),
        }
    }

    pub fn plus(&self, by: i64) -> Amount {
        Amount { base: self.base.clone(), offset: self.offset.saturating_add(by) }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.base, self.offset) {
            (None, offset) => write!(f, "{offset}"),
            (Some(base), 0) => f.write_str(base),
            (Some(base), offset) if offset < 0 => write!(f, "{base} - {}", offset.unsigned_abs()),
            (Some(base), offset) => write!(f, "{base} + {offset}"),
        }
    }
}

/// The amounts of a window whose check compares one, or whose act computes one; of names that both sides share, one.
pub fn story(case: &Case, check: EventId, act: EventId) -> Option<Story> {
    let deciders = case.view.deciders(act);
    let compared = deciders.of(check).find_map(|decider| compared(case, &decider));
    let change = change(case, check, act);
    match (compared, change) {
        (Some((op, limit)), Some((by, relative))) => {
            let one = by.base.is_some();
            let shared = one && limit.base == by.base;
            let limit = if shared { Amount::number(1) } else { limit };
            let sign = if by.offset < 0 { -1 } else { 1 };
            let change = Change { by: if one { sign } else { by.offset }, relative };
            Some(Story { wanted: by.base, seen: passing(op, &limit), compared: true, change: Some(change) })
        }
        (Some((op, limit)), None) => {
            Some(Story { wanted: None, seen: passing(op, &limit), compared: true, change: None })
        }
        (None, Some((by, relative))) => {
            let sign = if by.offset < 0 { -1 } else { 1 };
            let change = Change { by: if by.base.is_some() { sign } else { by.offset }, relative };
            Some(Story { wanted: by.base, seen: Amount::number(7), compared: false, change: Some(change) })
        }
        (None, None) => None,
    }
}

/// The comparison that leads on, and its other side.
fn compared(case: &Case, decider: &Decider) -> Option<(BinOp, Amount)> {
    let Test::Compare(op, other) = decider.atom.test else { return None };
    if !matches!(decider.question, Question::Amount | Question::Content) {
        return None;
    }
    let op = if decider.atom.negated { super::code::opposite(op)? } else { op };
    let shifted = predicate::shifted(case, decider.atom.value);
    let other = match shifted {
        None => amount(case, other)?,
        // Of what each asks for, one is asked for.
        Some((sign, by)) => {
            let by = amount(case, by)?;
            let by = if by.base.is_some() { 1 } else { by.offset };
            amount(case, other)?.plus(if sign == "+" { -by } else { by })
        }
    };
    // Names that are equal or not are no amounts, nor is a column of which only something computed is compared.
    let is_state = matches!(op, BinOp::Eq | BinOp::Ne) && other.base.is_some();
    let is_other = decider.question == Question::Content
        && case.view.sql(decider.event).is_some()
        && shifted.is_none()
        && !predicate::is_read(case, decider.atom.value);
    (!is_state && !is_other).then_some((op, other))
}

/// A number, or a value that has a name.
fn amount(case: &Case, value: ValueId) -> Option<Amount> {
    if let Some(text) = case.view.trace.arena.as_lit(value) {
        return text.as_str().parse().ok().map(Amount::number);
    }
    let base = resource::name(case.view, value);
    (!base.is_empty()).then_some(Amount { base: Some(base), offset: 0 })
}

/// A value that passes the comparison, as close to its limit as can be.
fn passing(op: BinOp, limit: &Amount) -> Amount {
    match op {
        BinOp::Gt | BinOp::Ne => limit.plus(1),
        BinOp::Lt => limit.plus(-1),
        _ => limit.clone(),
    }
}

/// What an act adds: a negative offset takes away; of a named amount the offset is only its sign.
fn change(case: &Case, check: EventId, act: EventId) -> Option<(Amount, bool)> {
    match &case.view.event(act).kind {
        EventKind::Sql(sql) => {
            let statement = sql.statement.effective();
            if let Some((sign, by)) = relative(statement) {
                let by = match by {
                    By::Number(number) => Amount::number(number),
                    By::Param(index) => amount(case, sql.args.get(index).copied().flatten()?)?,
                };
                return Some((signed(sign, by), true));
            }
            let window = resource::window(case)?;
            let (column, _) = window.computed.first()?;
            let set = statement.sets.iter().find(|set| set.column == *column)?;
            let Operand::Param(index) = set.value else { return None };
            added(case, check, sql.args.get(index as usize).copied().flatten()?)
        }
        EventKind::Access(access) => match access.name.as_str() {
            "fetch_add" => Some((signed(1, amount(case, access.value?)?), true)),
            "fetch_sub" => Some((signed(-1, amount(case, access.value?)?), true)),
            _ => added(case, check, access.value?),
        },
        _ => None,
    }
}

fn signed(sign: i64, by: Amount) -> Amount {
    match by.base {
        Some(_) => Amount { offset: sign, ..by },
        None => Amount::number(sign * by.offset),
    }
}

enum By {
    Number(i64),
    Param(usize),
}

/// `quantity = quantity - 1`, `quantity = quantity - $2`.
fn relative(statement: &Statement) -> Option<(i64, By)> {
    let set = statement.sets.iter().find(|set| set.relative)?;
    let Operand::Expr { params, text, .. } = &set.value else { return None };
    let (_, rest) = text.as_str().split_once(['+', '-'])?;
    let sign = if text.as_str().contains('-') { -1 } else { 1 };
    match (rest.trim().parse(), &params[..]) {
        (Ok(number), []) => Some((sign, By::Number(number))),
        (Err(_), [param]) => Some((sign, By::Param(*param as usize))),
        _ => None,
    }
}

/// A value that is what was read, and something.
fn added(case: &Case, check: EventId, value: ValueId) -> Option<(Amount, bool)> {
    let Value::Op(op, sides) = case.view.trace.arena.get(value) else { return None };
    let sign = match op.as_str() {
        "+" => 1,
        "-" => -1,
        _ => return None,
    };
    let [left, right] = sides[..] else { return None };
    let reads = |value: ValueId| case.view.touches(value).iter().any(|touch| touch.event == check);
    (reads(left) && !reads(right)).then(|| Some((signed(sign, amount(case, right)?), false)))?
}
