//! `fs-check-then-use`: a path is looked at and then opened, removed or renamed.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "fs-check-then-use",
    group: Group::Filesystem,
    severity: Severity::Note,
    item: Some(Item::C1),
    advisory: false,
    summary: "a path is looked at and then opened, removed or renamed",
    page: "",
};
