//! `dependent-writes-split`: writes that must stand or fall together commit one by one.

use std::collections::HashSet;

use super::{Candidate, Scope};
use crate::flow::cond::Test;
use crate::flow::event::SqlEvent;
use crate::flow::value::EventId;
use crate::intern::Symbol;
use crate::ir::BinOp;
use crate::resolve::Ty;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::Kind;
use crate::window::View;
use crate::window::decision::{Decider, Question};
use crate::window::handle::Tx;
use crate::window::key::Relation;
use crate::window::touch::Touch;

pub static RULE: Rule = Rule {
    name: "dependent-writes-split",
    group: Group::Transaction,
    severity: Severity::Note,
    item: Some(Item::C6),
    advisory: true,
    summary: "writes that must stand or fall together commit one by one",
    page: include_str!("../../rules/dependent-writes-split.md"),
};

/// Writes that run only if an earlier one changed its row, or use what it gave back, each by itself. One transaction around a function mends all of it.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut out = scope.at_events(&RULE, |view, id| first_half(view, id).is_some());
    out.sort_by_key(|candidate| candidate.act);
    let mut told = HashSet::new();
    out.retain(|candidate| told.insert(candidate.function));
    out
}

fn first_half(view: &View, second: EventId) -> Option<EventId> {
    let sql = view.sql(second).filter(|_| is_alone(view, second))?;
    let deciders = view.deciders(second);
    view.events().take(second.0 as usize).map(|(first, _)| first).find(|first| {
        let won = || deciders.of(*first).any(|decider| changed_rows(view, &decider));
        let one_task = view.event(*first).context.spawned == view.event(second).context.spawned;
        one_task
            && is_alone(view, *first)
            && (won() || uses_answer(view, *first, sql))
            && !same_row(view, *first, second)
    })
}

/// A write that commits by itself.
fn is_alone(view: &View, id: EventId) -> bool {
    let Some(sql) = view.sql(id).filter(|sql| sql.statement.effective().is_write()) else { return false };
    match view.tx(id) {
        Tx::Auto => true,
        // Nothing can be begun through a shared reference to a connection.
        Tx::Maybe(_) => sql
            .executor
            .and_then(|executor| view.trace.arena.types.get(&view.strip(executor)))
            .is_some_and(|ty| matches!(ty, Ty::Ref(false, _))),
        _ => false,
    }
}

/// The test holds when the write found its row. That a write by its key alone did not fail is no news.
fn changed_rows(view: &View, decider: &Decider) -> bool {
    match (decider.question, decider.atom.test) {
        (Question::Presence { .. }, Test::Ok) if !may_lose(view, decider.event) => false,
        (Question::Presence { absent }, _) => !absent,
        (Question::Amount, Test::Compare(BinOp::Eq, other)) => {
            !decider.atom.negated && view.trace.arena.as_lit(other).is_some_and(|text| text != "0")
        }
        _ => false,
    }
}

/// The write asks for more than its key, or changes a row by what it holds.
fn may_lose(view: &View, id: EventId) -> bool {
    view.sql(id).is_some_and(|sql| {
        let statement = sql.statement.effective();
        statement.kind != Kind::Insert && (statement.filters.len() > 1 || statement.sets.iter().any(|set| set.relative))
    })
}

/// A value comes from the row that the first gave back, other than the key by which it was found.
fn uses_answer(view: &View, first: EventId, sql: &SqlEvent) -> bool {
    let keys: Vec<Symbol> = view.sql(first).map(|sql| sql.statement.effective().key_columns()).unwrap_or_default();
    let news =
        |touch: &Touch| touch.event == first && !touch.control && touch.part.is_none_or(|part| !keys.contains(&part.0));
    sql.args.iter().flatten().any(|arg| view.touches(*arg).iter().any(news))
}

/// A step of one row and the next step of it: each is whole by itself.
fn same_row(view: &View, first: EventId, second: EventId) -> bool {
    let table = |id: EventId| view.sql(id).and_then(|sql| sql.statement.effective().table);
    table(first) == table(second) && view.same_rows(first, second) == Relation::Same
}
