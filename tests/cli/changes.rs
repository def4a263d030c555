//! What counts as new: fingerprints through edits, and what `--since` and `--staged` see in clones and work trees of all kinds.

use crate::place::{Place, RACY, command};
use crate::{FOUND, names, racy};

/// Races whose acts and resources name locals: in SQL, in memory, on disk, in a store.
const SHOP: &str = r#"
use std::path::Path;
use redis::AsyncCommands;

pub struct Shop {
    pool: sqlx::PgPool,
}

impl Shop {
    pub async fn buy(&self, id: i64, quantity: i32) -> Result<(), sqlx::Error> {
        let remaining: i32 = sqlx::query_scalar("SELECT remaining FROM kinds WHERE id = $1").bind(id).fetch_one(&self.pool).await?;
        if remaining < quantity {
            return Ok(());
        }
        let left = remaining - quantity;
        sqlx::query("UPDATE kinds SET remaining = $2 WHERE id = $1").bind(id).bind(left).execute(&self.pool).await?;
        Ok(())
    }
}

pub fn keep(path: &Path, bytes: &[u8]) {
    if !path.exists() {
        std::fs::write(path, bytes).unwrap();
    }
}

pub async fn open(con: &mut redis::aio::MultiplexedConnection, user: &str) -> redis::RedisResult<()> {
    let key = format!("cart:{user}");
    let there: bool = con.exists(&key).await?;
    if !there {
        let _: () = con.set(&key, 1).await?;
    }
    Ok(())
}
"#;

/// The same with other names for locals, moved and laid out anew.
const SHOP_AGAIN: &str = r#"//! A shop.

use redis::AsyncCommands;
use std::path::Path;

pub async fn open(c: &mut redis::aio::MultiplexedConnection, who: &str) -> redis::RedisResult<()> {
    let cart = format!("cart:{who}");
    let known: bool = c
        .exists(&cart)
        .await?;
    if !known {
        let _: () = c
            // For now.
            .set(
                &cart,
                1,
            )
            .await?;
    }
    Ok(())
}

pub fn keep(file: &Path, text: &[u8]) {
    if !file.exists() {
        std::fs::write(
            file, text,
        )
        .unwrap();
    }
}

pub struct Shop {
    pool: sqlx::PgPool,
}

impl Shop {
    pub async fn buy(&self, kind: i64, wanted: i32) -> Result<(), sqlx::Error> {
        let rest: i32 = sqlx::query_scalar(
            "SELECT remaining FROM kinds WHERE id = $1",
        )
        .bind(kind)
        .fetch_one(&self.pool)
        .await?;
        if rest < wanted {
            return Ok(());
        }
        let remaining = rest - wanted;
        sqlx::query(
            "UPDATE kinds SET remaining = $2 WHERE id = $1",
        )
        .bind(kind)
        .bind(remaining)
        .execute(&self.pool)
        .await?;
        Ok(())
    }
}
"#;

#[test]
fn a_baseline_survives_moves_renamed_locals_and_a_formatter() {
    let place = Place::new(&[("Cargo.toml", "[package]\nname = 'shop'\nedition = '2024'\n"), ("src/lib.rs", SHOP)]);
    let before = names(&place.run(&["check", "--format", "json", "--pedantic"]));
    for rule in ["db-lost-update", "fs-check-then-create", "kv-check-then-set"] {
        assert!(before.iter().any(|name| name == rule), "{before:?}");
    }
    place.run(&["check", "--write-baseline", "--pedantic"]);
    place.write("src/lib.rs", SHOP_AGAIN.as_bytes());
    let check = ["check", "--baseline", "racelint-baseline.json", "--format", "json", "--pedantic"];
    let done = place.run(&check);
    assert_eq!((names(&done), done.stderr.as_str()), (Vec::new(), ""), "{done:?}");

    let more = SHOP_AGAIN.replacen("std::fs::write(", "std::fs::File::create(file).unwrap();\nstd::fs::write(", 1);
    place.write("src/lib.rs", more.as_bytes());
    let done = place.run(&check);
    assert_eq!(names(&done), ["fs-check-then-create"], "a race beside a known one is new: {done:?}");
}

