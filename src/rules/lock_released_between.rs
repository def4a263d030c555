//! `lock-released-between`: a lock is released between the check and the write that it decides.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, EventKind};
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::models::row::{Effect, TypeRole};
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::View;
use crate::window::decision::Question;
use crate::window::key::Relation;
use crate::window::touch::Touch;

pub static RULE: Rule = Rule {
    name: "lock-released-between",
    group: Group::Memory,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a lock is released between the check and the write that it decides",
    page: include_str!("../../rules/lock-released-between.md"),
};

/// The write is decided by what was seen under an earlier guard on the same lock, and nothing looks again under the later one.
pub fn applies(case: &PlaceCase) -> bool {
    let Some((theirs, mine)) = case.window.locks else { return false };
    let Some(act) = case.view.access(case.window.act) else { return false };
    let relies = act.asserted;
    if act.op != AccessOp::Write && !relies
        || !same_part(case)
        || is_cell(case, mine)
        || !is_one_entry(case)
        || is_for_each(case, theirs)
    {
        return false;
    }
    let decided = case.window.data || case.window.decides(|question| question != Question::Failure);
    decided && !case.view.is_memo(case.window) && !looks_again(case, mine) && (relies || !ends_claim(case, theirs))
}

/// A cell belongs to one thread: only a wait in between lets others in.
pub fn is_cell(case: &PlaceCase, acquire: EventId) -> bool {
    match &case.view.event(acquire).kind {
        EventKind::Acquire(acquire) => acquire.role == Some(TypeRole::Cell),
        _ => false,
    }
}

/// Two functions that lock for themselves make a pair only on the same entry, or on a place without entries.
fn is_one_entry(case: &PlaceCase) -> bool {
    let (check, act) = (case.view.event(case.window.check), case.view.event(case.window.act));
    let (Some(first), Some(second)) = (check.path.first(), act.path.first()) else { return true };
    if first == second {
        return true;
    }
    if first.callee == second.callee || check.origin.0 == act.origin.0 {
        // Two calls of one function each decide for themselves.
        return false;
    }
    let written = case.view.access(case.window.act);
    let keyed = written.is_some_and(|act| act.key.is_some());
    let replaced =
        written.is_some_and(|act| matches!(act.effect, Some(Effect::Update | Effect::Increment | Effect::Take)));
    // A number of entries is a limit for whichever entry comes next.
    let limited = case.window.decides(|question| question == Question::Amount);
    limited || if keyed { case.window.relation == Relation::Same } else { replaced }
}

/// Something is put in for each key that was listed under the first guard: nothing was decided on what the entry held, and nothing computed from it.
fn is_for_each(case: &PlaceCase, theirs: EventId) -> bool {
    let view = case.view;
    let Some(act) = view.access(case.window.act) else { return false };
    let listed = |value: ValueId| -> Vec<Touch> {
        let touches = view.touches(value);
        let under = |touch: &&Touch| !touch.control && view.acquire_behind(touch.event) == Some(theirs);
        touches.iter().filter(under).copied().collect()
    };
    let asked = view.access(case.window.check).and_then(|read| read.key);
    let keys = act.key.map(listed).unwrap_or_default();
    let values = act.value.map(listed).unwrap_or_default();
    asked.is_none()
        && act.effect == Some(Effect::Put)
        && !keys.is_empty()
        && values.iter().all(|touch| keys.contains(touch))
}

