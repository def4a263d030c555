//! Evidence: where an item of the review checklist is met, and by what, for the checklist report. A place of which a finding speaks is none.

use std::collections::HashSet;

use crate::cure::name_of;
use crate::finding::{Evidence, Finding};
use crate::flow::event::{AccessOp, Domain};
use crate::flow::value::EventId;
use crate::resolve::FnId;
use crate::rule::Item;
use crate::rules::at_once::{AtOnce, asserts, at_once, tests};
use crate::rules::handler_without_idempotency::{known_again, moving};
use crate::rules::{Scope, conflict_ignored};
use crate::source::Span;
use crate::sql::Kind;
use crate::window::View;
use crate::window::database::{Enclosure, RowWindow};
use crate::window::decision::Question;
use crate::window::handle::Tx;
use crate::window::protect::Protection;

/// What is met, sorted by item and place, each once.
pub fn evidence(scope: &Scope, found: &[Finding]) -> Vec<Evidence> {
    // What speaks of defence in depth says nothing against the defence that is there.
    let races = found.iter().filter(|finding| !finding.rule.advisory);
    let racy: HashSet<Span> =
        races.flat_map(|finding| finding.labels.iter().map(|label| label.span).chain([finding.span])).collect();
    let mut out = Vec::new();
    for view in scope.views() {
        let around = scope.surroundings(view);
        for window in scope.rows(view).iter().filter(|window| !racy.contains(&view.event(window.act).span)) {
            if let Some(protection) = view.protection(window, &around) {
                out.extend(of_window(view, window, &protection));
            }
        }
        for (id, _) in view.events().filter(|(_, event)| !racy.contains(&event.span)) {
            out.extend(of_claim(view, id));
            out.extend(of_guard(view, id));
        }
    }
    out.extend(moving(scope).into_iter().filter_map(|view| of_handler(scope, view, &racy)));
    out.extend(tests(scope).filter_map(|test| of_test(scope, test)));
    let place = |evidence: &Evidence| (evidence.item, evidence.span, evidence.text.clone());
    out.sort_by_key(place);
    out.dedup();
    out
}

fn met(item: Item, span: Span, text: String) -> Evidence {
    Evidence { item, text, span }
}

/// What closes a window on rows.
fn of_window(view: &View, window: &RowWindow, protection: &Protection) -> Vec<Evidence> {
    let (table, act) = (window.table, view.event(window.act).span);
    let mut out = match protection {
        Protection::Conditional => vec![met(Item::C1, act, condition(view, window))],
        Protection::RowLock(lock) => row_lock(view, window, *lock),
        Protection::Lock(lock) => vec![met(Item::C1, view.event(*lock).span, lock_text(view, window, *lock))],
        Protection::Serializable(begin) => {
            let text = format!("a serializable transaction encloses the check and the write of `{table}`");
            vec![met(Item::C1, view.event(*begin).span, text)]
        }
        Protection::Constraint(constraint) => {
            let unique = format!("a unique constraint on `{table}` lets only one of two equal rows in");
            let second = format!("whoever comes second fails at the unique constraint on `{table}`");
            vec![met(Item::C2, *constraint, unique), met(Item::C1, act, second)]
        }
        Protection::CheckConstraint(constraint) => {
            vec![met(Item::C2, *constraint, format!("a CHECK on `{table}` refuses what an `if` missed"))]
        }
        Protection::SingleConnection(guard) => {
            let text =
                format!("`{table}` is checked and written on one connection, which a guard gives to one at a time");
            vec![met(Item::C1, view.event(*guard).span, text)]
        }
        // No race, but nothing that anybody did about one either.
        Protection::NeverUpdated | Protection::Existence | Protection::Spared | Protection::ProcessLock(_) => {
            return Vec::new();
        }
    };
    if window.enclosure == Enclosure::Same
        && let Tx::Begun(begin) = view.tx(window.act)
    {
        let text = format!("one transaction encloses the check and the write of `{table}`");
        out.push(met(Item::C6, view.event(begin).span, text));
    }
    out
}

