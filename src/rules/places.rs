//! Windows on places (memory, stores, files): which rule names an open one.

use std::collections::{HashMap, HashSet};

use super::{Candidate, Scope};
use crate::finding::{Label, Role};
use crate::flow::event::{AccessOp, CallSite, Domain};
use crate::flow::value::EventId;
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

type PairKey = ((FnId, u32), (FnId, u32), Vec<CallSite>, Vec<CallSite>);

/// The findings of this kind.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut own = Vec::new();
    let mut seen_from: HashMap<(FnId, PairKey), Vec<bool>> = HashMap::new();
    let removed = Removed::collect(scope);
    for view in scope.views() {
        let windows = scope.places(view);
        let mut by_act: HashMap<EventId, Vec<&PlaceWindow>> = HashMap::new();
        windows.iter().for_each(|window| by_act.entry(window.act).or_default().push(window));
        for window in windows {
            if closed_by_another(view, window, &by_act[&window.act]) {
                continue;
            }
            let (check, act) = (view.event(window.check), view.event(window.act));
            let common = view.common(check, act).len();
            let key = (check.origin, act.origin, check.path[common..].to_vec(), act.path[common..].to_vec());
            let rule = name(view, window).filter(|_| removed.allows(view, window));
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

/// The act is decided a second time, by a check after which something is held until the act.
fn closed_by_another(view: &View, window: &PlaceWindow, of_act: &[&PlaceWindow]) -> bool {
    of_act.iter().any(|other| other.check > window.check && view.guarded_all_along(other.check, other.act))
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
    if enclosed || claimed_before(view, window) {
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
