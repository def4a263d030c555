//! `atomic-check-then-store`: an atomic is loaded, compared and then stored.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "atomic-check-then-store",
    group: Group::Memory,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "an atomic is loaded, compared and then stored",
    page: "",
};
