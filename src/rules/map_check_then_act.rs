//! `map-check-then-act`: a concurrent map is asked first and changed in a second step.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, Domain};
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
        && act.op == AccessOp::Write
        && (case.window.data || case.window.decides(|question| question != Question::Failure))
}
