//! `db-limit-by-count`: a count or sum of rows is compared with a limit before one more is written.

use super::rows::RowCase;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::Kind;
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "db-limit-by-count",
    group: Group::Database,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a count or sum of rows is compared with a limit before one more is written",
    page: include_str!("../../rules/db-limit-by-count.md"),
};

/// How many rows there are, or what they add up to, decides one more.
pub fn applies(case: &RowCase) -> bool {
    let Some(act) = case.view.sql(case.window.act) else { return false };
    let kind = act.statement.effective().kind;
    // How many rows an UPDATE changed limits nothing.
    let counted = case.view.sql(case.window.check).is_some_and(|sql| sql.statement.effective().kind == Kind::Select);
    counted
        && matches!(kind, Kind::Insert | Kind::Update)
        && case.window.decides(|question| question == Question::Amount)
}
