//! The tolerant scan, on text that no grammar takes.

use super::*;
use crate::sql::scan::scan;
use crate::sql::token::tokenize;

fn scanned(text: &str) -> Statement {
    scan(text, &tokenize(text, Dialect::Unknown))
}

fn compares(statement: &Statement) -> Vec<(&str, Op)> {
    let pair = |predicate: &Predicate| match predicate {
        Predicate::Compare { column, op, .. } => Some((column.name.as_str(), *op)),
        _ => None,
    };
    statement.filters.iter().filter_map(pair).collect()
}

#[test]
fn an_update_with_a_strange_hint() {
    let statement = scanned(
        "UPDATE !! seats SET taken = taken + 1, who = $1 WHERE id = $2 AND taken < 10 AND note IS NULL RETURNING id",
    );
    assert_eq!((statement.kind, statement.evidence), (Kind::Update, Evidence::Scanned));
    assert_eq!(compares(&statement), [("id", Op::Eq), ("taken", Op::Lt), ("note", Op::IsNull)]);
    let sets: Vec<_> = statement.sets.iter().map(|set| (set.column.as_str(), set.relative)).collect();
    assert_eq!(sets, [("taken", true), ("who", false)]);
    assert_eq!(statement.sets[1].value, Operand::Param(0));
    assert!(statement.returning);
}

#[test]
fn a_prefix_that_is_interpolated() {
    let statement = scanned("{select} WHERE email = $1 FOR NO KEY UPDATE SKIP LOCKED");
    assert_eq!((statement.kind, statement.evidence), (Kind::Unknown, Evidence::Scanned));
    assert_eq!(compares(&statement), [("email", Op::Eq)]);
    assert_eq!(statement.lock, Some(RowLock { shared: false, skip_locked: true, nowait: false }));
}

#[test]
fn alternatives_are_no_conjunction() {
    let statement = scanned("SELECT ?? FROM a WHERE x = $1 OR y = $2");
    assert_eq!(compares(&statement), []);
    assert_eq!(statement.filters.len(), 2);
}

#[test]
fn sub_selects_are_left_out() {
    let statement = scanned("DELETE !! FROM jobs WHERE id = (SELECT id FROM other WHERE z = $1) AND owner = $2");
    assert_eq!(compares(&statement), [("owner", Op::Eq)]);
    assert_eq!(statement.table, Some("jobs".into()));
    assert_eq!(statement.reads, [Symbol::new("jobs"), Symbol::new("other")]);
}

#[test]
fn conflicts_of_an_insert() {
    let statement = scanned("INSERT INTO t !! VALUES ($1) ON CONFLICT (a) DO NOTHING");
    assert_eq!(statement.conflict.map(|conflict| conflict.action), Some(ConflictAction::Nothing));
    assert_eq!(scanned("no sql at all").evidence, Evidence::Unknown);
}
