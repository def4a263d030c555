//! `fs-create-then-chmod`: a file is created open to others and restricted afterwards.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "fs-create-then-chmod",
    group: Group::Filesystem,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a file is created open to others and restricted afterwards",
    page: "",
};
