//! INSERT, UPDATE, DELETE, MERGE: what is written, from what, and what happens on a conflict.

use super::*;

#[test]
fn relative_and_absolute_assignments() {
    let text = "UPDATE items AS i SET quantity = i.quantity - $2, total = COALESCE(total, 0) + 1, state = CASE WHEN state = 'a' THEN 'b' ELSE state END,
        seen = $3, at = now(), copy = quantity WHERE i.id = $1 AND i.quantity >= $2";
    let expected = "Update items | sets quantity ~ f(items.quantity $2), total ~ f(items.total), state ~ f(items.state), seen = $3, at = made(now()), \
        copy = items.quantity | where items.id Eq $1, items.quantity Ge $2";
    assert_eq!(lines(text), [expected]);
    let statement = parsed(text);
    assert_eq!(names(&statement.writes()), ["quantity", "total", "state", "seen", "at", "copy"]);
    assert_eq!(names(&statement.reads), ["items"]);
    assert!(statement.is_write());
}

#[test]
fn assignments_from_elsewhere_are_not_relative() {
    let text = "UPDATE accounts SET balance = (SELECT SUM(amount) FROM entries e WHERE e.account_id = accounts.id), n = other.n FROM other WHERE other.id = accounts.id";
    let expected = [
        "Update accounts | sets balance = select(entries.amount), n = other.n | where accounts.id Eq other.id",
        "Select entries | where entries.account_id Eq accounts.id | gives Sum(entries.amount)",
    ];
    assert_eq!(lines(text), expected);
    assert_eq!(names(&parsed(text).key_columns()), ["id"]);
}

#[test]
fn tuples_and_defaults() {
    let text = "UPDATE t SET (a, b) = ($1, b + 1), c = DEFAULT, d = NULL, e = -5, f = TRUE WHERE id = $2";
    assert_eq!(
        lines(text),
        ["Update t | sets a = $1, b ~ f(t.b), c = made(default), d = 'null', e = '-5', f = 'true' | where t.id Eq $2"]
    );
}

