//! Windows on places (memory, stores, files): which rule names an open one.

use std::collections::{HashMap, HashSet};

use super::{Candidate, Scope};
use crate::finding::{Label, Role};
use crate::flow::cond::Test;
use crate::flow::event::{Access, AccessOp, CallSite, Domain, Event, EventKind};
use crate::flow::value::{EventId, ValueId};
use crate::intern::Symbol;
use crate::models::row::Effect;
use crate::resolve::{AdtId, FnId};
use crate::rule::Rule;
use crate::window::View;
use crate::window::access::PlaceWindow;
use crate::window::key::Relation;

/// A window with the trace that shows it.
pub struct PlaceCase<'c, 'v> {
    pub view: &'c View<'v>,
    pub window: &'c PlaceWindow,
}

pub type Applies = fn(&PlaceCase) -> bool;

/// The first that applies names the window.
pub const ORDER: &[(&Rule, Applies)] = &[
    (&super::slot_load_then_store::RULE, super::slot_load_then_store::applies),
    (&super::atomic_load_then_store::RULE, super::atomic_load_then_store::applies),
    (&super::atomic_check_then_store::RULE, super::atomic_check_then_store::applies),
    (&super::cache_stampede::RULE, super::cache_stampede::applies),
    (&super::map_check_then_act::RULE, super::map_check_then_act::applies),
    (&super::lock_released_between::RULE, super::lock_released_between::applies),
    (&super::state_check_across_await::RULE, super::state_check_across_await::applies),
    (&super::probe_then_act::RULE, super::probe_then_act::applies),
    (&super::kv_lock_release_unchecked::RULE, super::kv_lock_release_unchecked::applies),
    (&super::kv_get_modify_set::RULE, super::kv_get_modify_set::applies),
    (&super::kv_check_then_set::RULE, super::kv_check_then_set::applies),
    (&super::fs_permission_then_use::RULE, super::fs_permission_then_use::applies),
    (&super::fs_check_then_create::RULE, super::fs_check_then_create::applies),
    (&super::fs_read_modify_write::RULE, super::fs_read_modify_write::applies),
    (&super::fs_check_then_use::RULE, super::fs_check_then_use::applies),
];

/// An open window, with the rule that names it, if one does.
#[derive(Debug)]
pub struct Named {
    window: PlaceWindow,
    rule: Option<&'static Rule>,
}

/// The windows of a view, as far as it alone can tell.
pub fn named(view: &View) -> Vec<Named> {
    let windows = view.place_windows();
    let mut by_act: HashMap<EventId, Vec<&PlaceWindow>> = HashMap::new();
    windows.iter().for_each(|window| by_act.entry(window.act).or_default().push(window));
    let open = |window: &&PlaceWindow| !closed_by_another(view, window, &by_act[&window.act]);
    windows.iter().filter(open).map(|window| Named { window: window.clone(), rule: name(view, window) }).collect()
}

type PairKey = ((FnId, u32), (FnId, u32), Vec<CallSite>, Vec<CallSite>);

/// The findings of this kind.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut own = Vec::new();
    let mut seen_from: HashMap<(FnId, PairKey), Vec<bool>> = HashMap::new();
    let removed = Removed::collect(scope);
    for view in scope.views() {
        for Named { window, rule } in scope.places(view) {
            let (check, act) = (view.event(window.check), view.event(window.act));
            let common = view.common(check, act).len();
            let key = (check.origin, act.origin, check.path[common..].to_vec(), act.path[common..].to_vec());
            let rule = rule.filter(|_| removed.allows(view, window));
            if common > 0 {
                let owner = act.path[common - 1].callee;
                let root = !scope.has_callers(view.function);
                if root || rule.is_some() {
                    seen_from.entry((owner, key)).or_default().push(rule.is_some());
                }
            } else if let Some(rule) = rule {
                own.push((key, candidate(rule, view, window)));
            }
        }
    }
    let open = |function: FnId, key: &PairKey| {
        seen_from.get(&(function, key.clone())).is_none_or(|contexts| contexts.iter().any(|open| *open))
    };
    let kept = own.into_iter().filter(|(key, candidate)| open(candidate.function, key)).map(|(_, candidate)| candidate);
    once(kept.collect())
}

/// The act is decided a second time, by a check after which something is held until the act; for a cell, which belongs to one thread, by one after which nothing
/// is waited for.
fn closed_by_another(view: &View, window: &PlaceWindow, of_act: &[&PlaceWindow]) -> bool {
    let alone = |other: &PlaceWindow| {
        super::state_check_across_await::is_in_cell(&PlaceCase { view, window: other })
            && !view.waits_between(other.check, other.act)
    };
    of_act
        .iter()
        .any(|other| other.check > window.check && (view.guarded_all_along(other.check, other.act) || alone(other)))
}

fn name(view: &View, window: &PlaceWindow) -> Option<&'static Rule> {
    let act = view.access(window.act)?;
    if act.conditional && act.op == AccessOp::Atomic && !(window.domain == Domain::Slot && act.asserted) {
        return None;
    }
    if window.domain.in_memory() && view.guarded_all_along(window.check, window.act) {
        return None;
    }
    let enclosed = !window.domain.in_memory() && view.in_one_transaction(window.check, window.act);
    if enclosed || claimed_before(view, window) || gated(view, window) || removes_once(view, window) {
        return None;
    }
    let case = PlaceCase { view, window };
    ORDER.iter().find(|(_, applies)| applies(&case)).map(|(rule, _)| *rule)
}

