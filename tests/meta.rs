//! What holds of racelint's own source: layers, comments, tests, pages, messages, and that it finds no race in itself.

#[allow(dead_code)]
#[path = "support/cases.rs"]
mod cases;
#[allow(dead_code)]
#[path = "support/expect.rs"]
mod expect;
#[allow(dead_code)]
#[path = "support/run.rs"]
mod run;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use racelint::config::Config;
use racelint::discover::{Request, discover};
use racelint::models::Models;
use racelint::rule::{Item, Severity};
use racelint::rules::ALL;
use serde_json::Value;

/// Every file of `src/` by its path there, with its text.
fn sources() -> BTreeMap<String, String> {
    fn walk(folder: &Path, into: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => walk(&path, into),
                path if path.extension().is_some_and(|end| end == "rs") => into.push(path),
                _ => {}
            }
        }
    }
    let root = run::package().join("src");
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    let name = |path: &Path| path.strip_prefix(&root).expect("found there").to_string_lossy().replace('\\', "/");
    paths.iter().map(|path| (name(path), std::fs::read_to_string(path).expect("source is text"))).collect()
}

fn module(file: &str) -> &str {
    file.split('/').next().unwrap_or(file).trim_end_matches(".rs")
}

fn fail(lines: &[String]) {
    assert!(lines.is_empty(), "\n{}", lines.join("\n"));
}

/// Each line may use what stands above it and itself.
const LAYERS: &[&[&str]] = &[
    &["clean", "intern", "source", "rule"],
    &["finding", "ir", "sql", "models"],
    &["lower"],
    &["work"],
    &["resolve"],
    &["discover"],
    &["schema"],
    &["flow"],
    &["facts"],
    &["needed"],
    &["window"],
    &["rules"],
    &["cure"],
    &["evidence", "scaffold"],
    &["suppress", "baseline", "fix", "config", "report", "since"],
    &["parse", "settle", "understanding"],
    &["cache"],
    &["lib", "cli", "main", "bin"],
];

#[test]
fn modules_use_only_what_stands_above_them() {
    let layer = |module: &str| LAYERS.iter().position(|layer| layer.contains(&module));
    let mut wrong = Vec::new();
    for (file, text) in sources().into_iter().filter(|(file, _)| !is_test(file)) {
        let Some(own) = layer(module(&file)) else {
            wrong.push(format!("{file} is of no layer"));
            continue;
        };
        for used in used_modules(&text) {
            if layer(used).is_some_and(|other| other > own) {
                wrong.push(format!("{file} uses {used}"));
            }
        }
    }
    fail(&wrong);
}

/// What only tests are made of may use what it likes.
fn is_test(file: &str) -> bool {
    file.split('/').any(|part| ["tests", "tests.rs", "testing.rs", "sample.rs"].contains(&part))
}

/// The modules that code names after `crate::`; tests below the code may use what they like.
fn used_modules(text: &str) -> BTreeSet<&str> {
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or(text);
    let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.flat_map(|line| line.split("crate::").skip(1))
        .map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default())
        .collect()
}

#[test]
fn only_lower_names_the_parser() {
    let names = |text: &str| text.lines().any(|line| line.contains("syn::") && !line.trim_start().starts_with("//"));
    let wrong = sources().into_iter().filter(|(file, text)| module(file) != "lower" && names(text));
    fail(&wrong.map(|(file, _)| format!("{file} names syn")).collect::<Vec<_>>());
}

#[test]
fn every_file_says_what_it_is_for() {
    let mut wrong = Vec::new();
    for (file, text) in sources() {
        let head: Vec<_> = text.lines().take_while(|line| line.starts_with("//!")).collect();
        let sentence = head.join(" ");
        if !sentence.starts_with("//! ") || !sentence.trim_end().ends_with(['.', ':', '`', ')']) {
            wrong.push(format!("{file} starts with no sentence: {sentence}"));
        }
    }
    fail(&wrong);
}

