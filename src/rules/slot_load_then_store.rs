//! `slot-load-then-store`: a shared slot is loaded, changed and stored back.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, Domain};
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "slot-load-then-store",
    group: Group::Memory,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a shared slot is loaded, changed and stored back",
    page: include_str!("../../rules/slot-load-then-store.md"),
};

/// What a slot is set to was computed from what it held, or its emptiness decides that it is set; a set that fails for the loser counts if that panics.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    if case.window.domain != Domain::Slot || act.op != AccessOp::Write && !act.asserted {
        return false;
    }
    case.window.data || case.window.decides(|question| question != Question::Failure)
}
