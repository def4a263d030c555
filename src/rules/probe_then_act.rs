//! `probe-then-act`: an operation assumes that a probe's answer still holds.

use super::places::PlaceCase;
use crate::flow::event::{AccessOp, Domain};
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
        && case.window.decides(|question| question != Question::Failure)
}
