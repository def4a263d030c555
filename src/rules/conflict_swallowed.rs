//! `conflict-swallowed`: the error of a write that can lose is discarded.

use super::{Candidate, Scope};
use crate::flow::cond::Test;
use crate::flow::event::EventKind;
use crate::flow::value::EventId;
use crate::rule::{Group, Item, Rule, Severity};
use crate::schema::{ColumnDef, Filled, Table, UniquePart};
use crate::sql::{Dialect, Isolation, Kind};
use crate::window::View;
use crate::window::handle::Tx;

pub static RULE: Rule = Rule {
    name: "conflict-swallowed",
    group: Group::Transaction,
    severity: Severity::Warning,
    item: Some(Item::C4),
    advisory: false,
    summary: "the error of a write that can lose is discarded",
    page: include_str!("../../rules/conflict-swallowed.md"),
};

/// Writes that can lose, whose error goes nowhere.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    scope.at_events(&RULE, |view, id| {
        can_lose(scope, view, id)
            && is_near(view, id)
            && (swallowed(scope, view, id) || aborted(view, id) || goes_on(view, id))
    })
}

/// What becomes of an error can be told only near the statement: not in a task of its own, nor far down a trace that was cut short.
fn is_near(view: &View, id: EventId) -> bool {
    let event = view.event(id);
    let aside = event.context.spawned != 0 || event.context.later || event.context.unsure;
    event.path.len() <= 1 && !aside && !view.trace.truncated
}

/// An INSERT without a conflict clause may violate a constraint; a serializable commit may be refused.
fn can_lose(scope: &Scope, view: &View, id: EventId) -> bool {
    match &view.event(id).kind {
        EventKind::Sql(sql) => {
            let statement = sql.statement.effective();
            let table = statement.table.and_then(|table| scope.schema_of(view.function).table(table));
            let takes_any = |table| takes_any_row(table, view.dialect(id));
            statement.kind == Kind::Insert && statement.conflict.is_none() && !table.is_some_and(takes_any)
        }
        EventKind::Commit(_) => {
            let commit = view.event(id);
            // A transaction that runs a closure commits by itself and gives the error back.
            let by_itself = |held: &EventId| view.event(*held).span == commit.span;
            !commit.held.iter().any(by_itself)
                && commit.held.iter().any(|held| {
                    matches!(view.event(*held).kind, EventKind::Begin { isolation: Isolation::Serializable, .. })
                })
        }
        _ => false,
    }
}

/// Nothing in the table is unique but the numbers that it gives out itself.
fn takes_any_row(table: &Table, dialect: Dialect) -> bool {
    let given_out = |column: &ColumnDef| match column.filled {
        Filled::BySequence => true,
        Filled::AsRowid => matches!(dialect, Dialect::Sqlite | Dialect::Unknown),
        Filled::ByWriter | Filled::ByExpression => false,
    };
    let numbered = |part: &UniquePart| match part {
        UniquePart::Column(column) => table.column(*column).is_some_and(given_out),
        UniquePart::Expression { .. } => false,
    };
    table.is_complete() && table.uniques.iter().all(|unique| unique.columns.iter().any(numbered))
}

/// The error decides nothing and is not given back, and what follows goes on as if there were none. A last write beside the ones that count may fail.
fn swallowed(scope: &Scope, view: &View, id: EventId) -> bool {
    if view.error_goes_somewhere(id) {
        return false;
    }
    let reports = scope.program.source(view.function).ret.is_some();
    let commits = matches!(view.event(id).kind, EventKind::Commit(_));
    reports && (commits || is_only_write(view, id)) || super::conflict_ignored::works_after(view, id)
}

/// After a violation as after a success, an amount is changed or something is sent.
fn goes_on(view: &View, id: EventId) -> bool {
    view.events().skip(id.0 as usize + 1).any(|(_, later)| {
        let counts = match &later.kind {
            EventKind::External { .. } => true,
            EventKind::Sql(sql) => {
                let statement = sql.statement.effective();
                statement.kind == Kind::Update && statement.sets.iter().any(|set| set.relative)
            }
            _ => false,
        };
        counts
            && later.path.is_empty()
            && view
                .trace
                .arena
                .atoms(later.cond)
                .iter()
                .any(|atom| !atom.negated && !atom.strong && view.is_violation(atom, id))
    })
}

fn is_only_write(view: &View, id: EventId) -> bool {
    !view.events().any(|(other, event)| match &event.kind {
        EventKind::Sql(sql) => other != id && sql.statement.effective().is_write() && view.error_goes_somewhere(other),
        _ => false,
    })
}

/// A unique violation is taken as success inside a transaction that it has aborted.
fn aborted(view: &View, id: EventId) -> bool {
    if !view.tx(id).is_open() || view.dialect(id) != Dialect::Postgres {
        return false;
    }
    let taken = view
        .success_conditions()
        .into_iter()
        .any(|cond| view.trace.arena.atoms(cond).iter().any(|atom| !atom.negated && view.is_violation(atom, id)));
    // Rolled back or dropped on that way, the transaction claims nothing.
    taken && commits_after_failure(view, id)
}

fn commits_after_failure(view: &View, id: EventId) -> bool {
    let tx = view.tx(id);
    let given = matches!(tx, Tx::Given(_));
    given
        || view.events().skip(id.0 as usize + 1).any(|(_, event)| match &event.kind {
            EventKind::Commit(handle) => {
                let needs_success = view.trace.arena.atoms(event.cond).iter().any(|atom| {
                    atom.strong
                        && !atom.negated
                        && atom.test == Test::Ok
                        && view.touches_of_atom(atom).iter().any(|t| t.event == id)
                });
                view.tx_of(event, *handle) == tx && !needs_success
            }
            _ => false,
        })
}
