//! `kv-lock-release-unchecked`: a lock key is deleted without proof that it is still ours.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, Domain};
use crate::models::row::Effect;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::decision::Question;

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
