//! A finding's first cure and its broken end state speak of the code at hand.

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

use racelint::finding::Finding;

/// The one finding of a library with this body that is no advice.
fn finding(code: &str) -> Finding {
    let files = BTreeMap::from([("src/lib.rs".to_owned(), code.to_owned())]);
    let folder = tempfile::tempdir().expect("a new folder");
    cases::Case { name: "case".to_owned(), files }.write_to(folder.path());
    let (_, analysis) = run::analyse(folder.path(), 1);
    let mut found: Vec<Finding> =
        analysis.findings.into_iter().map(|(finding, _)| finding).filter(|finding| !finding.rule.advisory).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

#[track_caller]
fn says(code: &str, cure: &str, end: &str) {
    let finding = finding(code);
    let cures: Vec<&str> = finding.fixes.iter().map(|fix| fix.title.as_str()).collect();
    assert!(cures.iter().any(|title| title.contains(cure)), "{cures:?}");
    let steps: Vec<&str> = finding.witness.iter().map(|step| step.text.as_str()).collect();
    assert!(steps.iter().any(|text| text.contains(end)), "{steps:?}");
}

#[test]
fn a_question_that_sql_answers_is_repeated_with_its_own_sense() {
    let code = r#"
pub async fn stamp(db: &sqlx::PgPool, ticket: i64) -> anyhow::Result<()> {
    let (void,): (bool,) = sqlx::query_as("SELECT voided_at IS NOT NULL FROM tickets WHERE id = $1").bind(ticket).fetch_one(db).await?;
    anyhow::ensure!(!void, "void");
    sqlx::query("UPDATE tickets SET voided_at = now() WHERE id = $1").bind(ticket).execute(db).await?;
    Ok(())
}
"#;
    says(code, "AND voided_at IS NULL", "a row with voided_at IS NULL");
}

#[test]
fn what_the_read_selects_by_is_what_the_write_repeats() {
    let code = r#"
pub async fn berth(db: &sqlx::PgPool, pier: i64) -> anyhow::Result<i64> {
    let free: Option<i64> = sqlx::query_scalar("SELECT id FROM berths WHERE pier = $1 AND NOT moored LIMIT 1").bind(pier).fetch_optional(db).await?;
    let Some(free) = free else { anyhow::bail!("full") };
    sqlx::query("UPDATE berths SET moored = true WHERE id = $1").bind(free).execute(db).await?;
    Ok(free)
}
"#;
    says(code, "AND moored = false`", "a row with moored = false");
}

#[test]
fn arithmetic_moves_into_the_database_with_the_limit_beside_it() {
    let code = r#"
pub async fn board(db: &sqlx::PgPool, ferry: i64) -> anyhow::Result<()> {
    let (aboard, berths): (i32, i32) = sqlx::query_as("SELECT aboard, berths FROM ferries WHERE id = $1").bind(ferry).fetch_one(db).await?;
    anyhow::ensure!(aboard < berths, "full");
    sqlx::query("UPDATE ferries SET aboard = $1 WHERE id = $2").bind(aboard + 1).bind(ferry).execute(db).await?;
    Ok(())
}
"#;
    says(
        code,
        "SET aboard = aboard + 1 WHERE … AND aboard < berths",
        "one of the two changes to ferries.aboard is lost",
    );
}

#[test]
fn a_key_that_is_computed_and_an_atomic_past_its_limit_end_differently() {
    let code = r#"
use redis::AsyncCommands;
pub async fn visit(mut store: redis::aio::ConnectionManager, page: &str) -> redis::RedisResult<()> {
    let before: i64 = store.get(page).await?;
    store.set(page, before + 1).await
}
"#;
    says(code, "INCR", "one of the two changes to page is lost");
    let code = r#"
use std::sync::atomic::{AtomicU32, Ordering};
pub static PERMITS: AtomicU32 = AtomicU32::new(4);
pub fn enter() -> bool {
    if PERMITS.load(Ordering::SeqCst) > 4 {
        return false;
    }
    PERMITS.fetch_add(1, Ordering::SeqCst);
    true
}
"#;
    says(code, "fetch_update", "beyond what the check allows");
}

#[test]
fn a_sum_that_is_compared_is_repeated_as_one() {
    let code = r#"
pub async fn add(db: &sqlx::PgPool, hive: i64, more: i32) -> anyhow::Result<()> {
    let (frames,): (i32,) = sqlx::query_as("SELECT frames FROM hives WHERE id = $1").bind(hive).fetch_one(db).await?;
    anyhow::ensure!(frames + more <= 20, "full");
    sqlx::query("UPDATE hives SET frames = frames + $1 WHERE id = $2").bind(more).bind(hive).execute(db).await?;
    Ok(())
}
"#;
    says(code, "AND frames + :more <= 20", "and hives.frames = 21");
}

#[test]
fn an_unsigned_number_wraps_and_never_falls_below_zero() {
    let code = r#"
use std::sync::atomic::{AtomicU32, Ordering};
pub static PERMITS: AtomicU32 = AtomicU32::new(4);
pub fn enter() -> bool {
    if PERMITS.load(Ordering::SeqCst) == 0 {
        return false;
    }
    PERMITS.fetch_sub(1, Ordering::SeqCst);
    true
}
"#;
    let steps = finding(code).witness;
    assert!(steps.iter().all(|step| !step.text.contains("-1")), "{steps:?}");
    says(code, "fetch_update", "it wraps");
}

#[test]
fn a_row_that_is_deleted_tells_who_was_first() {
    let code = r#"
pub async fn redeem(db: &sqlx::PgPool, code: &str) -> anyhow::Result<i64> {
    let owner: Option<i64> = sqlx::query_scalar("SELECT owner FROM codes WHERE code = $1").bind(code).fetch_optional(db).await?;
    let Some(owner) = owner else { anyhow::bail!("no such code") };
    sqlx::query("DELETE FROM codes WHERE code = $1").bind(code).execute(db).await?;
    Ok(owner)
}
"#;
    says(
        code,
        "let the delete decide: `DELETE FROM codes",
        "both requests act on what only one row of codes stood for",
    );
}

#[test]
fn what_is_asked_of_a_path_is_whether_it_is_there_by_the_name_in_the_code() {
    let code = r#"
pub fn clear(root: &std::path::Path) -> std::io::Result<()> {
    let cache = root.join("cache");
    if cache.exists() {
        std::fs::remove_dir_all(cache)?;
    }
    Ok(())
}
"#;
    says(code, "", "reads that cache is there");
}

#[test]
fn a_column_of_which_only_a_length_is_compared_is_not_compared_itself() {
    let code = r#"
pub async fn rotate(db: &sqlx::PgPool, id: i64, fresh: &str) -> anyhow::Result<()> {
    let (token,): (String,) = sqlx::query_as("SELECT token FROM logins WHERE id = $1").bind(id).fetch_one(db).await?;
    anyhow::ensure!(token.len() < 12, "long enough");
    sqlx::query("UPDATE logins SET token = $1 WHERE id = $2").bind(fresh).bind(id).execute(db).await?;
    Ok(())
}
"#;
    let finding = finding(code);
    let titles: Vec<&str> = finding.fixes.iter().map(|fix| fix.title.as_str()).collect();
    assert!(titles.iter().all(|title| !title.contains("token < 12")), "{titles:?}");
}

#[test]
fn a_row_that_is_saved_whole_is_no_row_that_is_inserted() {
    let code = r#"
pub async fn rename(db: &sqlx::PgPool, id: i64, name: &str) -> anyhow::Result<()> {
    let (mut labels,): (String,) = sqlx::query_as("SELECT labels FROM shelves WHERE id = $1").bind(id).fetch_one(db).await?;
    labels.push_str(name);
    sqlx::query("INSERT INTO shelves (id, labels) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET labels = EXCLUDED.labels")
        .bind(id)
        .bind(labels)
        .execute(db)
        .await?;
    Ok(())
}
"#;
    says(code, "write only the columns that this request changes", "is lost, or done twice");
}

/// The findings of a rule in a library with this body and migration, each dialect's placeholders and pool put in.
fn found_with_schema(
    rule: &str,
    code: &str,
    ddl: &str,
    database: Database,
) -> (Vec<Finding>, racelint::discover::Inventory) {
    let mut code = code.replace("DB", database.pool());
    if database != Database::Postgres {
        (1..=4).for_each(|number| code = code.replace(&format!("${number}"), "?"));
    }
    let files = [("src/lib.rs", code.as_str()), ("migrations/0001_first.sql", ddl)];
    let files = files.map(|(name, text)| (name.to_owned(), text.to_owned())).into();
    let folder = tempfile::tempdir().expect("a new folder");
    cases::Case { name: "case".to_owned(), files }.write_to(folder.path());
    let (inventory, analysis) = run::analyse(folder.path(), 1);
    let findings = analysis.findings.into_iter().map(|(finding, _)| finding);
    (findings.filter(|finding| finding.rule.name == rule).collect(), inventory)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Database {
    Postgres,
    Mysql,
    Sqlite,
}

impl Database {
    fn pool(self) -> &'static str {
        match self {
            Database::Postgres => "sqlx::PgPool",
            Database::Mysql => "sqlx::MySqlPool",
            Database::Sqlite => "sqlx::SqlitePool",
        }
    }
}

/// The finding points at the table's definition in the SQL file, and its cures hold a constraint as each database writes it.
#[track_caller]
fn points_at_the_table(rule: &str, code: &str, ddl: &str, table: &str, constraints: [&str; 3]) {
    for (database, constraint) in [Database::Postgres, Database::Mysql, Database::Sqlite].into_iter().zip(constraints) {
        let (findings, inventory) = found_with_schema(rule, code, ddl, database);
        let [finding] = findings.as_slice() else { panic!("{rule}, {database:?}: {findings:?}") };
        let labels = finding.labels.iter().filter(|label| label.role == racelint::finding::Role::Schema);
        let places: Vec<_> = labels
            .map(|label| (inventory.sources.get(label.span.source).name.as_str(), inventory.sources.text(label.span)))
            .collect();
        assert_eq!(places, [("migrations/0001_first.sql", format!("CREATE TABLE {table}").as_str())], "{rule}");
        let cures: Vec<&str> = finding.fixes.iter().map(|fix| fix.title.as_str()).collect();
        assert!(cures.iter().any(|cure| cure.contains(constraint)), "{rule}, {database:?}: {cures:?}");
    }
}

#[test]
fn a_row_that_nothing_keeps_single_points_at_its_table() {
    points_at_the_table(
        "db-check-then-insert",
        r#"
pub async fn enrol(db: &DB, club: i64, mail: &str) -> anyhow::Result<()> {
    let known: Option<i64> = sqlx::query_scalar("SELECT id FROM members WHERE club_id = $1 AND mail = $2").bind(club).bind(mail).fetch_optional(db).await?;
    anyhow::ensure!(known.is_none(), "enrolled");
    sqlx::query("INSERT INTO members (club_id, mail) VALUES ($1, $2)").bind(club).bind(mail).execute(db).await?;
    Ok(())
}
"#,
        "CREATE TABLE clubs (id BIGINT PRIMARY KEY);\nCREATE TABLE members (id BIGINT PRIMARY KEY, club_id BIGINT NOT NULL, mail VARCHAR(200) NOT NULL);\n",
        "members",
        [
            "CREATE UNIQUE INDEX CONCURRENTLY members_club_id_mail_key ON members (club_id, mail)` (duplicates that are there must go first)",
            "ALTER TABLE members ADD UNIQUE KEY members_club_id_mail_key (club_id, mail)",
            "CREATE UNIQUE INDEX members_club_id_mail_key ON members (club_id, mail)",
        ],
    );
}

#[test]
fn an_upsert_by_hand_points_at_its_table() {
    points_at_the_table(
        "db-upsert-by-hand",
        r#"
pub async fn seen(db: &DB, host: &str, at: i64) -> anyhow::Result<()> {
    let known = sqlx::query("UPDATE hosts SET seen_at = $1 WHERE name = $2").bind(at).bind(host).execute(db).await?;
    if known.rows_affected() == 0 {
        sqlx::query("INSERT INTO hosts (name, seen_at) VALUES ($1, $2)").bind(host).bind(at).execute(db).await?;
    }
    Ok(())
}
"#,
        "CREATE TABLE hosts (id BIGINT PRIMARY KEY, name VARCHAR(200) NOT NULL, seen_at BIGINT NOT NULL);\n",
        "hosts",
        [
            "CREATE UNIQUE INDEX CONCURRENTLY hosts_name_key ON hosts (name)",
            "ALTER TABLE hosts ADD UNIQUE KEY hosts_name_key (name)",
            "CREATE UNIQUE INDEX hosts_name_key ON hosts (name)",
        ],
    );
}

#[test]
fn a_parent_that_only_code_looks_for_points_at_the_childs_table() {
    points_at_the_table(
        "missing-foreign-key",
        r#"
pub async fn remark(db: &DB, parcel: i64, text: &str) -> anyhow::Result<()> {
    let there: Option<i64> = sqlx::query_scalar("SELECT id FROM parcels WHERE id = $1").bind(parcel).fetch_optional(db).await?;
    anyhow::ensure!(there.is_some(), "no such parcel");
    sqlx::query("INSERT INTO remarks (parcel_id, text) VALUES ($1, $2)").bind(parcel).bind(text).execute(db).await?;
    Ok(())
}
pub async fn drop_parcel(db: &DB, parcel: i64) -> anyhow::Result<()> {
    sqlx::query("DELETE FROM parcels WHERE id = $1").bind(parcel).execute(db).await?;
    Ok(())
}
"#,
        "CREATE TABLE parcels (id BIGINT PRIMARY KEY);\nCREATE TABLE remarks (id BIGINT PRIMARY KEY, parcel_id BIGINT NOT NULL, text VARCHAR(200) NOT NULL);\n",
        "remarks",
        [
            "ALTER TABLE remarks ADD FOREIGN KEY (parcel_id) REFERENCES parcels (id)",
            "ALTER TABLE remarks ADD FOREIGN KEY (parcel_id) REFERENCES parcels (id)",
            "a new table whose column says `REFERENCES parcels (id)`",
        ],
    );
}

#[test]
fn a_column_that_only_code_bounds_points_at_its_table() {
    let ddl = "CREATE TABLE vats (id BIGINT PRIMARY KEY, litres BIGINT NOT NULL, room BIGINT NOT NULL);\n";
    let drawn = r#"
pub async fn draw(db: &DB, vat: i64, litres: i64) -> anyhow::Result<u64> {
    let drawn = sqlx::query("UPDATE vats SET litres = litres - $1 WHERE id = $2 AND litres >= $3").bind(litres).bind(vat).bind(litres).execute(db).await?;
    Ok(drawn.rows_affected())
}
"#;
    let below = "CHECK (litres >= 0)";
    points_at_the_table("missing-check-constraint", drawn, ddl, "vats", [below; 3]);
    let filled = r#"
pub async fn fill(db: &DB, vat: i64) -> anyhow::Result<u64> {
    let filled = sqlx::query("UPDATE vats SET litres = litres + 1 WHERE id = $1 AND litres < room").bind(vat).execute(db).await?;
    Ok(filled.rows_affected())
}
"#;
    points_at_the_table("missing-check-constraint", filled, ddl, "vats", ["CHECK (litres <= room)"; 3]);
}

#[test]
fn a_request_without_a_key_points_at_the_table_it_changes() {
    points_at_the_table(
        "handler-without-idempotency",
        r#"
use axum::{Json, Router, extract::State, routing::post};

#[derive(serde::Deserialize)]
pub struct Payout {
    account: i64,
    cents: i64,
}

pub async fn pay_out(State(db): State<DB>, Json(payout): Json<Payout>) -> Result<(), axum::http::StatusCode> {
    sqlx::query("INSERT INTO transfers (account_id, cents) VALUES ($1, $2)")
        .bind(payout.account)
        .bind(payout.cents)
        .execute(&db)
        .await
        .map_err(|_| axum::http::StatusCode::INTERNAL_SERVER_ERROR)?;
    Ok(())
}

pub fn router(db: DB) -> Router {
    Router::new().route("/payouts", post(pay_out)).with_state(db)
}
"#,
        "CREATE TABLE transfers (id BIGINT PRIMARY KEY, account_id BIGINT NOT NULL, cents BIGINT NOT NULL);\n",
        "transfers",
        ["(request_key TEXT PRIMARY KEY", "(request_key VARCHAR(255) PRIMARY KEY", "(request_key TEXT PRIMARY KEY"],
    );
}
