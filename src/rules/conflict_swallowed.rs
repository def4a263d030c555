//! `conflict-swallowed`: the error of a write that can lose is discarded.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "conflict-swallowed",
    group: Group::Transaction,
    severity: Severity::Warning,
    item: Some(Item::C4),
    advisory: false,
    summary: "the error of a write that can lose is discarded",
    page: include_str!("../../rules/conflict-swallowed.md"),
};
