//! The rules about the run itself. `suppress` and `check` report them; no analysis does.

use crate::rule::{Group, Rule, Severity};

pub static UNUSED_SUPPRESSION: Rule = Rule {
    name: "unused-suppression",
    group: Group::Meta,
    severity: Severity::Warning,
    item: None,
    advisory: false,
    summary: "a suppression keeps nothing out",
    page: include_str!("../../rules/unused-suppression.md"),
};

pub static SUPPRESSION_WITHOUT_REASON: Rule = Rule {
    name: "suppression-without-reason",
    group: Group::Meta,
    severity: Severity::Note,
    item: None,
    advisory: false,
    summary: "a suppression does not say why",
    page: include_str!("../../rules/suppression-without-reason.md"),
};

pub static UNKNOWN_NAME: Rule = Rule {
    name: "unknown-name",
    group: Group::Meta,
    severity: Severity::Warning,
    item: None,
    advisory: false,
    summary: "a suppression names no rule that exists, or cannot be read",
    page: include_str!("../../rules/unknown-name.md"),
};

pub static UNPARSABLE_SOURCE: Rule = Rule {
    name: "unparsable-source",
    group: Group::Meta,
    severity: Severity::Note,
    item: None,
    advisory: false,
    summary: "a file is not Rust that can be parsed, so its races stay unseen",
    page: include_str!("../../rules/unparsable-source.md"),
};
