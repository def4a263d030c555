//! The cases below `fixtures/` hold exactly what their comments expect.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use support::cases::{self, Case, LONE};
use support::expect::{self, Difference, Found, Kind};

fn fixtures() -> Vec<Case> {
    cases::collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")).expect("folders of cases")
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

#[test]
fn expectations_are_well_formed() {
    let named = |name: &str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
    let mut lines = Vec::new();
    for case in fixtures() {
        let (_, wrong) = expect::read(&case, &named);
        lines.extend(wrong.iter().map(|one| format!("{}: {one}", case.name)));
    }
    assert!(lines.is_empty(), "\n{}", lines.join("\n"));
}
