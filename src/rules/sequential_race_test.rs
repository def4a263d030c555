//! `sequential-race-test`: a test about concurrency calls one at a time.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "sequential-race-test",
    group: Group::Test,
    severity: Severity::Warning,
    item: Some(Item::C5),
    advisory: false,
    summary: "a test about concurrency calls one at a time",
    page: include_str!("../../rules/sequential-race-test.md"),
};
