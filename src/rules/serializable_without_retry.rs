//! `serializable-without-retry`: a serializable transaction is not retried when it loses.

use super::{Candidate, Scope};
use crate::flow::event::EventKind;
use crate::flow::value::EventId;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Isolation, Kind};
use crate::window::View;
use crate::window::handle::Tx;

pub static RULE: Rule = Rule {
    name: "serializable-without-retry",
    group: Group::Transaction,
    severity: Severity::Warning,
    item: Some(Item::C4),
    advisory: false,
    summary: "a serializable transaction is not retried when it loses",
    page: include_str!("../../rules/serializable-without-retry.md"),
};

/// Serializable transactions around which nothing tries again.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut out = Vec::new();
    for view in scope.views() {
        for (id, event) in view.events() {
            if !event.path.is_empty() || !sets_serializable(view, id) || !event.loops.is_empty() {
                continue;
            }
            if scope
                .contexts(view.function, event.origin)
                .iter()
                .any(|(context, at)| !context.event(*at).loops.is_empty())
            {
                continue;
            }
            let mut candidate = Candidate::new(&RULE, view, event.span);
            candidate.act = Some(id);
            out.push(candidate);
        }
    }
    out
}

/// The level is set here.
fn sets_serializable(view: &View, id: EventId) -> bool {
    match &view.event(id).kind {
        EventKind::Begin { isolation, .. } => *isolation == Isolation::Serializable,
        EventKind::Isolation { level, .. } => *level == Isolation::Serializable,
        EventKind::Sql(sql) => {
            matches!(sql.statement.kind, Kind::SetIsolation(Isolation::Serializable))
                && view.tx(id) != Tx::Auto
                && !super::isolation_set_too_late::late(view, id)
        }
        _ => false,
    }
}
