//! `kv-check-then-set`: what a key holds decides a write to the same key.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "kv-check-then-set",
    group: Group::Store,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "what a key holds decides a write to the same key",
    page: "",
};
