//! Tests that are written for findings and for guarded sites: each fixture has its own, which asserts something and compiles with the fixture.

#[allow(dead_code)]
#[path = "support/cases.rs"]
mod cases;
#[allow(dead_code)]
#[path = "support/expect.rs"]
mod expect;
#[allow(dead_code)]
#[path = "support/run.rs"]
mod run;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use cases::Case;
use racelint::config::Config;
use racelint::discover::Inventory;
use racelint::lower::{lower, with_stack};
use racelint::models::Models;
use racelint::rule::Group;
use racelint::scaffold::Site;
use racelint::source::SourceId;

fn scaffold(inventory: &Inventory, site: &Site) -> Result<String, String> {
    racelint::scaffold(inventory, Models::builtin(), &Config::default(), site, 1).map_err(|refusal| refusal.0)
}

/// The tests for the findings of a case, and for the first site in it that is guarded.
fn scaffolds(case: &Case) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a new folder");
    case.write_to(folder.path());
    let (inventory, analysis) = run::analyse(folder.path(), 1);
    let races =
        analysis.findings.iter().filter(|(finding, _)| !matches!(finding.rule.group, Group::Test | Group::Meta));
    let mut out: Vec<String> = races
        .map(|(finding, print)| {
            let test = scaffold(&inventory, &Site::Fingerprint(print.clone()));
            test.unwrap_or_else(|refusal| panic!("{}: {}: {refusal}", case.name, finding.rule.name))
        })
        .collect();
    if out.is_empty() {
        let met = analysis.evidence.iter().find(|evidence| evidence.item == racelint::rule::Item::C1);
        out.extend(met.and_then(|evidence| {
            let file = inventory.sources.get(evidence.span.source).name.clone();
            scaffold(&inventory, &Site::Line { file, line: inventory.sources.line(evidence.span) }).ok()
        }));
    }
    out
}

/// The modules of a fixture package: the case, and the path of its source below the fixtures.
fn modules(package: &str) -> Vec<(String, String)> {
    let lib = run::package().join("fixtures/packages").join(package).join("src/lib.rs");
    let text = std::fs::read_to_string(lib).expect("a package has its source");
    let mut out = Vec::new();
    let mut path = String::new();
    for line in text.lines() {
        if let Some(rest) = line.strip_prefix("#[path = \"../../../") {
            path = rest.trim_end_matches("\"]").to_owned();
        } else if let Some(name) = line.strip_prefix("pub mod ") {
            out.push((name.trim_end_matches(';').to_owned(), std::mem::take(&mut path)));
        }
    }
    out
}

fn all_cases() -> BTreeMap<String, Case> {
    let all = cases::collect(&run::package().join("fixtures")).expect("folders of cases");
    all.into_iter().filter(|case| !case.name.starts_with("models/")).map(|case| (case.name.clone(), case)).collect()
}

/// Every one parses, asserts, marks what is left to do, and starts its callers together. Where `RACELINT_SCAFFOLDS` names a folder, the packages of
/// fixtures are laid out there with the tests in them, for cargo to check.
#[test]
fn every_fixture_has_a_test_that_asserts_something() {
    let cases = all_cases();
    let out = std::env::var_os("RACELINT_SCAFFOLDS").map(PathBuf::from);
    let mut written = 0;
    for package in ["local", "orm", "sqlx"] {
        let mut lib = String::from("#![allow(dead_code)]\n");
        for (module, path) in modules(package) {
            let Some(case) = cases.get(path.trim_end_matches("/src/lib.rs")) else { continue };
            let tests = scaffolds(case);
            for test in &tests {
                let parsed = with_stack(|| lower(SourceId(0), test, 2024));
                assert!(parsed.is_ok_and(|parsed| parsed.file.functions.len() >= 5), "{}:\n{test}", case.name);
                assert!(
                    test.contains("assert") && test.contains("Barrier") && test.contains("TODO"),
                    "{}:\n{test}",
                    case.name
                );
            }
            written += tests.len();
            if let Some(out) = out.as_ref().filter(|_| !tests.is_empty()) {
                lay_out(&out.join(package), &module, &path, &tests, &mut lib);
            }
        }
        if let Some(out) = &out {
            finish(&out.join(package), package, &lib);
        }
    }
    assert!(written > 200, "only {written} tests");
}

/// One fixture with its tests as modules below it.
fn lay_out(folder: &Path, module: &str, path: &str, tests: &[String], lib: &mut String) {
    let src = folder.join("src").join(module);
    std::fs::create_dir_all(&src).expect("a new folder is writable");
    let mut text = std::fs::read_to_string(run::package().join("fixtures").join(path)).expect("a fixture is text");
    for (number, test) in tests.iter().enumerate() {
        write!(text, "\n#[cfg(test)]\nmod races_{number};\n").expect("memory takes every write");
        std::fs::write(src.join(format!("races_{number}.rs")), test).expect("a new folder is writable");
    }
    std::fs::write(src.with_extension("rs"), text).expect("a new folder is writable");
    writeln!(lib, "pub mod {module};").expect("memory takes every write");
}

fn finish(folder: &Path, package: &str, lib: &str) {
    std::fs::write(folder.join("src/lib.rs"), lib).expect("a new folder is writable");
    let from = run::package().join("fixtures/packages").join(package);
    for file in ["Cargo.toml", "Cargo.lock"] {
        std::fs::copy(from.join(file), folder.join(file)).expect("a package has a manifest and a lock");
    }
    // What the macros of sqlx read while they are expanded.
    for data in [".sqlx", "queries"] {
        let Ok(files) = std::fs::read_dir(from.join(data)) else { continue };
        std::fs::create_dir_all(folder.join(data)).expect("a new folder is writable");
        for file in files.flatten() {
            std::fs::copy(file.path(), folder.join(data).join(file.file_name())).expect("a new folder is writable");
        }
    }
}
