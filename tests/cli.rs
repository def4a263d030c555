//! The command line as its users meet it: exit codes, what goes to which stream, and what options do.

#![allow(clippy::unwrap_used)]

#[path = "cli/cache.rs"]
mod cache;
#[path = "cli/changes.rs"]
mod changes;
#[path = "cli/models.rs"]
mod models;
#[path = "cli/place.rs"]
mod place;
#[path = "cli/safety.rs"]
mod safety;

use std::process::Stdio;

use place::{Done, Place, RACY, command};

/// The finding in [`RACY`], in the short format.
const FOUND: &str = "src/lib.rs:7:5: error[atomic-load-then-store]";

fn racy() -> Place {
    Place::new(&[("Cargo.toml", "[package]\nname = 'depot'\nedition = '2024'\n"), ("src/lib.rs", RACY)])
}

fn names(done: &Done) -> Vec<String> {
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    report["findings"].as_array().unwrap().iter().map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn exit_codes_say_how_it_went() {
    let place = racy();
    let found = place.run(&["check", "--format", "short"]);
    assert_eq!(found.code, 1, "{found:?}");
    assert!(found.stdout.contains(FOUND), "{found:?}");
    assert_eq!(place.run(&["check", "--fail-on", "never"]).code, 0);
    assert_eq!(place.run(&["check", "--ignore", "memory"]).code, 0);
    assert_eq!(place.run(&["check", "--select", "database"]).code, 0);
    for wrong in [
        &["check", "nowhere"] as &[&str],
        &["check", "--select", "no-such-rule"],
        &["check", "--no-such-option"],
        &["check", "--format", "xml"],
        &["check", "--config", "nowhere.toml"],
        &["check", "--baseline", "nowhere.json"],
        &["check", "--jobs", "0"],
        &["check", "--since", "HEAD"],
        &["check", "-"],
        &["check", "--stdin-filename", "a.rs"],
        &["check", "--add-suppressions"],
        &["check", "--output", "nowhere/report.txt"],
        &["explain", "no-such-rule"],
        &["no-such-command"],
        &[],
    ] {
        let done = place.run(wrong);
        assert_eq!((done.code, done.stdout.as_str()), (2, ""), "{wrong:?}: {done:?}");
        assert!(!done.stderr.is_empty() && !done.stderr.contains("panicked"), "{wrong:?}: {done:?}");
    }
}

#[test]
fn mistyped_names_get_suggestions() {
    let place = racy();
    for (arguments, meant) in [
        (&["check", "--select", "atomic-load-than-store"] as &[&str], "did you mean `atomic-load-then-store`?"),
        (&["check", "--ignore", "memroy"], "did you mean `memory`?"),
        (&["explain", "db-lost-updat"], "did you mean `db-lost-update`?"),
        (&["chek"], "'check'"),
        (&["check", "--selct", "memory"], "'--select'"),
    ] {
        let done = place.run(arguments);
        assert!(done.code == 2 && done.stderr.contains(meant), "{arguments:?}: {done:?}");
    }
}

#[test]
fn help_says_the_exit_codes_and_gives_examples() {
    let place = Place::new(&[]);
    for arguments in [&["--help"] as &[&str], &["check", "--help"], &["help", "check"]] {
        let done = place.run(arguments);
        assert_eq!(done.code, 0);
        for line in ["0    nothing found", "1    findings", "2    racelint could not run", "130  interrupted"] {
            assert!(done.stdout.contains(line), "{arguments:?} lacks {line}");
        }
    }
    assert!(place.run(&["check", "--help"]).stdout.contains("racelint check src/orders.rs"));
    assert!(place.run(&["--version"]).stdout.starts_with("racelint "));
}

#[test]
fn standard_output_carries_the_report_alone() {
    let place = racy();
    place.write("src/odd.rs", b"// \xff");
    let done = place.run(&["check", "--format", "json", "--statistics"]);
    let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
    assert_eq!(report["schema_version"], 1);
    assert_eq!(report["skipped"][0]["file"], "src/odd.rs");
    assert_eq!(done.stderr, "racelint:      1  atomic-load-then-store\n");
    let empty = Place::new(&[("notes.txt", "")]);
    assert_eq!(empty.run(&["check"]).stderr, "racelint: no Rust source under the given paths\n");
    assert_eq!(empty.run(&["check", "--quiet"]).stderr, "");
}

#[test]
fn every_format_is_written_to_a_file_as_to_standard_output() {
    let place = racy();
    for format in ["human", "short", "json", "sarif", "github", "gitlab", "junit", "checklist", "cargo"] {
        let shown = place.run(&["check", "--format", format]);
        let kept = place.run(&["check", "--format", format, "--output", "report.out"]);
        assert_eq!((kept.code, kept.stdout.as_str()), (1, ""), "{format}");
        assert_eq!(place.read("report.out"), shown.stdout, "{format}");
        assert!(shown.stdout.contains("atomic-load-then-store"), "{format}");
    }
}

#[test]
fn colours_come_when_asked_for() {
    let place = racy();
    let coloured = |arguments: &[&str], no_color: &str| {
        let mut command = command(place.root());
        let output = command.args(arguments).env("NO_COLOR", no_color).output().unwrap();
        output.stdout.contains(&0x1b)
    };
    assert!(!coloured(&["check"], ""));
    assert!(coloured(&["check", "--color", "always"], ""));
    assert!(coloured(&["check", "--color", "always"], "1"));
    assert!(!coloured(&["check", "--color", "never"], ""));
}

#[test]
fn a_reader_that_leaves_is_no_error() {
    let place = racy();
    for arguments in [&["check", "--format", "json"] as &[&str], &["rules"], &["completions", "bash"]] {
        let mut child =
            command(place.root()).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(if arguments[0] == "check" { 1 } else { 0 }), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_exits_with_130() {
    let place = racy();
    let mut child = command(place.root())
        .args(["check", "-", "--stdin-filename", "src/lib.rs"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    // It waits for its input, which never ends; the handler is set before that.
    std::thread::sleep(std::time::Duration::from_millis(500));
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[test]
fn standard_input_stands_for_a_file() {
    let place = Place::new(&[("Cargo.toml", "[package]\nname = 'depot'\n"), ("src/lib.rs", "fn fine() {}\n")]);
    for name in ["src/lib.rs", "src/unsaved.rs"] {
        let done = place.run_with(&["check", "-", "--stdin-filename", name, "--format", "short"], RACY.as_bytes());
        assert_eq!(done.code, 1, "{done:?}");
        assert!(done.stdout.contains(&format!("{name}:7:5: error[atomic-load-then-store]")), "{done:?}");
    }
    let done = place.run_with(&["check", "-", "--stdin-filename", "src/lib.rs"], b"\xff");
    assert!(done.code == 2 && done.stderr.contains("not UTF-8"), "{done:?}");
    let done = place.run_with(&["check", "-", "--stdin-filename", "src/lib.rs", "--diff"], RACY.as_bytes());
    assert_eq!(done.code, 1, "{done:?}");
}

#[test]
fn the_configuration_is_found_and_can_be_passed_over() {
    let place = racy();
    place.write("racelint.toml", b"ignore = ['atomic-load-then-store']\n");
    assert_eq!(place.run(&["check"]).code, 0);
    assert_eq!(place.run(&["check", "src/lib.rs"]).code, 0);
    assert_eq!(place.run(&["check", "--no-config"]).code, 1);
    assert_eq!(place.run(&["check", "--select", "memory"]).code, 1, "what is asked for here counts");

    place.write("other.toml", b"[severity]\nmemory = 'note'\n");
    let noted = place.run(&["check", "--config", "other.toml", "--format", "short"]);
    assert!(noted.code == 0 && noted.stdout.contains("note[atomic-load-then-store]"), "{noted:?}");

    place.write("racelint.toml", b"[[overrides]]\npaths = ['src/']\nignore = ['memory']\n");
    assert_eq!(place.run(&["check"]).code, 0);
    place.write("racelint.toml", b"exclude = ['lib.rs']\n");
    assert_eq!(place.run(&["check"]).code, 0);

    place.write("racelint.toml", b"\nselct = []\n");
    let wrong = place.run(&["check"]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("racelint.toml:2: ") && wrong.stderr.contains("did you mean `select`?"), "{wrong:?}");
}

#[test]
fn a_baseline_keeps_what_is_there_out_and_lets_new_findings_in() {
    let place = racy();
    let written = place.run(&["check", "--write-baseline"]);
    assert_eq!((written.code, written.stdout.as_str()), (0, ""), "{written:?}");
    let check = ["check", "--baseline", "racelint-baseline.json", "--format", "json"];
    assert_eq!(names(&place.run(&check)), [""; 0]);

    let moved = format!(
        "// One line more.\n{RACY}\n{}",
        RACY.lines().skip(2).collect::<Vec<_>>().join("\n").replace("HITS", "MISSES").replace("hit", "miss")
    );
    place.write("src/lib.rs", moved.as_bytes());
    let done = place.run(&check);
    assert_eq!((done.code, names(&done)), (1, vec!["atomic-load-then-store".to_owned()]), "{done:?}");
    assert!(done.stdout.contains("\"line\": 15"), "{done:?}");

    place.write("src/lib.rs", b"fn fine() {}\n");
    let done = place.run(&check);
    assert!(done.code == 0 && done.stderr.contains("1 of the baseline's findings are gone"), "{done:?}");
    assert!(done.stderr.contains("\n  src/lib.rs: atomic-load-then-store: "), "what is gone is listed: {done:?}");
    place.write("racelint-baseline.json", b"{}");
    assert_eq!(place.run(&check).code, 2);
}

#[test]
fn only_what_changed_is_reported_on() {
    let place = racy();
    place.git(&["init", "--quiet"]);
    place.git(&["add", "."]);
    place.git(&["commit", "--quiet", "--message", "start"]);
    let since = |revision: &str| place.run(&["check", "--since", revision, "--format", "short"]);
    let staged = || place.run(&["check", "--staged", "--format", "short"]);
    assert_eq!((since("HEAD").code, staged().code), (0, 0));

    // Far from the finding, in another function.
    place.write("src/lib.rs", format!("{RACY}\nfn other() {{}}\n").as_bytes());
    assert_eq!((since("HEAD").code, staged().code), (0, 0));
    // A line of the function, which is not one of the finding's.
    place.write("src/lib.rs", RACY.replace("// Counts.", "// Counts hits.").as_bytes());
    assert!(since("HEAD").stdout.contains(FOUND));
    assert_eq!(staged().code, 0, "nothing is staged");
    place.git(&["add", "."]);
    assert!(staged().stdout.contains(FOUND));
    // What is staged counts, whatever lies in the working tree.
    place.write("src/lib.rs", b"fn fine() {}\n");
    assert!(staged().stdout.contains(FOUND));
    assert_eq!(since("HEAD").code, 0);

    place.write("src/lib.rs", RACY.as_bytes());
    place.write("src/new file.rs", RACY.as_bytes());
    let done = since("HEAD");
    assert!(done.stdout.contains("src/new file.rs:7:5") && !done.stdout.contains(FOUND), "{done:?}");
    let wrong = since("no-such-revision");
    assert!(wrong.code == 2 && wrong.stderr.contains("no revision `no-such-revision`"), "{wrong:?}");
}

/// A large text would be read in full where the file itself is refused.
#[test]
fn what_is_staged_has_the_same_limit_as_a_file() {
    let place = racy();
    place.git(&["init", "--quiet"]);
    place.git(&["add", "."]);
    place.git(&["commit", "--quiet", "--message", "start"]);
    place.write("src/large.rs", format!("{RACY}//{}\n", " ".repeat(4 << 20)).as_bytes());
    place.git(&["add", "."]);
    // A text stands for the file only where the two differ.
    place.write("src/large.rs", b"fn fine() {}\n");
    let done = place.run(&["check", "--staged", "--no-cache", "--format", "json"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.stdout.contains("\"reason\": \"larger than 4 MB\""), "{done:?}");
}

#[test]
fn suppressions_are_added_above_findings() {
    let place = racy();
    let done = place.run(&["check", "--add-suppressions", "--reason", "one thread counts"]);
    assert_eq!(done.code, 0, "{done:?}");
    let text = place.read("src/lib.rs");
    assert!(
        text.contains("    // racelint: allow(atomic-load-then-store) -- one thread counts\n    HITS.store("),
        "{text}"
    );
    let done = place.run(&["check", "--format", "json"]);
    assert_eq!((done.code, names(&done)), (0, Vec::new()));
    assert!(done.stdout.contains("\"suppressed\": 1"), "{done:?}");
}

#[test]
fn fixes_are_shown_and_applied() {
    let unused =
        "fn fine() {\n    // racelint: allow(map-check-then-act) -- rooms are opened by one task\n    ok();\n}\n";
    let place = Place::new(&[("src/lib.rs", unused)]);
    let shown = place.run(&["check", "--diff"]);
    assert_eq!(shown.code, 1, "{shown:?}");
    assert!(shown.stdout.starts_with("--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ "), "{shown:?}");
    assert!(shown.stdout.contains("\n-    // racelint: allow(map-check-then-act)"), "{shown:?}");
    assert_eq!(place.read("src/lib.rs"), unused);

    let fixed = place.run(&["check", "--fix", "--format", "json"]);
    assert_eq!((fixed.code, names(&fixed), fixed.stderr.as_str()), (0, Vec::new(), "racelint: applied 1 fix\n"));
    assert_eq!(place.read("src/lib.rs"), "fn fine() {\n    ok();\n}\n");
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let shop = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/projects/ticket-shop");
    let report = |jobs: &str| {
        let output =
            command(shop.as_ref()).args(["check", "--format", "json", "--pedantic", "--jobs", jobs]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let one = report("1");
    assert!(one.contains("\"db-check-then-update\""));
    for jobs in ["2", "7"] {
        assert!(report(jobs) == one, "{jobs} threads");
    }
}

#[test]
fn rules_are_listed_and_explained() {
    let place = Place::new(&[]);
    let listed: serde_json::Value = serde_json::from_str(&place.run(&["rules", "--format", "json"]).stdout).unwrap();
    let people = place.run(&["rules"]).stdout;
    for rule in listed.as_array().unwrap() {
        let name = rule["name"].as_str().unwrap();
        for field in ["group", "severity", "item", "advisory", "summary"] {
            assert!(rule.get(field).is_some(), "{name} lacks {field}");
        }
        assert!(people.contains(&format!("  {name} ")), "{name}");
        let page = place.run(&["explain", name]);
        assert!(page.code == 0 && page.stdout.contains(name), "{page:?}");
    }
}

#[test]
fn a_project_is_set_up() {
    let place = racy();
    let done = place.run(&["init"]);
    assert_eq!((done.code, done.stderr.as_str()), (0, "racelint: wrote racelint.toml\n"));
    assert_eq!(place.run(&["check"]).code, 1);
    let again = place.run(&["init"]);
    assert!(again.code == 2 && again.stderr.contains("is there already"), "{again:?}");
    place.write(".pre-commit-config.yaml", b"repos: []\n");
    let more = place.run(&["init", "--pre-commit", "--workflow"]);
    assert_eq!(more.code, 2, "{more:?}");
    assert!(more.stderr.contains("racelint.toml is there already and stays as it is"), "{more:?}");
    assert!(more.stderr.contains("wrote .github/workflows/racelint.yml"), "{more:?}");
    assert!(more.stderr.contains("add this to it:\n\nrepos:\n") && more.stderr.contains("- id: racelint"), "{more:?}");
    assert_eq!(place.read(".pre-commit-config.yaml"), "repos: []\n");
    let workflow = place.read(".github/workflows/racelint.yml");
    assert!(workflow.contains(concat!("racelint@v", env!("CARGO_PKG_VERSION"), "\n")), "{workflow}");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        assert!(place.run(&["completions", shell]).stdout.contains("add-suppressions"), "{shell}");
    }
    assert!(place.run(&["man"]).stdout.contains("RACELINT CHECK"));
    let schema: serde_json::Value = serde_json::from_str(&place.run(&["config-schema"]).stdout).unwrap();
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn cargo_racelint_checks_when_no_command_is_named() {
    let place = racy();
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_cargo-racelint"));
        command.env("RACELINT_NO_CACHE", "1");
        let output = command.current_dir(place.root()).args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    for arguments in [
        &["racelint", "--format", "short"] as &[&str],
        &["racelint", "check", "--format", "short"],
        &["--format", "short"],
    ] {
        let (code, report) = run(arguments);
        assert!(code == Some(1) && report.contains(FOUND), "{arguments:?}: {report}");
    }
    assert_eq!(run(&["racelint"]).0, Some(1));
    assert!(run(&["racelint", "--version"]).1.starts_with("racelint "));
    assert!(run(&["racelint", "rules"]).1.contains("db-lost-update"));
}

#[test]
fn the_example_of_the_readme_is_found() {
    let readme = include_str!("../README.md");
    let example = readme.split("```rust\n").nth(1).unwrap().split("```").next().unwrap();
    let around = "pub async fn buy(pool: sqlx::PgPool, id: i64, quantity: i32) -> Result<(), Error> {";
    let place = Place::new(&[("src/lib.rs", &format!("{around}\n{example}Ok(())\n}}\n"))]);
    let rule = example.split("// ").nth(1).unwrap().lines().next().unwrap();
    let line = 1 + example.lines().position(|line| line.contains("// ")).unwrap() + 1;
    let done = place.run(&["check", "--format", "short"]);
    assert!(done.stdout.contains(&format!("src/lib.rs:{line}:1: error[{rule}]")), "{done:?}");
    let shown = readme.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    let told = place.run(&["check", "--select", rule]).stdout;
    let lines = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let listing = shown.split("  = how it breaks").next().unwrap();
    assert!(lines(&told).starts_with(&lines(listing)), "{told}");
}

#[test]
fn a_github_workflow_gets_annotations_and_a_page() {
    let place = racy();
    let page = place.root().join("page.md");
    let run = |arguments: &[&str]| {
        let mut command = command(place.root());
        let command = command.args(arguments).env("GITHUB_ACTIONS", "true").env("GITHUB_STEP_SUMMARY", &page);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    assert!(run(&["check", "--format", "short"]).starts_with(FOUND), "what is asked for counts");
    assert!(!page.exists());
    for _ in 0..2 {
        assert!(run(&["check"]).starts_with("::error file=src/lib.rs,line=7,"));
    }
    let page = place.read("page.md");
    assert_eq!(
        page.matches("| error | `atomic-load-then-store` | [src/lib.rs:7](").count(),
        2,
        "it is added to: {page}"
    );
    run(&["check", "--output", "report.txt"]);
    assert!(place.read("report.txt").starts_with("error[atomic-load-then-store]"), "files are for people");
}
