//! Texts with holes, texts that no grammar takes, and texts made to break a parser.

use super::*;

fn of(text: &str) -> (Evidence, String) {
    let statement = parse(text, Dialect::Unknown);
    (statement.evidence, line(&statement))
}

fn partial(line: &str) -> (Evidence, String) {
    (Evidence::Partial, line.to_owned())
}

#[test]
fn holes_for_values() {
    let text = "UPDATE items SET name = '{name}', n = {} WHERE id = {id}";
    assert_eq!(of(text), partial("Update items | sets name = $1, n = $2 | where items.id Eq $3"));
    assert_eq!(parsed(text).param_names, [Some("name".into()), None, Some("id".into())]);
}

#[test]
fn holes_for_names() {
    let text = "UPDATE {table} SET {column} = {column} + 1 WHERE {table}.id = $1";
    assert_eq!(of(text), partial("Update {table} | sets {column} ~ f($3) | where {table}.id Eq $1"));
    assert_eq!(of("DELETE FROM {} WHERE id = $1"), partial("Delete - | where id Eq $1"));
    assert_eq!(
        of("SELECT id FROM {schema}.users_{kind} WHERE a = ?"),
        partial("Select users_{kind} | where users_{kind}.a Eq $1 | gives users_{kind}.id")
    );
    assert_eq!(
        of("INSERT INTO \"{table}\" (a) VALUES ($1)"),
        (Evidence::Parsed, "Insert {table} | sets a = $1".to_owned())
    );
}

#[test]
fn holes_for_pieces() {
    assert_eq!(
        of("SELECT {COLUMNS} FROM t WHERE a = $1 {order} LIMIT {}"),
        partial("Select t | where t.a Eq $1 | gives t.* | with limit 0")
    );
    assert_eq!(
        of("UPDATE t SET {sets} WHERE id = $1 RETURNING {}"),
        partial("Update t | sets * = $2 | where t.id Eq $1 | gives t.* | with returning")
    );
    assert_eq!(
        of("UPDATE t SET at = now(), {} WHERE id = $1"),
        partial("Update t | sets at = made(now()), * = $2 | where t.id Eq $1")
    );
    assert_eq!(of("INSERT INTO t ({cols}) VALUES {}"), partial("Insert t | sets * = $2"));
    assert_eq!(
        of("SELECT a FROM t WHERE id IN ({ids}) AND {extra}"),
        partial("Select t | where t.id In $1, other($2) | gives t.a")
    );
    assert_eq!(
        of("SELECT a FROM t {joins} WHERE b = $1 ORDER BY c {dir}"),
        partial("Select t | where t.b Eq $1 | gives t.a")
    );
}

#[test]
fn holes_for_derived_tables() {
    let (evidence, line) = of("SELECT * FROM ({inner}) f WHERE f.a = $1");
    assert_eq!(
        (evidence, line.as_str()),
        (Evidence::Partial, "Select {inner} | where {inner}.a Eq $1 | gives {inner}.*")
    );
}

#[test]
fn text_that_starts_with_a_hole_is_scanned() {
    let statement = parse("{SELECT_ITEM} WHERE id = $1 FOR UPDATE", Dialect::Unknown);
    assert_eq!(
        (statement.evidence, line(&statement).as_str()),
        (Evidence::Scanned, "Unknown - | where id Eq $1 | with update")
    );
}

#[test]
fn text_cut_off_is_scanned() {
    assert_eq!(
        of("UPDATE parts SET stock = stock - "),
        (Evidence::Scanned, "Update parts | sets stock ~ f(stock)".to_owned())
    );
    assert_eq!(
        of("SELECT stock FROM parts WHERE shop = $1 AND id = "),
        (Evidence::Scanned, "Select parts | where parts.shop Eq $1".to_owned())
    );
    assert_eq!(
        of("INSERT INTO parts (id, end) "),
        (Evidence::Scanned, "Insert parts | sets id = f(), end = f()".to_owned())
    );
}

#[test]
fn what_is_no_sql_says_so() {
    for text in [
        "",
        "   ",
        "hello world",
        "-- only a comment",
        ";;;",
        "{}",
        "Update available",
        "Delete failed: no such file",
        "Select an option from the list",
        "update the page to set a new title",
    ] {
        let statement = parse(text, Dialect::Unknown);
        assert!(statement.evidence <= Evidence::Scanned, "{text}: {statement:?}");
        assert!(statement.filters.is_empty() && statement.sets.is_empty(), "{text}");
    }
}

#[test]
fn the_given_dialect_is_tried_first() {
    let text = "SELECT a FROM t WHERE b = \"x\"";
    assert_eq!(line(&parse(text, Dialect::Mysql)), "Select t | where t.b Eq 'x' | gives t.a");
    assert_eq!(line(&parse(text, Dialect::Postgres)), "Select t | where t.b Eq t.x | gives t.a");
}

#[test]
fn nothing_overflows_the_stack() {
    let texts = [
        format!("SELECT {}1{}", "(".repeat(50_000), ")".repeat(50_000)),
        format!("SELECT 1{}", " + 1".repeat(60_000)),
        format!("SELECT {}a FROM t", "NOT ".repeat(50_000)),
        format!("SELECT 1{}", " UNION SELECT 1".repeat(15_000)),
        format!("SELECT a FROM t WHERE {}", "b = 1 OR ".repeat(20_000)),
        format!("SELECT {} 1 {}", "(SELECT ".repeat(20_000), ")".repeat(20_000)),
        format!("SELECT {} END", "CASE WHEN a THEN ".repeat(14_000)),
        format!("SELECT a{}", "::int".repeat(50_000)),
        format!("SELECT a{}", "[1]".repeat(80_000)),
        format!("{} SELECT 1", "WITH a AS (INSERT INTO t SELECT 1 FROM (".repeat(6_000)),
        "(".repeat(250_000),
    ];
    for text in texts {
        let statement = parse(&text, Dialect::Unknown);
        assert!(statement.evidence < Evidence::Partial, "{}", &text[..40]);
    }
}

#[test]
fn deep_text_below_the_bound_is_walked() {
    let nested = format!("SELECT a FROM t WHERE {}b = $1{}", "(".repeat(40), ")".repeat(40));
    assert_eq!(lines(&nested), ["Select t | where t.b Eq $1 | gives t.a"]);
    let long = format!("SELECT a FROM t WHERE c = $1{}", " AND b <> 1".repeat(250));
    assert_eq!(parsed(&long).filters.len(), 251);
    let sum = format!("SELECT a{} FROM t", " + 1".repeat(740));
    assert_eq!(lines(&sum), ["Select t | gives t.a"]);
    let inserts = "WITH a AS (INSERT INTO t SELECT x FROM (".repeat(12)
        + "SELECT x FROM u"
        + &") y RETURNING x) SELECT x FROM a".repeat(12);
    assert!(parse(&inserts, Dialect::Postgres).is_write());
}

#[test]
fn text_past_the_bound_is_not_parsed() {
    let text = format!("INSERT INTO t (a) VALUES ('{}')", "x".repeat(300_000));
    assert_eq!(parse(&text, Dialect::Unknown), Statement::default());
}