/// The entry was claimed in one step before the check: whoever got it is alone with it.
fn claimed_before(view: &View, window: &PlaceWindow) -> bool {
    let Some(act) = view.access(window.act).filter(|act| act.domain == Domain::Map) else { return false };
    view.deciders(window.act).events().iter().filter(|event| **event < window.check).any(|event| {
        view.access(*event).is_some_and(|claim| {
            claim.op == AccessOp::Atomic
                && claim.conditional
                && view.same_value(claim.place, act.place) == Relation::Same
                && claim.key.zip(act.key).is_some_and(|(a, b)| view.same_value(a, b) == Relation::Same)
        })
    })
}

/// A file that stands for a lock was made in one step before the check, and is there still: whoever made it is alone. One that is neither waited for nor
/// given back is no lock.
fn gated(view: &View, window: &PlaceWindow) -> bool {
    let Some(act) = view.access(window.act).filter(|act| act.domain == Domain::File) else { return false };
    let removed = |path: ValueId, from: EventId, to: EventId| {
        let gives_up = |(id, event): (EventId, &Event)| match &event.kind {
            EventKind::Access(access) if access.effect == Some(Effect::Remove) => {
                from < id && view.same_value(access.place, path) == Relation::Same && view.compatible(window.act, id)
            }
            _ => false,
        };
        view.events().take(to.0 as usize).any(gives_up)
    };
    view.deciders(window.act).iter().filter(|decider| decider.event < window.check).any(|decider| {
        let won = decider.atom.strong && !decider.atom.negated && decider.atom.test == Test::Ok;
        let Some(claim) = view.access(decider.event).filter(|claim| won && is_gate(claim)) else { return false };
        let path = claim.target.unwrap_or(claim.place);
        let waited = view.event(decider.event).loops.len() > view.event(window.check).loops.len();
        let given_back = || removed(path, window.act, EventId(u32::MAX));
        path != act.place
            && view.is_repeatable(path)
            && (waited || given_back())
            && !removed(path, decider.event, window.act)
    })
}

/// Of several that come, one sets another key that must not be there yet: that one alone deletes.
fn removes_once(view: &View, window: &PlaceWindow) -> bool {
    let removes = |act: &Access| act.domain == Domain::Store && act.effect == Some(Effect::Remove);
    let claims = |id: EventId| view.access(id).is_some_and(|claim| claim.domain == Domain::Store && claim.conditional);
    view.access(window.act).is_some_and(removes)
        && view.deciders(window.act).iter().any(|decider| {
            let won =
                decider.atom.strong && !decider.atom.negated && matches!(decider.atom.test, Test::Some | Test::True);
            won && claims(decider.event)
        })
}

/// It makes a file that must not be there yet.
fn is_gate(claim: &Access) -> bool {
    claim.domain == Domain::File && claim.op == AccessOp::Atomic && claim.conditional
}

fn candidate(rule: &'static Rule, view: &View, window: &PlaceWindow) -> Candidate {
    let (check, act) = (view.event(window.check), view.event(window.act));
    // What another task does later is seen where it is done.
    let at = if act.context.spawned == check.context.spawned { view.seen_at(window.act) } else { act.span };
    let mut candidate = Candidate::new(rule, view, at);
    candidate.check = Some(window.check);
    candidate.act = Some(window.act);
    candidate.confidence = window.confidence;
    candidate.labels = vec![
        Label { role: Role::Check, span: view.event(window.check).span, message: "read here".to_owned() },
        Label { role: Role::Act, span: view.event(window.act).span, message: "written here".to_owned() },
    ];
    candidate
}

/// The collections out of which something is taken somewhere.
struct Removed(HashSet<(AdtId, Symbol)>);

impl Removed {
    fn collect(scope: &Scope) -> Removed {
        let views = scope.views().iter().flat_map(|view| view.events().map(move |(id, _)| (view, id)));
        let taken = views.filter_map(|(view, id)| {
            let access =
                view.access(id).filter(|access| matches!(access.effect, Some(Effect::Remove | Effect::Take)))?;
            view.owner_of(access.place)
        });
        Removed(taken.collect())
    }

    /// An entry that was there may be gone when it is relied on; any other act needs no removal to be too late.
    fn allows(&self, view: &View, window: &PlaceWindow) -> bool {
        let Some(act) = view.access(window.act) else { return true };
        let relies = act.op == AccessOp::Read && act.asserted && window.domain != Domain::File;
        !relies || view.owner_of(act.place).is_some_and(|owner| self.0.contains(&owner))
    }
}

/// One race is one finding: the first act under a check, and one finding a place in the code.
fn once(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let twin = out.iter().any(|other| {
            other.function == candidate.function
                && (other.span == candidate.span
                    || other.check == candidate.check && other.rule.name == candidate.rule.name)
        });
        if !twin {
            out.push(candidate);
        }
    }
    out
}

/// The domain of the window's act is one of these.
pub fn on(case: &PlaceCase, domains: &[Domain]) -> bool {
    domains.contains(&case.window.domain)
}
