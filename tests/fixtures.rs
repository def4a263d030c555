//! The cases below `fixtures/` hold exactly what their comments expect.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use racelint::finding::Finding;
use racelint::models::Models;
use racelint::report::Format;
use racelint::rule::Group;
use racelint::rules::ALL;

use support::cases::{self, Case, LONE};
use support::expect::{self, Difference, Found, Kind};
use support::rename::{self, Keep};
use support::run;

fn fixtures() -> Vec<Case> {
    cases::collect(&run::package().join("fixtures")).expect("folders of cases")
}

mod the_harness {
    use super::*;

    fn lone(name: &str, text: &str) -> Case {
        Case { name: name.to_owned(), files: BTreeMap::from([(LONE.to_owned(), text.to_owned())]) }
    }

    fn found(line: u32, rule: &str) -> Found {
        Found { file: LONE.to_owned(), line, rule: rule.to_owned(), advisory: rule == "hint" }
    }

    /// The differences as text, without their columns of blanks.
    fn differences(text: &str, found: &[Found]) -> Vec<String> {
        let (expectations, mut differences) = expect::read(&lone("case.rs", text), &|name| name != "typo");
        differences.extend(expect::compare(&expectations, found));
        differences.iter().map(|one| one.to_string().split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    }

    const NONE: [&str; 0] = [];

    #[test]
    fn a_finding_meets_its_line_and_rule_only() {
        let text = "fn a() {}\nact(); //~ lost\n";
        assert_eq!(differences(text, &[found(2, "lost")]), NONE);
        assert_eq!(differences(text, &[]), ["missed src/lib.rs:2 lost"]);
        assert_eq!(
            differences(text, &[found(1, "lost"), found(2, "other")]),
            ["missed src/lib.rs:2 lost", "unexpected src/lib.rs:1 lost", "unexpected src/lib.rs:2 other"]
        );
    }

    #[test]
    fn a_second_finding_needs_a_second_expectation() {
        let twice = [found(1, "lost"), found(1, "lost")];
        assert_eq!(differences("act(); //~ lost", &twice), ["unexpected src/lib.rs:1 lost"]);
        assert_eq!(differences("act(); //~ lost, lost", &twice), NONE);
    }

    #[test]
    fn carets_point_up_and_lists_and_alternatives_are_read() {
        let text = "act();\nb();\n//~^^ one|two, three\n";
        assert_eq!(differences(text, &[found(1, "two"), found(1, "three")]), NONE);
        assert_eq!(differences(text, &[found(1, "three")]), ["missed src/lib.rs:1 one|two"]);
        assert_eq!(differences("act(); //~ one|two, one", &[found(1, "one"), found(1, "two")]), NONE);
        assert_eq!(differences("//~^ one", &[]), ["malformed src/lib.rs:1 points above the file"]);
    }

    #[test]
    fn known_misses_and_alarms_fail_once_they_are_gone() {
        assert_eq!(differences("act(); //~? lost", &[]), NONE);
        assert_eq!(differences("act(); //~? lost", &[found(1, "lost")]), ["found now src/lib.rs:1 lost: drop the `?`"]);
        assert_eq!(differences("act(); //~! lost", &[found(1, "lost")]), NONE);
        assert_eq!(differences("act(); //~! lost", &[]), ["silent now src/lib.rs:1 lost: drop the comment"]);
    }

    #[test]
    fn advisory_rules_count_where_the_case_names_them() {
        assert_eq!(differences("fn a() {}", &[found(1, "hint")]), NONE);
        assert_eq!(differences("fn a() {} //~ hint", &[]), ["missed src/lib.rs:1 hint"]);
        assert_eq!(
            differences("a(); //~ hint\nb();", &[found(1, "hint"), found(2, "hint")]),
            ["unexpected src/lib.rs:2 hint"]
        );
    }

    #[test]
    fn what_only_looks_like_an_expectation_fails() {
        assert_eq!(differences("a(); //~ typo", &[]), ["malformed src/lib.rs:1 `typo` is no rule"]);
        assert_eq!(differences("a(); //~?! one", &[]), ["malformed src/lib.rs:1 unknown mark `?!`"]);
        let (_, wrong) = expect::read(&lone("x/bad_lock.rs", "fn a() {}"), &|_| true);
        assert!(matches!(&wrong[..], [Difference::Malformed { .. }]), "{wrong:?}");
        let (_, wrong) = expect::read(&lone("x/good.rs", "a(); //~ one"), &|_| true);
        assert!(matches!(&wrong[..], [Difference::Malformed { .. }]), "{wrong:?}");
    }

    #[test]
    fn sql_files_hold_expectations_and_other_files_none() {
        let mut case = lone("case", "fn a() {}");
        case.files.insert("migrations/1.sql".to_owned(), "SELECT 1; -- //~ one\n".to_owned());
        case.files.insert("README.md".to_owned(), "//~ one\n".to_owned());
        let (expectations, wrong) = expect::read(&case, &|_| true);
        assert!(wrong.is_empty(), "{wrong:?}");
        assert_eq!(expectations.len(), 1);
        assert_eq!((expectations[0].kind, expectations[0].file.as_str()), (Kind::Due, "migrations/1.sql"));
    }

    #[test]
    fn folders_are_cases_and_empty_ones_are_mistakes() {
        let root = tempfile::tempdir().unwrap();
        let write = |name: &str| {
            let path = root.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "fn a() {}").unwrap();
        };
        write("rule/bad_a.rs");
        write("rule/good_b/src/lib.rs");
        write("rule/good_b/migrations/1.sql");
        let found = cases::collect(root.path()).unwrap();
        let names: Vec<_> = found.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["rule/bad_a.rs", "rule/good_b"]);
        assert_eq!(found[1].files.keys().collect::<Vec<_>>(), ["migrations/1.sql", "src/lib.rs"]);
        std::fs::create_dir_all(root.path().join("other/empty")).unwrap();
        assert!(cases::collect(root.path()).unwrap_err().contains("holds no case"));
    }

    #[test]
    fn a_case_is_laid_out_alone() {
        let root = tempfile::tempdir().unwrap();
        lone("case.rs", "fn a() {}").write_to(root.path());
        assert_eq!(std::fs::read_to_string(root.path().join(LONE)).unwrap(), "fn a() {}");
    }
}

