//! `db-upsert-by-hand`: an UPDATE that found no row is followed by an INSERT.

use super::rows::RowCase;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::Kind;

pub static RULE: Rule = Rule {
    name: "db-upsert-by-hand",
    group: Group::Database,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "an UPDATE that found no row is followed by an INSERT",
    page: include_str!("../../rules/db-upsert-by-hand.md"),
};

/// The number of rows that an UPDATE found decides the INSERT.
pub fn applies(case: &RowCase) -> bool {
    let kind = |id| case.view.sql(id).map(|sql| sql.statement.effective().kind);
    kind(case.window.check) == Some(Kind::Update)
        && kind(case.window.act) == Some(Kind::Insert)
        && !case.window.deciders.is_empty()
}
