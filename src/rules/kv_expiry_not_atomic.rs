//! `kv-expiry-not-atomic`: a key is written first and given its time to live later, or never.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "kv-expiry-not-atomic",
    group: Group::Store,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a key is written first and given its time to live later, or never",
    page: include_str!("../../rules/kv-expiry-not-atomic.md"),
};
