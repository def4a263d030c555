//! What earlier runs found changes nothing but the time that a run takes, whatever has become of it meanwhile.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::place::{Done, Place, RACY, command, done};

/// racelint in a folder, with a cache.
fn cached(folder: &Path, cache: &Path) -> Command {
    let mut command = command(folder);
    command.env_remove("RACELINT_NO_CACHE").env("RACELINT_CACHE_DIR", cache);
    command
}

fn run(place: &Place, cache: &Path, arguments: &[&str], stdin: &[u8]) -> Done {
    done(cached(place.root(), cache).args(arguments), stdin)
}

fn entries(cache: &Path) -> Vec<PathBuf> {
    let listed = fs::read_dir(cache.join("entries")).into_iter().flatten();
    let mut paths: Vec<_> = listed.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

const MANIFEST: &str = "[package]\nname = 'depot'\nedition = '2024'\n";
/// A fix, a finding of low confidence, suppressions that keep something out and nothing, and some functions more.
const MIXED: &str = "\
use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

static SEEN: AtomicU64 = AtomicU64::new(0);
pub fn see() {
    let seen = SEEN.load(Ordering::SeqCst);
    // racelint: allow(atomic-load-then-store) -- one thread counts
    SEEN.store(seen + 1, Ordering::SeqCst);
}

// racelint: allow(map-check-then-act) -- nothing here does
pub fn book(seats: &Mutex<HashMap<u32, String>>, seat: u32, who: String) {
    if !seats.lock().unwrap().contains_key(&seat) {
        seats.lock().unwrap().insert(seat, who);
    }
}

pub fn clear(path: &std::path::Path) {
    if path.exists() {
        std::fs::remove_file(path).unwrap();
    }
}
";

fn mixed() -> Place {
    let place = Place::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", RACY),
        ("src/mixed.rs", MIXED),
        ("src/odd.rs", "fn odd( {"),
        ("migrations/1.sql", "CREATE TABLE t (id INT PRIMARY KEY);\nCREATE TABLE (;\n"),
        ("racelint.toml", "[[overrides]]\npaths = ['src/mixed.rs']\nignore = ['database']\n"),
    ]);
    place.git(&["init", "--quiet"]);
    place.git(&["add", "."]);
    place.git(&["commit", "--quiet", "--message", "start"]);
    place.write("src/lib.rs", RACY.replace("// Counts.", "// Counts hits.").as_bytes());
    place.git(&["add", "."]);
    place.write("src/mixed.rs", MIXED.replace("who: String", "name: String").replace(", who)", ", name)").as_bytes());
    let baseline = place.run(&["check", "--write-baseline", "--baseline", "known.json", "src/lib.rs"]);
    assert_eq!(baseline.code, 0, "{baseline:?}");
    place
}

/// Every option that has to do with what is found, on one cache for all of them: what one leaves there another uses.
#[test]
fn with_every_option_a_cache_changes_nothing() {
    let place = mixed();
    let cache = tempfile::tempdir().unwrap();
    let matrix: &[&[&str]] = &[
        &[],
        &["--pedantic"],
        &["--min-confidence", "high"],
        &["--select", "memory"],
        &["--select", "unused-suppression,filesystem"],
        &["--ignore", "memory"],
        &["--baseline", "known.json"],
        &["--since", "HEAD"],
        &["--staged"],
        &["src/lib.rs"],
        &["src"],
        &["--no-config"],
        &["--fail-on", "never", "--statistics"],
        &["--jobs", "1"],
        &["--diff"],
        &["--diff", "--unsafe-fixes"],
        &["-", "--stdin-filename", "src/mixed.rs"],
    ];
    let formats = ["human", "json", "sarif", "github", "gitlab", "junit", "checklist", "cargo"];
    let formats: Vec<_> = formats.iter().map(|format| ["--format", format]).collect();
    for options in matrix.iter().copied().chain(formats.iter().map(|format| format.as_slice())) {
        let json = ["--format", "json"];
        let plain = options.contains(&"--diff") || options.contains(&"--format");
        let arguments = [&["check"] as &[&str], options, if plain { &[] } else { &json }].concat();
        let none = place.run_with(&arguments, MIXED.as_bytes());
        for state in ["first", "second"] {
            let with = run(&place, cache.path(), &arguments, MIXED.as_bytes());
            assert_eq!(with, none, "{arguments:?}, {state}");
        }
    }
    // Of all these runs only five read something that no other did: everything, what is staged, what is typed, and what fixing, safe or not, makes of it.
    let kept = entries(cache.path()).len();
    assert!((3..=8).contains(&kept), "{kept} entries");
}

