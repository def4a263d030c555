//! `revives-expired`: a late event writes a final state without requiring the pending one.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "revives-expired",
    group: Group::Request,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a late event writes a final state without requiring the pending one",
    page: include_str!("../../rules/revives-expired.md"),
};
