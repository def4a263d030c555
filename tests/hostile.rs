//! Input at its worst: whatever stands in files, names and settings, a run ends in bounded time and memory, says what it left out, and never panics.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "cli/place.rs"]
mod place;

use std::fs;
use std::process::{Child, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use place::{Place, RACY, command};

/// The seconds of processor that any one of these may take in a build without optimisation: a busy machine takes longer and none more.
const MOST_SECONDS: u64 = 90;

/// When a run that takes no processor either is taken to hang.
const PATIENCE: Duration = Duration::from_secs(600);

/// What any one of these may use: the files are small or refused.
const MOST_KB: u64 = 600_000;

#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
    /// The most memory it held, in KB, and the processor it took, in hundredths of a second; zero where the system does not say.
    peak: u64,
    ticks: u64,
}

/// Runs racelint and watches it.
fn watched(place: &Place, arguments: &[&str]) -> Ended {
    watched_with(place, arguments, Stdio::null())
}

fn watched_with(place: &Place, arguments: &[&str], stdin: Stdio) -> Ended {
    let out = tempfile::tempfile().unwrap();
    let err = tempfile::tempfile().unwrap();
    let mut command = command(place.root());
    command.args(arguments).stdin(stdin);
    command.stdout(out.try_clone().unwrap()).stderr(err.try_clone().unwrap());
    let mut child = command.spawn().unwrap();
    let begun = Instant::now();
    let (mut peak, mut ticks) = (0, 0);
    let status = loop {
        if let Some(status) = child.try_wait().unwrap() {
            break status;
        }
        peak = peak.max(peak_kb(&child).unwrap_or(0));
        ticks = ticks.max(ticks_used(&child).unwrap_or(0));
        if begun.elapsed() > PATIENCE || ticks > MOST_SECONDS * 100 || peak > MOST_KB {
            child.kill().unwrap();
            child.wait().unwrap();
            panic!("{arguments:?}: {:?}, {ticks} ticks, {peak} KB", begun.elapsed());
        }
        sleep(Duration::from_millis(5));
    };
    let read = |mut file: fs::File| {
        use std::io::{Read, Seek};
        let mut bytes = Vec::new();
        file.rewind().unwrap();
        file.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).unwrap()
    };
    let ended = Ended { code: status.code(), stdout: read(out), stderr: read(err), peak, ticks };
    assert!(!ended.stderr.contains("panicked"), "{}", ended.stderr);
    assert!(ended.code.is_some(), "ended by a signal: {status:?}");
    ended
}

/// The most memory that a process has held; where the system says so.
fn peak_kb(child: &Child) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// What a process and its threads have computed, in clock ticks, a hundred a second.
fn ticks_used(child: &Child) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", child.id())).ok()?;
    // The name of the program stands in parentheses and may hold anything.
    let mut fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    Some(fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?)
}

const MANIFEST: (&str, &str) = ("Cargo.toml", "[package]\nname = 'depot'\nedition = '2021'\n");

/// One file of this text beside a racy one, which must be found whatever the other holds.
fn beside(text: &str) -> Ended {
    let place = Place::new(&[MANIFEST, ("src/lib.rs", RACY), ("src/odd.rs", text)]);
    let ended = watched(&place, &["check", "--format", "short", "--pedantic"]);
    assert!(ended.stdout.contains("src/lib.rs:7:5: error[atomic-load-then-store]"), "{ended:?}");
    ended
}

/// Shapes that nest or chain: what stands before, each level's start, the innermost, each level's end, what stands after.
type Shape = (&'static str, [&'static str; 5]);

fn repeated([before, part, middle, end, after]: [&str; 5], times: usize) -> String {
    [before, &part.repeat(times), middle, &end.repeat(times), after].concat()
}

