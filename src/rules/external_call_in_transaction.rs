//! `external-call-in-transaction`: a call to something outside runs while a transaction is open.

use super::{Candidate, Scope};
use crate::flow::event::EventKind;
use crate::flow::value::{EventId, Value};
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::View;
use crate::window::handle::Tx;

pub static RULE: Rule = Rule {
    name: "external-call-in-transaction",
    group: Group::Transaction,
    severity: Severity::Warning,
    item: Some(Item::C7),
    advisory: false,
    summary: "a call to something outside runs while a transaction is open",
    page: include_str!("../../rules/external-call-in-transaction.md"),
};

/// The first outside call of each transaction, where both can be seen.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = Vec::new();
    for view in scope.views() {
        let mut seen: Vec<EventId> = Vec::new();
        out.extend(in_given(scope, view));
        for (id, event) in view.events() {
            let Some(begin) = open_transaction(view, id) else { continue };
            if scope.told_deeper(view, id, &|inner, at| given_open(inner, at)) {
                seen.push(begin);
                continue;
            }
            if seen.contains(&begin) || !view.common(event, view.event(begin)).is_empty() {
                continue;
            }
            seen.push(begin);
            let mut candidate = Candidate::new(&RULE, view, view.seen_at(id));
            candidate.check = Some(begin);
            candidate.act = Some(id);
            if !event.context.later {
                out.push(candidate);
            }
        }
    }
    out
}

/// The transaction that is open while something outside is called or waited for.
pub fn open_transaction(view: &View, id: EventId) -> Option<EventId> {
    let event = view.event(id);
    if !matches!(event.kind, EventKind::External { .. } | EventKind::Sleep) {
        return None;
    }
    event.held.iter().copied().find(|held| {
        let begin = view.event(*held);
        matches!(begin.kind, EventKind::Begin { savepoint: false, .. })
            && begin.context.spawned == event.context.spawned
    })
}

/// The first outside call while a transaction that somebody else began is in the function's hands.
fn in_given(scope: &Scope, view: &View) -> Option<Candidate> {
    let (id, event) = view.events().find(|(id, _)| given_open(view, *id))?;
    if event.context.later || scope.told_deeper(view, id, &|inner, at| given_open(inner, at)) {
        return None;
    }
    let mut candidate = Candidate::new(&RULE, view, view.seen_at(id));
    candidate.act = Some(id);
    Some(candidate)
}

/// Statements run on a transaction that the function was given, and it has not been ended before the call.
fn given_open(view: &View, id: EventId) -> bool {
    let event = view.event(id);
    if !matches!(event.kind, EventKind::External { .. } | EventKind::Sleep) || event.context.spawned != 0 {
        return false;
    }
    view.events().any(|(at, statement)| {
        let Tx::Given(handle) = view.tx(at) else { return false };
        let whole_time = matches!(view.trace.arena.get(handle), Value::Param(_));
        let ended = view.events().take(id.0 as usize).any(|(_, earlier)| match &earlier.kind {
            EventKind::Commit(of) | EventKind::Rollback(of) => view.strip(*of) == handle,
            _ => false,
        });
        (whole_time || at < id) && !ended && statement.context.spawned == 0
    })
}
