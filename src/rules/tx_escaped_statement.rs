//! `tx-escaped-statement`: a statement runs on the pool while a transaction is open.

use super::rows::RowCase;
use super::{Candidate, Scope};
use crate::flow::event::EventKind;
use crate::flow::value::{EventId, Value, ValueId};
use crate::models::row::TypeRole;
use crate::rule::{Confidence, Group, Item, Rule, Severity};
use crate::window::View;
use crate::window::handle::Tx;

pub static RULE: Rule = Rule {
    name: "tx-escaped-statement",
    group: Group::Transaction,
    severity: Severity::Error,
    item: Some(Item::C6),
    advisory: false,
    summary: "a statement runs on the pool while a transaction is open",
    page: include_str!("../../rules/tx-escaped-statement.md"),
};

/// The transaction that a statement should have run in: one that is open around it and was begun on the very pool or connection that it uses.
pub fn escapes(view: &View, id: EventId) -> Option<EventId> {
    let event = view.event(id);
    let sql = view.sql(id)?;
    if view.tx(id) != Tx::Auto || event.context.spawned != 0 {
        return None;
    }
    let handle = view.strip(sql.executor?);
    event.held.iter().copied().find(|held| match &view.event(*held).kind {
        EventKind::Begin { on: Some(on), .. } => same_origin(view, view.strip(*on), handle),
        _ => false,
    })
}

fn same_origin(view: &View, begun_on: ValueId, handle: ValueId) -> bool {
    let pool = |value: ValueId| match view.trace.arena.get(value) {
        Value::Op(name, args) if *name == "connection" => view.strip(args[0]),
        _ => value,
    };
    pool(begun_on) == pool(handle) && view.role(pool(handle)) != Some(TypeRole::Connection)
}

/// The check or the act of a window is such a statement.
pub fn names(case: &RowCase) -> bool {
    super::rows::is_race(case)
        && (escapes(case.view, case.window.check).is_some() || escapes(case.view, case.window.act).is_some())
}

/// Statements that run beside the transaction that is open around them.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut out = scope.at_events(&RULE, |view, id| escapes(view, id).is_some());
    for candidate in &mut out {
        let view = scope.view(candidate.function);
        let Some(id) = candidate.act else { continue };
        if !touched_inside(view, id) {
            candidate.confidence = Confidence::Low;
        }
    }
    out
}

/// The transaction touches the table too; or the statement writes, which a rollback would not undo.
fn touched_inside(view: &View, id: EventId) -> bool {
    let (Some(sql), Some(begin)) = (view.sql(id), escapes(view, id)) else { return false };
    if sql.statement.effective().is_write() {
        return true;
    }
    view.events().any(|(other, event)| match &event.kind {
        EventKind::Sql(inside) => {
            view.tx(other) == Tx::Begun(begin)
                && inside.statement.effective().table.is_some_and(|table| sql.statement.reads.contains(&table))
        }
        _ => false,
    })
}