const SHAPES: &[Shape] = &[
    ("parentheses", ["fn f() { let a = ", "(", "1", ")", "; }"]),
    ("parentheses never closed", ["fn f() { let a = ", "(", "", "", ""]),
    ("blocks", ["fn f() ", "{", "", "}", ""]),
    ("not", ["fn f() { let a = ", "!", "true", "", "; }"]),
    ("references", ["fn f() { let a = ", "&", "b", "", "; }"]),
    ("sums", ["fn f() { let a = 1", " + 1", "", "", "; }"]),
    ("methods", ["fn f() { let a = b", ".b()", "", "", "; }"]),
    ("generics", ["fn f(a: ", "Vec<", "u8", ">", ") {}"]),
    ("closures", ["fn f() { let a = ", "|a| ", "1", "", "; }"]),
    ("else if", ["fn f() { if a {}", " else if b {}", "", "", "}"]),
    ("modules", ["", "mod a {", "", "}", ""]),
    ("uses", ["use ", "a::{", "b", "}", ";"]),
    ("patterns", ["fn f() { let ", "Some(", "a", ")", " = b; }"]),
    ("a macro's parentheses", ["fn f() { m!(", "(", "", ")", "); }"]),
    ("a macro's else if", ["fn f() { m!(if a {}", " else if b {}", "", "", "); }"]),
    ("a macro's sums", ["fn f() { m!(1", " + 1", "", "", "); }"]),
    ("a macro's closures", ["macro_rules! m { () => { ", "|a| ", "1", "", " } }"]),
    ("tries", ["fn f() { let a = b", "?", "", "", "; }"]),
    ("calls", ["fn f() { let a = ", "b(", "1", ")", "; }"]),
    ("ifs", ["fn f() { ", "if a { ", "", "} ", "}"]),
    ("matches", ["fn f() { ", "match a { _ => ", "1", "} ", "}"]),
    ("arrays", ["fn f() { let a = ", "[", "1", "]", "; }"]),
    ("tuples", ["fn f() { let a = ", "(1,", "1", ")", "; }"]),
    ("returns", ["fn f() { let a = ", "return ", "1", "", "; }"]),
    ("assignments", ["fn f() { ", "a = ", "1", "", "; }"]),
    ("referenced patterns", ["fn f() { let ", "&", "a", "", " = b; }"]),
    ("literals of structs", ["fn f() { let a = ", "A { a: ", "1", "}", "; }"]),
    ("functions", ["", "fn a() {", "", "}", ""]),
    ("attributes", ["#[a(", "a(", "", ")", ")] fn f() {}"]),
    ("macros", ["fn f() { ", "m!(", "", ")", "; }"]),
    ("formats", ["fn f() { ", "format!(\"{}\", ", "1", ")", "; }"]),
    ("a macro's not", ["fn f() { m!(", "!", "a", "", "); }"]),
    ("a macro's references", ["fn f() { m!(", "&", "a", "", "); }"]),
    ("a macro's methods", ["fn f() { m!(a", ".b()", "", "", "); }"]),
    ("a macro's generics", ["fn f() { m!(let a: ", "Vec<", "u8", ">", "; ); }"]),
    ("a macro's blocks", ["fn f() { m!(", "{", "", "}", "); }"]),
];

#[test]
fn what_nests_two_hundred_thousand_deep_is_refused() {
    for (what, shape) in SHAPES {
        let ended = beside(&repeated(*shape, 200_000));
        assert!(ended.stdout.contains("src/odd.rs:1:1: note[unparsable-source]"), "{what}: {}", ended.stdout);
    }
    // Comments may nest as they like.
    beside(&repeated(["", "/*", "", "*/", "fn f() {}"], 200_000));
}

#[test]
fn what_nests_almost_too_deep_overflows_no_stack() {
    // Of each shape one file near the bound of tokens, and one on either side.
    for (what, shape) in SHAPES {
        for times in [3_900, 7_900, 15_900] {
            let ended = beside(&repeated(*shape, times));
            println!("{what} {times}: {} ticks, {} KB", ended.ticks, ended.peak);
        }
    }
}

