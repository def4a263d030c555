//! What racelint does to the files it is given: nothing, unless told to, and then all or nothing; whenever it is stopped.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::place::{Place, RACY, command};

/// A file with two suppressions that keep nothing out, which `--fix` takes away.
fn stale(number: usize) -> String {
    let mark = "racelint: allow(map-check-then-act) -- rooms are opened by one task";
    format!("fn one{number}() {{\n    // {mark}\n    ok();\n}}\n\nfn two{number}() {{\n    // {mark}\n    ok();\n}}\n")
}

fn is_source(name: &str) -> bool {
    name.ends_with(".rs") && !name.starts_with('.')
}

#[cfg(unix)]
#[test]
fn killed_at_any_moment_it_leaves_each_file_old_or_new() {
    const FILES: usize = 60;
    let fresh = |place: &Place| (0..FILES).for_each(|n| place.write(&format!("src/f{n}.rs"), stale(n).as_bytes()));
    let mark = "    // racelint: allow(map-check-then-act) -- rooms are opened by one task\n";
    let new = |n: usize| stale(n).replace(mark, "");

    let place = Place::new(&[("Cargo.toml", "[package]\nname = 'depot'\n")]);
    fresh(&place);
    let begun = Instant::now();
    assert_eq!(place.run(&["check", "--fix", "--quiet"]).code, 0);
    let whole = begun.elapsed();
    (0..FILES).for_each(|n| assert_eq!(place.read(&format!("src/f{n}.rs")), new(n)));

    let (mut old_seen, mut new_seen) = (0, 0);
    for round in 0..40 {
        fresh(&place);
        let mut child =
            command(place.root()).args(["check", "--fix", "--quiet"]).stderr(Stdio::null()).spawn().unwrap();
        // The files are written at the end of a run, so most of the kills fall there.
        sleep(whole / 2 + whole / 2 * round / 32);
        child.kill().unwrap();
        child.wait().unwrap();
        for n in 0..FILES {
            let text = place.read(&format!("src/f{n}.rs"));
            assert!(text == stale(n) || text == new(n), "round {round}: torn: {text}");
            *if text == stale(n) { &mut old_seen } else { &mut new_seen } += 1;
        }
    }
    // Both ends must have been met, or the loop has shown nothing.
    assert!(old_seen > 0 && new_seen > 0, "{old_seen} old, {new_seen} new");
    let names = fs::read_dir(place.root().join("src")).unwrap().map(|entry| entry.unwrap().file_name());
    let sources = names.filter(|name| is_source(&name.to_string_lossy())).count();
    assert_eq!(sources, FILES, "what is left behind is no source");
}

/// A program that takes a while.
fn large(files: usize) -> Place {
    let body: String =
        (0..400).map(|n| RACY.replace("HITS", &format!("H{n}")).replace("hit", &format!("h{n}"))).collect();
    let place = Place::new(&[("Cargo.toml", "[package]\nname = 'depot'\n")]);
    (0..files).for_each(|n| place.write(&format!("src/f{n}.rs"), body.as_bytes()));
    place
}

