//! `isolation-set-too-late`: the isolation level is set after the first statement, or outside a transaction.

use super::{Candidate, Scope};
use crate::flow::event::EventKind;
use crate::flow::value::EventId;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::Kind;
use crate::window::View;
use crate::window::handle::Tx;

pub static RULE: Rule = Rule {
    name: "isolation-set-too-late",
    group: Group::Transaction,
    severity: Severity::Error,
    item: Some(Item::C6),
    advisory: false,
    summary: "the isolation level is set after the first statement, or outside a transaction",
    page: include_str!("../../rules/isolation-set-too-late.md"),
};

/// Levels that come too late to hold, or hold for nothing.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    scope.at_events(&RULE, late)
}

pub fn late(view: &View, id: EventId) -> bool {
    let Some(sql) = view.sql(id) else { return false };
    if !matches!(sql.statement.kind, Kind::SetIsolation(_)) {
        return false;
    }
    match view.tx(id) {
        Tx::Auto => true,
        tx @ (Tx::Begun(_) | Tx::Given(_)) => view.events().take(id.0 as usize).any(|(earlier, event)| {
            matches!(&event.kind, EventKind::Sql(other) if other.statement.kind != Kind::SetLocal)
                && view.tx(earlier) == tx
        }),
        _ => false,
    }
}
