//! SELECT: what is read, compared and computed.

use super::*;

#[test]
fn a_row_by_key() {
    let text = "SELECT id, quantity FROM app.Items AS i WHERE i.id = $1 AND i.deleted_at IS NULL";
    assert_eq!(
        lines(text),
        ["Select items | where items.id Eq $1, items.deleted_at IsNull | gives items.id, items.quantity"]
    );
    let statement = parsed(text);
    assert_eq!(names(&statement.key_columns()), ["id", "deleted_at"]);
    assert_eq!((statement.params, names(&statement.reads)), (1, vec!["items"]));
    assert!(statement.compares("deleted_at") && !statement.compares("quantity") && !statement.is_write());
}

#[test]
fn comments_lines_and_quotes() {
    let text = "
        -- the seat's own row: is it taken?
        SELECT \"Seat\".\"taken\", /* not ; this */ \"left\"
          FROM \"Seat\"
         WHERE \"Seat\".\"id\" = $1  -- $2
           AND \"kind\" <> 'it''s ?';
    ";
    assert_eq!(lines(text), ["Select Seat | where Seat.id Eq $1, Seat.kind Ne 'it's ?' | gives Seat.taken, Seat.left"]);
}

#[test]
fn comparisons_are_turned_to_the_column() {
    let text =
        "SELECT 1 FROM t WHERE $1 = id AND 10 > n AND $2 <= m AND lower(email) = lower($3) AND ref::text = $4::text";
    assert_eq!(
        lines(text),
        ["Select t | where t.id Eq $1, t.n Lt '10', t.m Ge $2, t.email Eq f($3), t.ref Eq $4 | gives "]
    );
}

#[test]
fn tests_of_many_kinds() {
    let text = "SELECT id FROM t WHERE a BETWEEN $1 AND $2 AND b IN ('x', 'y') AND c NOT IN ($3, $4) AND d = ANY($5) AND e <> ALL($6)
        AND f LIKE $7 AND g ILIKE 'a%' AND h IS NOT NULL AND active AND NOT deleted AND open IS TRUE AND k IS DISTINCT FROM $8 AND l IN ($9)";
    let expected = "Select t | where t.a Ge $1, t.a Le $2, t.b In f(), t.c NotIn f($3 $4), t.d In $5, t.e NotIn $6, t.f Like $7, t.g Like 'a%', \
        t.h IsNotNull, t.active Eq 'true', t.deleted Eq 'false', t.open Eq 'true', t.k Ne $8, t.l In $9 | gives t.id";
    assert_eq!(lines(text), [expected]);
}

#[test]
fn alternatives_and_pairs() {
    let text = "SELECT id FROM t WHERE (a = $1 OR (b = $2 AND c > 3) OR d) AND (x, y) = ($3, $4) AND NOT (e = 5) AND NOT (f IS NULL) AND (g OR TRUE)";
    let expected = "Select t | where (t.a Eq $1 or (t.b Eq $2 and t.c Gt '3') or t.d Eq 'true'), t.x Eq $3, t.y Eq $4, t.e Ne '5', t.f IsNotNull, \
        (t.g Eq 'true' or ()) | gives t.id";
    assert_eq!(lines(text), [expected]);
    assert_eq!(names(&parsed(text).key_columns()), ["x", "y"]);
}

#[test]
fn conditions_that_say_nothing_are_left_out() {
    assert_eq!(lines("SELECT a FROM t WHERE 1 = 1 AND TRUE AND b = ?"), ["Select t | where t.b Eq $1 | gives t.a"]);
}

#[test]
fn arithmetic_on_the_column_moves_over() {
    let text = "SELECT id FROM t WHERE stock - $1 >= 0 AND used + $2 <= quota AND price * $3 > 1";
    assert_eq!(
        lines(text),
        ["Select t | where t.stock Ge f($1), t.used Le f(t.quota $2), other(t.price $3) | gives t.id"]
    );
}

