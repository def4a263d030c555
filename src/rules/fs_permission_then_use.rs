//! `fs-permission-then-use`: a path's kind, owner or place is checked and the path used afterwards.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "fs-permission-then-use",
    group: Group::Filesystem,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a path's kind, owner or place is checked and the path used afterwards",
    page: "",
};
