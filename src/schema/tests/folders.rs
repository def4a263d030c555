//! Files: which count, in what order, which part of them, and for whom.

use super::*;
use crate::discover::Database;

fn tables(set: &SchemaSet) -> Vec<String> {
    set.schemas
        .iter()
        .map(|schema| format!("{} {}", schema.place, schema.tables.keys().copied().collect::<Vec<_>>().join(",")))
        .collect()
}

fn last_type(files: &[(&str, &str)]) -> &'static str {
    set(files).all().column("t".into(), "a".into()).map_or("none", |column| column.ty.as_str())
}

const INT: &str = "CREATE TABLE t (a INT)";
const TEXT: &str = "ALTER TABLE t ALTER COLUMN a TYPE TEXT";

#[test]
fn files_run_in_the_order_of_their_versions() {
    assert_eq!(last_type(&[("migrations/V10__b.sql", TEXT), ("migrations/V2__a.sql", INT)]), "text");
    assert_eq!(last_type(&[("migrations/V1.10__b.sql", TEXT), ("migrations/V1.9__a.sql", INT)]), "text");
    assert_eq!(last_type(&[("migrations/20240102_b.sql", TEXT), ("migrations/20231231235959_a.sql", INT)]), "int");
    assert_eq!(
        last_type(&[("migrations/2017-10-08-193512_b.sql", TEXT), ("migrations/20140924113530_a.sql", INT)]),
        "text"
    );
    assert_eq!(last_type(&[("migrations/R__always.sql", TEXT), ("migrations/V1__a.sql", INT)]), "text");
    assert_eq!(last_type(&[("db/migrations/10_b.sql", TEXT), ("db/migrations/9_a.sql", INT)]), "text");
    assert_eq!(last_type(&[("sql/002_change.sql", TEXT), ("sql/001_init.sql", INT)]), "int");
}

#[test]
fn diesel_keeps_each_migration_in_a_folder() {
    let files = [
        ("migrations/2024-02-01-000000_b/up.sql", TEXT),
        ("migrations/2024-02-01-000000_b/down.sql", "DROP TABLE t"),
        ("migrations/2024-01-01-000000_a/up.sql", INT),
        ("migrations/2024-01-01-000000_a/down.sql", "DROP TABLE t"),
    ];
    assert_eq!(last_type(&files), "text");
    assert_eq!(tables(&set(&files)), ["migrations t"]);
}

#[test]
fn the_way_back_does_not_count() {
    let drop = "DROP TABLE t";
    for back in ["migrations/1_a.down.sql", "migrations/1_a_down.sql", "migrations/U1__a.sql"] {
        assert_eq!(last_type(&[("migrations/1_a_up.sql", INT), (back, drop)]), "int", "{back}");
    }
    assert_eq!(last_type(&[("migrations/1_a.up.sql", INT), ("migrations/2_scale_down.sql", TEXT)]), "text");
    for marks in
        [("-- migrate:up", "-- migrate:down"), ("-- +goose Up", "-- +goose Down"), ("--+migrate Up", "--+migrate Down")]
    {
        let text = format!("{}\nCREATE TABLE t (a INT);\n{}\nDROP TABLE t;\n", marks.0, marks.1);
        assert_eq!(last_type(&[("db/migrations/1_a.sql", &text)]), "int", "{}", marks.0);
    }
    let goose = "-- +goose Up\n-- +goose StatementBegin\nCREATE TABLE t (a INT);\n-- +goose StatementEnd\n-- +goose Down\nDROP TABLE t;\n";
    assert_eq!(last_type(&[("migrations/1_a.sql", goose)]), "int");
}

#[test]
fn routines_between_delimiters() {
    let text = "CREATE TABLE t (a INT);
DELIMITER $$
CREATE TRIGGER touch
BEFORE UPDATE ON t FOR EACH ROW
BEGIN
  SET NEW.a = 'it''s; ok';
END$$
CREATE PROCEDURE p() BEGIN CREATE TABLE hidden (x INT); END$$
DELIMITER ;
CREATE TABLE u (b INT);
";
    assert_eq!(lines(text), ["table t", "column a int", "trigger touch", "table u", "column b int"]);
}

#[test]
fn dumps_with_data() {
    let text = "\\connect app\nCREATE TABLE public.t (\n    a integer\n);\nCOPY public.t (a) FROM stdin;\n1\tit's; DROP TABLE t\n\\.\nALTER TABLE ONLY public.t\n    ADD CONSTRAINT t_pkey PRIMARY KEY (a);\n";
    let set = set(&[("structure.sql", text)]);
    assert_eq!(set.all().to_string(), "table t\n  column a integer not null\n  primary key (a)\n");
}

