//! Which functions a check has to walk. Rules judge tests by their syntax, so what a test does matters only where it may say something of the schema.

use crate::facts::is_test;
use crate::flow::solve::{callees, reaching};
use crate::ir::{Body, ExprKind, Lit};
use crate::resolve::{Def, FnId, Program};

/// For each function whether its summary can matter to a finding: it is no test, something that is none may call it, or it or what it calls holds DDL in
/// strings, which tests may run as well; or one of those calls it.
pub fn needed(program: &Program) -> Vec<bool> {
    let ids = || (0..program.functions.len() as u32).map(FnId);
    let holders = holders_of_ddl(program);
    let reach_holders = reaching(program, ids().filter(|id| holders[id.0 as usize]));
    let matters = |id: &FnId| !is_test(program, *id) || holders[id.0 as usize] || reach_holders[id.0 as usize];
    let mut needed = vec![false; program.functions.len()];
    let mut todo: Vec<u32> = ids().filter(matters).map(|id| id.0).collect();
    while let Some(id) = todo.pop() {
        if !std::mem::replace(&mut needed[id as usize], true) {
            todo.extend(callees(&program.typed[id as usize]));
        }
    }
    needed
}

/// For each function whether DDL stands in its strings, or in those of a static that it names.
fn holders_of_ddl(program: &Program) -> Vec<bool> {
    let statics: Vec<bool> = program
        .statics
        .iter()
        .map(|def| &program.files[def.place.file as usize].statics[def.place.index as usize])
        .map(|item| item.init.as_ref().is_some_and(body_holds_ddl))
        .collect();
    let named = |def: &Def| matches!(def, Def::Static(id) if statics[id.0 as usize]);
    let names = |id: FnId| {
        let typed = program.typed(id);
        typed.defs.values().chain(typed.pat_defs.values()).any(named)
    };
    let ids = (0..program.functions.len() as u32).map(FnId);
    ids.map(|id| program.source(id).body.as_ref().is_some_and(body_holds_ddl) || names(id)).collect()
}

fn body_holds_ddl(body: &Body) -> bool {
    body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Lit(Lit::Str(text)) => is_ddl(text.as_str()),
        ExprKind::Macro(call) => call.text.is_some_and(|text| is_ddl(text.as_str())),
        _ => false,
    })
}

const VERBS: &[&str] = &["create", "alter", "drop", "rename"];
/// What may stand between the verb and what it is about.
const BETWEEN: &[&str] = &[
    "or",
    "replace",
    "global",
    "local",
    "temp",
    "temporary",
    "unlogged",
    "constraint",
    "foreign",
    "unique",
    "virtual",
    "fulltext",
    "spatial",
    "materialized",
];
const OBJECTS: &[&str] = &["table", "index", "trigger", "domain", "view"];

/// The text changes a schema, as the first words of a statement tell. Prose seldom puts them side by side.
fn is_ddl(text: &str) -> bool {
    let known = |words: &[&str], word: &str| words.iter().any(|known| known.eq_ignore_ascii_case(word));
    let mut after_verb = false;
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        if after_verb && known(OBJECTS, word) {
            return true;
        }
        after_verb = known(VERBS, word) || after_verb && known(BETWEEN, word);
    }
    false
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::config::Config;
    use crate::discover::{Inventory, Request, discover};
    use crate::models::Models;
    use crate::{Walked, judge_understood, lower, settled, understand};

    #[test]
    fn statements_that_change_a_schema_are_told_from_prose() {
        for text in
            ["CREATE OR REPLACE TRIGGER t", "pragma x;\ncreate\n unique index i on a (b)", "-- a\nALTER  TABLE a"]
        {
            assert!(is_ddl(text), "{text}");
        }
        for text in ["Created a table", "failed to create temporary files", "SELECT 1", "drop it; table"] {
            assert!(!is_ddl(text), "{text}");
        }
    }

    fn project(test: &str) -> (tempfile::TempDir, Inventory) {
        let dir = tempfile::tempdir().unwrap();
        let lib =
            "pub fn used() {}\n#[cfg(test)] mod tests { fn help() {}\n#[test] fn check() { help(); super::used() } }";
        for (name, text) in [("Cargo.toml", "[package]\nname = 'a'\n"), ("src/lib.rs", lib), ("tests/more.rs", test)] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let inventory = discover(&Request::new(dir.path(), vec![PathBuf::from(".")])).unwrap();
        (dir, inventory)
    }

    fn walked(inventory: &Inventory, extent: Walked) -> Vec<String> {
        let understood = lower::with_stack(|| understand(inventory, Models::builtin(), extent, 2));
        let functions = understood.program.functions.iter().zip(&understood.summaries);
        functions.filter(|(_, summary)| summary.is_some()).map(|(def, _)| def.path.clone()).collect()
    }

    #[test]
    fn tests_are_walked_only_where_they_may_say_something_of_the_schema() {
        let (_dir, plain) = project("#[test] fn more() { a::used() }");
        assert_eq!(walked(&plain, Walked::Needed), ["a::used"]);
        assert_eq!(walked(&plain, Walked::All).len(), 4);
        let ddl = "#[test] fn own() { text(); run(\"create table a (b int)\") }\n\
            #[test] fn called() { run(text()) } fn text() -> &'static str { \"drop table a\" }\n\
            #[test] fn named() { run(TEXT) } const TEXT: &str = \"alter table a add c int\";\n\
            #[test] fn none() { plain() } fn plain() {}";
        let (_dir, ddl) = project(ddl);
        assert_eq!(walked(&ddl, Walked::Needed), ["a::used", "more::own", "more::called", "more::text", "more::named"]);
    }

    /// Whatever is left out, the findings are the same.
    #[test]
    fn findings_do_not_depend_on_what_is_left_out() {
        let fixtures = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures"));
        let mut left_out = 0;
        for folder in ["no-concurrency-test", "sequential-race-test", "race-test-without-invariant"] {
            // A copy: around the fixtures themselves is the whole of this package.
            let copy = tempfile::tempdir().unwrap();
            for file in fs::read_dir(fixtures.join(folder)).unwrap() {
                let file = file.unwrap();
                fs::copy(file.path(), copy.path().join(file.file_name())).unwrap();
            }
            let inventory = discover(&Request::new(copy.path(), vec![PathBuf::from(".")])).unwrap();
            let (models, config) = (Models::builtin(), Config::default());
            let run = |walked| {
                lower::with_stack(|| {
                    let understood = understand(&inventory, models, walked, 2);
                    let summaries = understood.summaries.iter().flatten().count();
                    let analysis = settled(judge_understood(understood, &inventory, models, 2), &inventory, &config);
                    let prints: Vec<String> = analysis.findings.into_iter().map(|(_, print)| print).collect();
                    (summaries, prints)
                })
            };
            let (some, needed) = run(Walked::Needed);
            let (all, every) = run(Walked::All);
            assert_eq!(needed, every);
            assert!(!every.is_empty(), "{folder}");
            left_out += all - some;
        }
        assert!(left_out > 0, "some of them have tests that need no walk");
    }
}
