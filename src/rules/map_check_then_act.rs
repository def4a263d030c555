//! `map-check-then-act`: a concurrent map is asked first and changed in a second step.

use super::places::PlaceCase;
use crate::flow::event::{Access, AccessOp, Domain};
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "map-check-then-act",
    group: Group::Memory,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a concurrent map is asked first and changed in a second step",
    page: include_str!("../../rules/map-check-then-act.md"),
};

/// A concurrent map's answer decides a change of the same entry.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    case.window.domain == Domain::Map
        && !case.view.is_memo(case.window)
        && changes(case, act)
        && (case.window.data || case.window.decides(|question| question != Question::Failure))
}

/// A write, the use of an entry that has to be there, or a second step that mends what a write replaced.
fn changes(case: &PlaceCase, act: &Access) -> bool {
    let mends = case.view.access(case.window.check).is_some_and(|check| check.op == AccessOp::Write);
    match act.op {
        AccessOp::Write => true,
        AccessOp::Read => act.asserted,
        AccessOp::Atomic => mends,
        _ => false,
    }
}
