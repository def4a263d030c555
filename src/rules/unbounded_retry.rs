//! `unbounded-retry`: a conflict is retried without a bound or without waiting.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "unbounded-retry",
    group: Group::Transaction,
    severity: Severity::Warning,
    item: Some(Item::C4),
    advisory: false,
    summary: "a conflict is retried without a bound or without waiting",
    page: include_str!("../../rules/unbounded-retry.md"),
};
