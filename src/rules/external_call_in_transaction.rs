//! `external-call-in-transaction`: a call to something outside runs while a transaction is open.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "external-call-in-transaction",
    group: Group::Transaction,
    severity: Severity::Warning,
    item: Some(Item::C7),
    advisory: false,
    summary: "a call to something outside runs while a transaction is open",
    page: "",
};
