//! Commands of stores that are data: words put together, looked up in the models when they run.

use super::event::{Access, AccessOp, Domain, EventKind};
use super::model::ModelCall;
use super::value::{Value, ValueId};
use super::walk::Walker;
use crate::intern::Symbol;
use crate::models::row::{CommandRow, Does, Effect, Outcome, Step, TypeRole};
use crate::resolve::Ty;
use crate::sql::Isolation;

impl Walker<'_> {
    /// Starts a command, or adds words to one.
    pub fn command_step(&mut self, call: &ModelCall, base: Option<ValueId>) -> ValueId {
        if call.row.step == Some(Step::Command) {
            self.queue_command(call, base);
        }
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
        self.command_value(call, words)
    }

    /// A command with its words so far; a builder that was called by reference holds it from now on.
    fn command_value(&mut self, call: &ModelCall, words: Vec<ValueId>) -> ValueId {
        let value = self.arena.add(Value::Command(words));
        if let Some((receiver, _)) = call.receiver
            && let Some(builder) = self.changed_builder(receiver)
        {
            self.change_own(builder, value);
        }
        value
    }

    /// A part of a command that is built by named parts: its table, its key, what is written, under which condition.
    pub fn command_part(&mut self, call: &ModelCall, base: Option<ValueId>) -> Option<ValueId> {
        let Value::Command(mut words) = self.arena.get(base?).clone() else { return None };
        let part = match call.row.step? {
            Step::Table => "table",
            Step::ByKey => "key",
            Step::SetColumn | Step::Values => "item",
            Step::Filter => "condition",
            Step::Set => "change",
            Step::Bind => "bound",
            _ => return base,
        };
        let given = call.given.iter().map(|(_, value)| *value).collect();
        words.push(self.arena.op(part, given));
        Some(self.command_value(call, words))
    }

    /// A command that a group holds already happens when the group does.
    pub fn queue_command(&mut self, call: &ModelCall, group: Option<ValueId>) {
        if let Some(group) = group
            && let Value::Command(words) = self.arena.get(group).clone()
        {
            let group = self.group(call, group);
            self.push_command(call, &words, group);
        }
    }

    /// Runs the receiver where it is a command.
    pub fn run_command(&mut self, call: &ModelCall) -> Option<ValueId> {
        let subject = call.subject()?;
        let Value::Command(words) = self.arena.get(subject).clone() else { return None };
        let place = match self.is_of_group(call) {
            true => self.group(call, subject),
            false => call.arg(&call.row.executor).unwrap_or(subject),
        };
        self.push_command(call, &words, place)
    }

    /// Where a command of a group waits: the same words, on their own, are no group.
    fn group(&mut self, call: &ModelCall, commands: ValueId) -> ValueId {
        if !self.is_of_group(call) {
            return commands;
        }
        let group = self.arena.op("group", vec![commands]);
        let ty = call.row.on.first().map(|path| Ty::Ext(Symbol::new(path), Vec::new().into()));
        if let Some(ty) = ty {
            self.arena.types.insert(group, ty);
        }
        group
    }

    fn is_of_group(&self, call: &ModelCall) -> bool {
        call.row.on.iter().any(|path| self.models.type_role(path) == Some(TypeRole::Group))
    }

    fn push_command(&mut self, call: &ModelCall, words: &[ValueId], place: ValueId) -> Option<ValueId> {
        let name = words.first().and_then(|word| self.arena.as_lit(*word))?;
        let models = self.models;
        let row = models.command(name.as_str())?;
        let op = match row.does {
            Does::Read => AccessOp::Read,
            Does::Write => AccessOp::Write,
            Does::Atomic | Does::AtomicGroup => AccessOp::Atomic,
            Does::Probe => AccessOp::Probe,
            // What is written from here on stands only if nobody else wrote: the group at its end asks.
            Does::Begin => {
                let begin = EventKind::Begin { on: Some(place), isolation: Isolation::Default, savepoint: false };
                self.push(begin, call.span, call.evidence);
                return Some(self.arena.unit());
            }
            _ => return Some(self.arena.unit()),
        };
        let mut access = self.command_access(row, words, name, op, place);
        self.fill_from_parts(&mut access, words);
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

    /// The named parts of a command: the row is its table and the attributes that pick it; what is put holds its own key.
    fn fill_from_parts(&mut self, access: &mut Access, words: &[ValueId]) {
        let parts: Vec<(Symbol, Vec<ValueId>)> = words
            .iter()
            .filter_map(|word| match self.arena.get(*word) {
                Value::Op(name, args) => Some((*name, args.clone())),
                _ => None,
            })
            .collect();
        let of = |part: &'static str| -> Vec<&Vec<ValueId>> {
            parts.iter().filter(|(name, _)| *name == part).map(|(_, args)| args).collect()
        };
        let (keys, items) = (of("key"), of("item"));
        let Some(table) = of("table").first().and_then(|args| args.first().copied()) else { return };
        let picked = if keys.is_empty() { &items } else { &keys };
        let row: Vec<ValueId> = std::iter::once(table).chain(picked.iter().copied().flatten().copied()).collect();
        let bound = of("bound");
        let written: Vec<ValueId> = items.iter().chain(&bound).filter_map(|args| args.last().copied()).collect();
        let computes = of("change").into_iter().flatten().any(|text| {
            let text = self.arena.as_lit(*text);
            text.is_some_and(|text| text.as_str().contains(['+', '-']) || text.as_str().contains("ADD "))
        });
        access.conditional |= !of("condition").is_empty();
        if access.conditional || computes {
            access.op = AccessOp::Atomic;
        }
        if computes {
            access.effect = Some(Effect::Increment);
        }
        access.key = Some(self.arena.op("row", row));
        if access.effect.is_some() && !written.is_empty() {
            access.value = Some(self.arena.op("list", written));
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
