//! `db-unguarded-transition`: a state is compared, then set by a write that does not repeat the comparison.

use super::rows::RowCase;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::Kind;
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "db-unguarded-transition",
    group: Group::Database,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a state is compared, then set by a write that does not repeat the comparison",
    page: include_str!("../../rules/db-unguarded-transition.md"),
};

/// The write sets a column that the decision looked at, to something that was not computed from it; or it deletes the row that was judged.
pub fn applies(case: &RowCase) -> bool {
    let Some(act) = case.view.sql(case.window.act) else { return false };
    let statement = act.statement.effective();
    let decisive = case.view.decisive_columns(case.window);
    let content = case.window.decides(|question| question != Question::Amount && question != Question::Failure);
    if !content || case.window.is_data() {
        return false;
    }
    match statement.kind {
        Kind::Update => statement.sets.iter().any(|set| !set.relative && decisive.contains(&set.column)),
        Kind::Delete => !decisive.is_empty(),
        _ => false,
    }
}
