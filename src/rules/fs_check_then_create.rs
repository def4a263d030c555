//! `fs-check-then-create`: a path is seen to be absent and then created.

use super::places::PlaceCase;
use crate::flow::cond::last_segment;
use crate::flow::event::{AccessOp, Domain};
use crate::models::row::Effect;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::decision::Question;
use crate::window::key::Relation;

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
        Some(Effect::Copy | Effect::Link | Effect::Rename) => !act.conditional && is_target(case),
        Some(Effect::Put | Effect::Create) => !act.conditional && !asks_for_directory(case) && !written_anyway(case),
        Some(Effect::CreateDir) => !case.view.handles_error(case.window.act) && !words_error(case),
        _ => false,
    }
}

/// What was seen to be absent is where the act puts something, not what it takes away.
fn is_target(case: &PlaceCase) -> bool {
    let (Some(check), Some(act)) = (case.view.access(case.window.check), case.view.access(case.window.act)) else {
        return false;
    };
    act.target.is_none_or(|target| case.view.same_value(check.place, target) == Relation::Same)
}

/// That a path is no directory does not say that no file is there.
fn asks_for_directory(case: &PlaceCase) -> bool {
    let name = case.view.access(case.window.check).map(|check| last_segment(check.name));
    name == Some("is_dir")
}

/// Where something is there, it is overwritten just as well: that nothing was there decided nothing.
fn written_anyway(case: &PlaceCase) -> bool {
    let view = case.view;
    let Some(act) = view.access(case.window.act) else { return false };
    view.events().any(|(id, event)| {
        let Some(other) = view.access(id).filter(|other| other.domain == Domain::File) else { return false };
        let writes = other.op == AccessOp::Write && matches!(other.effect, Some(Effect::Put | Effect::Create));
        id != case.window.act
            && writes
            && event.path.len() == view.event(case.window.act).path.len()
            && view.same_value(other.place, act.place) == Relation::Same
            && view
                .deciders(id)
                .of(case.window.check)
                .any(|decider| matches!(decider.question, Question::Presence { absent: false } | Question::Content))
            && !view.compatible(id, case.window.act)
    })
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
