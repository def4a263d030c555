//! `db-check-then-insert`: the absence of a row decides an INSERT into the same table.

use super::rows::RowCase;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::Kind;

pub static RULE: Rule = Rule {
    name: "db-check-then-insert",
    group: Group::Database,
    severity: Severity::Error,
    item: Some(Item::C2),
    advisory: false,
    summary: "the absence of a row decides an INSERT into the same table",
    page: include_str!("../../rules/db-check-then-insert.md"),
};

/// Absence decides an INSERT.
pub fn applies(case: &RowCase) -> bool {
    let Some(act) = case.view.sql(case.window.act) else { return false };
    let reads = case.view.sql(case.window.check).is_some_and(|check| check.statement.effective().kind == Kind::Select);
    act.statement.effective().kind == Kind::Insert && reads && case.window.absent()
}
