//! `in-memory-expiry`: a spawned task waits and then releases stored state.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "in-memory-expiry",
    group: Group::Request,
    severity: Severity::Warning,
    item: Some(Item::C3),
    advisory: false,
    summary: "a spawned task waits and then releases stored state",
    page: include_str!("../../rules/in-memory-expiry.md"),
};
