//! Provenance: which reads a value was computed from, and through which column.

use std::sync::Arc;

use crate::flow::cond::{Atom, Cond, CondId, Test};
use crate::flow::event::{Access, EventKind, Summary};
use crate::flow::value::{EventId, Pred, Value, ValueId};
use crate::intern::{Map, Set, Symbol};
use crate::resolve::{Program, Ty};

/// A value depends on what an event answered, or on what stood behind a guard that it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Touch {
    pub event: EventId,
    /// The name under which a part was taken: a column, a field; none for the answer as a whole.
    pub part: Option<Part>,
    /// Only through the condition under which the value was chosen.
    pub control: bool,
}

/// An ordered name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Part(pub Symbol);

impl std::fmt::Debug for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0)
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Part {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        if self == other { std::cmp::Ordering::Equal } else { self.0.as_str().cmp(other.0.as_str()) }
    }
}

/// More touches than this say no more than that many things came together.
const MANY: usize = 256;

/// Answers of one trace, remembered.
pub struct Touches<'t> {
    program: &'t Program,
    pub trace: &'t Summary,
    known: Map<ValueId, Arc<[Touch]>>,
    known_conds: Map<CondId, Arc<[Touch]>>,
    /// What was put into things that were made here, by the thing.
    put: Map<ValueId, Vec<ValueId>>,
    /// Each answer once: many values are made of the same reads.
    sets: Set<Arc<[Touch]>>,
    none: Arc<[Touch]>,
}

impl<'t> Touches<'t> {
    pub fn new(program: &'t Program, trace: &'t Summary) -> Self {
        let mut put: Map<ValueId, Vec<ValueId>> = Map::default();
        for event in &trace.events {
            if let EventKind::Access(Access { place, value: Some(value), .. }) = &event.kind
                && let Some(made) = made_here(trace, *place)
            {
                put.entry(made).or_default().push(*value);
            }
        }
        let (known, known_conds, sets) = (Map::default(), Map::default(), Set::default());
        Touches { program, trace, known, known_conds, put, sets, none: Arc::from([]) }
    }

