//! `fs-permission-then-use`: a path's kind, owner or place is checked and the path used afterwards.

use super::places::PlaceCase;
use crate::flow::event::Domain;
use crate::models::row::Mode;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "fs-permission-then-use",
    group: Group::Filesystem,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a path's kind, owner or place is checked and the path used afterwards",
    page: include_str!("../../rules/fs-permission-then-use.md"),
};

/// The kind, owner or real place of a path was looked at, and the path is used by name.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(check) = case.view.access(case.window.check) else { return false };
    case.window.domain == Domain::File
        && matches!(check.mode, Some(Mode::SymlinkMetadata | Mode::Canonical))
        && case.window.decides(|question| question == Question::Content)
}
