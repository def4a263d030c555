//! `lock-released-between`: a lock is released between the check and the write that it decides.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "lock-released-between",
    group: Group::Memory,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a lock is released between the check and the write that it decides",
    page: "",
};