#[cfg(unix)]
#[test]
fn control_c_in_the_middle_of_work_ends_it_with_130() {
    // Enough to do for the signal to come in between.
    let place = large(30);
    let mut child = command(place.root()).args(["check", "--format", "json"]).stdout(Stdio::null()).spawn().unwrap();
    sleep(Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let asked = Instant::now();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(asked.elapsed() < Duration::from_secs(5), "{:?}", asked.elapsed());
}

/// `script` of util-linux stands for a terminal.
#[cfg(target_os = "linux")]
#[test]
fn who_waits_at_a_terminal_is_told_what_for() {
    let place = large(60);
    let own = command(place.root());
    let line = format!("{} check --format short", own.get_program().to_str().unwrap());
    let mut script = Command::new("script");
    script.current_dir(place.root()).args(["--quiet", "--return", "--command", &line, "/dev/null"]);
    let output = script.stdin(Stdio::null()).output().unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let (told, gone) = (shown.find("racelint: ").unwrap(), shown.find("\r\u{1b}[K").unwrap());
    assert!(told < gone && gone < shown.find("error[").unwrap(), "{}", &shown[..shown.len().min(2000)]);
    assert_eq!(output.status.code(), Some(1));
    // A pipe is no terminal.
    assert_eq!(place.run(&["check", "--format", "short"]).stderr, "");
}

/// Every path below a folder with what it holds and when it was written.
fn snapshot(place: &Place) -> Vec<(String, Vec<u8>, std::time::SystemTime)> {
    let walk = walkdir::WalkDir::new(place.root()).sort_by_file_name().into_iter().map(Result::unwrap);
    walk.map(|entry| {
        let bytes = if entry.file_type().is_file() { fs::read(entry.path()).unwrap() } else { Vec::new() };
        (entry.path().display().to_string(), bytes, entry.metadata().unwrap().modified().unwrap())
    })
    .collect()
}

#[test]
fn looking_writes_nothing() {
    let place =
        Place::new(&[("Cargo.toml", "[package]\nname = 'depot'\n"), ("src/lib.rs", RACY), ("src/stale.rs", &stale(0))]);
    place.git(&["init", "--quiet"]);
    place.git(&["add", "."]);
    place.git(&["commit", "--quiet", "--message", "start"]);
    // git refreshes its index by itself, once.
    place.run(&["check", "--staged"]);
    let before = snapshot(&place);
    for arguments in [
        &["check"] as &[&str],
        &["check", "--diff", "--unsafe-fixes"],
        &["check", "--format", "sarif"],
        &["check", "--since", "HEAD"],
        &["check", "--staged"],
        &["schema"],
        &["events"],
        &["rules"],
        &["explain", "db-lost-update"],
    ] {
        place.run(arguments);
        assert!(snapshot(&place) == before, "{arguments:?}");
    }
}

/// What a project could have run or reached: build scripts, cargo's and git's settings, a runner. Watched by strace where there is one, which CI installs.
#[cfg(target_os = "linux")]
#[test]
fn nothing_of_the_project_is_run_and_no_network_is_used() {
    if Command::new("strace").arg("-V").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "CI has no strace");
        return;
    }
    let trap = "#!/bin/sh\ntouch RAN\n";
    let place = Place::new(&[
        ("Cargo.toml", "[package]\nname = 'depot'\nbuild = 'build.rs'\n"),
        ("build.rs", "fn main() { std::fs::write(\"RAN\", \"\").unwrap(); }"),
        (".cargo/config.toml", "[build]\nrustc = './trap'\n[target.'cfg(all())']\nrunner = './trap'\n"),
        ("rust-toolchain.toml", "[toolchain]\npath = '.'\n"),
        (".gitattributes", "*.rs diff=trap\n"),
        ("trap", trap),
        ("src/lib.rs", RACY),
    ]);
    #[cfg(unix)]
    fs::set_permissions(place.root().join("trap"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    place.git(&["init", "--quiet"]);
    place.git(&["add", "."]);
    place.git(&["commit", "--quiet", "--message", "start"]);
    for (name, value) in [("core.fsmonitor", "./trap"), ("diff.external", "./trap"), ("diff.trap.textconv", "./trap")] {
        place.git(&["config", name, value]);
    }
    place.write("src/lib.rs", RACY.replace("// Counts.", "// Counts hits.").as_bytes());
    for arguments in [&["check"] as &[&str], &["check", "--since", "HEAD"], &["check", "--staged"]] {
        let log = place.root().join("strace.log");
        let own = command(place.root());
        let mut traced = Command::new("strace");
        traced.current_dir(place.root()).args(["-f", "-qq", "-e", "trace=execve,connect,socket", "-o"]).arg(&log);
        traced.env_remove("GIT_DIR").env_remove("GIT_INDEX_FILE").env("RACELINT_CACHE_DIR", place.root().join("kept"));
        traced.arg(own.get_program()).args(arguments).output().unwrap();
        let log = fs::read_to_string(&log).unwrap();
        assert!(log.contains("execve("), "strace saw nothing: {log}");
        let run: Vec<_> = log.lines().filter(|line| line.contains("execve(") && !line.contains(" = -1 ")).collect();
        let known = |line: &&&str| line.contains("/racelint\"") || line.contains("/git\"");
        assert_eq!(run.iter().filter(|line| !known(line)).collect::<Vec<_>>(), Vec::<&&str>::new(), "{arguments:?}");
        assert!(!log.contains("connect(") && !log.contains("AF_INET"), "{arguments:?}: {log}");
        assert!(!place.root().join("RAN").exists(), "{arguments:?}");
    }
}

#[test]
fn the_order_of_paths_changes_nothing() {
    let place = Place::new(&[
        ("a/Cargo.toml", "[package]\nname = 'a'\n"),
        ("a/src/lib.rs", RACY),
        ("b/Cargo.toml", "[package]\nname = 'b'\n"),
        ("b/src/lib.rs", RACY),
        ("b/src/more.rs", RACY),
    ]);
    let one = place.run(&["check", "--format", "json", "a", "b"]).stdout;
    assert_eq!(one.matches("\"rule\"").count(), 3);
    for paths in [&["b", "a"] as &[&str], &["b", "a", "b/src"], &["b/src/more.rs", "a", "b/src/lib.rs", "b"], &["."]] {
        let arguments = [&["check", "--format", "json", "--jobs", "3"], paths].concat();
        assert!(place.run(&arguments).stdout == one, "{paths:?}");
    }
}