/// The next of a fixed row of numbers that look like chance.
struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % end
    }
}

/// Pieces of files that bear on each other: a check in one, its act in another, a lock around both, a helper that may be gone.
const PIECES: &[&str] = &[
    "pub fn piece() -> u64 { crate::TOTAL.load(std::sync::atomic::Ordering::SeqCst) }\n",
    "pub fn bump(by: u64) { crate::TOTAL.store(by, std::sync::atomic::Ordering::SeqCst); }\n",
    "pub fn grow() { let now = crate::f0::piece(); crate::f1::bump(now + 1); }\n",
    "pub fn twice() { let now = crate::f2::piece(); crate::f2::bump(now * 2); }\n",
    "// racelint: allow(atomic-load-then-store) -- one thread\npub fn quiet() { let now = crate::f0::piece(); crate::f1::bump(now + 2); }\n",
    "pub struct Book { pub names: std::sync::Mutex<Vec<String>> }\n",
    "pub fn note(book: &crate::f3::Book, name: String) { if book.names.lock().unwrap().is_empty() { book.names.lock().unwrap().push(name); } }\n",
    "\n\n// A comment that only moves things.\n",
    "fn broken( {\n",
    "pub fn gone(path: &str) { if std::path::Path::new(path).exists() { std::fs::remove_file(path).unwrap(); } }\n",
];
const ROOT: &str = "pub static TOTAL: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);\npub mod f0;\npub mod f1;\npub mod f2;\npub mod f3;\n";

/// Changes one file at random: more, fewer or other pieces, another edition, a file that goes or comes.
fn edit(place: &Place, files: &mut [Vec<usize>; 4], chance: &mut Chance) {
    let number = chance.below(files.len());
    let pieces = &mut files[number];
    match chance.below(10) {
        0 => place.write("Cargo.toml", MANIFEST.replace("2024", ["2018", "2021"][chance.below(2)]).as_bytes()),
        1 => place.write("src/extra.rs", PIECES[chance.below(PIECES.len())].as_bytes()),
        2 if place.root().join("src/extra.rs").exists() => {
            fs::remove_file(place.root().join("src/extra.rs")).unwrap();
        }
        3..=5 if !pieces.is_empty() => drop(pieces.remove(chance.below(pieces.len()))),
        _ => pieces.insert(chance.below(pieces.len() + 1), chance.below(PIECES.len())),
    }
    let text: String = files[number].iter().map(|&piece| PIECES[piece]).collect();
    place.write(&format!("src/f{number}.rs"), text.as_bytes());
}

#[test]
fn after_any_edit_a_cache_changes_nothing() {
    let place = Place::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", ROOT)]);
    let cache = tempfile::tempdir().unwrap();
    let mut files: [Vec<usize>; 4] = [vec![0], vec![1], vec![0, 1, 2, 3], vec![4, 5, 6]];
    let mut chance = Chance(7);
    (0..4).for_each(|_| edit(&place, &mut files, &mut chance));
    let (mut seen, mut last) = (std::collections::BTreeSet::new(), files.clone());
    for step in 0..24 {
        // Now and then an edit is taken back, and what an earlier run found holds again.
        if step % 6 == 5 {
            files = last.clone();
        } else {
            last = files.clone();
        }
        edit(&place, &mut files, &mut chance);
        let arguments = ["check", "--format", "json", "--pedantic"];
        let none = place.run(&arguments);
        for state in ["first", "second"] {
            assert_eq!(run(&place, cache.path(), &arguments, b""), none, "step {step}, {state}: {files:?}");
        }
        seen.insert(none.stdout);
    }
    assert!(seen.len() > 8, "the edits show {} different reports", seen.len());
}

