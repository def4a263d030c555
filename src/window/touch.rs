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
    /// By the addresses of two sets.
    unions: Map<(usize, usize), Arc<[Touch]>>,
    /// By the address of a set.
    controls: Map<usize, Arc<[Touch]>>,
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
        Touches {
            program,
            trace,
            known: Map::default(),
            known_conds: Map::default(),
            put,
            sets: Set::default(),
            unions: Map::default(),
            controls: Map::default(),
            none: Arc::from([]),
        }
    }

    /// Everything that `value` was computed from, by event.
    pub fn of(&mut self, value: ValueId) -> Arc<[Touch]> {
        if let Some(known) = self.known.get(&value) {
            return known.clone();
        }
        // A value cannot hold itself, but its condition may be shared with it: stop there.
        self.known.insert(value, self.none.clone());
        let out = self.collected(value);
        self.known.insert(value, out.clone());
        out
    }

    fn collected(&mut self, value: ValueId) -> Arc<[Touch]> {
        let trace = self.trace;
        match trace.arena.get(value) {
            Value::Element(base) | Value::Content(base) | Value::Wrap(_, base) | Value::Given(base, _) => {
                self.of(*base)
            }
            Value::Field(base, name) => self.of_field(*base, *name),
            Value::Outcome(event) => {
                let whole = self.shared(vec![Touch { event: *event, part: None, control: false }]);
                let behind = self.behind(*event);
                self.union(&whole, &behind)
            }
            Value::Guard(event) => self.shared(vec![Touch { event: *event, part: None, control: false }]),
            Value::Entry(place, key) => self.of_all([*place, *key]),
            Value::Op(_, args) | Value::Command(args) => self.of_all(args.iter().copied()),
            Value::Record { fields, base, .. } => self.of_all(fields.iter().map(|(_, field)| *field).chain(*base)),
            Value::Phi(arms) => {
                let mut out = self.none.clone();
                for (cond, arm) in arms {
                    let (arm, cond) = (self.of(*arm), self.of_cond(*cond));
                    out = self.union(&out, &arm);
                    let control = self.as_control(&cond);
                    out = self.union(&out, &control);
                }
                out
            }
            Value::Query(query) => self.of_all(query.args.iter().flatten().copied()),
            Value::Pred(pred) => match &**pred {
                Pred::Compare { right, .. } => self.of(*right),
                Pred::And(parts) | Pred::Or(parts) => self.of_all(parts.iter().copied()),
            },
            Value::Unknown(_) => {
                let put = self.put.get(&value).cloned().unwrap_or_default();
                self.of_all(put)
            }
            _ => self.none.clone(),
        }
    }

    fn of_all(&mut self, values: impl IntoIterator<Item = ValueId>) -> Arc<[Touch]> {
        let mut out = self.none.clone();
        for value in values {
            let of = self.of(value);
            out = self.union(&out, &of);
        }
        out
    }

    fn of_field(&mut self, base: ValueId, name: Symbol) -> Arc<[Touch]> {
        let held = held_in(self.trace, base, name, 4);
        if !held.is_empty() {
            return self.of_all(held);
        }
        // Of a row within a row of several tables, its own column is the part.
        let of_row = row_table(self.program, self.trace, base).is_some();
        let part = |touch: &Touch| touch.part.filter(|_| !of_row).or(Some(Part(name)));
        let touches = self.of(base).iter().map(|touch| Touch { part: part(touch), ..*touch }).collect();
        self.shared(touches)
    }

    /// The same touches, through a condition alone.
    fn as_control(&mut self, touches: &Arc<[Touch]>) -> Arc<[Touch]> {
        let key = touches.as_ptr() as usize;
        if let Some(known) = self.controls.get(&key) {
            return known.clone();
        }
        let control = self.shared(touches.iter().map(|touch| Touch { control: true, ..*touch }).collect());
        self.controls.insert(key, control.clone());
        control
    }

    /// What is in either of two sets. Sets that are equal are one, so that each two are joined once.
    fn union(&mut self, a: &Arc<[Touch]>, b: &Arc<[Touch]>) -> Arc<[Touch]> {
        if b.is_empty() || Arc::ptr_eq(a, b) {
            return a.clone();
        }
        if a.is_empty() {
            return b.clone();
        }
        let key = (a.as_ptr() as usize, b.as_ptr() as usize);
        if let Some(known) = self.unions.get(&key) {
            return known.clone();
        }
        let union = self.shared([&a[..], &b[..]].concat());
        self.unions.insert(key, union.clone());
        union
    }

    /// The touches as one set.
    fn shared(&mut self, mut touches: Vec<Touch>) -> Arc<[Touch]> {
        // Mostly sorted ones that stand one after the other: this sort sees that.
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

    /// What an access answered came from what its place is behind.
    fn behind(&mut self, event: EventId) -> Arc<[Touch]> {
        let trace = self.trace;
        match &trace.events[event.0 as usize].kind {
            EventKind::Access(access) => self.of(access.place),
            // What something that the caller gave answers is made of what it was given.
            EventKind::Invoke { args, .. } => self.of_all(args.iter().copied()),
            _ => self.none.clone(),
        }
    }

    pub fn of_cond(&mut self, cond: CondId) -> Arc<[Touch]> {
        if let Some(known) = self.known_conds.get(&cond) {
            return known.clone();
        }
        self.known_conds.insert(cond, self.none.clone());
        let trace = self.trace;
        let out = match trace.arena.cond(cond) {
            Cond::True | Cond::False => self.none.clone(),
            Cond::Test { value, test: Test::Compare(_, other), .. } => self.of_all([*value, *other]),
            Cond::Test { value, .. } => self.of(*value),
            Cond::And(parts) | Cond::Or(parts) => {
                let mut out = self.none.clone();
                for part in parts {
                    let part = self.of_cond(*part);
                    out = self.union(&out, &part);
                }
                out
            }
            Cond::Then(path, next) => {
                let (path, next) = (self.of_cond(*path), self.of_cond(*next));
                self.union(&path, &next)
            }
        };
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