/// What decided the first time is asked again under the act's own guard.
fn looks_again(case: &PlaceCase, mine: EventId) -> bool {
    let written = case.view.access(case.window.act).and_then(|act| first_field(case.view, act.place));
    // What was asked of other parts needs no second look.
    let matters = |event: EventId, part: Option<Symbol>| {
        let part = part_of(case, event, part);
        part.is_none() || written.is_none() || part == written
    };
    let asked = case.window.deciders.iter().filter(|d| matters(d.event, d.part));
    let content =
        case.window.data || asked.into_iter().any(|d| matches!(d.question, Question::Content | Question::Amount));
    let deciders = case.view.deciders(case.window.act);
    deciders.among(|event| case.view.acquire_behind(event) == Some(mine)).any(|decider| {
        let part = part_of(case, decider.event, decider.part);
        // The same question about another part is asked each time; a new one is a second look.
        if part.is_some() && written.is_some() && part != written {
            let asked_before = case.window.deciders.iter().any(|d| part_of(case, d.event, d.part) == part);
            return !asked_before && decider.question != Question::Failure;
        }
        match decider.question {
            Question::Failure => false,
            Question::Presence { .. } => !content,
            Question::Content | Question::Amount => true,
        }
    })
}

/// What is taken out or set back was put in or set under the check's own guard: the end of a claim, not a decision.
fn ends_claim(case: &PlaceCase, theirs: EventId) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    let removes = act.effect == Some(Effect::Remove);
    let field = first_field(case.view, act.place);
    case.view.events().take(case.window.act.0 as usize).any(|(id, event)| match &event.kind {
        EventKind::Access(claim)
            if claim.op == AccessOp::Write
                && case.view.acquire_behind(id) == Some(theirs)
                && case.view.event(id).held.contains(&theirs) =>
        {
            let same_key = match (claim.key, act.key) {
                (Some(a), Some(b)) => case.view.same_value(a, b) == Relation::Same,
                _ => false,
            };
            let set_back =
                act.effect == Some(Effect::Update) && field.is_some() && first_field(case.view, claim.place) == field;
            removes && claim.effect == Some(Effect::Put) && same_key || set_back || is_claim(case, id)
        }
        _ => false,
    })
}

/// The write was decided by the very test that decides the act, under the guard that the test was made under: only one caller comes through.
fn is_claim(case: &PlaceCase, claim: EventId) -> bool {
    let tests = case.view.deciders(claim);
    claim > case.window.check
        && case.window.deciders.iter().any(|d| {
            d.question == Question::Content
                && tests.iter().any(|test| test.atom.value == d.atom.value && test.atom.negated == d.atom.negated)
        })
}

/// The fields that were looked at and the one that is written are not known to be different ones.
fn same_part(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    let written = first_field(case.view, act.place);
    let Some(written) = written else { return true };
    let mut looked: Vec<Option<Symbol>> = case
        .window
        .deciders
        .iter()
        .filter(|d| d.question != Question::Failure)
        .map(|d| part_of(case, d.event, d.part))
        .collect();
    if case.window.data {
        let value = act.value.map(|value| case.view.touches(value));
        looked.extend(
            value
                .iter()
                .flat_map(|touches| touches.iter())
                .filter(|touch| case.view.acquire_behind(touch.event) == case.window.locks.map(|l| l.0))
                .map(|touch| part_of(case, touch.event, touch.part.map(|p| p.0))),
        );
    }
    looked.is_empty() || looked.iter().any(|part| part.is_none_or(|part| part == written))
}

/// The field of the guarded value that a read looked at.
fn part_of(case: &PlaceCase, event: EventId, part: Option<Symbol>) -> Option<Symbol> {
    match case.view.access(event) {
        Some(access) => first_field(case.view, access.place),
        None => part,
    }
}

/// The first field below the guard on the way to a place.
fn first_field(view: &View, place: ValueId) -> Option<Symbol> {
    let mut at = place;
    let mut field = None;
    for _ in 0..16 {
        at = match view.trace.arena.get(at) {
            Value::Field(inner, name) => {
                field = Some(*name);
                *inner
            }
            Value::Element(inner) | Value::Wrap(_, inner) | Value::Entry(inner, _) => *inner,
            Value::Outcome(event) => match view.access(*event) {
                Some(access) => access.place,
                None => return field,
            },
            _ => return field,
        };
    }
    field
}
