//! `cache-stampede`: every caller that misses computes the same value at once.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "cache-stampede",
    group: Group::Memory,
    severity: Severity::Note,
    item: Some(Item::C1),
    advisory: false,
    summary: "every caller that misses computes the same value at once",
    page: "",
};
