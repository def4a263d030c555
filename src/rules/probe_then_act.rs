//! `probe-then-act`: an operation assumes that a probe's answer still holds.

use super::places::PlaceCase;
use super::{Candidate, Scope};
use crate::flow::cond::{Atom, Test};
use crate::flow::event::{AccessOp, Domain};
use crate::models::row::{Effect, Mode};
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "probe-then-act",
    group: Group::Memory,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "an operation assumes that a probe's answer still holds",
    page: include_str!("../../rules/probe-then-act.md"),
};

/// A probe decides an operation that then assumes the probe's answer.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    let Some(probe) = case.view.access(case.window.check) else { return false };
    matches!(case.window.domain, Domain::Channel | Domain::Semaphore | Domain::Pointer)
        && probe.op == AccessOp::Probe
        && matches!(act.op, AccessOp::Use | AccessOp::Write | AccessOp::Atomic)
        && !act.attempt
        && !is_sole_taker(case)
        && (probe.mode != Some(Mode::Closed) || assumes_success(case))
        && case.window.decides(|question| question != Question::Failure)
}

/// The answer of the act is taken for granted: unwrapped, neither dropped nor looked at for what it would be otherwise.
fn assumes_success(case: &PlaceCase) -> bool {
    let asked: Vec<Atom> =
        case.view.tests_of(case.window.act).map(|(atom, _)| atom).filter(|atom| atom.test == Test::Ok).collect();
    !asked.is_empty() && !asked.iter().any(|atom| atom.negated)
}

/// The receiving end of a channel that is not shared: what waits in it, only its owner takes.
fn is_sole_taker(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    act.effect == Some(Effect::Receive) && case.view.guard_of(act.place).is_none() && !case.view.is_shared(act.place)
}

/// The number of owners decides what is done to what they share (the last one out), while another may let go at the same time.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut out = Vec::new();
    for view in scope.views() {
        for (id, event) in view.events().filter(|(_, event)| event.path.is_empty()) {
            let Some(act) = view.access(id).filter(|act| matches!(act.op, AccessOp::Write | AccessOp::Use)) else {
                continue;
            };
            let counted = view.deciders(id).iter().find(|decider| {
                decider.atom.strong
                    && view.access(decider.event).is_some_and(|probe| {
                        probe.domain == Domain::Pointer
                            && probe.mode == Some(Mode::Count)
                            && view.inputs(act.place).iter().any(|input| view.stands_below(*input, probe.place))
                    })
            });
            if let Some(decider) = counted {
                let mut candidate = Candidate::new(&RULE, view, event.span);
                candidate.check = Some(decider.event);
                candidate.act = Some(id);
                out.push(candidate);
            }
        }
    }
    super::first_acts(out)
}
