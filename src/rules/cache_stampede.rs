//! `cache-stampede`: every caller that misses computes the same value at once.

use super::places::PlaceCase;
use crate::flow::event::Domain;
use crate::models::row::Effect;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::key::Relation;

pub static RULE: Rule = Rule {
    name: "cache-stampede",
    group: Group::Memory,
    severity: Severity::Note,
    item: Some(Item::C1),
    advisory: false,
    summary: "every caller that misses computes the same value at once",
    page: include_str!("../../rules/cache-stampede.md"),
};

/// A miss decides that a value is computed, with a wait, and put in.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    let locked = case.window.locks.is_some() && !super::state_check_across_await::is_in_cell(case);
    let shared = case.window.domain == Domain::Map || locked;
    shared
        && act.effect == Some(Effect::Put)
        && case.window.absent()
        && !case.window.data
        && case.window.relation == Relation::Same
        && case.view.computes_from_key(case.window.check, case.window.act)
}
