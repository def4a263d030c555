//! `race-test-without-invariant`: a test runs callers concurrently and asserts nothing afterwards.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "race-test-without-invariant",
    group: Group::Test,
    severity: Severity::Warning,
    item: Some(Item::C5),
    advisory: false,
    summary: "a test runs callers concurrently and asserts nothing afterwards",
    page: include_str!("../../rules/race-test-without-invariant.md"),
};
