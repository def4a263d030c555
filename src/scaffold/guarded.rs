//! Writes under a check that something makes one step: what a test keeps so.

use crate::finding::{Label, Role};
use crate::flow::event::AccessOp;
use crate::flow::value::EventId;
use crate::resolve::FnId;
use crate::rules::{Candidate, Scope, conflict_ignored, no_concurrency_test};
use crate::window::View;
use crate::window::decision::Question;

/// All of them, as candidates of the rule that asks for such a test.
pub fn all(scope: &Scope) -> Vec<Candidate> {
    scope.views().iter().flat_map(|view| in_view(scope, view)).collect()
}

/// The first in a function.
pub fn of_function(scope: &Scope, function: FnId) -> Option<Candidate> {
    in_view(scope, scope.try_view(function)?).into_iter().next()
}

/// Those of which the function itself sees both ends.
fn in_view(scope: &Scope, view: &View) -> Vec<Candidate> {
    let around = scope.surroundings(view);
    let own = |check: EventId, act: EventId| view.common(view.event(check), view.event(act)).is_empty();
    let windows = scope.rows(view).iter().filter(|window| own(window.check, window.act));
    let rows = windows.filter(|window| view.protection(window, &around).is_some());
    let mut out: Vec<Candidate> =
        rows.map(|window| Candidate::of_row(&no_concurrency_test::RULE, view, window)).collect();
    let taken: Vec<Option<EventId>> = out.iter().map(|candidate| candidate.act).collect();
    let events = view.events().filter(|(id, event)| event.path.is_empty() && !taken.contains(&Some(*id)));
    out.extend(events.filter_map(|(id, _)| claim(view, id)));
    out
}

/// One step that checks and writes, or a write under the guard of its check.
fn claim(view: &View, act: EventId) -> Option<Candidate> {
    let check = match view.access(act) {
        Some(access) if access.op == AccessOp::Atomic && access.conditional => None,
        Some(access) if access.op == AccessOp::Write => {
            let guard = view.guard_of(access.place)?;
            let deciders = view.deciders(act);
            let check = deciders.iter().find(|decider| {
                decider.question != Question::Failure && view.acquire_behind(decider.event) == Some(guard)
            });
            Some(check?.event)
        }
        None if conflict_ignored::is_claim(view, act) => None,
        _ => return None,
    };
    let mut candidate = Candidate::new(&no_concurrency_test::RULE, view, view.event(act).span);
    candidate.check = check;
    candidate.act = Some(act);
    let span = view.event(act).span;
    candidate.labels = vec![Label { role: Role::Act, span, message: String::new() }];
    Some(candidate)
}
