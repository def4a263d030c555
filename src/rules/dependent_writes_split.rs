//! `dependent-writes-split`: writes that must stand or fall together commit one by one.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "dependent-writes-split",
    group: Group::Transaction,
    severity: Severity::Note,
    item: Some(Item::C6),
    advisory: true,
    summary: "writes that must stand or fall together commit one by one",
    page: include_str!("../../rules/dependent-writes-split.md"),
};
