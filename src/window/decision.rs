//! Decisions: in which way what a check answered decides whether an act runs, or what it writes.

use super::View;
use super::touch::Touch;
use crate::flow::cond::{Atom, Cond, CondId, Test};
use crate::flow::event::{AccessOp, Domain, EventKind};
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::ir::BinOp;
use crate::models::row::{Mode, Outcome};
use crate::sql::{Aggregate, Column, Statement};

/// What is asked of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Something is there, or is not.
    Presence { absent: bool },
    /// How many there are, or what they add up to, against something else.
    Amount,
    /// A column or the value itself, compared.
    Content,
    /// Only whether the call failed.
    Failure,
}

/// One test that stands between a check and an act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decider {
    pub event: EventId,
    pub question: Question,
    pub part: Option<Symbol>,
    pub atom: Atom,
}

impl View<'_> {
    /// What a test asks of the answer that it touches.
    pub fn question_of(&self, atom: &Atom, touch: &Touch) -> Question {
        self.question(atom, touch)
    }

    fn question(&self, atom: &Atom, touch: &Touch) -> Question {
        let whole = touch.part.is_none() && self.is_whole(atom.value, touch.event);
        let event = self.event(touch.event);
        let answers = match &event.kind {
            EventKind::Sql(sql) => Some(sql.result),
            EventKind::Access(access) => access.result,
            _ => None,
        };
        match atom.test {
            Test::Some | Test::Ok if whole && self.always_answers(touch.event) => Question::Failure,
            Test::Some if whole => Question::Presence { absent: atom.negated },
            Test::Ok if whole && atom.negated && self.is_file_probe(touch.event) => Question::Presence { absent: true },
            Test::Ok if whole => match answers {
                Some(Outcome::Row | Outcome::Won) => Question::Presence { absent: atom.negated },
                _ => Question::Failure,
            },
            Test::Empty if whole || touch.part.is_none() => Question::Presence { absent: !atom.negated },
            Test::True if whole && self.is_existence(touch.event, answers) => {
                Question::Presence { absent: atom.negated }
            }
            Test::True if self.is_existence(touch.event, answers) && self.is_part(atom.value, touch.event) => {
                Question::Presence { absent: atom.negated }
            }
            Test::True if self.is_membership(atom.value, touch.event) => Question::Presence { absent: atom.negated },
            Test::True if self.asks_error(atom.value).is_some() => match self.asks_error(atom.value) {
                Some("not_found") => Question::Presence { absent: !atom.negated },
                _ => Question::Failure,
            },
            Test::Variant(name) if self.is_error_of(atom.value, touch.event) => self.error_variant(name, atom),
            Test::Ok => Question::Failure,
            Test::Compare(op, other) if self.asks_kind(atom.value, touch.event) => self.error_kind(atom, op, other),
            Test::Compare(op, other) => self.comparison(atom, op, other, touch, answers),
            _ if self.is_amount(touch.event, answers) => Question::Amount,
            _ => Question::Content,
        }
    }

    /// Whichever of its ways a condition goes, the same was asked of what an event answered: `!path.try_exists().unwrap_or(false)`.
    pub fn asks_alike(&self, cond: CondId, event: EventId, question: Question, depth: u32) -> bool {
        let alike = |part: &CondId| depth > 0 && self.asks_alike(*part, event, question, depth - 1);
        match self.trace.arena.cond(cond) {
            Cond::And(parts) => parts.iter().any(alike),
            Cond::Or(parts) => parts.iter().all(alike),
            Cond::Then(path, next) => alike(next) || alike(path),
            Cond::Test { value, test, negated } => {
                let atom = Atom { value: *value, test: *test, negated: *negated, strong: true };
                let touches = self.touches_of_atom_at(&atom, event);
                touches.iter().any(|touch| self.question_of(&atom, touch) == question)
            }
            Cond::True | Cond::False => false,
        }
    }

    /// The value is the answer itself, or an element of it; nothing was computed from it.
    fn is_whole(&self, value: ValueId, event: EventId) -> bool {
        let mut at = value;
        for _ in 0..8 {
            match self.trace.arena.get(at) {
                Value::Outcome(of) | Value::Guard(of) => return *of == event,
                Value::Element(base) | Value::Wrap(_, base) | Value::Content(base) => at = *base,
                Value::Op(name, args)
                    if args.len() == 1 && matches!(name.as_str(), "rows" | "first" | "next" | "last") =>
                {
                    at = args[0]
                }
                _ => return false,
            }
        }
        false
    }

    /// Whether one of the rows, or of what was collected from them, is a certain one.
    fn is_membership(&self, value: ValueId, event: EventId) -> bool {
        let Value::Op(name, args) = self.trace.arena.get(value) else { return false };
        let asks = matches!(name.as_str(), "contains" | "contains_key" | "any");
        asks && self.sql(event).is_some() && args.first().is_some_and(|rows| self.is_listed(*rows, event))
    }

    fn is_listed(&self, rows: ValueId, event: EventId) -> bool {
        let mut at = rows;
        for _ in 0..8 {
            at = match self.trace.arena.get(at) {
                Value::Op(name, args) if matches!(name.as_str(), "collect" | "iter" | "into_iter" | "each") => args[0],
                _ => return self.is_whole(at, event),
            };
        }
        false
    }

    /// A field of the answer.
    fn is_part(&self, value: ValueId, event: EventId) -> bool {
        match self.trace.arena.get(value) {
            Value::Field(base, _) => self.is_whole(*base, event),
            _ => self.is_whole(value, event),
        }
    }

    fn is_error_of(&self, value: ValueId, event: EventId) -> bool {
        match self.trace.arena.get(value) {
            Value::Given(base, _) => self.is_error_of(*base, event) || self.is_whole(*base, event),
            // A column of the row is none, though its enum is matched.
            Value::Field(base, _) => self.is_error_of(*base, event),
            Value::Phi(arms) => arms.iter().any(|(_, arm)| self.is_error_of(*arm, event)),
            _ => false,
        }
    }

    /// What a method of an error asks: whether a row was missing, or a constraint was violated.
    pub fn asks_error(&self, value: ValueId) -> Option<&'static str> {
        match self.trace.arena.get(value) {
            Value::Op(name, _) => name.as_str().strip_prefix("error "),
            _ => None,
        }
    }

    /// `RowNotFound`, `NotFound`: the row is absent. Any other error is a failure.
    fn error_variant(&self, name: Symbol, atom: &Atom) -> Question {
        match crate::flow::cond::last_segment(name) {
            "RowNotFound" | "NotFound" | "QueryReturnedNoRows" | "RecordNotFound" => {
                Question::Presence { absent: !atom.negated }
            }
            _ => Question::Failure,
        }
    }

    fn comparison(&self, atom: &Atom, op: BinOp, other: ValueId, touch: &Touch, answers: Option<Outcome>) -> Question {
        let amount = self.is_amount(touch.event, answers) || self.is_counted(atom.value) || self.is_counted(other);
        if !amount {
            return Question::Content;
        }
        let limit = self.trace.arena.as_lit(other).map(Symbol::as_str);
        // `count == 0`, `count > 0` and their like ask whether there is any.
        let absent = match (op, limit) {
            (BinOp::Eq, Some("0")) | (BinOp::Lt, Some("1")) | (BinOp::Le, Some("0")) => true,
            (BinOp::Gt, Some("0")) | (BinOp::Ge, Some("1")) => false,
            _ => return Question::Amount,
        };
        Question::Presence { absent: absent != atom.negated }
    }

    fn is_file_probe(&self, event: EventId) -> bool {
        matches!(&self.event(event).kind, EventKind::Access(access) if access.domain == Domain::File && access.op == AccessOp::Probe)
    }

    /// `error.kind()`, compared.
    fn asks_kind(&self, value: ValueId, event: EventId) -> bool {
        match self.trace.arena.get(value) {
            Value::Op(name, args) => name == "kind" && args.iter().any(|arg| self.is_error_of(*arg, event)),
            Value::Phi(arms) => arms.iter().any(|(_, arm)| self.asks_kind(*arm, event)),
            _ => false,
        }
    }

    fn error_kind(&self, atom: &Atom, op: BinOp, other: ValueId) -> Question {
        let kind = match self.trace.arena.get(other) {
            Value::Const(path) => crate::flow::cond::last_segment(*path),
            _ => return Question::Failure,
        };
        match (op, kind) {
            (BinOp::Eq, "NotFound") if !atom.negated => Question::Presence { absent: true },
            _ => Question::Failure,
        }
    }

    fn is_counted(&self, value: ValueId) -> bool {
        match self.trace.arena.get(value) {
            Value::Op(name, args) => {
                matches!(name.as_str(), "len" | "count" | "sum" | "affected")
                    || args.iter().any(|arg| self.is_counted(*arg))
            }
            _ => false,
        }
    }

    /// A number of rows is there even where no row is.
    fn always_answers(&self, event: EventId) -> bool {
        let Some(sql) = self.sql(event) else { return false };
        let counts = |aggregate: &Aggregate| matches!(aggregate, Aggregate::Count | Aggregate::Exists);
        let (projections, known) = (&sql.statement.projections, aggregates(&sql.statement));
        !sql.statement.grouped && !known.is_empty() && known.len() == projections.len() && known.iter().all(counts)
    }

    fn is_existence(&self, event: EventId, answers: Option<Outcome>) -> bool {
        if let Some(sql) = self.sql(event) {
            return aggregates(&sql.statement).contains(&Aggregate::Exists) || selects_constant(&sql.statement);
        }
        answers == Some(Outcome::Bool)
            || matches!(&self.event(event).kind, EventKind::Access(access) if access.mode == Some(Mode::Exists))
    }

    fn is_amount(&self, event: EventId, answers: Option<Outcome>) -> bool {
        if let Some(sql) = self.sql(event) {
            let known = aggregates(&sql.statement);
            return known.contains(&Aggregate::Count)
                || known.contains(&Aggregate::Sum)
                || answers == Some(Outcome::Affected);
        }
        answers == Some(Outcome::Count)
            || matches!(&self.event(event).kind, EventKind::Access(access) if access.mode == Some(Mode::Length))
    }

    /// The columns of the table that a part of an answer stands for.
    pub fn columns_of_part(&self, event: EventId, part: Option<Symbol>) -> Vec<Column> {
        let Some(sql) = self.sql(event) else { return Vec::new() };
        let projections = &sql.statement.effective().projections;
        match part {
            None if projections.len() == 1 => projections[0].columns.clone(),
            None => Vec::new(),
            Some(name) => {
                let by_place = name.as_str().parse::<usize>().ok().and_then(|n| projections.get(n));
                match projections.iter().find(|p| p.name == Some(name)).or(by_place) {
                    Some(projection) => projection.columns.clone(),
                    None if projections.len() == 1 && projections[0].columns.iter().all(|c| c.name != "*") => {
                        projections[0].columns.clone()
                    }
                    None => vec![Column { table: None, name }],
                }
            }
        }
    }
}

/// What the statement computes over rows.
pub fn aggregates(statement: &Statement) -> Vec<Aggregate> {
    statement.projections.iter().filter_map(|projection| projection.aggregate).collect()
}

/// `SELECT 1 …`: only whether there is a row.
fn selects_constant(statement: &Statement) -> bool {
    !statement.projections.is_empty()
        && statement.projections.iter().all(|p| p.columns.is_empty() && p.aggregate.is_none())
}