#[test]
#[ignore = "waits for the tests of flow, window and settle"]
fn every_file_is_tested() {
    let files = sources();
    let own = |file: &str| files.get(file).is_some_and(|text| text.contains("#[cfg(test)]"));
    let suites: BTreeSet<_> = std::fs::read_dir(run::package().join("tests"))
        .expect("the folder of tests")
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().trim_end_matches(".rs").to_owned())
        .collect();
    let any_of = |folder: &str| files.keys().any(|file| file.starts_with(&format!("{folder}/")) && own(file));
    // A file is tested by itself, by its folder, by a suite called like its module, or, a rule, by its fixtures; a `mod.rs`, which ties its folder
    // together, by any file of it.
    let tested = |file: &str| {
        let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
        let above = folder.rsplit_once('/').map_or("", |(above, _)| above);
        own(file)
            || [folder, above].iter().any(|folder| !folder.is_empty() && own(&format!("{folder}/mod.rs")))
            || own(&format!("{folder}.rs"))
            || (file.ends_with("/mod.rs") && any_of(folder))
            || suites.iter().any(|suite| suite == module(file) || suite.starts_with(&format!("{}_", module(file))))
            || has_fixtures(file)
    };
    // Plain data is exercised by whatever makes it; the entry points only call.
    let data = ["lib.rs", "main.rs", "bin/cargo-racelint.rs", "rule.rs", "finding.rs", "ir.rs"];
    let untested = files.keys().filter(|file| !data.contains(&file.as_str()) && !is_test(file) && !tested(file));
    fail(&untested.map(|file| format!("{file} has no test")).collect::<Vec<_>>());
}

fn has_fixtures(file: &str) -> bool {
    let Some(name) = file.strip_prefix("rules/").and_then(|name| name.strip_suffix(".rs")) else { return false };
    name == "mod" || name == "meta" || run::package().join("fixtures").join(name.replace('_', "-")).is_dir()
}

#[test]
fn every_rule_has_its_page_and_its_fixtures() {
    let pages: BTreeMap<_, _> = run::pages().into_iter().collect();
    let all = cases::collect(&run::package().join("fixtures")).expect("folders of cases");
    let (mut wrong, mut names) = (Vec::new(), BTreeSet::new());
    for rule in ALL {
        if !names.insert(rule.name) {
            wrong.push(format!("{} is listed twice", rule.name));
        }
        match pages.get(rule.name) {
            None => wrong.push(format!("{} has no page", rule.name)),
            Some(page) if page != rule.page => wrong.push(format!("{} shows another page than its own", rule.name)),
            Some(_) => {}
        }
        let own = |case: &&cases::Case| case.name.split('/').next() == Some(rule.name);
        for kind in ["bad", "good"] {
            let is = |case: &cases::Case| case.stem() == kind || case.stem().starts_with(&format!("{kind}_"));
            let count = all.iter().filter(own).filter(|case| is(case)).count();
            if count < 3 {
                wrong.push(format!("{} has {count} {kind} fixtures, and three are due", rule.name));
            }
        }
        if !is_sentence_without_end(rule.summary) {
            wrong.push(format!("{}: a summary is one sentence without a full stop: {}", rule.name, rule.summary));
        }
    }
    fail(&wrong);
}

fn is_sentence_without_end(text: &str) -> bool {
    !text.is_empty() && !text.ends_with('.') && !text.contains('\n') && !text.starts_with(char::is_whitespace)
}

