//! What closes a window is told as evidence, and what a finding speaks of is not.

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

/// The evidence of a crate with a table of hives: item, line, text.
fn evidence(code: &str, ddl: &str) -> Vec<String> {
    let files = [("src/lib.rs", code), ("migrations/1.sql", ddl)];
    let files: BTreeMap<_, _> = files.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    let folder = tempfile::tempdir().expect("a new folder");
    cases::Case { name: "case".to_owned(), files }.write_to(folder.path());
    let (inventory, analysis) = run::analyse(folder.path(), 1);
    let line = |span| inventory.sources.line(span);
    analysis.evidence.iter().map(|one| format!("{:?} {} {}", one.item, line(one.span), one.text)).collect()
}

const TABLE: &str = "CREATE TABLE hives (id BIGINT PRIMARY KEY, frames INT NOT NULL, tag TEXT NOT NULL UNIQUE);\n";

#[test]
fn a_row_lock_answers_for_atomicity_enclosure_and_width() {
    let code = r#"pub async fn harvest(pool: &sqlx::PgPool, id: i64) -> sqlx::Result<bool> {
    let mut tx = pool.begin().await?;
    let frames: i32 = sqlx::query_scalar("SELECT frames FROM hives WHERE id = $1 FOR UPDATE").bind(id).fetch_one(&mut *tx).await?;
    if frames == 0 {
        return Ok(false);
    }
    sqlx::query("UPDATE hives SET frames = frames - 1 WHERE id = $1").bind(id).execute(&mut *tx).await?;
    tx.commit().await?;
    Ok(true)
}
"#;
    let told = [
        "C1 3 rows of `hives` are locked before they are checked",
        "C6 2 one transaction encloses the check and the write of `hives`",
        "C7 3 rows of `hives` are locked, not the table, and nothing outside is waited for meanwhile",
    ];
    assert_eq!(evidence(code, TABLE), told);
    // Without the lock the same code is a race, and nothing is met.
    assert_eq!(evidence(&code.replace(" FOR UPDATE", ""), TABLE), [""; 0]);
}

#[test]
fn a_conditional_write_answers_where_its_outcome_is_looked_at() {
    let code = r#"pub async fn harvest(pool: &sqlx::PgPool, id: i64) -> sqlx::Result<bool> {
    let done = sqlx::query("UPDATE hives SET frames = frames - 1 WHERE id = $1 AND frames > 0").bind(id).execute(pool).await?;
    Ok(done.rows_affected() == 1)
}
"#;
    let told = [
        "C1 2 the write of `hives` carries its own condition",
        "C4 2 whether the conditional write of `hives` found its row is looked at",
    ];
    assert_eq!(evidence(code, TABLE), told);
}

#[test]
fn a_constraint_answers_for_uniqueness_where_it_is_declared() {
    let code = r#"pub async fn register(pool: &sqlx::PgPool, id: i64, tag: &str) -> sqlx::Result<bool> {
    let known = sqlx::query("SELECT 1 FROM hives WHERE tag = $1").bind(tag).fetch_optional(pool).await?;
    if known.is_some() {
        return Ok(false);
    }
    sqlx::query("INSERT INTO hives (id, frames, tag) VALUES ($1, 0, $2)").bind(id).bind(tag).execute(pool).await?;
    Ok(true)
}
"#;
    let told = evidence(code, TABLE);
    assert!(
        told.contains(&"C2 1 a unique constraint on `hives` lets only one of two equal rows in".to_owned()),
        "{told:?}"
    );
    assert_eq!(evidence(code, &TABLE.replace(" UNIQUE", "")), [""; 0]);
}

#[test]
fn a_test_that_races_its_subject_answers_for_itself() {
    let code = r#"static COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);

#[test]
fn all_bees_count() {
    let bees: Vec<_> = (0..8).map(|_| std::thread::spawn(|| COUNT.fetch_add(1, std::sync::atomic::Ordering::SeqCst))).collect();
    bees.into_iter().for_each(|bee| drop(bee.join()));
    assert_eq!(COUNT.load(std::sync::atomic::Ordering::SeqCst), 8);
}
"#;
    assert_eq!(evidence(code, TABLE), ["C5 4 `all_bees_count` runs callers at once and asserts"]);
}

#[test]
fn a_handler_that_knows_a_second_request_answers_for_repetition() {
    let of_repetition = |code: &str| -> Vec<String> {
        evidence(code, TABLE).into_iter().filter(|told| told.starts_with("C3 ")).collect()
    };
    let told = of_repetition(include_str!("../fixtures/handler-without-idempotency/good_key_stored_first.rs"));
    assert!(told.len() == 1 && told[0].ends_with("comes twice to `top_up` is told from its first here"), "{told:?}");
    let bad = include_str!("../fixtures/handler-without-idempotency/bad_axum_payment.rs");
    assert_eq!(of_repetition(bad), [""; 0]);
}
