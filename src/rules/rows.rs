//! Windows on database rows: which of the rules of the database and transaction groups names an open one.
//!
//! [`ORDER`] is the precedence: the first rule that applies reports the race, and a race is reported once.

use std::collections::HashMap;

use super::{Candidate, Scope};
use crate::flow::event::{CallSite, Event};
use crate::flow::value::EventId;
use crate::resolve::FnId;
use crate::rule::{Confidence, Rule};
use crate::window::View;
use crate::window::database::{Enclosure, RowWindow};
use crate::window::protect::{Protection, Surroundings};

/// A window with what it is judged by.
pub struct RowCase<'c, 'v> {
    pub view: &'c View<'v>,
    pub window: &'c RowWindow,
    pub around: &'c Surroundings<'v>,
    pub protection: Option<Protection>,
}

/// A rule of this kind: when it applies.
pub type Applies = fn(&RowCase) -> bool;

/// The first that applies names the window.
pub const ORDER: &[(&Rule, Applies)] = &[
    (&super::process_lock_guards_database::RULE, super::process_lock_guards_database::applies),
    (&super::tx_escaped_statement::RULE, super::tx_escaped_statement::names),
    (&super::tx_split_window::RULE, super::tx_split_window::applies),
    (&super::db_check_then_overwrite::RULE, super::db_check_then_overwrite::applies),
    (&super::db_upsert_by_hand::RULE, super::db_upsert_by_hand::applies),
    (&super::db_next_number::RULE, super::db_next_number::applies),
    (&super::db_check_then_insert::RULE, super::db_check_then_insert::applies),
    (&super::db_claim_without_skip_locked::RULE, super::db_claim_without_skip_locked::applies),
    (&super::tx_read_without_lock::RULE, super::tx_read_without_lock::applies),
    (&super::revives_expired::RULE, super::revives_expired::applies),
    (&super::db_unguarded_transition::RULE, super::db_unguarded_transition::applies),
    (&super::db_limit_by_count::RULE, super::db_limit_by_count::applies),
    (&super::db_lost_update::RULE, super::db_lost_update::applies),
    (&super::db_check_then_update::RULE, super::db_check_then_update::applies),
];

/// What tells a pair of events apart in the whole program: where they stand, and how the innermost function that sees both gets to them.
#[derive(Clone, PartialEq, Eq, Hash)]
struct PairKey {
    check: ((FnId, u32), Vec<CallSite>),
    act: ((FnId, u32), Vec<CallSite>),
}

fn pair_key(view: &View, window: &RowWindow) -> (Option<FnId>, PairKey) {
    let (check, act) = (view.event(window.check), view.event(window.act));
    let common = view.common(check, act).len();
    let owner = (common > 0).then(|| act.path[common - 1].callee);
    let rest = |event: &Event| (event.origin, event.path[common..].to_vec());
    (owner, PairKey { check: rest(check), act: rest(act) })
}

/// A window as one function sees it, judged.
struct Judged {
    function: FnId,
    index: usize,
    rule: Option<&'static Rule>,
}

/// The findings of this kind.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut own: Vec<(PairKey, Judged)> = Vec::new();
    let mut seen_from: HashMap<(FnId, PairKey), Vec<Judged>> = HashMap::new();
    for view in scope.views() {
        for (index, window) in scope.rows(view).iter().enumerate() {
            let rule = name(scope, view, window);
            let judged = Judged { function: view.function, index, rule };
            match pair_key(view, window) {
                (None, key) => own.push((key, judged)),
                (Some(owner), key) => seen_from.entry((owner, key)).or_default().push(judged),
            }
        }
    }
    let mut out = Vec::new();
    for (key, judged) in own {
        let contexts = seen_from.get(&(judged.function, key)).map_or(&[][..], Vec::as_slice);
        out.extend(decide(scope, &judged, contexts));
    }
    once(out)
}

