//! `serializable-without-retry`: a serializable transaction is not retried when it loses.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "serializable-without-retry",
    group: Group::Transaction,
    severity: Severity::Warning,
    item: Some(Item::C4),
    advisory: false,
    summary: "a serializable transaction is not retried when it loses",
    page: "",
};
