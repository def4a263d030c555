//! `tx-split-window`: a check and the write it decides run in different transactions.

use super::rows::RowCase;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::database::Enclosure;

pub static RULE: Rule = Rule {
    name: "tx-split-window",
    group: Group::Transaction,
    severity: Severity::Error,
    item: Some(Item::C6),
    advisory: false,
    summary: "a check and the write it decides run in different transactions",
    page: include_str!("../../rules/tx-split-window.md"),
};

/// The check and the act are in different transactions, or one is in none.
pub fn applies(case: &RowCase) -> bool {
    case.window.enclosure == Enclosure::Split && super::rows::is_race(case)
}