#[test]
fn joins_add_what_narrows() {
    let text = "SELECT o.id, c.name FROM orders o
        JOIN customers c ON c.id = o.customer_id AND c.tenant = $2
        LEFT JOIN notes n ON n.order_id = o.id AND n.kind = $3
        WHERE o.id = $1";
    let expected = "Select orders | where orders.id Eq $1, other(orders.customer_id customers.id), customers.tenant Eq $2, \
        other(orders.id notes.order_id), other(notes.kind $3) | gives orders.id, customers.name";
    assert_eq!(lines(text), [expected]);
    assert_eq!(names(&parsed(text).reads), ["orders", "customers", "notes"]);
    assert_eq!(names(&parsed(text).key_columns()), ["id"]);
}

#[test]
fn columns_of_several_tables_without_a_qualifier_are_nobodys() {
    let text = "SELECT name FROM orders o JOIN customers c USING (customer_id) WHERE state = 'open'";
    assert_eq!(lines(text), ["Select orders | where state Eq 'open', other(customer_id) | gives name"]);
}

#[test]
fn aggregates() {
    let text = "SELECT COUNT(*) AS \"count!\", COALESCE(MAX(number), 0) + 1 AS next, SUM(qty)::bigint, MIN(at), AVG(x), COUNT(DISTINCT who), array_agg(y)
        FROM lines WHERE invoice = $1 GROUP BY invoice HAVING SUM(qty) > 3";
    let expected = "Select lines | where lines.invoice Eq $1, other(lines.qty) | gives Count() as count, Max(lines.number) as next, Sum(lines.qty), \
        Min(lines.at), Avg(lines.x), Count(lines.who), Other(lines.y) | with grouped";
    assert_eq!(lines(text), [expected]);
}

#[test]
fn names_that_sqlx_reads_in_aliases() {
    let text = "SELECT a AS \"a!\", b AS \"b?: Kind\", c AS \"c: _\", d AS `d!: i64`, e FROM t";
    let statement = parse(text, Dialect::Mysql);
    let given: Vec<_> = statement.projections.iter().map(|p| p.name.map(Symbol::as_str)).collect();
    assert_eq!(given, ["a", "b", "c", "d", "e"].map(Some));
    assert_eq!(parse("SELECT a AS \"a!: i64\" FROM t", Dialect::Postgres).projections[0].name, Some("a".into()));
}

#[test]
fn existence_is_asked_of_the_inner_statement() {
    let text = "SELECT EXISTS(SELECT 1 FROM users u WHERE u.email = $1) AS \"taken!\"";
    assert_eq!(
        lines(text),
        ["Select users | gives Exists() as taken", "Select users | where users.email Eq $1 | gives "]
    );
    assert_eq!(names(&parsed(text).effective().key_columns()), ["email"]);
    let guarded =
        "SELECT id FROM t WHERE NOT EXISTS (SELECT 1 FROM u WHERE u.t_id = t.id) AND EXISTS (SELECT 1 FROM v)";
    assert_eq!(lines(guarded)[0], "Select t | where not exists #0, exists #1 | gives t.id");
    assert_eq!(lines(guarded)[1], "Select u | where u.t_id Eq t.id | gives ");
}

#[test]
fn scalar_sub_selects_carry_their_aggregate() {
    let text = "SELECT (SELECT COUNT(*) FROM bookings b WHERE b.event_id = e.id) AS taken, e.capacity FROM events e WHERE e.id = $1";
    let expected = [
        "Select events | where events.id Eq $1 | gives Count() as taken, events.capacity",
        "Select bookings | where bookings.event_id Eq events.id | gives Count()",
    ];
    assert_eq!(lines(text), expected);
    assert_eq!(names(&parsed(text).reads), ["events", "bookings"]);
}

#[test]
fn derived_tables_and_ctes_pass_columns_through() {
    let text = "WITH open (key, left_) AS (SELECT id, quantity FROM items WHERE state = 'open')
        SELECT o.left_, d.name FROM open o JOIN (SELECT item_id, name FROM labels) d ON d.item_id = o.key WHERE o.key = $1";
    let expected = [
        "Select items | where items.id Eq $1, other(labels.item_id items.id) | gives items.quantity as left_, labels.name",
        "Select items | where items.state Eq 'open' | gives items.id, items.quantity",
        "Select labels | gives labels.item_id, labels.name",
    ];
    assert_eq!(lines(text), expected);
    assert_eq!(names(&parsed(text).reads), ["items", "labels"]);
}

