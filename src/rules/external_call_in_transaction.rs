//! `external-call-in-transaction`: a call to something outside runs while a transaction is open.

use super::{Candidate, Scope};
use crate::flow::event::EventKind;
use crate::flow::value::EventId;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::View;

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
        for (id, event) in view.events() {
            let Some(begin) = open_transaction(view, id) else { continue };
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
