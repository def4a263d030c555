//! `db-lost-update`: a column is set to a value computed from what it held before.

use super::rows::RowCase;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::Kind;

pub static RULE: Rule = Rule {
    name: "db-lost-update",
    group: Group::Database,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a column is set to a value computed from what it held before",
    page: include_str!("../../rules/db-lost-update.md"),
};

/// A column is set to what was computed from that column, or a whole row is written back.
pub fn applies(case: &RowCase) -> bool {
    let Some(act) = case.view.sql(case.window.act) else { return false };
    let statement = act.statement.effective();
    (statement.kind == Kind::Update || case.window.replaces) && case.window.is_own_data()
}