/// What the catalogue promises of each rule: severity, checklist item, and whether it is advisory. A change here is one that users see.
#[rustfmt::skip]
const CATALOGUE: &[(&str, Severity, Option<Item>, bool)] = &[
    ("db-check-then-update", Severity::Error, Some(Item::C1), false),
    ("db-lost-update", Severity::Error, Some(Item::C1), false),
    ("db-check-then-insert", Severity::Error, Some(Item::C2), false),
    ("db-check-then-overwrite", Severity::Error, Some(Item::C1), false),
    ("db-limit-by-count", Severity::Error, Some(Item::C1), false),
    ("db-unguarded-transition", Severity::Error, Some(Item::C1), false),
    ("db-claim-without-skip-locked", Severity::Warning, Some(Item::C1), false),
    ("db-next-number", Severity::Error, Some(Item::C2), false),
    ("db-upsert-by-hand", Severity::Error, Some(Item::C1), false),
    ("tx-read-without-lock", Severity::Error, Some(Item::C1), false),
    ("tx-split-window", Severity::Error, Some(Item::C6), false),
    ("process-lock-guards-database", Severity::Warning, Some(Item::C1), false),
    ("slot-load-then-store", Severity::Error, Some(Item::C1), false),
    ("atomic-load-then-store", Severity::Error, Some(Item::C1), false),
    ("atomic-check-then-store", Severity::Error, Some(Item::C1), false),
    ("cache-stampede", Severity::Note, Some(Item::C1), false),
    ("map-check-then-act", Severity::Error, Some(Item::C1), false),
    ("lock-released-between", Severity::Error, Some(Item::C1), false),
    ("state-check-across-await", Severity::Warning, Some(Item::C1), false),
    ("probe-then-act", Severity::Warning, Some(Item::C1), false),
    ("kv-lock-release-unchecked", Severity::Error, Some(Item::C1), false),
    ("kv-get-modify-set", Severity::Error, Some(Item::C1), false),
    ("kv-check-then-set", Severity::Error, Some(Item::C1), false),
    ("fs-permission-then-use", Severity::Warning, Some(Item::C1), false),
    ("fs-check-then-create", Severity::Warning, Some(Item::C1), false),
    ("fs-read-modify-write", Severity::Note, Some(Item::C1), false),
    ("fs-check-then-use", Severity::Note, Some(Item::C1), false),
    ("tx-escaped-statement", Severity::Error, Some(Item::C6), false),
    ("lock-outside-transaction", Severity::Error, Some(Item::C6), false),
    ("isolation-set-too-late", Severity::Error, Some(Item::C6), false),
    ("serializable-without-retry", Severity::Warning, Some(Item::C4), false),
    ("external-call-in-transaction", Severity::Warning, Some(Item::C7), false),
    ("coarse-lock", Severity::Warning, Some(Item::C7), false),
    ("conflict-ignored", Severity::Error, Some(Item::C4), false),
    ("conflict-swallowed", Severity::Warning, Some(Item::C4), false),
    ("kv-expiry-not-atomic", Severity::Warning, Some(Item::C1), false),
    ("kv-check-guards-database", Severity::Error, Some(Item::C1), false),
    ("fs-create-then-chmod", Severity::Warning, Some(Item::C1), false),
    ("effect-before-claim", Severity::Warning, Some(Item::C3), false),
    ("in-memory-expiry", Severity::Warning, Some(Item::C3), false),
    ("revives-expired", Severity::Warning, Some(Item::C1), false),
    ("dependent-writes-split", Severity::Note, Some(Item::C6), true),
    ("missing-check-constraint", Severity::Note, Some(Item::C2), true),
    ("missing-foreign-key", Severity::Note, Some(Item::C2), true),
    ("sequential-race-test", Severity::Warning, Some(Item::C5), false),
    ("race-test-without-invariant", Severity::Warning, Some(Item::C5), false),
    ("no-concurrency-test", Severity::Note, Some(Item::C5), true),
    ("handler-without-idempotency", Severity::Note, Some(Item::C3), true),
    ("unbounded-retry", Severity::Warning, Some(Item::C4), false),
    ("unused-suppression", Severity::Warning, None, false),
    ("suppression-without-reason", Severity::Note, None, false),
    ("unknown-name", Severity::Warning, None, false),
    ("unparsable-source", Severity::Note, None, false),
];

#[test]
fn every_rule_weighs_what_the_catalogue_says() {
    let listed: Vec<_> = ALL.iter().map(|rule| (rule.name, rule.severity, rule.item, rule.advisory)).collect();
    let wrong = listed.iter().filter(|rule| !CATALOGUE.contains(rule)).map(|rule| format!("{rule:?}"));
    fail(&wrong.collect::<Vec<_>>());
    assert_eq!(listed.len(), CATALOGUE.len());
}

#[test]
fn every_page_and_every_folder_of_fixtures_is_of_a_rule() {
    let names: BTreeSet<_> = ALL.iter().map(|rule| rule.name.to_owned()).collect();
    let pages = run::pages().into_iter().map(|(name, _)| name);
    let folders = run::folders(&run::package().join("fixtures"));
    let folders = folders.into_iter().filter(|name| !["models", "projects", "packages"].contains(&name.as_str()));
    let strange = pages.chain(folders).filter(|name| !names.contains(name));
    fail(&strange.map(|name| format!("{name} is no rule")).collect::<Vec<_>>());
}

/// Fixtures are real code: some package compiles each, but for those that are meant not to parse. What has a manifest is a package itself.
#[test]
fn every_fixture_is_compiled_by_a_package() {
    let root = run::package().join("fixtures");
    let modules: BTreeSet<String> = run::compiled();
    let cases = cases::collect(&root).expect("folders of cases");
    let cases = cases
        .iter()
        .filter(|case| !case.name.starts_with("unparsable-source/") && !case.files.contains_key("Cargo.toml"));
    let missing = cases.filter(|case| {
        let file =
            if case.name.ends_with(".rs") { case.name.clone() } else { format!("{}/{}", case.name, cases::LONE) };
        !modules.contains(&file)
    });
    let missing = missing.map(|case| format!("no package compiles {}", case.name));
    let gone = modules.iter().filter(|file| !root.join(file).is_file());
    let gone = gone.map(|file| format!("a package compiles {file}, which is not there"));
    fail(&missing.chain(gone).collect::<Vec<_>>());
}

