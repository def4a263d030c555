//! `atomic-load-then-store`: an atomic is stored with a value computed from a load of it.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, Domain};
use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "atomic-load-then-store",
    group: Group::Memory,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "an atomic is stored with a value computed from a load of it",
    page: include_str!("../../rules/atomic-load-then-store.md"),
};

/// The value that is stored was computed from a load.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    case.window.domain == Domain::Atomic && act.op == AccessOp::Write && case.window.data
}
