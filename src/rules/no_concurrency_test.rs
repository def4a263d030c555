//! `no-concurrency-test`: no test runs the callers of a guarded write concurrently.

use std::collections::{BTreeMap, HashSet};

use super::at_once::{AtOnce, at_once, reached, tests};
use super::{Candidate, Scope};
use crate::finding::{Label, Role};
use crate::flow::event::{AccessOp, Domain};
use crate::flow::value::EventId;
use crate::resolve::FnId;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Kind, Operand, Predicate};
use crate::window::View;
use crate::window::decision::Question;
use crate::window::key::Relation;

pub static RULE: Rule = Rule {
    name: "no-concurrency-test",
    group: Group::Test,
    severity: Severity::Note,
    item: Some(Item::C5),
    advisory: true,
    summary: "no test runs the callers of a guarded write concurrently",
    page: include_str!("../../rules/no-concurrency-test.md"),
};

/// One finding a package that writes under a check where no test runs callers at once, at the first such function, naming all.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let tried = tried(scope);
    let mut by_package: BTreeMap<&str, Vec<FnId>> = BTreeMap::new();
    for view in scope.views().iter().filter(|view| !tried.contains(&view.function)) {
        if view.events().any(|(id, event)| event.path.is_empty() && writes_under_check(scope, view, id)) {
            let krate = scope.program.function(view.function).krate;
            let package = scope.program.crates[krate.0 as usize].package.as_str();
            by_package.entry(package).or_default().push(view.function);
        }
    }
    by_package.into_values().filter_map(|functions| one(scope, functions)).collect()
}

fn one(scope: &Scope, mut functions: Vec<FnId>) -> Option<Candidate> {
    let span = |function: &FnId| scope.program.source(*function).span;
    functions.sort_by_key(|function| (span(function).source, span(function).start));
    let mut candidate = Candidate::of_function(&RULE, scope, *functions.first()?);
    candidate.of_package = true;
    candidate.labels = functions[1..]
        .iter()
        .map(|function| Label { role: Role::Function, span: span(function), message: "and here".to_owned() })
        .collect();
    Some(candidate)
}

/// The functions that tests reach which run several things at once.
fn tried(scope: &Scope) -> HashSet<FnId> {
    let of_tests = |function| scope.program.function(function).test;
    reached(scope, tests(scope).filter(|test| at_once(scope, *test, of_tests) != AtOnce::One), |_| true)
}

fn writes_under_check(scope: &Scope, view: &View, id: EventId) -> bool {
    if let Some(access) = view.access(id) {
        if !access.domain.in_memory() && access.domain != Domain::Store {
            return false;
        }
        let decided = || {
            let same = |event: EventId| {
                view.access(event).is_some_and(|check| {
                    check.domain == access.domain && view.same_value(check.place, access.place) == Relation::Same
                })
            };
            view.deciders(id).among(same).any(|decider| decider.question != Question::Failure)
        };
        return match access.op {
            AccessOp::Atomic => access.conditional && access.domain != Domain::Plain,
            AccessOp::Write => decided(),
            _ => false,
        };
    }
    let Some(sql) = view.sql(id) else { return false };
    let statement = sql.statement.effective();
    let state = |filter: &Predicate| match filter {
        Predicate::Compare { column, right, .. } => {
            statement.sets.iter().any(|set| set.column == column.name)
                && !matches!((right, statement.kind), (Operand::Param(_), Kind::Insert))
        }
        _ => false,
    };
    statement.kind == Kind::Update && statement.filters.iter().any(state)
        || statement.conflict.is_some()
        || scope.rows(view).iter().any(|window| window.act == id)
}
