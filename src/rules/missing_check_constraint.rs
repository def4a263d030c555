//! `missing-check-constraint`: a column that code bounds has no CHECK.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "missing-check-constraint",
    group: Group::Schema,
    severity: Severity::Note,
    item: Some(Item::C2),
    advisory: true,
    summary: "a column that code bounds has no CHECK",
    page: include_str!("../../rules/missing-check-constraint.md"),
};
