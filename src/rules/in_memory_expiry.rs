//! `in-memory-expiry`: a spawned task waits and then releases stored state.

use super::{Candidate, Scope};
use crate::flow::event::{AccessOp, Domain, Event, EventKind};
use crate::flow::value::EventId;
use crate::models::row::Effect;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Kind, Op, Operand, Predicate};
use crate::window::View;

pub static RULE: Rule = Rule {
    name: "in-memory-expiry",
    group: Group::Request,
    severity: Severity::Warning,
    item: Some(Item::C3),
    advisory: false,
    summary: "a spawned task waits and then releases stored state",
    page: include_str!("../../rules/in-memory-expiry.md"),
};

/// Spawned tasks that sleep once and then release or change what is stored.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    scope.at_events(&RULE, expires_later)
}

fn expires_later(view: &View, id: EventId) -> bool {
    let spawn = view.event(id);
    if !matches!(spawn.kind, EventKind::Spawn { .. }) {
        return false;
    }
    let inside: Vec<EventId> = view.events().filter(|(_, event)| is_inside(spawn, event)).map(|(at, _)| at).collect();
    // A sleep in a loop of the task is the rhythm of a worker.
    let slept = inside.iter().find(|at| {
        let event = view.event(**at);
        matches!(event.kind, EventKind::Sleep) && event.loops.len() <= spawn.loops.len()
    });
    slept.is_some_and(|slept| inside.iter().any(|at| at > slept && releases(view, *at)))
}

/// The event belongs to the task. What stands in the call of the spawn belongs to it too, though it may come first in the trace.
fn is_inside(spawn: &Event, event: &Event) -> bool {
    let EventKind::Spawn { number } = spawn.kind else { return false };
    let depth = spawn.path.len();
    let same_way = event.path.len() >= depth && event.path[..depth] == spawn.path[..];
    let seen_at = event.path.get(depth).map_or(event.span, |site| site.span);
    event.context.spawned == number || same_way && seen_at != spawn.span && spawn.span.contains(seen_at)
}

/// A row is deleted or set back by its key, or a key of a store is removed or overwritten.
fn releases(view: &View, id: EventId) -> bool {
    if let Some(access) = view.access(id) {
        let stored = matches!(access.domain, Domain::Store | Domain::EmbeddedStore) && access.op == AccessOp::Write;
        return stored && matches!(access.effect, Some(Effect::Remove | Effect::Put | Effect::Update));
    }
    let Some(sql) = view.sql(id) else { return false };
    let statement = sql.statement.effective();
    let keyed = statement
        .filters
        .iter()
        .any(|filter| matches!(filter, Predicate::Compare { op: Op::Eq, right: Operand::Param(_), .. }));
    matches!(statement.kind, Kind::Update | Kind::Delete) && keyed
}
