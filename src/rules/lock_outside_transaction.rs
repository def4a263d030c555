//! `lock-outside-transaction`: a lock is taken in autocommit and gone when the statement ends.

use super::{Candidate, Scope};
use crate::flow::value::EventId;
use crate::models::row::TypeRole;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Evidence, Kind};
use crate::window::View;
use crate::window::handle::Tx;

pub static RULE: Rule = Rule {
    name: "lock-outside-transaction",
    group: Group::Transaction,
    severity: Severity::Error,
    item: Some(Item::C6),
    advisory: false,
    summary: "a lock is taken in autocommit and gone when the statement ends",
    page: include_str!("../../rules/lock-outside-transaction.md"),
};

/// Locks that end with the statement that took them.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    scope.at_events(&RULE, lost)
}

/// A row lock, a transaction-level advisory lock, LOCK TABLE or SET LOCAL in autocommit; a session-level lock on whichever connection a pool gave.
fn lost(view: &View, id: EventId) -> bool {
    let Some(sql) = view.sql(id) else { return false };
    if view.tx(id) != Tx::Auto {
        return false;
    }
    let statement = sql.statement.effective();
    if let Some(advisory) = &sql.statement.advisory {
        let pooled = sql.executor.and_then(|executor| view.role(view.strip(executor))) == Some(TypeRole::Pool);
        return (pooled || advisory.transaction) && !advisory.release;
    }
    // A statement that locks and writes at once keeps its lock as long as it needs it.
    // One whose clauses are chosen at run time may lock only where a transaction is open.
    let locks =
        statement.lock.is_some() && statement.kind == Kind::Select && sql.statement.evidence > Evidence::Scanned;
    locks || matches!(statement.kind, Kind::LockTable | Kind::SetLocal)
}