#[test]
fn sql_of_any_size_and_depth_is_looked_at_or_left() {
    let query = |sql: String| format!("async fn f(p: sqlx::PgPool) {{ sqlx::query(\"{sql}\").execute(&p).await; }}");
    let nested = |open: &str, middle: &str, close: &str, times: usize| {
        query([&open.repeat(times), middle, &close.repeat(times)].concat())
    };
    for text in [
        nested("(", "SELECT 1", ")", 200_000),
        nested("SELECT a FROM (", "SELECT 1", ")", 5_000),
        nested("SELECT CASE WHEN a THEN ", "1", " END", 10_000),
        nested("SELECT a FROM t WHERE NOT ", "a", "", 20_000),
        query(format!("SELECT a FROM t WHERE a = 1{}", " AND a = 1".repeat(20_000))),
        query(format!("SELECT 1{}", " UNION SELECT 1".repeat(10_000))),
        query(format!("INSERT INTO t (a) VALUES {}(1)", "(1), ".repeat(250_000))),
        query(format!("SELECT '{}'", "x".repeat(1 << 20))),
        query("SELECT '".to_owned()),
        query("SELECT \\\"".to_owned()),
        query("UPDATE t SET a = $$".to_owned()),
        query("/* ".repeat(100_000)),
    ] {
        beside(&text);
    }
}

#[test]
fn migrations_of_any_size_depth_and_form_are_read_or_listed() {
    let wide: String = (0..20_000).map(|n| format!("column_{n} INT CHECK (column_{n} > 0),")).collect();
    for sql in [
        format!("CREATE TABLE t ({wide} id INT PRIMARY KEY);"),
        format!("CREATE TABLE t (a INT CHECK ({}a{}));", "(".repeat(100_000), ")".repeat(100_000)),
        "CREATE TABLE t (".repeat(20_000),
        "CREATE TABLE t (a INT); DROP TABLE t;".repeat(20_000),
        format!("INSERT INTO t VALUES ('{}');", "x".repeat(3 << 20)),
        "CREATE FUNCTION f() AS $$ BEGIN; $".to_owned(),
        "ALTER TABLE t ADD CONSTRAINT c CHECK (a IN (".to_owned(),
        "CREATE TABLE t (a INT REFERENCES t REFERENCES t REFERENCES (((".to_owned(),
        "\u{feff}CREATE TABLE \"\u{1b}[2J\" (\"\u{0}\" INT);".to_owned(),
        "'".to_owned(),
    ] {
        let place = Place::new(&[MANIFEST, ("src/lib.rs", RACY), ("migrations/1_first.sql", &sql)]);
        let ended = watched(&place, &["check", "--format", "short"]);
        assert!(ended.code == Some(1) && ended.stdout.contains("atomic-load-then-store"), "{ended:?}");
        assert!(!watched(&place, &["schema"]).stdout.contains('\u{1b}'));
    }
    let place = Place::new(&[MANIFEST, ("src/lib.rs", RACY)]);
    place.write("migrations/1_latin.sql", b"CREATE TABLE caf\xe9 (id INT);");
    let ended = watched(&place, &["check", "--format", "short"]);
    assert!(ended.stdout.contains("migrations/1_latin.sql: skipped: not UTF-8"), "{ended:?}");
}

