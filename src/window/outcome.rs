//! Outcomes: what becomes of an event's answer: looked at, handed on, or dropped.

use super::View;
use super::decision::{Decider, Question};
use super::touch::Touch;
use crate::flow::cond::{Atom, Cond, CondId, Test};
use crate::flow::event::{AccessOp, EventKind};
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::resolve::Ty;

impl View<'_> {
    /// Something is decided by the answer of an event, other than whether the call failed; or the answer is part of what is given back.
    pub fn is_looked_at(&self, id: EventId) -> bool {
        self.decides_later(id, |question| question != Question::Failure) || self.flows_out(id)
    }

    /// Some test, on the way to a later event or to a way out, asks this of the answer.
    pub fn decides_later(&self, id: EventId, asks: impl Fn(Question) -> bool) -> bool {
        self.tests_of(id).any(|(atom, touch)| asks(self.question_of(&atom, &touch)))
    }

    /// The tests that look at what an event answered, anywhere after it.
    pub fn tests_of(&self, id: EventId) -> impl Iterator<Item = (Atom, Touch)> {
        let tests = self.tests();
        let mine = tests.touching[id.0 as usize].iter().map(|test| tests.atoms[test as usize]);
        mine.flat_map(move |atom| self.touches_of_atom_at(&atom, id).into_iter().map(move |touch| (atom, touch)))
    }

    /// The conditions that what is given back depends on.
    pub(super) fn conditions_out(&self) -> Vec<CondId> {
        let mut out = Vec::new();
        self.answers().for_each(|value| self.conditions_in(value, 6, &mut out));
        out
    }

    fn conditions_in(&self, value: ValueId, depth: u32, out: &mut Vec<CondId>) {
        if depth == 0 {
            return;
        }
        match self.trace.arena.get(value) {
            Value::Phi(arms) => {
                for (cond, arm) in arms {
                    out.push(*cond);
                    self.conditions_in(*arm, depth - 1, out);
                }
            }
            Value::Wrap(_, inner) => self.conditions_in(*inner, depth - 1, out),
            Value::Record { fields, .. } => {
                for (_, field) in fields {
                    self.conditions_in(*field, depth - 1, out);
                }
            }
            Value::Op(_, args) => {
                for arg in args {
                    self.conditions_in(*arg, depth - 1, out);
                }
            }
            _ => {}
        }
    }

    /// The answer is part of what the function gives back when it succeeds.
    pub fn flows_out(&self, id: EventId) -> bool {
        let given = self.trace.ret.filter(|_| !self.gives_nothing());
        given.into_iter().chain(self.trace.told.iter().copied()).any(|value| self.part_of_success(value, id, 8))
    }

    /// What is given back to callers, and to those whom handlers answer.
    fn answers(&self) -> impl Iterator<Item = ValueId> {
        self.trace.ret.into_iter().chain(self.trace.told.iter().copied())
    }

    /// The function gives back no more than whether it failed.
    fn gives_nothing(&self) -> bool {
        let ret = &self.program.function(self.function).ret;
        let success = match ret {
            Ty::Ext(path, args) if path.as_str().ends_with("Result") => args.first(),
            _ => None,
        };
        matches!(success.unwrap_or(ret), Ty::Tuple(parts) if parts.is_empty())
    }

    pub fn part_of_success(&self, value: ValueId, id: EventId, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        match self.trace.arena.get(value) {
            Value::Wrap(name, _) if *name == "Err" => false,
            Value::Wrap(_, inner) => self.part_of_success(*inner, id, depth - 1),
            Value::Phi(arms) => arms.iter().any(|(_, arm)| self.part_of_success(*arm, id, depth - 1)),
            _ => self.touches(value).iter().any(|touch| touch.event == id && !touch.control),
        }
    }

    /// Whether an error of the event goes anywhere: it is tested, or given back.
    pub fn error_goes_somewhere(&self, id: EventId) -> bool {
        let tested = self.decides_later(id, |_| true);
        tested || self.answers().any(|value| self.touches(value).iter().any(|touch| touch.event == id))
    }

    /// The caller can tell a failure of this kind from others: the error's kind is asked for, or the failure is of no interest.
    pub fn handles_error(&self, id: EventId) -> bool {
        self.asks_which_error(id) || !self.error_goes_somewhere(id)
    }

    /// Some test looks at what kind of failure it was.
    pub fn asks_which_error(&self, id: EventId) -> bool {
        self.tests_of(id).any(|(atom, _)| self.is_error_value(atom.value, id, 6))
    }

    fn is_error_value(&self, value: ValueId, id: EventId, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        match self.trace.arena.get(value) {
            Value::Given(inner, crate::flow::value::GivenKind::Error) => {
                self.touches(*inner).iter().any(|touch| touch.event == id)
            }
            Value::Op(_, args) => args.iter().any(|arg| self.is_error_value(*arg, id, depth - 1)),
            Value::Field(inner, _) | Value::Wrap(_, inner) => self.is_error_value(*inner, id, depth - 1),
            _ => false,
        }
    }

    /// Between two events, something outside is waited for.
    pub fn waits_between(&self, from: EventId, to: EventId) -> bool {
        self.trace.events[from.0 as usize + 1..to.0 as usize].iter().any(|event| match &event.kind {
            EventKind::External { .. } | EventKind::Sleep | EventKind::Wait(_) | EventKind::Sql(_) => true,
            EventKind::Access(access) => access.op == AccessOp::Use,
            _ => false,
        })
    }

    /// Between a miss and the put, something is waited for, and what is put depends on nothing that the place held.
    pub fn computes_from_key(&self, check: EventId, act: EventId) -> bool {
        let Some(access) = self.access(act) else { return false };
        let Some(value) = access.value else { return false };
        let waited = self.waits_between(check, act);
        let from_outside = self.touches(value).iter().any(|touch| {
            matches!(self.event(touch.event).kind, EventKind::External { .. } | EventKind::Sql(_))
                || self.access(touch.event).is_some_and(|access| !access.domain.in_memory())
        });
        let awaited = self.trace.events[check.0 as usize + 1..act.0 as usize].iter().any(|event| match &event.kind {
            EventKind::Wait(gave) => self.mentions(value, *gave, 8),
            _ => false,
        });
        waited && (from_outside || awaited)
    }

    /// The value is, or is made of, another one.
    fn mentions(&self, value: ValueId, of: ValueId, depth: u32) -> bool {
        if value == of {
            return true;
        }
        if depth == 0 {
            return false;
        }
        match self.trace.arena.get(value) {
            Value::Op(_, args) => args.iter().any(|arg| self.mentions(*arg, of, depth - 1)),
            Value::Wrap(_, inner) | Value::Field(inner, _) | Value::Element(inner) => {
                self.mentions(*inner, of, depth - 1)
            }
            Value::Phi(arms) => arms.iter().any(|(_, arm)| self.mentions(*arm, of, depth - 1)),
            Value::Record { fields, .. } => fields.iter().any(|(_, field)| self.mentions(*field, of, depth - 1)),
            _ => false,
        }
    }

    /// A lock on the file, or on something that stands for it, is held from one event to the other.
    pub fn file_locked(&self, from: EventId, to: EventId) -> bool {
        let held = self.event(from).held.iter().filter(|lock| self.event(to).held.contains(lock));
        held.into_iter().any(|lock| matches!(self.event(*lock).kind, EventKind::Acquire(_)))
    }

    /// Whether a condition can hold at all.
    pub fn possible(&self, cond: CondId) -> bool {
        self.trace.arena.cond(cond) != &Cond::False
    }

    /// The conditions of the ways out on which the function succeeds.
    pub fn success_conditions(&self) -> Vec<CondId> {
        let mut out = Vec::new();
        if let Some(ret) = self.trace.ret {
            self.successes_in(ret, 6, &mut out);
        }
        out
    }

    /// The conditions of the ways out on which the function gives back an error though nothing failed on the way.
    pub fn refusals(&self) -> Vec<CondId> {
        let Some(Value::Phi(arms)) = self.trace.ret.map(|ret| self.trace.arena.get(ret)) else { return Vec::new() };
        let error = |arm: ValueId| matches!(self.trace.arena.get(arm), Value::Wrap(name, _) if *name == "Err");
        let ways = |cond: CondId| match self.trace.arena.cond(cond) {
            Cond::Or(parts) => parts.to_vec(),
            _ => vec![cond],
        };
        let failed = |atom: &Atom| atom.strong && atom.negated && atom.test == Test::Ok;
        let ends = arms.iter().filter(|(_, arm)| error(*arm)).flat_map(|(cond, _)| ways(*cond));
        ends.filter(|way| !self.trace.arena.atoms(*way).iter().any(failed)).collect()
    }

    fn successes_in(&self, value: ValueId, depth: u32, out: &mut Vec<CondId>) {
        if depth == 0 {
            return;
        }
        if let Value::Phi(arms) = self.trace.arena.get(value) {
            for (cond, arm) in arms {
                if !matches!(self.trace.arena.get(*arm), Value::Wrap(name, _) if *name == "Err") {
                    out.push(*cond);
                    self.successes_in(*arm, depth - 1, out);
                }
            }
        }
    }

    /// One who finds what was looked for gets an error, or another fixed answer than one who does not.
    pub fn tells_who_was_first(&self, deciders: &[Decider]) -> bool {
        let mut verdicts = Vec::new();
        if let Some(ret) = self.trace.ret {
            self.verdicts_in(ret, &[], 6, &mut verdicts);
        }
        let presence = |atom: &Atom| {
            let asked = deciders.iter().find(|d| d.atom.value == atom.value && d.atom.test == atom.test)?;
            matches!(asked.question, Question::Presence { .. }).then_some(asked.atom.negated != atom.negated)
        };
        let of = |found: bool| {
            let under = verdicts.iter().filter(move |(way, _)| way.iter().any(|atom| presence(atom) == Some(found)));
            under.map(|(_, verdict)| *verdict)
        };
        of(true).any(|refused| refused.is_none() || of(false).any(|other| other.is_some_and(|it| Some(it) != refused)))
    }

    /// The literals and errors (none) that a value may be, each with the tests that lead to it.
    fn verdicts_in(&self, value: ValueId, way: &[Atom], depth: u32, out: &mut Vec<(Vec<Atom>, Option<Symbol>)>) {
        match self.trace.arena.get(value) {
            Value::Phi(arms) if depth > 0 => {
                for (cond, arm) in arms {
                    let tests = self.trace.arena.atoms(*cond).into_iter().filter(|atom| atom.strong);
                    let way: Vec<Atom> = way.iter().copied().chain(tests).collect();
                    self.verdicts_in(*arm, &way, depth - 1, out);
                }
            }
            Value::Wrap(name, _) if *name == "Err" => out.push((way.to_vec(), None)),
            Value::Wrap(_, inner) if depth > 0 => self.verdicts_in(*inner, way, depth - 1, out),
            Value::Lit(text) => out.push((way.to_vec(), Some(*text))),
            _ => {}
        }
    }

    /// A test that asks whether the error of an event is a unique violation.
    pub fn is_violation(&self, atom: &crate::flow::cond::Atom, id: EventId) -> bool {
        let named = match atom.test {
            crate::flow::cond::Test::Variant(name) => crate::flow::cond::last_segment(name).starts_with("Unique"),
            _ => matches!(self.asks_error(atom.value), Some("unique" | "exists" | "conflict")),
        };
        named && self.touches(atom.value).iter().any(|touch| touch.event == id)
    }

    /// The inputs that a value is made of: parameters, their fields, what came out of events.
    pub fn inputs(&self, value: ValueId) -> Vec<ValueId> {
        let mut out = Vec::new();
        let mut todo = vec![(value, 12u32)];
        while let Some((value, depth)) = todo.pop() {
            if depth == 0 || out.len() > 32 {
                continue;
            }
            match self.trace.arena.get(value) {
                Value::Op(_, args) => todo.extend(args.iter().map(|arg| (*arg, depth - 1))),
                Value::Wrap(_, inner) | Value::Content(inner) | Value::Element(inner) => todo.push((*inner, depth - 1)),
                Value::Phi(arms) => todo.extend(arms.iter().map(|(_, arm)| (*arm, depth - 1))),
                Value::Record { fields, .. } => todo.extend(fields.iter().map(|(_, field)| (*field, depth - 1))),
                Value::Param(_) | Value::Field(..) | Value::Outcome(_) => out.push(value),
                _ => {}
            }
        }
        out
    }

    /// Whoever computes the value from the same inputs gets the same: nothing in it is made anew.
    pub fn is_repeatable(&self, value: ValueId) -> bool {
        let mut todo = vec![(value, 12u32)];
        while let Some((value, depth)) = todo.pop() {
            match self.trace.arena.get(value) {
                Value::Unknown(_) => return false,
                _ if depth == 0 => return false,
                Value::Op(_, args) => todo.extend(args.iter().map(|arg| (*arg, depth - 1))),
                Value::Wrap(_, inner) | Value::Content(inner) | Value::Element(inner) | Value::Field(inner, _) => {
                    todo.push((*inner, depth - 1))
                }
                Value::Phi(arms) => todo.extend(arms.iter().map(|(_, arm)| (*arm, depth - 1))),
                _ => {}
            }
        }
        true
    }

    /// The value is a part of the other one.
    pub fn stands_below(&self, value: ValueId, of: ValueId) -> bool {
        let mut at = value;
        for _ in 0..12 {
            if at == of {
                return true;
            }
            at = match self.trace.arena.get(at) {
                Value::Field(base, _) | Value::Element(base) | Value::Content(base) => *base,
                _ => return false,
            };
        }
        false
    }

    /// Between two events something outside, or a sleep, is waited for: no place for a lock.
    pub fn waits_outside(&self, from: EventId, to: EventId) -> bool {
        self.trace.events[from.0 as usize + 1..to.0 as usize]
            .iter()
            .any(|event| matches!(event.kind, EventKind::External { .. } | EventKind::Sleep))
    }
}