/// Whether a name is a rule's: one that runs, or one that a page or a folder of fixtures already speaks of.
fn is_rule(name: &str) -> bool {
    static NAMES: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
        let mut names: BTreeSet<_> = run::pages().into_iter().map(|(name, _)| name).collect();
        names.extend(ALL.iter().map(|rule| rule.name.to_owned()));
        names.extend(run::folders(&run::package().join("fixtures")));
        names
    });
    NAMES.contains(name)
}

fn runs(name: &str) -> bool {
    ALL.iter().any(|rule| rule.name == name)
}

/// All cases, or those whose path contains the text in `RACELINT_FIXTURES`.
fn chosen() -> Vec<Case> {
    let mut cases = fixtures();
    if let Ok(part) = std::env::var("RACELINT_FIXTURES") {
        cases.retain(|case| case.name.contains(&part));
        assert!(!cases.is_empty(), "no fixture's path contains {part}");
    }
    cases
}

/// The differences of many cases, by case.
fn each<T: Sync>(items: &[T], differences: impl Fn(&T) -> (String, Vec<String>) + Sync) {
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let told = racelint::work::map(items, jobs, |_| 1, differences);
    let failed: Vec<_> = told.iter().filter(|(_, lines)| !lines.is_empty()).collect();
    let lines: Vec<_> = failed.iter().map(|(name, lines)| format!("{name}\n    {}", lines.join("\n    "))).collect();
    assert!(failed.is_empty(), "\n{}\n{} of {} differ", lines.join("\n"), failed.len(), items.len());
}

