//! `db-check-then-overwrite`: the absence of a row decides an upsert that overwrites.

use super::rows::RowCase;
use crate::rule::{Group, Item, Rule, Severity};

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
    case.window.absent() && case.window.replaces && !saves_known_row(case)
}

/// The row was read before: it is there, whatever else is not.
fn saves_known_row(case: &RowCase) -> bool {
    let whole = case.view.sql(case.window.act).and_then(|act| act.whole);
    whole.is_some_and(|whole| case.view.row_behind(whole).is_some())
}
