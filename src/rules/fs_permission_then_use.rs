//! `fs-permission-then-use`: a path's kind, owner or place is checked and the path used afterwards.

use super::places::PlaceCase;
use crate::flow::event::Domain;
use crate::flow::value::{Value, ValueId};
use crate::models::row::{Effect, Mode, TypeRole};
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

/// The kind, owner, mode or real place of a path was looked at, and the path is used by name.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(check) = case.view.access(case.window.check) else { return false };
    let Some(act) = case.view.access(case.window.act) else { return false };
    // A mode that is set to what it was but for some bits trusts nothing.
    let changes_mode = act.effect == Some(Effect::Permissions) && case.window.data;
    if case.window.domain != Domain::File || case.window.absent() || changes_mode || is_open(case, check.place) {
        return false;
    }
    let content: Vec<ValueId> =
        case.window.deciders.iter().filter(|d| d.question == Question::Content).map(|d| d.atom.value).collect();
    match check.mode {
        Some(Mode::SymlinkMetadata | Mode::Canonical) => !content.is_empty(),
        Some(Mode::Metadata) => content.into_iter().any(|value| asks_permission(case, value, 8)),
        _ => false,
    }
}

/// What is looked at of the metadata is who may do what.
/// An open file was asked, and it stays the same file whatever becomes of its path.
fn is_open(case: &PlaceCase, place: ValueId) -> bool {
    case.view.role(place) == Some(TypeRole::File) || matches!(case.view.trace.arena.get(place), Value::Outcome(_))
}

fn asks_permission(case: &PlaceCase, value: ValueId, depth: u32) -> bool {
    let Value::Op(name, args) = case.view.trace.arena.get(value) else { return false };
    let asks = matches!(name.as_str(), "permissions" | "mode" | "uid" | "gid" | "readonly");
    asks || depth > 0 && args.iter().any(|arg| asks_permission(case, *arg, depth - 1))
}
