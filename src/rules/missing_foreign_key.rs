//! `missing-foreign-key`: a parent's existence is checked in code only.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "missing-foreign-key",
    group: Group::Schema,
    severity: Severity::Note,
    item: Some(Item::C2),
    advisory: true,
    summary: "a parent's existence is checked in code only",
    page: include_str!("../../rules/missing-foreign-key.md"),
};
