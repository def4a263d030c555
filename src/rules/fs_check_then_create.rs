//! `fs-check-then-create`: a path is seen to be absent and then created.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "fs-check-then-create",
    group: Group::Filesystem,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a path is seen to be absent and then created",
    page: "",
};
