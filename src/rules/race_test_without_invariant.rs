//! `race-test-without-invariant`: a test runs callers concurrently and asserts nothing afterwards.

use super::at_once::{AtOnce, asserts, at_once, is_model_checked, run_callers, tests};
use super::{Candidate, Scope};
use crate::resolve::FnId;
use crate::rule::{Group, Item, Rule, Severity};

pub static RULE: Rule = Rule {
    name: "race-test-without-invariant",
    group: Group::Test,
    severity: Severity::Warning,
    item: Some(Item::C5),
    advisory: false,
    summary: "a test runs callers concurrently and asserts nothing afterwards",
    page: include_str!("../../rules/race-test-without-invariant.md"),
};

/// Tests that run callers at once and end when all have ended.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    // What a helper does for itself, such as a proxy's two directions, races with nobody.
    let run_callers = run_callers(scope);
    let of_tests = |function: FnId| scope.program.function(function).test && run_callers[function.0 as usize];
    tests(scope)
        .filter(|test| {
            at_once(scope, *test, of_tests) == AtOnce::Several
                && !asserts(scope, *test)
                && !is_model_checked(scope, *test)
        })
        .map(|test| Candidate::of_function(&RULE, scope, test))
        .collect()
}
