//! `map-check-then-act`: a concurrent map is asked first and changed in a second step.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "map-check-then-act",
    group: Group::Memory,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a concurrent map is asked first and changed in a second step",
    page: "",
};
