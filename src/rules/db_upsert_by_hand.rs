//! `db-upsert-by-hand`: an UPDATE that found no row is followed by an INSERT.

use super::rows::RowCase;
use crate::flow::cond::Test;
use crate::ir::BinOp;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::Kind;
use crate::window::decision::{Decider, Question};

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
        && case.window.deciders.iter().any(|decider| found_none(case, decider))
}

/// Zero rows, or a number of rows that is not the one.
fn found_none(case: &RowCase, decider: &Decider) -> bool {
    match (decider.question, decider.atom.test) {
        (Question::Presence { absent }, _) => absent,
        (Question::Amount, Test::Compare(op, other)) => {
            let one = case.view.trace.arena.as_lit(other).is_some_and(|text| text == "1");
            one && matches!((op, decider.atom.negated), (BinOp::Eq, true) | (BinOp::Ne, false))
        }
        _ => false,
    }
}
