//! `state-check-across-await`: state that was checked before an await is acted on after it.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "state-check-across-await",
    group: Group::Memory,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "state that was checked before an await is acted on after it",
    page: "",
};