#[test]
fn a_recursive_cte_is_no_table() {
    let text = "WITH RECURSIVE tree AS (
            SELECT id, parent_id FROM nodes WHERE id = $1
            UNION ALL SELECT n.id, n.parent_id FROM nodes n JOIN tree t ON n.parent_id = t.id)
        SELECT id FROM tree";
    assert_eq!(names(&parsed(text).reads), ["nodes"]);
}

#[test]
fn both_sides_of_a_union_are_inner() {
    let text = "SELECT id FROM a WHERE x = $1 UNION SELECT id FROM b WHERE y = $2 ORDER BY 1 LIMIT 5";
    assert_eq!(
        lines(text),
        [
            "Select a | gives a.id | with limit 5",
            "Select a | where a.x Eq $1 | gives a.id",
            "Select b | where b.y Eq $2 | gives b.id"
        ]
    );
}

#[test]
fn limits() {
    let limit = |text: &str| parsed(text).limit;
    assert_eq!(limit("SELECT a FROM t LIMIT 10 OFFSET 5"), Some(10));
    assert_eq!(limit("SELECT a FROM t LIMIT $1"), Some(0));
    assert_eq!(limit("SELECT a FROM t LIMIT 5, 20"), Some(20));
    assert_eq!(limit("SELECT a FROM t FETCH FIRST 3 ROWS ONLY"), Some(3));
    assert_eq!(limit("SELECT a FROM t LIMIT ALL"), None);
    assert_eq!(limit("UPDATE t SET a = 1 LIMIT 1"), Some(1));
}

#[test]
fn stars() {
    let text = "SELECT o.*, c.name FROM orders o, customers c";
    assert_eq!(lines(text), ["Select orders | gives orders.*, customers.name"]);
    let statement = parsed("SELECT * FROM orders WHERE id = $1");
    assert!(statement.reads_column("orders".into(), "total") && !statement.reads_column("customers".into(), "total"));
    assert_eq!(statement.read_columns().iter().map(column).collect::<Vec<_>>(), ["orders.*", "orders.id"]);
}

#[test]
fn distinct_rows() {
    assert_eq!(lines("SELECT DISTINCT ON (who) who FROM logins"), ["Select logins | gives logins.who | with distinct"]);
    assert!(!parsed("SELECT ALL who FROM logins").distinct);
}

#[test]
fn clocks_of_three_dialects() {
    let text = "SELECT id FROM t WHERE a < now() - interval '1 hour' AND b <= datetime('now', '-1 day') AND c < CURRENT_TIMESTAMP AND d > now() - $1 * e";
    let expected = "Select t | where t.a Lt made(now() - INTERVAL '1 hour'), t.b Le made(datetime('now', '-1 day')), \
        t.c Lt made(CURRENT_TIMESTAMP), t.d Gt f(t.e $1) | gives t.id";
    assert_eq!(lines(text), [expected]);
    assert_eq!(
        lines("SELECT a FROM t WHERE b > NOW() - INTERVAL ? DAY"),
        ["Select t | where t.b Gt f($1) | gives t.a"]
    );
}

#[test]
fn sub_selects_on_the_right() {
    let text = "SELECT id FROM t WHERE owner IN (SELECT id FROM users WHERE team = $1) AND (a, b) IN (SELECT x, y FROM u) AND c = (SELECT MAX(c) FROM t)";
    let expected = "Select t | where t.owner In select(users.id), t.a In select(u.x u.y), t.b In select(u.x u.y), t.c Eq select(t.c) | gives t.id";
    // A parameter of the sub-select is one of the operand, too.
    assert_eq!(lines(text)[0], expected.replace("select(users.id)", "select(users.id $1)"));
    assert_eq!(
        lines(text)[1..],
        [
            "Select users | where users.team Eq $1 | gives users.id",
            "Select u | gives u.x, u.y",
            "Select t | gives Max(t.c)"
        ]
    );
}

#[test]
fn functions_in_from_are_no_tables() {
    let text = "SELECT u.id FROM unnest($1::bigint[]) AS u(id) JOIN items i ON i.id = u.id";
    assert_eq!(names(&parsed(text).reads), ["items"]);
    assert_eq!(names(&parsed("SELECT value FROM json_each(?)").reads), [""; 0]);
}
