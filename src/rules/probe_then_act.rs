//! `probe-then-act`: an operation assumes that a probe's answer still holds.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "probe-then-act",
    group: Group::Memory,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "an operation assumes that a probe's answer still holds",
    page: "",
};