#[test]
fn what_is_wrong_with_a_cache_is_as_if_there_were_none() {
    let place = Place::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", RACY)]);
    let cache = tempfile::tempdir().unwrap();
    let arguments = ["check", "--format", "json"];
    let none = place.run(&arguments);
    assert_eq!(none.code, 1);
    let same = |what: &str| assert_eq!(run(&place, cache.path(), &arguments, b""), none, "{what}");
    same("cold");
    let path = entries(cache.path()).pop().unwrap();
    let whole = fs::read(&path).unwrap();
    let mut wrong: Vec<(String, Vec<u8>)> = vec![
        ("empty".to_owned(), Vec::new()),
        ("longer".to_owned(), [whole.as_slice(), b"x"].concat()),
        ("text".to_owned(), b"not an entry".to_vec()),
    ];
    for at in [0, 7, 8, 9, 20, 25, 33, 40, whole.len() / 2, whole.len() - 1] {
        wrong.push((format!("cut at {at}"), whole[..at].to_vec()));
        let mut other = whole.clone();
        other[at] ^= 0x55;
        wrong.push((format!("other at {at}"), other));
    }
    for (what, bytes) in wrong {
        fs::write(&path, &bytes).unwrap();
        same(&what);
        assert!(fs::read(&path).unwrap() == whole, "{what}: the entry is not mended");
    }
    place.write("src/lib.rs", b"fn other() {}\n");
    run(&place, cache.path(), &arguments, b"");
    let other = entries(cache.path()).into_iter().find(|entry| *entry != path).unwrap();
    fs::copy(&other, &path).unwrap();
    place.write("src/lib.rs", RACY.as_bytes());
    same("the entry of other sources");

    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    same("a folder in the place of the entry");
    assert_eq!(entries(cache.path()).iter().filter(|path| path.extension().is_some()).count(), 0, "something is left");
    fs::remove_dir(&path).unwrap();
    #[cfg(unix)]
    {
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        same("a pipe in the place of the entry");
        fs::remove_file(&path).unwrap();
    }
    fs::remove_dir_all(cache.path().join("entries")).unwrap();
    fs::write(cache.path().join("entries"), "").unwrap();
    same("a file in the place of the entries");
    let file = cache.path().join("file");
    fs::write(&file, "").unwrap();
    for (what, folder) in
        [("a file", file.clone()), ("below a file", file.join("cache")), ("no disk", "/proc/none".into())]
    {
        assert_eq!(run(&place, &folder, &arguments, b""), none, "{what}");
    }
}

#[test]
fn fixes_are_those_of_the_text_that_is_there() {
    let stale = "fn one() {\n    // racelint: allow(map-check-then-act) -- no more\n    ok();\n}\n";
    let place = Place::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", stale)]);
    let cache = tempfile::tempdir().unwrap();
    let check = || run(&place, cache.path(), &["check", "--format", "short"], b"").stdout;
    assert!(check().starts_with("src/lib.rs:2"));
    // As long as the first text and as old.
    let path = place.root().join("src/lib.rs");
    let time = fs::metadata(&path).unwrap().modified().unwrap();
    let moved = "fn one() {\n    ok();\n    // racelint: allow(map-check-then-act) -- no more\n}\n";
    assert_eq!(moved.len(), stale.len());
    place.write("src/lib.rs", moved.as_bytes());
    fs::File::options().append(true).open(&path).unwrap().set_modified(time).unwrap();
    assert_eq!(run(&place, cache.path(), &["check", "--fix", "--quiet"], b"").code, 0);
    assert_eq!(place.read("src/lib.rs"), "fn one() {\n    ok();\n}\n");
    // What a run leaves for a text is right for it when the text comes back, and where it does not fit it is not asked for.
    for (before, after) in [
        (stale.to_owned(), "fn one() {\n    ok();\n}\n".to_owned()),
        (format!("// é\n{stale}"), "// é\nfn one() {\n    ok();\n}\n".to_owned()),
        (stale.replace('\n', "\r\n"), "fn one() {\r\n    ok();\r\n}\r\n".to_owned()),
        (stale.to_owned(), "fn one() {\n    ok();\n}\n".to_owned()),
    ] {
        place.write("src/lib.rs", before.as_bytes());
        assert_eq!(run(&place, cache.path(), &["check", "--fix", "--quiet"], b"").code, 0);
        assert_eq!(place.read("src/lib.rs"), after);
    }
}

