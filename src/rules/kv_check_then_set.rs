//! `kv-check-then-set`: what a key holds decides a write to the same key.

use super::places::PlaceCase;
use crate::flow::event::{Access, AccessOp};
use crate::models::row::Effect;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "kv-check-then-set",
    group: Group::Store,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "what a key holds decides a write to the same key",
    page: include_str!("../../rules/kv-check-then-set.md"),
};

/// What a key holds, or that it is not there, decides a write to it.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    super::kv_get_modify_set::stored(case)
        && (act.op == AccessOp::Write || counts_blindly(case, act))
        && !act.conditional
        && !matches!(act.effect, Some(Effect::Expire))
        && case.view.access(case.window.check).is_some_and(|check| check.op != AccessOp::Atomic)
        && case.window.decides(|question| question != Question::Failure)
}

/// A number is changed in place because of what it was read to be, and nobody looks at what it has become.
fn counts_blindly(case: &PlaceCase, act: &Access) -> bool {
    act.op == AccessOp::Atomic
        && act.effect == Some(Effect::Increment)
        && case.window.decides(|question| matches!(question, Question::Content | Question::Amount))
        && !case.view.is_looked_at(case.window.act)
}