#[test]
fn files_of_any_size_and_encoding_are_read_or_listed() {
    let place = Place::new(&[MANIFEST, ("src/lib.rs", RACY)]);
    let long = format!("fn f() {{ let a = \"{}\"; }}", "x".repeat(5 << 20));
    place.write("src/huge.rs", "fn f() {}\n".repeat(5 << 20).as_bytes());
    place.write("src/line.rs", long.as_bytes());
    place.write("src/wide.rs", format!("fn f() {{ let a = \"{}\"; }}", "ü".repeat(3 << 19)).as_bytes());
    place.write("src/nul.rs", b"fn f() {\0}");
    place.write("src/latin.rs", b"// caf\xe9");
    place.write("src/utf16.rs", b"\xff\xfef\0n\0");
    place.write("src/bom.rs", format!("\u{feff}{}", RACY.replace("hit", "bom")).as_bytes());
    place.write("src/crlf.rs", RACY.replace("hit", "crlf").replace('\n', "\r\n").as_bytes());
    place.write("src/cr.rs", RACY.replace("hit", "cr").replace('\n', "\r").as_bytes());
    place.write("src/empty.rs", b"");
    place.write("src/space.rs", b" \n\t\n");
    place.write("src/comment.rs", b"// Nothing.");
    place.write("src/open.rs", b"/* never closed \"");
    place.write("src/quote.rs", b"fn f() { r##\"");
    let ended = watched(&place, &["check", "--format", "short"]);
    for line in [
        "src/bom.rs:7:5: error[atomic-load-then-store]",
        "src/crlf.rs:7:5: error[atomic-load-then-store]",
        "src/huge.rs: skipped: larger than 4 MB",
        "src/line.rs: skipped: larger than 4 MB",
        "src/latin.rs: skipped: not UTF-8 at byte 6",
        "src/utf16.rs: skipped: UTF-16",
        "src/nul.rs: skipped:",
        "src/open.rs: skipped:",
        "src/quote.rs: skipped:",
    ] {
        assert!(ended.stdout.contains(line), "no {line} in {}", ended.stdout);
    }
    for quiet in ["empty", "space", "comment", "wide"] {
        assert!(!ended.stdout.contains(&format!("src/{quiet}.rs: skipped")), "{}", ended.stdout);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_never_opened() {
    use std::os::unix::fs::symlink;
    let place = Place::new(&[MANIFEST, ("src/lib.rs", RACY), ("elsewhere/secret.rs", RACY)]);
    let path = |name: &str| place.root().join(name);
    assert!(std::process::Command::new("mkfifo").arg(path("src/fifo.rs")).status().unwrap().success());
    let _socket = std::os::unix::net::UnixListener::bind(path("src/socket.rs")).unwrap();
    symlink("/dev/zero", path("src/device.rs")).unwrap();
    symlink("nowhere.rs", path("src/dangling.rs")).unwrap();
    symlink("loop.rs", path("src/loop.rs")).unwrap();
    symlink("..", path("src/up")).unwrap();
    symlink("/", path("src/root")).unwrap();
    symlink("../elsewhere/secret.rs", path("src/out.rs")).unwrap();
    fs::create_dir(path("src/folder.rs")).unwrap();
    let ended = watched(&place, &["check", "src", "--format", "short"]);
    assert_eq!(ended.stdout.matches("error[atomic-load-then-store]").count(), 1, "{}", ended.stdout);
    for (name, reason) in [
        ("fifo", "not a regular file"),
        ("socket", "not a regular file"),
        ("device", "a symbolic link"),
        ("dangling", "a symbolic link"),
        ("loop", "a symbolic link"),
        ("out", "a symbolic link"),
    ] {
        assert!(ended.stdout.contains(&format!("src/{name}.rs: skipped: {reason}")), "{name}: {}", ended.stdout);
    }
    // Given by name, they are looked at, and still not opened.
    for name in ["src/fifo.rs", "src/socket.rs", "src/device.rs"] {
        let ended = watched(&place, &["check", name, "--format", "short"]);
        assert!(ended.stdout.contains("skipped: ") || ended.stderr.contains("neither"), "{name}: {ended:?}");
    }
    for (option, name) in [("--config", "src/fifo.rs"), ("--config", "src/device.rs"), ("--baseline", "src/fifo.rs")] {
        assert_eq!(watched(&place, &["check", option, name]).code, Some(2), "{option} {name}");
    }
    assert_eq!(watched(&place, &["check", "src/loop.rs"]).code, Some(2));
    // Standard input that never ends.
    let endless = fs::File::open("/dev/zero").unwrap();
    let ended = watched_with(&place, &["check", "-", "--stdin-filename", "src/lib.rs"], endless.into());
    assert!(ended.code == Some(2) && ended.stderr.contains("larger than 4 MB"), "{ended:?}");
}

#[test]
fn files_that_come_go_and_grow_during_the_run_do_no_harm() {
    let place = Place::new(&[MANIFEST, ("src/lib.rs", RACY)]);
    (0..100).for_each(|n| place.write(&format!("src/f{n}.rs"), RACY.as_bytes()));
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in (0..100).cycle().take_while(|_| !over.load(Ordering::Relaxed)) {
                let path = place.root().join(format!("src/f{n}.rs"));
                let _ = fs::remove_file(&path);
                let _ = fs::write(&path, RACY.repeat(n % 9));
            }
        });
        for _ in 0..3 {
            let ended = watched(&place, &["check", "--format", "short"]);
            assert!(ended.code == Some(1) && ended.stdout.contains("src/lib.rs:7:5"), "{}", ended.stderr);
        }
        over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn twenty_thousand_small_files_are_read() {
    let place = Place::new(&[MANIFEST, ("src/lib.rs", RACY)]);
    for folder in 0..20 {
        let below = place.root().join(format!("src/m{folder}"));
        fs::create_dir(&below).unwrap();
        (0..1000)
            .for_each(|n| fs::write(below.join(format!("f{n}.rs")), format!("pub fn f{folder}_{n}() {{}}\n")).unwrap());
    }
    let ended = watched(&place, &["check", "--format", "json"]);
    assert!(ended.code == Some(1) && ended.stdout.contains("\"files\": 20001"), "{}", ended.stderr);
}

#[test]
fn settings_of_any_size_and_depth_are_read_or_refused() {
    let place = Place::new(&[("src/lib.rs", RACY)]);
    let deep = format!("a = {}{}", "[".repeat(200_000), "]".repeat(200_000));
    let dotted = format!("{}a = 1", "a.".repeat(100_000));
    let tables: String = (0..50_000).map(|n| format!("[t{n}]\na = 1\n")).collect();
    let names = format!("ignore = [{}]", "'memory',".repeat(200_000));
    for text in [&deep, &dotted, &tables, &names, "ignore = ['", "\u{0}", "\u{feff}ignore = []", "a = 1\na = 2"] {
        for name in ["racelint.toml", "Cargo.toml"] {
            place.write(name, text.as_bytes());
            let ended = watched(&place, &["check", "--format", "short"]);
            assert!(
                ended.code.is_some_and(|code| code < 3),
                "{name} {}: {}",
                &text[..10.min(text.len())],
                ended.stderr
            );
            assert!(ended.stderr.len() < 4096, "{name}: {} bytes of error", ended.stderr.len());
            fs::remove_file(place.root().join(name)).unwrap();
        }
        place.write("models.toml", text.as_bytes());
        place.write("racelint.toml", b"models = ['models.toml']\n");
        assert!(watched(&place, &["check"]).code.is_some_and(|code| code < 3));
        fs::remove_file(place.root().join("racelint.toml")).unwrap();
    }
    for text in [&"[".repeat(200_000), "{\"version\": 1, \"findings\": [", "", "null", "\u{feff}{}"] {
        place.write("b.json", text.as_bytes());
        assert_eq!(watched(&place, &["check", "--baseline", "b.json"]).code, Some(2));
    }
    place.write("huge.toml", " ".repeat(50 << 20).as_bytes());
    assert_eq!(watched(&place, &["check", "--config", "huge.toml"]).code, Some(2));
}

#[cfg(unix)]
#[test]
fn names_steer_no_terminal_and_give_no_command() {
    let odd = "a\u{1b}[2J\u{7}\r\n::error::x\u{202e}%0A##[add-path]y'\"<&>.rs";
    let table = "CREATE TABLE \"t\u{1b}[31m\n::error::t\" (id INT PRIMARY KEY, n INT);";
    let text = RACY.replace("HITS", "ÖRTER") + "\n// racelint: allow(\u{1b}[2J::error::) -- \u{202e}x\nfn g() {}\n";
    let place =
        Place::new(&[MANIFEST, ("src/lib.rs", RACY), (&format!("src/{odd}"), &text), ("migrations/1.sql", table)]);
    place.write(&format!("src/not text {odd}"), b"\xff");
    let formats = ["human", "short", "json", "sarif", "github", "gitlab", "junit", "checklist", "cargo"];
    let runs = formats.map(|format| vec!["check", "--pedantic", "--format", format]);
    let more = [
        &["schema"] as &[&str],
        &["events"],
        &["events", "--stats"],
        &["check", "--fix"],
        &["check", "--diff"],
        &["check", "\u{1b}[2Jx"],
    ];
    for arguments in runs.iter().map(Vec::as_slice).chain(more) {
        let ended = watched(&place, arguments);
        for text in [&ended.stdout, &ended.stderr] {
            let bad = text.find(|c: char| c.is_control() && c != '\n' && c != '\t' || c == '\u{202e}');
            assert!(bad.is_none(), "{arguments:?}: {:?}", bad.map(|at| &text[at.saturating_sub(60)..at + 2]));
            let commands = text.lines().filter(|line| line.trim_start().starts_with("::"));
            let ours = |line: &str| arguments.contains(&"github") && (line.contains(",title=racelint%3A "));
            assert_eq!(commands.filter(|line| !ours(line)).collect::<Vec<_>>(), Vec::<&str>::new(), "{arguments:?}");
        }
    }
}

const ATOMIC: &str =
    "use std::sync::atomic::{AtomicU64, Ordering::SeqCst};\nstatic A: AtomicU64 = AtomicU64::new(0);\n";

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (0..count).map(line).collect()
}