    /// Everything that `value` was computed from, by event.
    pub fn of(&mut self, value: ValueId) -> Arc<[Touch]> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        // A value cannot hold itself, but its condition may be shared with it: stop there.
        self.known.insert(value, self.none.clone());
        let out = match self.trace.arena.get(value) {
            Value::Element(base) | Value::Content(base) | Value::Wrap(_, base) | Value::Given(base, _) => {
                self.of(*base)
            }
            _ => {
                let mut out = Vec::new();
                self.collect(value, &mut out);
                self.shared(out)
            }
        };
        self.known.insert(value, out.clone());
        out
    }

    /// The touches, which are some sorted ones one after the other, as one set.
    fn shared(&mut self, mut touches: Vec<Touch>) -> Arc<[Touch]> {
        touches.sort();
        touches.dedup();
        touches.truncate(MANY);
        if touches.is_empty() {
            return self.none.clone();
        }
        if let Some(known) = self.sets.get(&touches[..]) {
            return known.clone();
        }
        let touches: Arc<[Touch]> = touches.into();
        self.sets.insert(touches.clone());
        touches
    }

    fn collect(&mut self, value: ValueId, out: &mut Vec<Touch>) {
        match self.trace.arena.get(value).clone() {
            Value::Field(base, name) => {
                let held = held_in(self.trace, base, name, 4);
                if !held.is_empty() {
                    for value in held {
                        out.extend(self.of(value).iter());
                    }
                    return;
                }
                // Of a row within a row of several tables, its own column is the part.
                let of_row = row_table(self.program, self.trace, base).is_some();
                for touch in self.of(base).iter() {
                    let part = touch.part.filter(|_| !of_row).or(Some(Part(name)));
                    out.push(Touch { part, ..*touch });
                }
            }
            Value::Outcome(event) => {
                out.push(Touch { event, part: None, control: false });
                self.behind(event, out);
            }
            Value::Guard(event) => out.push(Touch { event, part: None, control: false }),
            Value::Entry(place, key) => {
                out.extend(self.of(place).iter());
                out.extend(self.of(key).iter());
            }
            Value::Op(_, args) | Value::Command(args) => {
                for arg in args {
                    out.extend(self.of(arg).iter());
                }
            }
            Value::Record { fields, base, .. } => {
                for (_, field) in fields {
                    out.extend(self.of(field).iter());
                }
                if let Some(base) = base {
                    out.extend(self.of(base).iter());
                }
            }
            Value::Phi(arms) => {
                for (cond, arm) in arms {
                    out.extend(self.of(arm).iter());
                    let control = self.of_cond(cond);
                    out.extend(control.iter().map(|touch| Touch { control: true, ..*touch }));
                }
            }
            Value::Query(query) => {
                for arg in query.args.iter().flatten() {
                    out.extend(self.of(*arg).iter());
                }
            }
            Value::Pred(pred) => match &*pred {
                Pred::Compare { right, .. } => out.extend(self.of(*right).iter()),
                Pred::And(parts) | Pred::Or(parts) => {
                    for part in parts {
                        out.extend(self.of(*part).iter());
                    }
                }
            },
            Value::Unknown(_) => {
                for part in self.put.get(&value).cloned().unwrap_or_default() {
                    out.extend(self.of(part).iter());
                }
            }
            _ => {}
        }
    }

    /// What an access answered came from what its place is behind.
    fn behind(&mut self, event: EventId, out: &mut Vec<Touch>) {
        match &self.trace.events[event.0 as usize].kind {
            EventKind::Access(access) => {
                let place = access.place;
                out.extend(self.of(place).iter());
            }
            // What something that the caller gave answers is made of what it was given.
            EventKind::Invoke { args, .. } => {
                for arg in args.clone() {
                    out.extend(self.of(arg).iter());
                }
            }
            _ => {}
        }
    }

    pub fn of_cond(&mut self, cond: CondId) -> Arc<[Touch]> {
        if let Some(known) = self.known_conds.get(&cond) {
            return known.clone();
        }
        self.known_conds.insert(cond, self.none.clone());
        let mut out = Vec::new();
        match self.trace.arena.cond(cond).clone() {
            Cond::True | Cond::False => {}
            Cond::Test { value, test, .. } => {
                out.extend(self.of(value).iter());
                if let Test::Compare(_, other) = test {
                    out.extend(self.of(other).iter());
                }
            }
            Cond::And(parts) | Cond::Or(parts) => {
                for part in parts {
                    out.extend(self.of_cond(part).iter());
                }
            }
            Cond::Then(path, next) => {
                out.extend(self.of_cond(path).iter());
                out.extend(self.of_cond(next).iter());
            }
        }
        let out = self.shared(out);
        self.known_conds.insert(cond, out.clone());
        out
    }

    /// What one test of a condition looks at.
    pub fn of_atom(&mut self, atom: &Atom) -> Vec<Touch> {
        let mut out: Vec<Touch> = self.of(atom.value).to_vec();
        if let Test::Compare(_, other) = atom.test {
            out.extend(self.of(other).iter());
        }
        out
    }

    /// What one test looks at of the answer of one event.
    pub fn of_atom_at(&mut self, atom: &Atom, event: EventId) -> Vec<Touch> {
        let mut out = at_event(&self.of(atom.value), event).to_vec();
        if let Test::Compare(_, other) = atom.test {
            out.extend(at_event(&self.of(other), event));
        }
        out
    }
}

/// Those of one event; all are sorted by it.
fn at_event(touches: &[Touch], event: EventId) -> &[Touch] {
    let start = touches.partition_point(|touch| touch.event < event);
    let count = touches[start..].partition_point(|touch| touch.event == event);
    &touches[start..start + count]
}

/// What was put under a name into the structs or variants that a value may be; nothing where one of them is not known so well.
fn held_in(trace: &Summary, base: ValueId, name: Symbol, depth: u32) -> Vec<ValueId> {
    match trace.arena.get(base) {
        Value::Record { fields, .. } => {
            fields.iter().filter(|(field, _)| *field == name).map(|(_, held)| *held).collect()
        }
        Value::Wrap(_, inner) if depth > 0 => held_in(trace, *inner, name, depth - 1),
        Value::Phi(arms) if depth > 0 => {
            let held = arms.iter().map(|(_, arm)| held_in(trace, *arm, name, depth - 1));
            let held: Vec<Vec<ValueId>> = held.collect();
            if held.iter().any(Vec::is_empty) { Vec::new() } else { held.concat() }
        }
        _ => Vec::new(),
    }
}

/// The new thing that a place is, or is part of.
fn made_here(trace: &Summary, place: ValueId) -> Option<ValueId> {
    let mut at = place;
    for _ in 0..12 {
        at = match trace.arena.get(at) {
            Value::Unknown(_) => return Some(at),
            Value::Field(base, _) => *base,
            _ => return None,
        };
    }
    None
}

/// The table of whose rows a value is one, as far as its type says.
pub fn row_table(program: &Program, trace: &Summary, value: ValueId) -> Option<Symbol> {
    fn of_type(program: &Program, ty: &Ty) -> Option<Symbol> {
        match ty {
            Ty::Ref(_, inner) => of_type(program, inner),
            Ty::Record(table) => Some(program.table(*table).name),
            Ty::Adt(adt, _) => program.adt(*adt).table.map(|table| program.table(table).name),
            _ => None,
        }
    }
    of_type(program, trace.arena.types.get(&value)?)
}
