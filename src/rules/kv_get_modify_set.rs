//! `kv-get-modify-set`: a key is set to a value computed from what it held.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "kv-get-modify-set",
    group: Group::Store,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a key is set to a value computed from what it held",
    page: "",
};
