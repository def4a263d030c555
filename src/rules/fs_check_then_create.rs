//! `fs-check-then-create`: a path is seen to be absent and then created.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, Domain};
use crate::models::row::Effect;
use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "fs-check-then-create",
    group: Group::Filesystem,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a path is seen to be absent and then created",
    page: include_str!("../../rules/fs-check-then-create.md"),
};

/// A path that was seen to be absent is created in a way that does not mind if it is there by now.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    if case.window.domain != Domain::File || act.op != AccessOp::Write || act.conditional {
        return false;
    }
    let creates =
        matches!(act.effect, Some(Effect::Put | Effect::Create | Effect::Copy | Effect::Link | Effect::Rename));
    creates && case.window.absent()
}
