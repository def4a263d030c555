//! `conflict-ignored`: nothing looks at whether a conditional write found its row.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "conflict-ignored",
    group: Group::Transaction,
    severity: Severity::Error,
    item: Some(Item::C4),
    advisory: false,
    summary: "nothing looks at whether a conditional write found its row",
    page: include_str!("../../rules/conflict-ignored.md"),
};
