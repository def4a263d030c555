//! `fs-read-modify-write`: a file is read, changed and written back without a lock.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, Domain};
use crate::models::row::Effect;
use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "fs-read-modify-write",
    group: Group::Filesystem,
    severity: Severity::Note,
    item: Some(Item::C1),
    advisory: false,
    summary: "a file is read, changed and written back without a lock",
    page: include_str!("../../rules/fs-read-modify-write.md"),
};

/// What is written to a file was computed from what was read of it.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    case.window.domain == Domain::File
        && act.op == AccessOp::Write
        && matches!(act.effect, Some(Effect::Put | Effect::Truncate | Effect::Update))
        && case.window.data
        && !case.view.file_locked(case.window.check, case.window.act)
}
