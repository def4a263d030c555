//! `probe-then-act`: an operation assumes that a probe's answer still holds.

use super::places::PlaceCase;
use super::{Candidate, Scope};
use crate::flow::cond::{Atom, Test};
use crate::flow::event::{Access, AccessOp, Domain, EventKind};
use crate::flow::value::{EventId, ValueId};
use crate::models::row::{Effect, Mode};
use crate::resolve::FnContainer;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::View;
use crate::window::decision::Question;
use crate::window::key::Relation;

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
        && (!act.attempt || act.asserted)
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

/// Probes whose act is on something else than what was probed: the last owner cleans up, or what was found open is used later.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut out = Vec::new();
    for view in scope.views() {
        let counts = view.events().any(|(id, _)| view.access(id).is_some_and(counts_owners));
        for (id, _) in view.events() {
            let counted = counts.then(|| counted(view, id)).flatten();
            let probe = counted.or_else(|| found_open(view, id)).or_else(|| found_free(view, id));
            let Some(probe) = probe else { continue };
            if view.common(view.event(probe), view.event(id)).is_empty() {
                let mut candidate = Candidate::new(&RULE, view, view.seen_at(id));
                candidate.check = Some(probe);
                candidate.act = Some(id);
                out.push(candidate);
            }
        }
    }
    super::first_acts(out)
}

/// The number of owners decides what is done to what they share, or beside it to what belongs to one of them (the last one out), while another may let go at
/// the same time.
fn counted(view: &View, id: EventId) -> Option<EventId> {
    let act = view.access(id).filter(|act| matches!(act.op, AccessOp::Write | AccessOp::Use))?;
    let counts = |probe: EventId| {
        view.access(probe).is_some_and(|probe| {
            let shared = || view.inputs(act.place).iter().any(|input| view.stands_below(*input, probe.place));
            let beside =
                || ends(view) && view.root_of(act.place).is_some_and(|root| view.root_of(probe.place) == Some(root));
            counts_owners(probe) && (shared() || beside())
        })
    };
    view.deciders(id).among(counts).find(|decider| decider.atom.strong).map(|decider| decider.event)
}

fn counts_owners(probe: &Access) -> bool {
    probe.domain == Domain::Pointer && probe.mode == Some(Mode::Count)
}

/// The function runs when its receiver goes away.
fn ends(view: &View) -> bool {
    match &view.program.function(view.function).container {
        FnContainer::TraitImpl(_) => view.program.source(view.function).name == "drop",
        _ => false,
    }
}

/// What was found free is taken at once or never, and that somebody else was faster is not reckoned with.
fn found_free(view: &View, id: EventId) -> Option<EventId> {
    let EventKind::Acquire(taken) = &view.event(id).kind else { return None };
    if !taken.attempt || !taken.asserted {
        return None;
    }
    let asks = |probe: EventId| {
        view.access(probe).is_some_and(|probe| {
            probe.op == AccessOp::Probe && view.same_value(probe.place, taken.lock) == Relation::Same
        })
    };
    view.deciders(id).among(asks).find(|decider| decider.atom.strong).map(|decider| decider.event)
}

/// A channel that was found closed was replaced, and what is there now is used when nothing is held any more, with no way to tell that it has closed since.
fn found_open(view: &View, id: EventId) -> Option<EventId> {
    let act = view.access(id).filter(|act| act.domain == Domain::Channel && act.op == AccessOp::Use && !act.attempt)?;
    let same = |place: ValueId| view.same_value(place, act.place) == Relation::Same;
    let replaced = |probe: EventId| {
        view.events().take(id.0 as usize).any(|(other, _)| {
            view.access(other).is_some_and(|write| write.op == AccessOp::Write && same(write.place))
                && view.deciders(other).of(probe).next().is_some()
        })
    };
    let mut probes = view.events().take(id.0 as usize).filter(|(_, event)| match &event.kind {
        EventKind::Access(probe) => probe.op == AccessOp::Probe && probe.domain == Domain::Channel && same(probe.place),
        _ => false,
    });
    let (probe, _) = probes.find(|(probe, _)| replaced(*probe))?;
    let told = !act.asserted && view.error_goes_somewhere(id);
    (!told && !view.guarded_all_along(probe, id)).then_some(probe)
}
