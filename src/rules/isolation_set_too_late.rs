//! `isolation-set-too-late`: the isolation level is set after the first statement, or outside a transaction.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "isolation-set-too-late",
    group: Group::Transaction,
    severity: Severity::Error,
    item: Some(Item::C6),
    advisory: false,
    summary: "the isolation level is set after the first statement, or outside a transaction",
    page: "",
};