fn condition(view: &View, window: &RowWindow) -> String {
    let table = window.table;
    let statement = view.sql(window.act).map(|sql| sql.statement.effective());
    match statement {
        Some(statement) if statement.kind == Kind::Insert && statement.conflict.is_some() => {
            format!("the INSERT into `{table}` says itself what happens to a row that is there")
        }
        Some(statement) if statement.kind == Kind::Insert => {
            format!("the INSERT into `{table}` makes the check itself")
        }
        _ => format!("the write of `{table}` repeats the check in its own condition"),
    }
}

fn row_lock(view: &View, window: &RowWindow, lock: EventId) -> Vec<Evidence> {
    let (table, span) = (window.table, view.event(lock).span);
    let mut out = vec![met(Item::C1, span, format!("rows of `{table}` are locked before they are checked"))];
    if !view.waits_outside(lock.min(window.act), window.act) {
        let text = format!("rows of `{table}` are locked, not the table, and nothing outside is waited for meanwhile");
        out.push(met(Item::C7, span, text));
    }
    out
}

fn lock_text(view: &View, window: &RowWindow, lock: EventId) -> String {
    let table = window.table;
    let statement = view.sql(lock).map(|sql| sql.statement.effective());
    match statement {
        Some(statement) if statement.kind == Kind::LockTable => {
            format!("the table `{table}` is locked before it is checked")
        }
        Some(statement)
            if statement.advisory.is_none() && statement.table.or(statement.reads.first().copied()).is_some() =>
        {
            let parent = statement.table.or(statement.reads.first().copied()).unwrap_or(table);
            format!("a row of `{parent}` is locked before `{table}` is checked")
        }
        _ => format!("a lock is taken before `{table}` is checked"),
    }
}

/// A write that carries its own condition, and whose outcome somebody looks at.
fn of_claim(view: &View, id: EventId) -> Vec<Evidence> {
    let span = view.event(id).span;
    let (one_step, looked_at) = if let Some(access) = view.access(id) {
        if access.op != AccessOp::Atomic || !access.conditional {
            return Vec::new();
        }
        let key = if access.domain == Domain::Store { access.key.unwrap_or(access.place) } else { access.place };
        let place = match name_of(view, key) {
            name if name.is_empty() => "a place".to_owned(),
            name => format!("`{name}`"),
        };
        let call = access.name;
        (
            format!("`{call}` checks and writes {place} in one step"),
            format!("what `{call}` answers of {place} is looked at"),
        )
    } else if let Some(table) = view.sql(id).and_then(|sql| sql.statement.effective().table)
        && conflict_ignored::is_claim(view, id)
    {
        (
            format!("the write of `{table}` carries its own condition"),
            format!("whether the conditional write of `{table}` found its row is looked at"),
        )
    } else {
        return Vec::new();
    };
    let mut out = vec![met(Item::C1, span, one_step)];
    if view.is_looked_at(id) {
        out.push(met(Item::C4, span, looked_at));
    }
    out
}

/// A write in memory under the very guard under which was looked.
fn of_guard(view: &View, id: EventId) -> Option<Evidence> {
    let access = view.access(id).filter(|access| access.domain == Domain::Plain && access.op == AccessOp::Write)?;
    let guard = view.guard_of(access.place)?;
    let checked = view
        .deciders(id)
        .among(|event| view.acquire_behind(event) == Some(guard))
        .any(|decider| decider.question != Question::Failure);
    let lock = name_of(view, view.lock_of(guard)?);
    (checked && !lock.is_empty())
        .then(|| met(Item::C1, view.event(id).span, format!("`{lock}` is checked and written under one guard")))
}

/// A handler that moves money or stock and knows a request that comes a second time.
fn of_handler(scope: &Scope, view: &View, racy: &HashSet<Span>) -> Option<Evidence> {
    let span = known_again(scope, view).map(|id| view.event(id).span).filter(|span| !racy.contains(span))?;
    let name = scope.program.source(view.function).name;
    Some(met(Item::C3, span, format!("a request that comes twice to `{name}` is told from its first here")))
}

/// A test that runs callers at once and asserts something.
fn of_test(scope: &Scope, test: FnId) -> Option<Evidence> {
    let of_tests = |function| scope.program.function(function).test;
    let races = at_once(scope, test, of_tests) == AtOnce::Several && asserts(scope, test);
    let name = scope.program.source(test).name;
    races.then(|| met(Item::C5, scope.program.source(test).span, format!("`{name}` runs callers at once and asserts")))
}