#[test]
fn runs_at_the_same_time_share_a_cache() {
    let place = mixed();
    let cache = tempfile::tempdir().unwrap();
    let arguments = ["check", "--format", "json"];
    let none = place.run(&arguments).stdout;
    for _ in 0..2 {
        let start = |_| cached(place.root(), cache.path()).args(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let running: Vec<_> = (0..6).map(start).collect();
        for child in running {
            assert!(child.wait_with_output().unwrap().stdout == none.as_bytes());
        }
        assert_eq!(entries(cache.path()).len(), 1);
    }
}

#[test]
fn models_and_options_that_change_what_is_found_are_told_apart() {
    let place =
        Place::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", RACY), ("racelint.toml", "models = ['m.toml']\n")]);
    let cache = tempfile::tempdir().unwrap();
    let model = "library = 'own'\n";
    place.write("m.toml", model.as_bytes());
    let check = |arguments: &[&str]| run(&place, cache.path(), arguments, b"");
    assert_eq!(check(&["check"]).code, 1);
    assert_eq!(entries(cache.path()).len(), 1);
    // Rows that cannot be read are refused although the sources are known.
    place.write("m.toml", b"library = 'own'\n[[calls]]\npth = 'x'\n");
    let refused = check(&["check"]);
    assert!(refused.code == 2 && refused.stderr.contains("m.toml:2"), "{refused:?}");
    place.write("m.toml", format!("{model}# more\n").as_bytes());
    assert_eq!(check(&["check"]).code, 1);
    assert_eq!(entries(cache.path()).len(), 2);
    assert_eq!(check(&["check", "--no-cache", "--no-config"]).code, 1);
    assert_eq!(entries(cache.path()).len(), 2);
    assert_eq!(check(&["check", "--no-config"]).code, 1);
    assert_eq!(entries(cache.path()).len(), 3);
}

#[test]
fn the_cache_lies_where_it_is_said_to() {
    let place = Place::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", RACY)]);
    place.git(&["init", "--quiet"]);
    place.git(&["add", "."]);
    let home = tempfile::tempdir().unwrap();
    let dir = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = command(place.root());
        command.env_remove("RACELINT_NO_CACHE").env_remove("XDG_CACHE_HOME").env("HOME", home.path());
        command.env("LOCALAPPDATA", home.path()).envs(variables.iter().copied());
        let check = done(command.args(["check", "--format", "short"]).args(arguments), b"");
        assert_eq!(check.code, 1, "{check:?}");
        let mut ask = std::process::Command::new(command.get_program());
        ask.current_dir(place.root()).env_remove("XDG_CACHE_HOME").env("HOME", home.path());
        ask.env("LOCALAPPDATA", home.path()).envs(variables.iter().copied());
        PathBuf::from(done(ask.args(["cache", "dir"]).args(arguments), b"").stdout.trim_end())
    };
    let user = dir(&[], &[("RACELINT_CACHE_DIR", "")]);
    assert!(user.starts_with(home.path()) && entries(&user).len() == 1, "{user:?}");
    let root = place.root().canonicalize().unwrap();
    place.write("racelint.toml", b"cache-dir = 'kept/configured'\n");
    place.git(&["add", "."]);
    for (arguments, variables, wanted) in [
        (&[] as &[&str], &[] as &[(&str, &str)], "kept/configured"),
        (&[], &[("RACELINT_CACHE_DIR", "kept/variable")], "kept/variable"),
        (&["--cache-dir", "kept/argument"], &[("RACELINT_CACHE_DIR", "kept/variable")], "kept/argument"),
    ] {
        assert_eq!(dir(arguments, variables), root.join(wanted));
        assert_eq!(entries(&root.join(wanted)).len(), 1, "{wanted}");
    }
    // git sees nothing of it, and programs that copy or look through folders are told what it is.
    let status = Command::new("git").args(["status", "--porcelain"]).current_dir(&root).output().unwrap();
    let changed = String::from_utf8(status.stdout).unwrap();
    assert!(!changed.contains("kept"), "{changed}");
    assert!(
        fs::read_to_string(root.join("kept/variable/CACHEDIR.TAG"))
            .unwrap()
            .starts_with("Signature: 8a477f597d28d172789f06886806bc55\n")
    );
}

#[test]
fn cleaning_removes_what_is_racelints_own() {
    let place = Place::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", RACY)]);
    let kept = place.root().join("kept");
    let clean = || place.run(&["cache", "clean", "--cache-dir", "kept"]);
    run(&place, &kept, &["check"], b"");
    let done = clean();
    assert!(done.code == 0 && done.stderr.starts_with("racelint: removed 1 result, "), "{done:?}");
    assert!(!kept.exists());
    assert!(clean().stderr.starts_with("racelint: removed 0 results, 0 kB"));
    // A folder that was there before is somebody's, and so is what else lies in it.
    fs::create_dir(&kept).unwrap();
    place.write("kept/notes.txt", b"mine");
    place.write("kept/entries/notes.txt", b"mine");
    run(&place, &kept, &["check"], b"");
    assert_eq!(entries(&kept).len(), 2);
    assert!(!kept.join(".gitignore").exists() && !kept.join("CACHEDIR.TAG").exists());
    assert_eq!(clean().code, 0);
    assert_eq!((place.read("kept/notes.txt"), place.read("kept/entries/notes.txt")), ("mine".into(), "mine".into()));
    assert_eq!(entries(&kept).len(), 1);
}
