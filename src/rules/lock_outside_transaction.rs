//! `lock-outside-transaction`: a lock is taken in autocommit and gone when the statement ends.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "lock-outside-transaction",
    group: Group::Transaction,
    severity: Severity::Error,
    item: Some(Item::C6),
    advisory: false,
    summary: "a lock is taken in autocommit and gone when the statement ends",
    page: "",
};
