//! `coarse-lock`: a lock is wider than the one row or key that the work is about.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "coarse-lock",
    group: Group::Transaction,
    severity: Severity::Warning,
    item: Some(Item::C7),
    advisory: false,
    summary: "a lock is wider than the one row or key that the work is about",
    page: "",
};