/// The rule that names the window; none where it is closed.
fn name<'s>(scope: &Scope<'s>, view: &View<'s>, window: &RowWindow) -> Option<&'static Rule> {
    let around = scope.surroundings(view);
    let protection = match closed_by_another(scope, view, window) {
        true => return None,
        false => view.protection(window, &around),
    };
    let closed = !matches!(protection, None | Some(Protection::ProcessLock(_)));
    if closed {
        return None;
    }
    let case = RowCase { view, window, around: &around, protection };
    ORDER.iter().find(|(_, applies)| applies(&case)).map(|(rule, _)| *rule)
}

/// The same act is decided a second time, by a check that nothing can change before it.
fn closed_by_another<'s>(scope: &Scope<'s>, view: &View<'s>, window: &RowWindow) -> bool {
    scope.rows(view).iter().any(|other| {
        other.act == window.act
            && other.check > window.check
            && matches!(
                view.protection(other, &scope.surroundings(view)),
                Some(Protection::RowLock(_) | Protection::Serializable(_))
            )
    })
}

/// One of the rules that say what kind of race it is, wherever its statements run.
pub fn is_race(case: &RowCase) -> bool {
    super::db_upsert_by_hand::applies(case)
        || super::db_next_number::applies(case)
        || super::db_check_then_insert::applies(case)
        || super::db_check_then_overwrite::applies(case)
        || super::db_claim_without_skip_locked::applies(case)
        || super::db_unguarded_transition::applies(case)
        || super::db_limit_by_count::applies(case)
        || super::db_lost_update::applies(case)
        || super::db_check_then_update::applies(case)
}

/// Judges a window by the callers that can see it: racy under one of them is racy.
fn decide(scope: &Scope, judged: &Judged, contexts: &[Judged]) -> Option<Candidate> {
    let view = scope.view(judged.function);
    let window = &scope.rows(view)[judged.index];
    let roots: Vec<&Judged> = contexts.iter().filter(|context| !scope.has_callers(context.function)).collect();
    let judges: Vec<&Judged> = if roots.is_empty() { contexts.iter().collect() } else { roots };
    if judges.is_empty() {
        let rule = judged.rule?;
        let mut candidate = Candidate::of_row(rule, view, window);
        if window.enclosure == Enclosure::Caller {
            candidate.confidence = candidate.confidence.lower();
        }
        return Some(candidate);
    }
    let seen = |context: &Judged| &scope.rows(scope.view(context.function))[context.index];
    let open =
        judges.iter().rev().filter(|context| context.rule.is_some()).max_by_key(|context| seen(context).confidence)?;
    let seen = seen(open);
    let mut candidate = Candidate::of_row(open.rule?, view, window);
    candidate.confidence = candidate.confidence.min(seen.confidence);
    Some(candidate)
}

/// One race is one finding, at its first act: later acts of the same rule on the same table under the same check go with it.
fn once(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = Vec::new();
    for candidate in candidates {
        let twin = out.iter().position(|other| {
            other.function == candidate.function
                && (other.span == candidate.span
                    || other.resource_table == candidate.resource_table
                        && other.check == candidate.check
                        && other.rule.name == candidate.rule.name)
        });
        match twin {
            None => out.push(candidate),
            Some(at) if precedes(&candidate, &out[at]) => out[at] = candidate,
            Some(_) => {}
        }
    }
    out
}

fn precedes(a: &Candidate, b: &Candidate) -> bool {
    let (doubtful, sure) = (a.confidence == Confidence::Low, b.confidence != Confidence::Low);
    if doubtful == sure {
        return !doubtful;
    }
    if a.span == b.span {
        return rank(a.rule) < rank(b.rule);
    }
    a.act < b.act
}

fn rank(rule: &Rule) -> usize {
    ORDER.iter().position(|(other, _)| other.name == rule.name).unwrap_or(usize::MAX)
}

/// The check event of a row window lies inside a transaction of its own.
pub fn split(window: &RowWindow) -> bool {
    window.enclosure == Enclosure::Split
}

/// The event runs off the transaction that is open around it.
pub fn escaped(view: &View, id: EventId) -> bool {
    super::tx_escaped_statement::escapes(view, id).is_some()
}
