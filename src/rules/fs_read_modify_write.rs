//! `fs-read-modify-write`: a file is read, changed and written back without a lock.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "fs-read-modify-write",
    group: Group::Filesystem,
    severity: Severity::Note,
    item: Some(Item::C1),
    advisory: false,
    summary: "a file is read, changed and written back without a lock",
    page: "",
};
