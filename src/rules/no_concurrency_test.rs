//! `no-concurrency-test`: no test runs the callers of a guarded write concurrently.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "no-concurrency-test",
    group: Group::Test,
    severity: Severity::Note,
    item: Some(Item::C5),
    advisory: true,
    summary: "no test runs the callers of a guarded write concurrently",
    page: include_str!("../../rules/no-concurrency-test.md"),
};
