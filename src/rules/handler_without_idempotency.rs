//! `handler-without-idempotency`: a request that moves money or stock carries no idempotency key.

use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "handler-without-idempotency",
    group: Group::Request,
    severity: Severity::Note,
    item: Some(Item::C3),
    advisory: true,
    summary: "a request that moves money or stock carries no idempotency key",
    page: include_str!("../../rules/handler-without-idempotency.md"),
};