fn differences(case: &Case) -> Vec<String> {
    let (expectations, mut differences) = expect::read(case, &is_rule);
    let (expectations, found) = expect::delivered(expectations, run::findings(case), &runs);
    differences.extend(expect::compare(&expectations, &found));
    differences.iter().map(ToString::to_string).collect()
}

#[test]
fn fixtures_meet_their_expectations() {
    each(&chosen(), |case| (case.name.clone(), differences(case)));
}

/// A verdict rests on types, models, SQL, schema and flow. Names decide it only where a rule's page lists, under `## Words`, those it reads.
#[test]
fn names_decide_nothing() {
    let keep = keep();
    let (cases, replaced) = (chosen(), AtomicUsize::new(0));
    each(&cases, |case| {
        let renamed = rename::rename(case, &keep);
        let mut before = run::findings(case);
        before.iter_mut().for_each(|found| found.file = renamed.files[&found.file].clone());
        let mut after = run::findings(&renamed.case);
        // Said once a package, at its first function by path: renaming the files moves it.
        for found in before.iter_mut().chain(&mut after).filter(|found| found.rule == "no-concurrency-test") {
            (found.file, found.line) = Default::default();
        }
        before.sort();
        after.sort();
        let lost = before.iter().filter(|found| !after.contains(found)).map(|found| ("only with its own names", found));
        let new = after.iter().filter(|found| !before.contains(found)).map(|found| ("only when renamed", found));
        let lines = lost.chain(new).map(|(when, f)| format!("{when}: {}:{} {}", f.file, f.line, f.rule));
        replaced.fetch_add(renamed.names.len(), Ordering::Relaxed);
        (case.name.clone(), lines.collect())
    });
    let replaced = replaced.into_inner();
    assert!(replaced > 5 * cases.len(), "only {replaced} names were replaced in {} cases", cases.len());
}

