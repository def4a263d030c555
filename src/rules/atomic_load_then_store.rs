//! `atomic-load-then-store`: an atomic is stored with a value computed from a load of it.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "atomic-load-then-store",
    group: Group::Memory,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "an atomic is stored with a value computed from a load of it",
    page: "",
};
