//! `fs-check-then-create`: a path is seen to be absent and then created.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, Domain};
use crate::models::row::Effect;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "fs-check-then-create",
    group: Group::Filesystem,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a path is seen to be absent and then created",
    page: include_str!("../../rules/fs-check-then-create.md"),
};

/// A path that was seen to be absent is created in a way that does not mind if it is there by now, or fails where nobody expects it to.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    if case.window.domain != Domain::File || act.op != AccessOp::Write || !case.window.absent() {
        return false;
    }
    match act.effect {
        Some(Effect::Put | Effect::Create | Effect::Copy | Effect::Link | Effect::Rename) => !act.conditional,
        Some(Effect::CreateDir) => !case.view.handles_error(case.window.act) && !words_error(case),
        _ => false,
    }
}

/// The check only says why the call would fail: where the path is there, the function does not succeed.
fn words_error(case: &PlaceCase) -> bool {
    let absent = Question::Presence { absent: true };
    let conditions = case.view.success_conditions();
    !conditions.is_empty()
        && conditions.into_iter().all(|cond| {
            case.view.trace.arena.atoms(cond).iter().any(|atom| {
                atom.strong
                    && case
                        .window
                        .deciders
                        .iter()
                        .filter(|d| d.question == absent)
                        .any(|d| d.atom.value == atom.value && d.atom.negated == atom.negated)
            })
        })
}
