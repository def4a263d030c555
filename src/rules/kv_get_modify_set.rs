//! `kv-get-modify-set`: a key is set to a value computed from what it held.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, Domain};
use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "kv-get-modify-set",
    group: Group::Store,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a key is set to a value computed from what it held",
    page: include_str!("../../rules/kv-get-modify-set.md"),
};

/// What is written under a key was computed from what was read under it.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    stored(case) && act.op == AccessOp::Write && !act.conditional && case.window.data
}

/// The place is a key of a store.
pub fn stored(case: &PlaceCase) -> bool {
    matches!(case.window.domain, Domain::Store | Domain::EmbeddedStore)
}
