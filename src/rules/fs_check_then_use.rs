//! `fs-check-then-use`: a path is looked at and then opened, removed or renamed.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, Domain};
use crate::models::row::Effect;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "fs-check-then-use",
    group: Group::Filesystem,
    severity: Severity::Note,
    item: Some(Item::C1),
    advisory: false,
    summary: "a path is looked at and then opened, removed or renamed",
    page: include_str!("../../rules/fs-check-then-use.md"),
};

/// What was seen of a path decides that it is opened, removed or renamed; and losing is not handled.
pub fn applies(case: &PlaceCase) -> bool {
    let (Some(act), Some(check)) = (case.view.access(case.window.act), case.view.access(case.window.check)) else {
        return false;
    };
    if case.window.domain != Domain::File || case.window.absent() {
        return false;
    }
    let uses =
        matches!(act.effect, Some(Effect::Open | Effect::Remove | Effect::RemoveDir | Effect::Rename | Effect::Update))
            || act.op == AccessOp::Use
            || act.op == AccessOp::Read && act.asserted;
    let looked = check.op == AccessOp::Probe && case.window.decides(|question| question != Question::Failure)
        || case.window.decides(|question| question == Question::Content);
    let content = case.window.decides(|question| question == Question::Content);
    uses && looked && (content || !case.view.handles_error(case.window.act))
}
