//! The command line, case by case: what is printed and the exit code, for every option.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

#[test]
fn cases() {
    let cases = trycmd::TestCases::new();
    // What the surroundings may set. Terminals are narrow or wide; help is not shown here.
    for name in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "NO_COLOR"] {
        cases.env(name, "");
    }
    cases.env("RACELINT_NO_CACHE", "1");
    cases.case("tests/cmd/*.md").case("tests/cmd/*.toml");
}

/// Every option that a help text names stands in a case.
#[test]
fn every_option_has_a_case() {
    let help = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_racelint")).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let whole = help(&["--help"]);
    let listed = whole.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    let commands = listed.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let commands = commands.map(|line| line.split_whitespace().next().unwrap()).filter(|name| *name != "help");
    let mut wanted = BTreeSet::new();
    for name in commands.chain(["events"]) {
        wanted.insert(format!("racelint {name}"));
        let options = help(&[name, "--help"]);
        let options = options.lines().filter(|line| line.trim_start().starts_with('-'));
        wanted.extend(
            options.flat_map(|line| line.split([' ', ','])).filter(|word| word.starts_with("--")).map(str::to_owned),
        );
    }
    wanted.remove("--help");
    assert!(
        wanted.contains("--stdin-filename") && wanted.contains("racelint check") && wanted.len() > 25,
        "{wanted:?}"
    );
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file());
    let cases: String = files.map(|path| std::fs::read_to_string(path).unwrap()).collect();
    let missing: Vec<_> = wanted.iter().filter(|name| !cases.contains(name.as_str())).collect();
    assert!(missing.is_empty(), "no case in tests/cmd shows {missing:?}");
}
