//! `atomic-check-then-store`: an atomic is loaded, compared and then stored.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, Domain};
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "atomic-check-then-store",
    group: Group::Memory,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "an atomic is loaded, compared and then stored",
    page: include_str!("../../rules/atomic-check-then-store.md"),
};

/// A load decides a store, or an operation whose own answer is not looked at.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    if case.window.domain != Domain::Atomic || !case.window.decides(|question| question != Question::Failure) {
        return false;
    }
    let far = |id| case.view.event(id).path.len() > 1;
    if ends_loop(case) || far(case.window.check) || far(case.window.act) {
        return false;
    }
    match act.op {
        AccessOp::Write => true,
        AccessOp::Atomic => !act.conditional && !case.view.is_looked_at(case.window.act),
        _ => false,
    }
}

/// The flag that a loop asks whether to go on is set inside that loop: setting it twice is setting it once.
fn ends_loop(case: &PlaceCase) -> bool {
    let asked = case.view.event(case.window.check).context.condition_of;
    asked != 0 && case.view.event(case.window.act).loops.iter().any(|of| of.number == asked)
}
