//! What is true at one point of a walk: values of locals, the path taken, guards and transactions held.

use std::collections::HashMap;

use super::cond::CondId;
use super::value::{Arena, EventId, Value, ValueId};
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
}

#[derive(Clone, Debug)]
pub struct State {
    pub env: HashMap<LocalId, ValueId>,
    pub path: CondId,
    pub held: Vec<Held>,
    /// Control does not come here.
    pub dead: bool,
    /// What stands in a place that was assigned to, by the value that names the place.
    pub places: HashMap<ValueId, ValueId>,
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
        0 => State { env: HashMap::new(), path: base, held: Vec::new(), dead: true, places: HashMap::new() },
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

fn merge<K: Copy + Eq + std::hash::Hash + Ord>(
    arena: &mut Arena,
    ways: &[CondId],
    maps: Vec<&HashMap<K, ValueId>>,
) -> HashMap<K, ValueId> {
    let mut keys: Vec<K> = maps[0].keys().copied().filter(|key| maps.iter().all(|map| map.contains_key(key))).collect();
    keys.sort();
    keys.into_iter()
        .map(|key| {
            let arms: Vec<(CondId, ValueId)> = ways.iter().copied().zip(maps.iter().map(|map| map[&key])).collect();
            (key, arena.phi(arms))
        })
        .collect()
}

/// A place that only some branches assigned to holds, on the others, what it held before: itself.
fn merge_places(
    arena: &mut Arena,
    ways: &[CondId],
    maps: Vec<&HashMap<ValueId, ValueId>>,
) -> HashMap<ValueId, ValueId> {
    let mut keys: Vec<ValueId> = maps.iter().flat_map(|map| map.keys().copied()).collect();
    keys.sort();
    keys.dedup();
    keys.into_iter()
        .map(|key| {
            let arms = ways.iter().copied().zip(maps.iter().map(|map| map.get(&key).copied().unwrap_or(key))).collect();
            (key, arena.phi(arms))
        })
        .collect()
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