#[test]
fn folders_are_kept_apart() {
    let files = [
        ("crates/shop/migrations/1_a.sql", "CREATE TABLE shop (a INT)"),
        ("crates/shop/schema.sql", "CREATE TABLE shop (a INT, b INT UNIQUE)"),
        ("crates/mail/db/migrations/1_a.sql", "CREATE TABLE mail (a INT)"),
        ("crates/mail/tests/fixtures/x.sql", "CREATE TABLE fake (a INT)"),
        ("crates/mail/queries/report.sql", "SELECT 1"),
        ("crates/wide/migrations/postgres/1_a.sql", "CREATE TABLE wide (a INT)"),
        ("crates/wide/migrations/sqlite/1_a.sql", "CREATE TABLE wide (a INTEGER, b INT)"),
    ];
    let set = set(&files);
    let expected = [
        "crates/mail/db/migrations mail",
        "crates/shop/migrations shop",
        "crates/shop/schema.sql shop",
        "crates/wide/migrations/postgres wide",
        "crates/wide/migrations/sqlite wide",
    ];
    assert_eq!(tables(&set), expected);
    let knows = |file: &str, table: &str| set.for_file(file).is_known(table.into());
    assert!(knows("crates/shop/src/main.rs", "shop") && !knows("crates/shop/src/main.rs", "mail"));
    assert!(knows("crates/mail/src/deep/er.rs", "mail") && !knows("crates/mail/src/deep/er.rs", "shop"));
    // A package without a database of its own speaks to all of them.
    assert!(["shop", "mail", "wide"].into_iter().all(|table| knows("crates/api/src/lib.rs", table)));
    // Two views of one database complete each other.
    let shop = set.for_file("crates/shop/src/main.rs").table("shop".into()).unwrap();
    assert_eq!((shop.columns.len(), shop.uniques.len()), (2, 1));
    assert_eq!(set.for_file("crates/wide/src/lib.rs").table("wide".into()).unwrap().columns.len(), 2);
}

#[test]
fn roots_of_common_layouts() {
    for name in [
        "migrations/1.sql",
        "db/migrations/1.sql",
        "db/schema.sql",
        "schema.sql",
        "src/migrations/1.sql",
        "sql/migrations/1.sql",
    ] {
        assert_eq!(set(&[(name, INT)]).schemas[0].root, "", "{name}");
    }
    for name in [
        "a/b/migrations/1.sql",
        "a/b/src/db/migrations/1.sql",
        "a/b/sql/schema.sql",
        "a/b/src/schema.sql",
        "a/b/init.sql",
    ] {
        assert_eq!(set(&[(name, INT)]).schemas[0].root, "a/b", "{name}");
    }
    assert!(
        set(&[("queries/find.sql", "SELECT 1"), ("seeds/1.sql", INT), ("src/get.sql", "SELECT a FROM t")])
            .schemas
            .is_empty()
    );
}

#[test]
fn the_set_is_printed_by_folder() {
    let printed = set(&[("a/migrations/1.sql", INT), ("b/migrations/1.sql", "CREATE TABLE u (b INT)")]).to_string();
    assert_eq!(
        printed,
        "schema a/migrations\ntable t\n  column a int\n\nschema b/migrations\ntable u\n  column b int\n"
    );
}

#[test]
fn a_broken_file_spoils_no_other() {
    let files = [
        ("migrations/1_a.sql", INT),
        ("migrations/2_b.sql", "CREATE TABLE broken (a INT, 'open"),
        ("migrations/3_c.sql", TEXT),
    ];
    assert_eq!(last_type(&files), "text");
}

#[test]
fn the_configuration_can_say_which_code_speaks_to_which_files() {
    let files = sources(&[
        ("deploy/sql/b.sql", "ALTER TABLE orders ADD COLUMN total int;"),
        ("deploy/sql/a.sql", "CREATE TABLE orders (id int PRIMARY KEY);"),
        ("deploy/sql/a.down.sql", "DROP TABLE orders;"),
        ("deploy/views.sql", "ALTER TABLE orders ADD COLUMN note text;"),
        ("deploy/sql-old/1.sql", "CREATE TABLE orders (old int);"),
        ("crates/users/migrations/1.sql", "CREATE TABLE orders (other int);"),
    ]);
    let places = || vec!["deploy/sql".to_owned(), "deploy/views.sql".to_owned()];
    let column =
        |set: &SchemaSet, file: &str, name: &str| set.for_file(file).column("orders".into(), name.into()).is_some();

    let used_by = vec!["crates/api".to_owned(), "crates/jobs".to_owned()];
    let set = build(&files, &[Database { schema: places(), used_by }]);
    for file in ["crates/api/src/lib.rs", "crates/jobs/src/lib.rs"] {
        assert!(["id", "total", "note"].iter().all(|name| column(&set, file, name)), "{file}");
        assert!(!column(&set, file, "old") && !column(&set, file, "other"), "{file}");
    }
    assert!(column(&set, "crates/users/src/lib.rs", "other") && !column(&set, "crates/users/src/lib.rs", "id"));

    let set = build(&files, &[Database { schema: places(), used_by: Vec::new() }]);
    assert!(column(&set, "tools/src/main.rs", "total"));
}
