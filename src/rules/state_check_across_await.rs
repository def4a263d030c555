//! `state-check-across-await`: state that was checked before an await is acted on after it.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, Domain};
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "state-check-across-await",
    group: Group::Memory,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "state that was checked before an await is acted on after it",
    page: include_str!("../../rules/state-check-across-await.md"),
};

/// A cell that was looked at is written later, decided by what was seen.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    is_in_cell(case)
        && act.op == AccessOp::Write
        && case.view.waits_between(case.window.check, case.window.act)
        && (case.window.data || case.window.decides(|question| question != Question::Failure))
}

/// The place is a cell, or in one.
pub fn is_in_cell(case: &PlaceCase) -> bool {
    let behind_cell = case.window.locks.is_some_and(|(_, mine)| super::lock_released_between::is_cell(case, mine));
    case.window.domain == Domain::Cell || behind_cell
}
