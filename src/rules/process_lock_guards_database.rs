//! `process-lock-guards-database`: a lock of this process is all that makes a database window one step.

use super::rows::RowCase;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::protect::Protection;

pub static RULE: Rule = Rule {
    name: "process-lock-guards-database",
    group: Group::Transaction,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a lock of this process is all that makes a database window one step",
    page: include_str!("../../rules/process-lock-guards-database.md"),
};

/// A guard of this process is all that makes the window one step.
pub fn applies(case: &RowCase) -> bool {
    matches!(case.protection, Some(Protection::ProcessLock(_))) && super::rows::is_race(case)
}
