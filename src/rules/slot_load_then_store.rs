//! `slot-load-then-store`: a shared slot is loaded, changed and stored back.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "slot-load-then-store",
    group: Group::Memory,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a shared slot is loaded, changed and stored back",
    page: "",
};
