//! `kv-check-guards-database`: a value from a store decides a database write that does not check anything itself.

use super::{Candidate, Scope};
use crate::flow::event::{AccessOp, Domain};
use crate::flow::value::EventId;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Kind, Op, Operand, Predicate, Statement};
use crate::window::View;
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "kv-check-guards-database",
    group: Group::Store,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a value from a store decides a database write that does not check anything itself",
    page: include_str!("../../rules/kv-check-guards-database.md"),
};

/// A value read from a store decides a database write that checks nothing itself.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut out = Vec::new();
    for view in scope.views() {
        for (id, _) in view.events() {
            let Some(check) = guard(view, id) else { continue };
            if !view.common(view.event(check), view.event(id)).is_empty() {
                continue;
            }
            let mut candidate = Candidate::new(&RULE, view, view.seen_at(id));
            candidate.check = Some(check);
            candidate.act = Some(id);
            candidate.resource_table = view.sql(id).and_then(|sql| sql.statement.effective().table);
            out.push(candidate);
        }
    }
    super::first_acts(out)
}

/// The read of a store that decides the write, about the same thing: their keys share an input.
fn guard(view: &View, act: EventId) -> Option<EventId> {
    let sql = view.sql(act)?;
    let statement = sql.statement.effective();
    if !statement.is_write() || is_conditional(statement) {
        return None;
    }
    let deciders = view.deciders(act);
    // A claim in the database that was looked at, or a locked row, decides as well.
    let claims = |event: EventId| {
        let statement = view.sql(event).map(|sql| sql.statement.effective());
        statement.is_some_and(|statement| statement.is_write() || statement.lock.is_some())
    };
    if deciders.among(claims).any(|d| d.question != Question::Failure) {
        return None;
    }
    let reads = |event: EventId| {
        view.access(event).is_some_and(|access| access.domain == Domain::Store && access.op == AccessOp::Read)
    };
    let decided = deciders
        .among(reads)
        .filter(|d| matches!(d.question, Question::Content | Question::Amount | Question::Presence { absent: false }));
    let mut checks = decided.map(|d| d.event);
    checks.find(|check| {
        let Some(key) = view.access(*check).and_then(|access| access.key) else { return false };
        let inputs = view.inputs(key);
        sql.args.iter().flatten().any(|arg| view.inputs(*arg).iter().any(|input| inputs.contains(input)))
    })
}

/// The statement repeats a check, or cannot harm a row that is there.
fn is_conditional(statement: &Statement) -> bool {
    match statement.kind {
        Kind::Insert => statement.conflict.is_some(),
        _ => statement.filters.iter().any(|filter| match filter {
            Predicate::Compare { op: Op::Eq, right: Operand::Param(_), .. } => false,
            Predicate::Compare { .. } => true,
            _ => false,
        }),
    }
}
