//! `coarse-lock`: a lock is wider than the one row or key that the work is about.

use super::{Candidate, Scope};
use crate::flow::event::{EventKind, SqlEvent};
use crate::flow::value::{EventId, Value};
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Kind, Operand};
use crate::window::View;
use crate::window::handle::Tx;
use crate::window::key::{KeyValue, keys};

pub static RULE: Rule = Rule {
    name: "coarse-lock",
    group: Group::Transaction,
    severity: Severity::Warning,
    item: Some(Item::C7),
    advisory: false,
    summary: "a lock is wider than the one row or key that the work is about",
    page: include_str!("../../rules/coarse-lock.md"),
};

/// Locks that many unrelated requests have to share.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    scope.at_events(&RULE, coarse)
}

fn coarse(view: &View, id: EventId) -> bool {
    let Some(sql) = view.sql(id) else { return false };
    // Outside a transaction it locks nothing at all: that is another rule's.
    if view.tx(id) == Tx::Auto {
        return false;
    }
    let statement = sql.statement.effective();
    if statement.kind == Kind::LockTable {
        return true;
    }
    if let Some(advisory) = &sql.statement.advisory {
        let constant = !advisory.key.is_empty() && advisory.key.iter().all(|key| is_constant(view, sql, key));
        return constant && !advisory.release && !advisory.attempt && about_one(view, id);
    }
    let whole = statement.filters.is_empty() && statement.limit.is_none() && statement.inner.is_empty();
    statement.kind == Kind::Select
        && whole
        && statement.lock.is_some_and(|lock| !lock.skip_locked)
        && statement.reads.len() == 1
}

fn is_constant(view: &View, sql: &SqlEvent, key: &Operand) -> bool {
    match key {
        Operand::Literal(_) => true,
        Operand::Param(n) => sql.args.get(*n as usize).copied().flatten().is_some_and(|value| {
            matches!(view.trace.arena.get(view.strip(value)), Value::Lit(_) | Value::Const(_) | Value::Static(_))
        }),
        Operand::Expr { columns, params, .. } => {
            columns.is_empty() && params.iter().all(|n| is_constant(view, sql, &Operand::Param(*n)))
        }
        _ => false,
    }
}

/// What is done under the lock is done to rows of one key.
fn about_one(view: &View, lock: EventId) -> bool {
    let tx = view.tx(lock);
    view.events().skip(lock.0 as usize + 1).any(|(id, event)| match &event.kind {
        EventKind::Sql(sql) => {
            view.tx(id) == tx
                && matches!(sql.statement.effective().kind, Kind::Update | Kind::Delete | Kind::Select)
                && keys(sql).iter().any(|(_, key)| matches!(key, KeyValue::Value(_)))
        }
        _ => false,
    })
}