/// Versions are those that were checked, wherever the packages are compiled.
#[test]
fn every_fixture_package_has_a_lockfile_and_heavy_ones_are_packages() {
    let root = run::package().join("fixtures/packages");
    let packages = run::folders(&root);
    let unlocked = packages.iter().filter(|name| !root.join(name).join("Cargo.lock").is_file());
    let unlocked = unlocked.map(|name| format!("{name} has no lockfile"));
    let heavy = std::fs::read_to_string(run::package().join("fixtures/heavy.txt")).expect("the list of heavy packages");
    let strange =
        heavy.lines().filter(|line| !line.starts_with('#') && !run::package().join(line).join("Cargo.toml").is_file());
    let strange = strange.map(|line| format!("fixtures/heavy.txt names {line}, which is no package"));
    fail(&unlocked.chain(strange).collect::<Vec<_>>());
}

/// The README names every rule, and no rule that is none.
#[test]
fn the_readme_lists_the_rules() {
    let readme = std::fs::read_to_string(run::package().join("README.md")).expect("the README");
    let named: BTreeSet<_> = readme.split('`').skip(1).step_by(2).collect();
    let missing = ALL.iter().filter(|rule| !named.contains(rule.name));
    fail(&missing.map(|rule| format!("the README does not name {}", rule.name)).collect::<Vec<_>>());
}

#[test]
fn every_page_has_the_same_form() {
    let mut wrong = Vec::new();
    for (name, page) in run::pages() {
        if !page.starts_with(&format!("# {name}\n")) {
            wrong.push(format!("{name}.md starts with no title of its name"));
        }
        for part in ["```rust,bad\n", "```rust,good\n", "\n## Why it matters\n", "\n## Example\n", "\n## Silent when\n"]
        {
            if !page.contains(part) {
                wrong.push(format!("{name}.md has no {}", part.trim()));
            }
        }
    }
    fail(&wrong);
}

/// One run over all fixtures; their messages are what users read.
#[test]
fn messages_start_small_and_end_open() {
    let folder = tempfile::tempdir().expect("a new folder");
    for case in cases::collect(&run::package().join("fixtures")).expect("folders of cases") {
        case.write_to(&folder.path().join(&case.name));
    }
    let report = run::report(folder.path(), 2, racelint::report::Format::Json);
    let report: Value = serde_json::from_str(&report).expect("reports are JSON");
    let findings = report["findings"].as_array().expect("findings are a list");
    assert!(!findings.is_empty(), "the fixtures show nothing");
    let mut wrong = BTreeSet::new();
    for finding in findings {
        let texts = |list: &str, key: &str| -> Vec<String> {
            let items = finding[list].as_array().into_iter().flatten();
            items.filter_map(|item| item[key].as_str()).map(str::to_owned).collect()
        };
        let mut all = vec![finding["message"].as_str().unwrap_or_default().to_owned()];
        all.extend(texts("labels", "message"));
        all.extend(texts("witness", "text"));
        for text in all.iter().filter(|text| !is_message(text)) {
            wrong.insert(format!("{}: {text}", finding["rule"]));
        }
    }
    fail(&wrong.into_iter().collect::<Vec<_>>());
}

/// Lower case first, unless the word is a path (`TcpStream::connect`) or all in capitals (`SELECT`); no full stop; one line.
fn is_message(text: &str) -> bool {
    let first = text.split(' ').next().unwrap_or_default();
    let shouted = first.len() > 1 && !first.contains(char::is_lowercase);
    let small = text.starts_with(|c: char| !c.is_uppercase()) || shouted || first.contains("::");
    !text.is_empty() && small && !text.ends_with('.') && !text.contains('\n')
}

#[test]
fn racelint_is_clean_on_its_own_source() {
    let inventory = discover(&Request::new(run::package(), vec![PathBuf::from("src")])).expect("the folder is there");
    assert!(inventory.sources.iter().any(|(_, source)| source.name == "src/lib.rs"));
    let analysis = racelint::check(&inventory, Models::builtin(), &Config::default(), 2);
    let sources = &inventory.sources;
    let told = analysis.findings.iter().map(|(finding, _)| {
        let name = &sources.get(finding.span.source).name;
        format!("{name}:{} {} {}", sources.line(finding.span), finding.rule.name, finding.message)
    });
    fail(&told.collect::<Vec<_>>());
    // The rest of the package is read for what it declares; some fixtures are meant not to parse.
    let own = analysis.skipped.iter().filter(|skipped| skipped.file.starts_with("src/"));
    fail(&own.map(|skipped| format!("{}: {}", skipped.file, skipped.reason)).collect::<Vec<_>>());
}