/// What renaming must keep: what the models say that libraries have, and the words of pages.
fn keep() -> Keep {
    let mut keep = Keep::default();
    let mut path = |path: &str| {
        let mut parts = path.split("::");
        keep.crates.extend(parts.next().map(str::to_owned));
        keep.methods.extend(parts.map(str::to_owned));
    };
    let models = Models::builtin();
    models.types.iter().flat_map(|row| &row.path).for_each(|name| path(name.as_str()));
    models.calls.iter().flat_map(|row| &row.path).for_each(|name| path(name.as_str()));
    keep.methods.extend(models.calls.iter().flat_map(|row| &row.method).map(|name| name.as_str().to_owned()));
    for (_, page) in run::pages() {
        let words = page.split("\n## ").find_map(|part| part.strip_prefix("Words\n")).unwrap_or_default();
        keep.words.extend(words.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    keep
}

/// The examples of a page are cases: the bad one is found, the good one is silent.
#[test]
fn pages_show_what_they_say() {
    let pages: Vec<_> = run::pages().into_iter().filter(|(name, _)| runs(name)).collect();
    each(&pages, |(name, page)| {
        let mut lines = Vec::new();
        for (kind, text) in examples(page) {
            let files = BTreeMap::from([(LONE.to_owned(), text.to_owned())]);
            let found = run::findings(&Case { name: name.clone(), files });
            let own = found.iter().filter(|found| found.rule == *name).count();
            let other = found.iter().filter(|found| found.rule != *name && !found.advisory);
            match kind {
                "bad" if own == 0 => lines.push("the bad example is not found".to_owned()),
                "good" if own > 0 => lines.push("the good example is found".to_owned()),
                _ => {}
            }
            lines.extend(other.map(|f| format!("the {kind} example shows {} in line {}", f.rule, f.line)));
        }
        (format!("rules/{name}.md"), lines)
    });
}

fn examples(page: &str) -> Vec<(&str, &str)> {
    let blocks = page.split("```rust,").skip(1);
    let parts =
        blocks.filter_map(|block| block.split_once('\n')).map(|(kind, rest)| (kind, rest.split("\n```").next()));
    parts.filter_map(|(kind, text)| Some((kind, text?))).collect()
}

/// After all edits nothing is left that has edits, and nothing is found that was not found before.
#[test]
fn edits_mend_what_they_are_for() {
    let applied = AtomicUsize::new(0);
    each(&chosen(), |case| {
        let (before, fixed) = run::fixed(case);
        applied.fetch_add(fixed.applied, Ordering::Relaxed);
        let count = |findings: &[Finding], rule: &str| findings.iter().filter(|f| f.rule.name == rule).count();
        let place = |f: &Finding| format!("{} in line {}", f.rule.name, fixed.sources.line(f.span));
        let mut lines: Vec<_> = fixed.refused.iter().map(|refused| refused.reason.clone()).collect();
        for finding in &fixed.findings {
            if finding.fixes.iter().any(|fix| !fix.edits.is_empty()) {
                lines.push(format!("its edits do not mend {}", place(finding)));
            } else if fixed.applied > 0
                && !finding.rule.advisory
                && count(&fixed.findings, finding.rule.name) > count(&before, finding.rule.name)
            {
                lines.push(format!("the edits bring {}", place(finding)));
            }
        }
        (case.name.clone(), lines)
    });
    assert!(applied.into_inner() > 0 || std::env::var("RACELINT_FIXTURES").is_ok(), "no fixture has an edit");
}

/// What the edits make of a lone `bad_*.rs` stands beside it as `fixed_*.rs`: a case of its own, which must be silent and compiles with the others.
#[test]
fn edits_make_the_fixed_twins() {
    // The cases of models show what is found where; those of the run itself are no code to compile.
    let folder = |case: &Case| case.name.split('/').next().unwrap_or_default().to_owned();
    let of_rule = |case: &Case| ALL.iter().any(|rule| rule.group != Group::Meta && rule.name == folder(case));
    let compiled: BTreeSet<String> = run::compiled();
    let has_twin = |case: &Case| case.stem().starts_with("bad_") || case.stem().starts_with("fixed_");
    let lone = |case: &Case| case.name.ends_with(".rs") && has_twin(case) && of_rule(case);
    let cases: Vec<_> = chosen().into_iter().filter(lone).collect();
    each(&cases, |case| {
        let beside = |from: &str, to: &str| run::package().join("fixtures").join(case.name.replace(from, to));
        if case.stem().starts_with("fixed_") {
            let mut lines = Vec::new();
            if !compiled.contains(&case.name) {
                lines.push("no package compiles it".to_owned());
            }
            if !beside("/fixed_", "/bad_").is_file() {
                lines.push("it is the twin of nothing".to_owned());
            }
            return (case.name.clone(), lines);
        }
        let (_, fixed) = run::fixed(case);
        let twin = std::fs::read_to_string(beside("/bad_", "/fixed_")).ok();
        let made = fixed.sources.iter().next().map(|(_, source)| without_expectations(&source.text));
        let line = match (fixed.applied > 0, twin) {
            (true, twin) if twin == made => None,
            (true, Some(_)) => Some(format!("the edits make another twin:\n{}", made.unwrap_or_default())),
            (true, None) => Some(format!("no twin holds what the edits make:\n{}", made.unwrap_or_default())),
            (false, twin) => twin.map(|_| "it has a twin, but no edit".to_owned()),
        };
        (case.name.clone(), line.into_iter().collect())
    });
}

/// A text without the comments that expect findings, and without the lines that held nothing else.
fn without_expectations(text: &str) -> String {
    let lines = text.lines().filter_map(|line| match line.split_once("//~") {
        Some((code, _)) => Some(code.trim_end()).filter(|code| !code.is_empty()),
        None => Some(line),
    });
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let folder = tempfile::tempdir().expect("a new folder");
    for case in fixtures() {
        case.write_to(&folder.path().join(&case.name));
    }
    let one = run::report(folder.path(), 1, Format::Json);
    for jobs in [2, 7] {
        assert!(run::report(folder.path(), jobs, Format::Json) == one, "{jobs} threads report otherwise than one");
    }
}
