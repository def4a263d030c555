//! `db-check-then-overwrite`: the absence of a row decides an upsert that overwrites.

use super::rows::RowCase;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::protect::overwrites;

pub static RULE: Rule = Rule {
    name: "db-check-then-overwrite",
    group: Group::Database,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "the absence of a row decides an upsert that overwrites",
    page: include_str!("../../rules/db-check-then-overwrite.md"),
};

/// Absence decides a write that replaces a row that has come in the meantime.
pub fn applies(case: &RowCase) -> bool {
    let Some(act) = case.view.sql(case.window.act) else { return false };
    case.window.absent() && overwrites(act.statement.effective())
}