#[test]
fn an_update_that_claims_one() {
    let text = "UPDATE jobs SET state = 'running', worker = $1
         WHERE id = (SELECT id FROM jobs WHERE state = 'queued' ORDER BY run_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING id, payload";
    let expected = [
        "Update jobs | sets state = 'running', worker = $1 | where jobs.id Eq select(jobs.id) | gives jobs.id, jobs.payload | with returning",
        "Select jobs | where jobs.state Eq 'queued' | gives jobs.id | with update, skip, limit 1",
    ];
    assert_eq!(lines(text), expected);
}

#[test]
fn an_update_from_a_locking_cte() {
    let text = "WITH next AS (SELECT id FROM jobs WHERE state = 'queued' FOR UPDATE SKIP LOCKED LIMIT 1)
        UPDATE jobs SET state = 'running' FROM next WHERE next.id = jobs.id RETURNING jobs.*";
    let expected = [
        "Update jobs | sets state = 'running' | where jobs.id Eq jobs.id | gives jobs.* | with returning",
        "Select jobs | where jobs.state Eq 'queued' | gives jobs.id | with update, skip, limit 1",
    ];
    assert_eq!(lines(text), expected);
}

#[test]
fn a_select_over_a_writing_cte_is_about_the_write() {
    let text = "WITH gone AS (DELETE FROM tokens WHERE token = $1 RETURNING user_id) SELECT user_id FROM gone";
    let statement = parsed(text);
    assert_eq!(statement.kind, Kind::Select);
    assert!(statement.is_write());
    assert_eq!(
        line(statement.effective()),
        "Delete tokens | where tokens.token Eq $1 | gives tokens.user_id | with returning"
    );
    let moved = "WITH moved AS (DELETE FROM queue WHERE id = $1 RETURNING *) INSERT INTO archive SELECT * FROM moved";
    assert_eq!(line(parsed(moved).effective()), "Insert archive | sets * = select()");
}

#[test]
fn tables_of_joins_in_updates_and_deletes() {
    let mysql = "UPDATE stock s JOIN orders o ON o.item = s.item SET s.n = s.n - o.n WHERE o.id = ?";
    assert_eq!(
        lines(mysql),
        ["Update stock | sets n ~ f(stock.n orders.n) | where orders.id Eq $1, other(stock.item orders.item)"]
    );
    let delete = "DELETE o FROM orders o JOIN users u ON u.id = o.user_id WHERE u.id = ?";
    assert_eq!(lines(delete), ["Delete orders | where users.id Eq $1, other(orders.user_id users.id)"]);
    let using = "DELETE FROM seats s USING shows w WHERE s.show_id = w.id AND w.code = $1";
    assert_eq!(lines(using), ["Delete seats | where seats.show_id Eq shows.id, shows.code Eq $1"]);
}

#[test]
fn rows_of_an_insert() {
    let text = "INSERT INTO orders (id, user_id, total, at) VALUES (gen_random_uuid(), $1, $2 + 1, now()), ($3, $4, $5, $6) RETURNING id AS \"id!\"";
    let expected = "Insert orders | sets id = made(gen_random_uuid()), user_id = $1, total = f($2), at = made(now()) | gives orders.id | with returning";
    assert_eq!(lines(text), [expected]);
    assert_eq!(parsed(text).params, 6);
    assert_eq!(lines("INSERT INTO t VALUES (?, 'x')"), ["Insert t | sets * = $1, * = 'x'"]);
    assert_eq!(lines("INSERT INTO t SET a = ?, b = NOW()"), ["Insert t | sets a = $1, b = made(NOW())"]);
    assert_eq!(lines("INSERT INTO t DEFAULT VALUES"), ["Insert t"]);
}

#[test]
fn an_insert_that_checks_for_itself() {
    let text =
        "INSERT INTO seats (show_id, who) SELECT $1, $2 WHERE NOT EXISTS (SELECT 1 FROM seats WHERE show_id = $1)";
    let expected = [
        "Insert seats | sets show_id = $1, who = $2",
        "Select seats | where not exists #0 | gives , ",
        "Select seats | where seats.show_id Eq $1 | gives ",
    ];
    assert_eq!(lines(text), expected);
    assert_eq!(parsed(text).source, Some(0));
}

#[test]
fn an_insert_numbered_by_its_own_table() {
    let text = "INSERT INTO invoices (number, total) VALUES ((SELECT COALESCE(MAX(number), 0) + 1 FROM invoices), $1)";
    assert_eq!(
        lines(text),
        [
            "Insert invoices | sets number = select(invoices.number), total = $1",
            "Select invoices | gives Max(invoices.number)"
        ]
    );
    let select = "INSERT INTO invoices (number, total) SELECT COALESCE(MAX(i.number), 0) + 1, $1 FROM invoices i WHERE i.shop = $2";
    assert_eq!(lines(select)[0], "Insert invoices | sets number = f(invoices.number), total = $1");
}

#[test]
fn upserts_of_postgres_and_sqlite() {
    let text = "INSERT INTO counters AS c (key, n) VALUES ($1, 1)
        ON CONFLICT (key) DO UPDATE SET n = c.n + excluded.n, seen = EXCLUDED.seen, by = $2 WHERE c.locked = false RETURNING n";
    let expected = "Insert counters | sets key = $1, n = '1' | conflict (key) update n ~ f(counters.n excluded.n) seen = new.seen by = $2 \
        if [counters.locked Eq 'false'] | gives counters.n | with returning";
    assert_eq!(lines(text), [expected]);
    assert_eq!(names(&parsed(text).writes()), ["key", "n", "seen", "by"]);
    assert_eq!(
        lines("INSERT INTO t (a) VALUES ($1) ON CONFLICT DO NOTHING"),
        ["Insert t | sets a = $1 | conflict () nothing"]
    );
    let constraint = "INSERT INTO t (a) VALUES ($1) ON CONFLICT ON CONSTRAINT t_a_key DO NOTHING";
    assert_eq!(lines(constraint), ["Insert t | sets a = $1 | conflict () nothing"]);
    let expression = "INSERT INTO t (a, b) VALUES ($1, $2) ON CONFLICT (lower(a), b) WHERE gone IS NULL DO NOTHING";
    assert_eq!(lines(expression), ["Insert t | sets a = $1, b = $2 | conflict (a b) nothing"]);
}

#[test]
fn upserts_of_mysql() {
    let text = "INSERT INTO t (a, n) VALUES (?, ?) ON DUPLICATE KEY UPDATE n = n + VALUES(n), b = VALUES(b)";
    assert_eq!(lines(text), ["Insert t | sets a = $1, n = $2 | conflict () update n ~ f(t.n) b = new.b if []"]);
    let alias = "INSERT INTO t (a, b) VALUES (?, ?) AS new ON DUPLICATE KEY UPDATE b = new.b";
    assert_eq!(lines(alias), ["Insert t | sets a = $1, b = $2 | conflict () update b = new.b if []"]);
    for text in [
        "INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE id = id",
        "INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE `id` = LAST_INSERT_ID(`id`)",
        "INSERT IGNORE INTO t (a) VALUES (?)",
        "INSERT OR IGNORE INTO t (a) VALUES (?)",
    ] {
        assert_eq!(lines(text), ["Insert t | sets a = $1 | conflict () nothing"], "{text}");
    }
    for text in ["REPLACE INTO t (a) VALUES (?)", "INSERT OR REPLACE INTO t (a) VALUES (?1)"] {
        assert_eq!(lines(text), ["Insert t | sets a = $1 | conflict () replace"], "{text}");
    }
    assert_eq!(parsed("INSERT OR ABORT INTO t (a) VALUES (?)").conflict, None);
}

#[test]
fn named_placeholders_count_once() {
    let text = "insert into t(a, b) values (:a, :b) on conflict(a) do update set b = :b where t.version < :v";
    assert_eq!(lines(text), ["Insert t | sets a = $1, b = $2 | conflict (a) update b = $2 if [t.version Lt $3]"]);
    let statement = parsed(text);
    assert_eq!(
        (statement.params, statement.param_names),
        (3, vec![Some("a".into()), Some("b".into()), Some("v".into())])
    );
}

#[test]
fn merges() {
    let text = "MERGE INTO stock t USING (VALUES ($1, $2)) AS s (id, n) ON t.id = s.id
        WHEN MATCHED THEN UPDATE SET n = t.n + s.n WHEN NOT MATCHED THEN INSERT (id, n) VALUES (s.id, s.n)";
    assert_eq!(lines(text)[0], "Update stock | sets n ~ f(stock.n n) | where stock.id Eq id");
    let insert = "MERGE INTO stock t USING incoming s ON t.id = s.id WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)";
    assert_eq!(lines(insert), ["Insert stock | sets id = incoming.id | where stock.id Eq incoming.id"]);
}

#[test]
fn collections_changed_in_place_are_relative() {
    let text = "UPDATE t SET tags = array_append(tags, $2), data = jsonb_set(data, '{a,b}', $3), n = GREATEST(n, $4) WHERE id = $1";
    assert_eq!(
        lines(text),
        ["Update t | sets tags ~ f(t.tags $2), data ~ f(t.data $3), n ~ f(t.n $4) | where t.id Eq $1"]
    );
}

#[test]
fn named_arguments_are_no_columns() {
    let text = "UPDATE t SET until = now() + make_interval(secs => $2) WHERE id = $1";
    assert_eq!(lines(text), ["Update t | sets until = f($2) | where t.id Eq $1"]);
}
