//! `fs-create-then-chmod`: a file is created open to others and restricted afterwards.

use super::{Candidate, Scope};
use crate::flow::event::{AccessOp, Domain};
use crate::flow::value::{EventId, Value, ValueId};
use crate::ir::{ExprKind, Lit};
use crate::models::row::Effect;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::View;
use crate::window::key::Relation;

pub static RULE: Rule = Rule {
    name: "fs-create-then-chmod",
    group: Group::Filesystem,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a file is created open to others and restricted afterwards",
    page: include_str!("../../rules/fs-create-then-chmod.md"),
};

/// What a usual umask lets others and the group do with a new file or directory: read it.
const READABLE: i128 = 0o044;

/// Files, sockets and directories that are made readable for others and restricted afterwards.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    scope.at_events(&RULE, |view, id| restricts(view, id) && made_open(view, id))
}

fn restricts(view: &View, id: EventId) -> bool {
    let Some(access) = view.access(id) else { return false };
    if access.domain != Domain::File || access.effect != Some(Effect::Permissions) {
        return false;
    }
    let given = access.value.and_then(|value| mode_in(view, value, 6));
    given.or_else(|| mode_set_before(view, id)).is_some_and(|mode| mode & READABLE != READABLE)
}

/// The number that a value of permissions was made from.
fn mode_in(view: &View, value: ValueId, depth: u32) -> Option<i128> {
    if depth == 0 {
        return None;
    }
    match view.trace.arena.get(value) {
        Value::Lit(text) => text.as_str().parse().ok(),
        // Bits that are added take nothing away from anybody.
        Value::Op(name, _) if *name == "|" => None,
        Value::Op(_, args) => args.iter().find_map(|arg| mode_in(view, *arg, depth - 1)),
        Value::Wrap(_, inner) => mode_in(view, *inner, depth - 1),
        _ => None,
    }
}

/// `permissions.set_mode(0o600)`, the last one before the event in its function.
fn mode_set_before(view: &View, id: EventId) -> Option<i128> {
    let event = view.event(id);
    let body = view.program.source(event.origin.0).body.as_ref()?;
    let set = body.exprs.iter().filter(|expr| expr.span.end <= event.span.start).filter_map(|expr| match &expr.kind {
        ExprKind::MethodCall { name, args, .. } if *name == "set_mode" => Some((expr.span.end, args)),
        _ => None,
    });
    let (_, args) = set.max_by_key(|(end, _)| *end)?;
    match body.expr(*args.first()?).kind {
        ExprKind::Lit(Lit::Int(mode)) => Some(mode),
        _ => None,
    }
}

/// An earlier event made the file, by the same path, or gave the handle.
fn made_open(view: &View, id: EventId) -> bool {
    let Some(act) = view.access(id) else { return false };
    view.events().take(id.0 as usize).any(|(at, _)| {
        let Some(access) = view.access(at).filter(|access| access.domain == Domain::File) else { return false };
        let makes = matches!(access.effect, Some(Effect::Put | Effect::Create | Effect::CreateDir))
            && matches!(access.op, AccessOp::Write | AccessOp::Atomic);
        let same = view.same_value(access.place, act.place) == Relation::Same
            || view.trace.arena.get(view.strip(act.place)) == &Value::Outcome(at);
        makes && same && !gives_mode(view, at) && view.compatible(at, id)
    })
}

/// `OpenOptions::mode` and `DirBuilder::mode` in the chain that makes the file, or on the options it is made with.
fn gives_mode(view: &View, id: EventId) -> bool {
    let event = view.event(id);
    let Some(body) = view.program.source(event.origin.0).body.as_ref() else { return false };
    body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::MethodCall { name, args, .. } => {
            *name == "mode" && args.len() == 1 && expr.span.start <= event.span.end
        }
        _ => false,
    })
}
