//! Row locks, advisory locks, transactions.

use super::*;

fn lock(text: &str) -> String {
    let statement = parsed(text);
    line(&statement).rsplit(" | with ").next().unwrap_or_default().to_owned()
}

fn advisory(text: &str) -> String {
    let advisory = parsed(text).advisory.unwrap();
    let flags = [
        (advisory.transaction, "xact"),
        (advisory.attempt, "try"),
        (advisory.release, "release"),
        (advisory.shared, "shared"),
    ];
    let mut parts: Vec<String> = flags.into_iter().filter(|(set, _)| *set).map(|(_, name)| name.to_owned()).collect();
    parts.extend(advisory.key.iter().map(operand));
    parts.join(" ")
}

#[test]
fn row_locks() {
    assert_eq!(lock("SELECT a FROM t WHERE id = $1 FOR UPDATE"), "update");
    assert_eq!(lock("SELECT a FROM t WHERE id = $1 FOR NO KEY UPDATE NOWAIT"), "update, nowait");
    assert_eq!(lock("SELECT a FROM t WHERE id = $1 FOR KEY SHARE"), "share");
    assert_eq!(lock("SELECT a FROM t FOR SHARE SKIP LOCKED"), "share, skip");
    assert_eq!(lock("SELECT a FROM t WHERE id = ? LOCK IN SHARE MODE"), "share");
    assert_eq!(lock("SELECT a FROM t LIMIT 3 FOR UPDATE SKIP LOCKED"), "update, skip, limit 3");
    assert_eq!(lock("SELECT a FROM t FOR UPDATE SKIP LOCKED LIMIT 3"), "update, skip, limit 3");
    assert_eq!(parsed("SELECT a FROM t").lock, None);
}

#[test]
fn locks_on_some_tables() {
    let text = "SELECT o.id FROM orders o JOIN users u ON u.id = o.user_id WHERE o.id = $1 FOR UPDATE OF o, u NOWAIT";
    assert_eq!(lock(text), "update, nowait, of o, of u");
    let inner = "UPDATE t SET a = 1 WHERE id IN (SELECT j.id FROM jobs j JOIN q ON q.id = j.q LIMIT 2 FOR UPDATE OF j SKIP LOCKED)";
    assert_eq!(names(&parsed(inner).inner[0].lock_of), ["j"]);
}

#[test]
fn advisory_locks_of_postgres() {
    assert_eq!(advisory("SELECT pg_advisory_xact_lock($1)"), "xact $1");
    assert_eq!(advisory("SELECT pg_advisory_xact_lock(hashtext($1), 7)"), "xact f($1) '7'");
    assert_eq!(advisory("SELECT pg_try_advisory_lock_shared(42) AS \"got!\""), "try shared '42'");
    assert_eq!(advisory("SELECT * FROM pg_try_advisory_xact_lock($1)"), "xact try $1");
    assert_eq!(advisory("SELECT pg_advisory_unlock($1)"), "release $1");
    assert_eq!(advisory("SELECT id FROM jobs WHERE pg_try_advisory_xact_lock(id) LIMIT 1"), "xact try id");
    assert_eq!(advisory("SELECT CASE WHEN pg_try_advisory_lock($1) THEN 1 END"), "try $1");
    assert_eq!(parsed("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").advisory, None);
}

#[test]
fn advisory_locks_of_mysql() {
    assert_eq!(advisory("SELECT GET_LOCK(CONCAT('stock-', ?), 10)"), "try f($1)");
    assert_eq!(advisory("SELECT RELEASE_LOCK(?)"), "release $1");
}

#[test]
fn transactions() {
    let kind = |text: &str| parse(text, Dialect::Unknown).kind;
    assert_eq!(kind("BEGIN IMMEDIATE;"), Kind::Begin(Isolation::Immediate));
    assert_eq!(
        kind("START TRANSACTION ISOLATION LEVEL SERIALIZABLE, READ WRITE"),
        Kind::Begin(Isolation::Serializable)
    );
    assert_eq!(kind("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ"), Kind::SetIsolation(Isolation::RepeatableRead));
    assert_eq!(kind("LOCK TABLE orders IN SHARE ROW EXCLUSIVE MODE"), Kind::LockTable);
    let all = parse_all("BEGIN; UPDATE t SET a = 1 WHERE id = 2; COMMIT", Dialect::Unknown);
    assert_eq!(
        all.iter().map(|statement| statement.kind).collect::<Vec<_>>(),
        [Kind::Begin(Isolation::Default), Kind::Update, Kind::Commit]
    );
}