#[test]
fn a_baseline_keeps_what_a_narrow_run_did_not_look_for() {
    let place = racy();
    place.run(&["check", "--write-baseline"]);
    place.run(&["check", "--write-baseline", "--select", "database"]);
    assert_eq!(place.run(&["check", "--baseline", "racelint-baseline.json"]).code, 0);
}

fn repository() -> Place {
    let place = Place::new(&[]);
    place.write("main/Cargo.toml", b"[package]\nname = 'depot'\nedition = '2024'\n");
    place.write("main/src/lib.rs", RACY.as_bytes());
    place.git_in("main", &["init", "--quiet", "--initial-branch", "trunk"]);
    place.git_in("main", &["add", "."]);
    place.git_in("main", &["commit", "--quiet", "--message", "start"]);
    place
}

/// The exit code, and what was said on both streams.
fn run_in(place: &Place, folder: &str, arguments: &[&str]) -> (Option<i32>, String) {
    let output = command(&place.root().join(folder)).args(arguments).output().unwrap();
    (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn a_file_that_moved_has_not_changed() {
    let place = repository();
    place.git_in("main", &["config", "diff.renames", "false"]);
    place.git_in("main", &["mv", "src/lib.rs", "src/count.rs"]);
    let inside = |arguments: &[&str]| run_in(&place, "main", arguments);
    for what in [&["--since", "HEAD"] as &[&str], &["--staged"]] {
        assert_eq!(inside(&[&["check", "--quiet"], what].concat()).0, Some(0), "{what:?}");
    }
    let changed = RACY.replace("// Counts.", "// Counts hits.");
    place.write("main/src/count.rs", changed.as_bytes());
    place.git_in("main", &["add", "."]);
    for what in [&["--since", "HEAD"] as &[&str], &["--staged"]] {
        let (code, report) = inside(&[&["check", "--format", "short"], what].concat());
        assert!(code == Some(1) && report.contains("src/count.rs:7:5"), "{report}");
    }
}

#[test]
fn a_work_tree_of_its_own_is_compared_with_its_own_branch() {
    let place = repository();
    place.git_in("main", &["worktree", "add", "--quiet", "../side", "-b", "side"]);
    place.write("side/src/more.rs", RACY.as_bytes());
    let output = |folder: &str, arguments: &[&str]| run_in(&place, folder, arguments);
    let (code, report) = output("side", &["check", "--since", "trunk", "--format", "short"]);
    assert!(code == Some(1) && report.contains("src/more.rs:7:5") && !report.contains(FOUND), "{report}");
    assert_eq!(output("side", &["check", "--staged"]).0, Some(0));
    place.git_in("side", &["add", "."]);
    assert_eq!(output("side", &["check", "--staged"]).0, Some(1));
    // From a folder inside, paths and git agree still.
    assert_eq!(output("side/src", &["check", "--staged"]).0, Some(1));
    assert_eq!(output("main", &["check", "--since", "side"]).0, Some(0));
}

#[test]
fn a_shallow_clone_compares_with_what_it_has_and_says_what_it_lacks() {
    let place = repository();
    place.write("main/src/more.rs", RACY.as_bytes());
    place.git_in("main", &["add", "."]);
    place.git_in("main", &["commit", "--quiet", "--message", "more"]);
    let origin = format!("file://{}", place.root().join("main").display());
    place.git(&["clone", "--quiet", "--depth", "1", &origin, "clone"]);
    let run = |arguments: &[&str]| run_in(&place, "clone", arguments);
    assert_eq!(run(&["check", "--since", "origin/trunk"]).0, Some(0));
    let (code, told) = run(&["check", "--since", "HEAD~1"]);
    assert!(code == Some(2) && told.contains("shallow"), "{told}");
}

#[test]
fn git_that_is_not_there_is_said() {
    let place = repository();
    let mut command = command(&place.root().join("main"));
    let output = command.args(["check", "--staged"]).env("PATH", "/nowhere").output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.code() == Some(2) && told.contains("cannot run git"), "{told}");
}