#[test]
fn long_functions_take_time_in_keeping() {
    for (what, body) in [
        ("statements", lines(50_000, |n| format!("a{} = b;\n", n % 7))),
        ("calls", lines(20_000, |n| format!("g({n});\n"))),
        (
            "early returns",
            lines(2_000, |n| format!("if A.load(SeqCst) == {n} {{ return; }}\n")) + "A.store(1, SeqCst);",
        ),
        ("checks and acts", lines(2_000, |_| "let v = A.load(SeqCst); A.store(v + 1, SeqCst);\n".to_owned())),
        (
            "branches",
            "let v = 0;".to_owned()
                + &lines(3_000, |n| format!("let v = if x {{ A.load(SeqCst) }} else {{ v + {n} }};\n")),
        ),
        ("values", "let v = A.load(SeqCst);".to_owned() + &"let v = v + v;".repeat(5_000) + "A.store(v, SeqCst);"),
        (
            "arms",
            "match A.load(SeqCst) {".to_owned()
                + &lines(10_000, |n| format!("{n} => A.store({n}, SeqCst),\n"))
                + "_ => {} }",
        ),
        ("guards", lines(3_000, |n| format!("let g{n} = m.lock().unwrap();\n"))),
        (
            "queries",
            lines(500, |n| {
                format!(
                    "let a = sqlx::query_scalar(\"SELECT n FROM t{0} WHERE id = $1\").bind(1).fetch_one(&p).await?; sqlx::query(\"UPDATE t{0} SET n = $1 WHERE id = $2\").bind(a + 1).bind(1).execute(&p).await?;\n",
                    n % 100
                )
            }),
        ),
    ] {
        let head =
            "async fn f(x: bool, a0: u32, m: &std::sync::Mutex<u32>, p: sqlx::PgPool) -> Result<(), sqlx::Error> {\n";
        let ended = beside(&format!("{ATOMIC}{head}{body}\n}}\n"));
        println!("{what}: {} ticks, {} KB", ended.ticks, ended.peak);
    }
}

