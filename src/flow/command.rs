//! Commands of stores that are data: words put together, looked up in the models when they run.

use super::event::{Access, AccessOp, Domain, EventKind};
use super::model::ModelCall;
use super::value::{Value, ValueId};
use super::walk::Walker;
use crate::intern::Symbol;
use crate::models::row::{CommandRow, Does, Outcome, Step};

impl Walker<'_> {
    /// Starts a command, or adds words to one.
    pub fn command_step(&mut self, call: &ModelCall, base: Option<ValueId>) -> ValueId {
        let mut words = match (call.row.step, base.map(|base| self.arena.get(base).clone())) {
            (Some(Step::Arg), Some(Value::Command(words))) => words,
            _ => Vec::new(),
        };
        if words.is_empty() {
            let name = match &call.row.command {
                Some(name) => Some(self.arena.lit(name)),
                None => call.arg(&call.row.sql),
            };
            words.extend(name);
        }
        if call.row.step == Some(Step::Arg) {
            let added: Vec<ValueId> = match call.arg(&call.row.value) {
                Some(value) => self.members(value),
                None => call.given.iter().map(|(_, v)| *v).collect(),
            };
            words.extend(added);
        }
        let value = self.arena.add(Value::Command(words));
        if let Some((receiver, _)) = call.receiver
            && self.local_root(receiver).is_some_and(|local| self.body.local(local).mutable)
        {
            self.change_own(receiver, value);
        }
        value
    }

    /// Runs the receiver where it is a command.
    pub fn run_command(&mut self, call: &ModelCall) -> Option<ValueId> {
        let subject = call.subject()?;
        let Value::Command(words) = self.arena.get(subject).clone() else { return None };
        let name = words.first().and_then(|word| self.arena.as_lit(*word))?;
        let models = self.models;
        let row = models.command(name.as_str())?;
        let op = match row.does {
            Does::Read => AccessOp::Read,
            Does::Write => AccessOp::Write,
            Does::Atomic | Does::AtomicGroup => AccessOp::Atomic,
            Does::Probe => AccessOp::Probe,
            _ => return Some(self.arena.unit()),
        };
        let place = call.arg(&call.row.executor).unwrap_or(subject);
        let access = self.command_access(row, &words, name, op, place);
        let event = self.push(EventKind::Access(access), call.span, call.evidence);
        Some(self.arena.add(Value::Outcome(event)))
    }

    fn command_access(
        &mut self,
        row: &CommandRow,
        words: &[ValueId],
        name: Symbol,
        op: AccessOp,
        place: ValueId,
    ) -> Access {
        let says = |list: &[String]| {
            words.iter().skip(2).any(|word| {
                self.arena
                    .as_lit(*word)
                    .is_some_and(|text| list.iter().any(|one| one.eq_ignore_ascii_case(text.as_str())))
            })
        };
        let conditional = row.conditional || says(&row.conditional_words);
        let previous = says(&row.previous_words);
        Access {
            domain: Domain::Store,
            op: if conditional && op == AccessOp::Write { AccessOp::Atomic } else { op },
            place,
            key: row.key.and_then(|n| words.get(n).copied()),
            value: row.value.and_then(|n| words.get(n).copied()),
            target: None,
            effect: row.effect,
            mode: row.mode,
            result: if previous { Some(Outcome::Previous) } else { row.result },
            conditional,
            expires: row.expires || says(&row.expires_words),
            attempt: false,
            asserted: false,
            name,
        }
    }

    /// A script or a pipeline that the store runs as one.
    pub fn atomic_group(&mut self, call: &ModelCall) -> ValueId {
        self.run_given(call);
        let place = call.arg(&call.row.executor).or_else(|| call.subject()).unwrap_or_else(|| self.arena.fresh());
        let access = Access {
            domain: Domain::Store,
            op: AccessOp::Atomic,
            place,
            key: call.arg(&call.row.key),
            value: None,
            target: None,
            effect: None,
            mode: None,
            result: call.row.result,
            conditional: true,
            expires: true,
            attempt: false,
            asserted: false,
            name: call.name,
        };
        let event = self.push(EventKind::Access(access), call.span, call.evidence);
        self.arena.add(Value::Outcome(event))
    }
}
