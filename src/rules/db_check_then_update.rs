//! `db-check-then-update`: a value that was read decides an UPDATE or DELETE of the same rows.

use super::rows::RowCase;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::Kind;
use crate::window::decision::Question;
use crate::window::protect::overwrites;

pub static RULE: Rule = Rule {
    name: "db-check-then-update",
    group: Group::Database,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a value that was read decides an UPDATE or DELETE of the same rows",
    page: include_str!("../../rules/db-check-then-update.md"),
};

/// What was read decides the write.
pub fn applies(case: &RowCase) -> bool {
    let Some(act) = case.view.sql(case.window.act) else { return false };
    let statement = act.statement.effective();
    let writes = matches!(statement.kind, Kind::Update | Kind::Delete) || overwrites(statement);
    writes && case.window.decides(|question| question != Question::Failure)
}
