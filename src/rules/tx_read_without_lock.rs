//! `tx-read-without-lock`: a transaction reads without a lock what it decides a write on.

use super::rows::RowCase;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::database::Enclosure;

pub static RULE: Rule = Rule {
    name: "tx-read-without-lock",
    group: Group::Transaction,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a transaction reads without a lock what it decides a write on",
    page: include_str!("../../rules/tx-read-without-lock.md"),
};

/// An update window wholly inside one transaction.
pub fn applies(case: &RowCase) -> bool {
    if case.window.enclosure != Enclosure::Same {
        return false;
    }
    super::db_unguarded_transition::applies(case)
        || super::db_limit_by_count::applies(case)
        || super::db_lost_update::applies(case)
        || super::db_check_then_update::applies(case)
}
