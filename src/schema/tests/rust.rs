//! What Rust code adds: DDL in strings, tables declared by ORMs.

use super::*;
use crate::resolve::{TableDef, Ty};

fn table_def(sources: &Sources, source: u32, name: &str, complete: bool) -> TableDef {
    let end = sources.get(SourceId(source)).text.len() as u32;
    TableDef {
        name: name.into(),
        columns: vec![("id".into(), "id".into(), Ty::Unknown), ("email".into(), "email".into(), Ty::Unknown)],
        keys: vec!["id".into()],
        unique: if complete { vec!["email".into()] } else { Vec::new() },
        span: Span { source: SourceId(source), start: 0, end },
        complete,
    }
}

#[test]
fn ddl_in_strings() {
    let code = "const DDL: &str = \"CREATE TABLE jobs (id INT PRIMARY KEY, key TEXT UNIQUE)\";";
    let sources = sources(&[("src/store.rs", code)]);
    let mut set = build(&sources, &[]);
    let start = code.find('"').unwrap() as u32;
    let span = Span { source: SourceId(0), start, end: code.len() as u32 - 1 };
    set.add_inline(&sources, &[(span, "CREATE TABLE jobs (id INT PRIMARY KEY, key TEXT UNIQUE)")]);
    let table = set.for_file("src/other.rs").table("jobs".into()).unwrap();
    assert_eq!((table.origin, table.is_complete()), (Origin::Inline, true));
    assert_eq!(sources.text(table.columns[1].span), "key TEXT UNIQUE");
    // A literal with escapes stands elsewhere byte for byte: its facts are placed on all of it.
    set.add_inline(&sources, &[(span, "CREATE TABLE\nother (a INT)")]);
    assert_eq!(set.all().table("other".into()).unwrap().columns[0].span, span);
}

#[test]
fn ddl_of_tests_says_nothing_of_a_table_that_migrations_make() {
    let sources = sources(&[("migrations/1.sql", "CREATE TABLE t (a INT)"), ("src/lib.rs", "x")]);
    let mut set = build(&sources, &[]);
    set.add_inline(
        &sources,
        &[(Span { source: SourceId(1), start: 0, end: 1 }, "CREATE TABLE t (a INT UNIQUE); CREATE TABLE u (b INT)")],
    );
    let schema = set.for_file("src/lib.rs");
    assert_eq!(covers(schema, "t", &["a"]), None);
    assert!(schema.is_known("u".into()));
}

#[test]
fn tables_of_diesel_are_no_evidence_of_absence() {
    let sources = sources(&[("src/schema.rs", "table")]);
    let mut set = build(&sources, &[]);
    set.add_tables(&sources, &[table_def(&sources, 0, "users", false), table_def(&sources, 0, "teams", true)]);
    let schema = set.for_file("src/main.rs");
    assert_eq!(covers(schema, "users", &["id"]).as_deref(), Some("primary key (id)"));
    assert!(!schema.table("users".into()).unwrap().is_complete());
    assert!(schema.table("teams".into()).unwrap().is_complete());
    assert_eq!(covers(schema, "teams", &["email"]).as_deref(), Some("unique (email)"));
    assert!(schema.to_string().contains("table users (declared in Rust, constraints not known)\n"));
}

#[test]
fn what_sql_says_comes_before_what_rust_says() {
    let files = [
        ("migrations/1.sql", "CREATE TABLE users (id INT PRIMARY KEY, email TEXT)"),
        ("src/schema.rs", "table"),
        ("crates/api/src/a.rs", "x"),
    ];
    let sources = sources(&files);
    let mut set = build(&sources, &[]);
    set.add_tables(&sources, &[table_def(&sources, 1, "users", false), table_def(&sources, 2, "extra", false)]);
    let table = set.for_file("src/main.rs").table("users".into()).unwrap();
    assert_eq!((table.origin, table.uniques.len()), (Origin::Sql, 1));
    // Rust of one package adds to the database that it speaks to and hides nothing.
    assert!(
        set.for_file("crates/api/src/b.rs").is_known("users".into())
            && set.for_file("crates/api/src/b.rs").is_known("extra".into())
    );
    set.add_tables(&sources, &[table_def(&sources, 1, "users", true)]);
    assert_eq!(covers(set.for_file("src/main.rs"), "users", &["email"]).as_deref(), Some("unique (email)"));
}

#[test]
fn migrations_of_another_package_stay_visible() {
    let files = [
        ("crates/db/migrations/1.sql", "CREATE TABLE users (id INT, email TEXT UNIQUE)"),
        ("crates/api/src/schema.rs", "table"),
    ];
    let sources = sources(&files);
    let mut set = build(&sources, &[]);
    set.add_tables(&sources, &[table_def(&sources, 1, "users", false), table_def(&sources, 1, "teams", false)]);
    let schema = set.for_file("crates/api/src/lib.rs");
    assert_eq!(covers(schema, "users", &["email"]).as_deref(), Some("unique (email)"));
    assert!(schema.is_known("teams".into()));
}