#[test]
fn many_functions_that_call_each_other_take_time_in_keeping() {
    let act = "if A.load(SeqCst) == 0 { A.store(1, SeqCst); }";
    for (what, text) in [
        (
            "in circles",
            lines(5_000, |n| format!("fn f{n}() {{ {act} f{}(); f{}(); }}\n", (n + 1) % 5_000, (n * 7 + 3) % 5_000)),
        ),
        ("in a chain", lines(5_000, |n| format!("fn f{n}() {{ A.store({n}, SeqCst); f{}(); }}\n", n + 1))),
        (
            "twice each",
            lines(2_000, |n| format!("fn f{n}() {{ f{0}(); f{0}(); }}\n", n + 1)) + &format!("fn f2000() {{ {act} }}"),
        ),
        (
            "through a trait",
            "trait T { fn go(&self); }".to_owned()
                + &lines(3_000, |n| {
                    format!("struct S{n}; impl T for S{n} {{ fn go(&self) {{}} }}\nfn f{n}(t: &dyn T) {{ t.go(); }}\n")
                }),
        ),
        (
            "aliases in a circle",
            lines(3_000, |n| format!("type A{n} = A{};\n", (n + 1) % 3_000)) + "fn f(a: A0) { a.b(); }",
        ),
        (
            "types that double",
            lines(3_000, |n| format!("type B{n} = (B{0}, B{0});\n", n + 1)) + "fn f(a: B0) { a.b(); }",
        ),
        ("globs in a circle", lines(3_000, |n| format!("mod m{n} {{ pub use super::m{}::*; }}\n", (n + 1) % 3_000))),
    ] {
        let ended = beside(&format!("{ATOMIC}{text}\n"));
        println!("{what}: {} ticks, {} KB", ended.ticks, ended.peak);
    }
}
