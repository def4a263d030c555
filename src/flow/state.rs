//! What is true at one point of a walk: values of locals, the path taken, guards and transactions held.

use std::sync::Arc;

use super::cond::CondId;
use super::value::{Arena, EventId, Value, ValueId};
use crate::intern::Map;
use crate::ir::LocalId;

/// Who keeps a guard alive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// The temporaries of the scope of this depth.
    Temp(u32),
    Local(LocalId),
    /// Somebody else: the caller, or what was given to it.
    Elsewhere,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    pub event: EventId,
    pub owner: Owner,
    /// The event that opened the file that the lock is on: a lock without a guard ends with its file.
    pub file: Option<EventId>,
}

impl Held {
    /// Whether dropping `value` would end it.
    pub fn is_in(&self, arena: &Arena, value: ValueId) -> bool {
        owns(arena, value, self.event) || self.file.is_some_and(|file| owns(arena, value, file))
    }
}

#[derive(Clone, Debug)]
pub struct State {
    pub env: Locals,
    pub path: CondId,
    pub held: Vec<Held>,
    /// Control does not come here.
    pub dead: bool,
    /// What stands in a place that was assigned to, by the value that names the place.
    pub places: Places,
}

impl State {
    pub fn at(path: CondId) -> State {
        State { env: Locals::default(), path, held: Vec::new(), dead: false, places: Places::default() }
    }
}

/// How many locals are copied together when one of them changes.
const CHUNK: usize = 32;

/// The values of locals. Branches share what they do not change.
#[derive(Clone, Debug, Default)]
pub struct Locals {
    chunks: Arc<Vec<Arc<[Option<ValueId>; CHUNK]>>>,
}

impl Locals {
    pub fn get(&self, local: &LocalId) -> Option<&ValueId> {
        let at = local.0 as usize;
        self.chunks.get(at / CHUNK)?[at % CHUNK].as_ref()
    }

    pub fn insert(&mut self, local: LocalId, value: ValueId) {
        let at = local.0 as usize;
        let chunks = Arc::make_mut(&mut self.chunks);
        if chunks.len() <= at / CHUNK {
            let empty = Arc::new([None; CHUNK]);
            chunks.resize_with(at / CHUNK + 1, || empty.clone());
        }
        Arc::make_mut(&mut chunks[at / CHUNK])[at % CHUNK] = Some(value);
    }
}

/// What was assigned to places, shared by the branches that assign to none.
#[derive(Clone, Debug, Default)]
pub struct Places(Arc<Map<ValueId, ValueId>>);

impl Places {
    pub fn get(&self, place: &ValueId) -> Option<&ValueId> {
        if self.0.is_empty() { None } else { self.0.get(place) }
    }

    pub fn insert(&mut self, place: ValueId, value: ValueId) {
        Arc::make_mut(&mut self.0).insert(place, value);
    }

    pub fn iter(&self) -> impl Iterator<Item = (&ValueId, &ValueId)> {
        self.0.iter()
    }
}

/// One branch at the point where branches meet: the condition that it began with, and how it ended.
pub struct Branch {
    pub cond: CondId,
    pub state: State,
}

/// The state after branches that began at `base`.
pub fn join(arena: &mut Arena, base: CondId, branches: Vec<Branch>) -> State {
    let some_ended = branches.iter().any(|branch| branch.state.dead);
    let mut alive: Vec<Branch> = branches.into_iter().filter(|branch| !branch.state.dead).collect();
    match alive.len() {
        0 => State { dead: true, ..State::at(base) },
        1 => alive.swap_remove(0).state,
        _ => join_alive(arena, base, alive, some_ended),
    }
}

fn join_alive(arena: &mut Arena, base: CondId, alive: Vec<Branch>, some_ended: bool) -> State {
    let ways: Vec<CondId> = alive.iter().map(|branch| arena.since(base, branch.state.path)).collect();
    let learnt = some_ended || alive.iter().zip(&ways).any(|(branch, way)| branch.cond != *way);
    let path = if learnt {
        let either = arena.or(ways.clone());
        arena.then(base, either)
    } else {
        base
    };
    let first = &alive[0].state;
    let env = merge(arena, &ways, alive.iter().map(|branch| &branch.state.env).collect());
    let places = merge_places(arena, &ways, alive.iter().map(|branch| &branch.state.places).collect());
    let held = first
        .held
        .iter()
        .filter(|held| alive.iter().all(|branch| branch.state.held.iter().any(|other| other.event == held.event)))
        .copied()
        .collect();
    State { env, path, held, dead: false, places }
}

/// A local that some branch gave no value has none.
fn merge(arena: &mut Arena, ways: &[CondId], maps: Vec<&Locals>) -> Locals {
    let first = maps[0];
    if maps.iter().all(|map| Arc::ptr_eq(&map.chunks, &first.chunks)) {
        return first.clone();
    }
    let count = maps.iter().map(|map| map.chunks.len()).min().unwrap_or(0);
    let chunks = (0..count).map(|at| {
        let own = &first.chunks[at];
        if maps.iter().all(|map| Arc::ptr_eq(&map.chunks[at], own)) {
            return own.clone();
        }
        let slot = |slot: usize| {
            let values: Option<Vec<ValueId>> = maps.iter().map(|map| map.chunks[at][slot]).collect();
            Some(arena.phi(ways.iter().copied().zip(values?).collect()))
        };
        Arc::new(std::array::from_fn(slot))
    });
    Locals { chunks: Arc::new(chunks.collect()) }
}

/// A place that only some branches assigned to holds, on the others, what it held before: itself.
fn merge_places(arena: &mut Arena, ways: &[CondId], maps: Vec<&Places>) -> Places {
    let first = maps[0];
    if maps.iter().all(|map| Arc::ptr_eq(&map.0, &first.0)) {
        return first.clone();
    }
    let mut keys: Vec<ValueId> = maps.iter().flat_map(|map| map.0.keys().copied()).collect();
    keys.sort();
    keys.dedup();
    let merged = keys.into_iter().map(|key| {
        let arms = ways.iter().copied().zip(maps.iter().map(|map| map.get(&key).copied().unwrap_or(key))).collect();
        (key, arena.phi(arms))
    });
    Places(Arc::new(merged.collect()))
}

/// Whether dropping `value` would drop the guard or end the transaction of `event`.
pub fn owns(arena: &Arena, value: ValueId, event: EventId) -> bool {
    owns_at(arena, value, event, 6)
}

fn owns_at(arena: &Arena, value: ValueId, event: EventId, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    match arena.get(value) {
        Value::Guard(id) | Value::Outcome(id) => *id == event,
        Value::Wrap(_, inner) => owns_at(arena, *inner, event, depth - 1),
        Value::Record { fields, base, .. } => {
            fields.iter().any(|(_, field)| owns_at(arena, *field, event, depth - 1))
                || base.is_some_and(|base| owns_at(arena, base, event, depth - 1))
        }
        Value::Phi(arms) => arms.iter().any(|(_, arm)| owns_at(arena, *arm, event, depth - 1)),
        _ => false,
    }
}
