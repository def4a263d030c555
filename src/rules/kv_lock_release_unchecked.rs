//! `kv-lock-release-unchecked`: a lock key is deleted without proof that it is still ours.

use super::places::PlaceCase;
use super::{Candidate, Scope};
use crate::flow::event::EventKind;
use crate::flow::event::{AccessOp, Domain};
use crate::flow::value::EventId;
use crate::models::row::Effect;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::View;
use crate::window::decision::Question;
use crate::window::key::Relation;

pub static RULE: Rule = Rule {
    name: "kv-lock-release-unchecked",
    group: Group::Store,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a lock key is deleted without proof that it is still ours",
    page: include_str!("../../rules/kv-lock-release-unchecked.md"),
};

/// A key is deleted after a comparison that a second client may have made false.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    case.window.domain == Domain::Store
        && act.effect == Some(Effect::Remove)
        && act.op == AccessOp::Write
        && case.window.decides(|question| question == Question::Content)
}

/// Lock keys that whoever comes last deletes, without asking whose they are.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    scope.at_events(&RULE, |view, id| deletes_claim(view, id))
}

fn deletes_claim(view: &View, id: EventId) -> bool {
    let Some(delete) = view.access(id) else { return false };
    if delete.domain != Domain::Store || delete.effect != Some(Effect::Remove) || delete.op != AccessOp::Write {
        return false;
    }
    let Some(key) = delete.key else { return false };
    view.events().take(id.0 as usize).any(|(_, event)| match &event.kind {
        EventKind::Access(claim) => {
            claim.domain == Domain::Store
                && claim.conditional
                && claim.effect == Some(Effect::Create)
                && claim.key.is_some_and(|other| view.same_value(other, key) == Relation::Same)
        }
        _ => false,
    })
}
