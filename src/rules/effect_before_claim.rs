//! `effect-before-claim`: an outside effect happens before anything claims the right to it.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "effect-before-claim",
    group: Group::Request,
    severity: Severity::Warning,
    item: Some(Item::C3),
    advisory: false,
    summary: "an outside effect happens before anything claims the right to it",
    page: include_str!("../../rules/effect-before-claim.md"),
};
