//! `sequential-race-test`: a test about concurrency calls one at a time.

use std::collections::HashSet;

use super::at_once::{AtOnce, at_once, is_repeated, tests};
use super::revives_expired::words_in;
use super::{Candidate, Scope};
use crate::ir::ExprId;
use crate::models::row::Does;
use crate::resolve::FnId;
use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "sequential-race-test",
    group: Group::Test,
    severity: Severity::Warning,
    item: Some(Item::C5),
    advisory: false,
    summary: "a test about concurrency calls one at a time",
    page: include_str!("../../rules/sequential-race-test.md"),
};

const WORDS: &[&str] = &[
    "concurrent",
    "concurrently",
    "concurrency",
    "race",
    "races",
    "racing",
    "racy",
    "parallel",
    "simultaneous",
    "simultaneously",
];

/// Tests whose title speaks of concurrency and which call one thing after another.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    tests(scope)
        .filter(|test| {
            let title = words_in(scope.program.source(*test).name.as_str());
            title.iter().any(|word| WORDS.contains(&word.as_str()))
                && calls_again(scope, *test)
                && at_once(scope, *test, |_| true) == AtOnce::One
        })
        .map(|test| Candidate::of_function(&RULE, scope, test))
        .collect()
}

/// A function of the program, or something outside, is called a second time, or in a loop.
fn calls_again(scope: &Scope, test: FnId) -> bool {
    let Some(body) = scope.program.source(test).body.as_ref() else { return false };
    let mut seen: HashSet<FnId> = HashSet::new();
    let mut calls: Vec<(&ExprId, _)> = scope.program.typed(test).targets.iter().collect();
    calls.sort_by_key(|(id, _)| **id);
    calls.into_iter().any(|(id, target)| {
        let outside = target.row.is_some_and(|row| scope.models.calls[row as usize].does == Does::External);
        let own = target.functions.iter().find(|callee| !scope.program.function(**callee).test);
        let twice = own.is_some_and(|callee| !seen.insert(*callee));
        twice || (outside || own.is_some()) && is_repeated(body, body.expr(*id).span)
    })
}
