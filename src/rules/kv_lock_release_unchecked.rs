//! `kv-lock-release-unchecked`: a lock key is deleted without proof that it is still ours.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "kv-lock-release-unchecked",
    group: Group::Store,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a lock key is deleted without proof that it is still ours",
    page: "",
};
