//! `revives-expired`: a late event writes a final state without requiring the pending one.

use super::rows::RowCase;
use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "revives-expired",
    group: Group::Request,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a late event writes a final state without requiring the pending one",
    page: include_str!("../../rules/revives-expired.md"),
};

/// A late event sets a final state; which state the row is in by then is not required to be the pending one.
pub fn applies(case: &RowCase) -> bool {
    let _ = case;
    false
}
