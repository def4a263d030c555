//! `kv-expiry-not-atomic`: a key is written first and given its time to live later, or never.

use super::{Candidate, Scope};
use crate::flow::event::{Access, AccessOp, Domain, EventKind};
use crate::flow::value::{EventId, ValueId};
use crate::models::row::{Effect, Outcome};
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::View;
use crate::window::key::Relation;

pub static RULE: Rule = Rule {
    name: "kv-expiry-not-atomic",
    group: Group::Store,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a key is written first and given its time to live later, or never",
    page: include_str!("../../rules/kv-expiry-not-atomic.md"),
};

/// Keys that get their time to live in a second command, and claims that never get one.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut out = scope.at_events(&RULE, expires_late);
    // A helper that claims is judged where its callers can be seen.
    out.extend(scope.at_events(&RULE, |view, id| !scope.has_callers(view.function) && never_expires(view, id)));
    out
}

/// An EXPIRE of a key that was written without one.
fn expires_late(view: &View, id: EventId) -> bool {
    let Some(expire) = view.access(id) else { return false };
    if expire.domain != Domain::Store || expire.effect != Some(Effect::Expire) || expire.op == AccessOp::Atomic {
        return false;
    }
    let Some(key) = expire.key.filter(|_| !view.is_grouped(expire)) else { return false };
    view.events().take(id.0 as usize).any(|(_, event)| match &event.kind {
        EventKind::Access(write) => {
            write.domain == Domain::Store
                && matches!(write.op, AccessOp::Write | AccessOp::Atomic)
                && !write.expires
                && matches!(
                    write.effect,
                    Some(Effect::Put | Effect::Create | Effect::Increment | Effect::Append | Effect::Update)
                )
                && write.key.is_some_and(|other| view.same_value(other, key) == Relation::Same)
        }
        _ => false,
    })
}

/// A key that is set only if absent, as a lock or reservation is, and stays for ever if its owner dies.
fn never_expires(view: &View, id: EventId) -> bool {
    let Some(claim) = view.access(id) else { return false };
    let claims = claim.domain == Domain::Store
        && claims_key(claim)
        && !claim.expires
        && !view.is_grouped(claim)
        && claim.result != Some(Outcome::Won);
    let Some(key) = claim.key.filter(|_| claims) else { return false };
    let same = |other: Option<ValueId>| other.is_some_and(|other| view.same_value(other, key) == Relation::Same);
    for (_, event) in view.events().skip(id.0 as usize + 1) {
        let EventKind::Access(later) = &event.kind else { continue };
        if later.domain == Domain::Store && same(later.key) && (later.effect == Some(Effect::Expire) || later.expires) {
            return false;
        }
    }
    true
}

/// The key is set only if it is absent: a lock, a reservation, a mark that something was done.
pub fn claims_key(access: &Access) -> bool {
    access.domain == Domain::Store && access.conditional && matches!(access.effect, Some(Effect::Create | Effect::Put))
}
