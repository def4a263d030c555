//! `kv-check-guards-database`: a value from a store decides a database write that does not check anything itself.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "kv-check-guards-database",
    group: Group::Store,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a value from a store decides a database write that does not check anything itself",
    page: include_str!("../../rules/kv-check-guards-database.md"),
};
