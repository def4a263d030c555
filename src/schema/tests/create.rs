//! CREATE TABLE, CREATE INDEX, CREATE TRIGGER, CREATE DOMAIN.

use super::*;

#[test]
fn a_table_of_postgres() {
    let text = "
        CREATE TABLE IF NOT EXISTS shop.seats (
            id          BIGSERIAL PRIMARY KEY,
            show_id     BIGINT NOT NULL REFERENCES shows (id) ON DELETE CASCADE,
            row_no      INT NOT NULL CHECK (row_no > 0),
            price       NUMERIC(10,2) NOT NULL DEFAULT 0 CHECK (price >= 0.0),
            state       TEXT NOT NULL DEFAULT 'free'::text,
            held_until  TIMESTAMP WITH TIME ZONE,
            number      BIGINT GENERATED ALWAYS AS IDENTITY,
            label       TEXT GENERATED ALWAYS AS (upper(state)) STORED,
            note        VARCHAR(20) COLLATE \"C\" UNIQUE,
            CONSTRAINT seats_place UNIQUE (show_id, row_no),
            CONSTRAINT seats_sold CHECK (state <> 'sold' OR held_until IS NULL),
            FOREIGN KEY (show_id, row_no) REFERENCES rows (show, no) MATCH FULL
        );";
    let expected = [
        "table seats",
        "column id bigserial not null from a sequence",
        "column show_id bigint not null",
        "column row_no int not null",
        "column price numeric(10, 2) not null default 0",
        "column state text not null default 'free'::text",
        "column held_until timestamp with time zone",
        "column number bigint from a sequence",
        "column label text computed",
        "column note varchar(20)",
        "primary key (id)",
        "unique (note)",
        "unique (show_id, row_no)",
        "check (row_no > 0)",
        "check (price >= 0.0)",
        "check (state <> 'sold' or held_until is null)",
        "foreign key (show_id) references shows (id)",
        "foreign key (show_id, row_no) references rows (show, no)",
    ];
    assert_eq!(lines(text), expected);
}

#[test]
fn a_table_of_mysql() {
    let text = "
        CREATE TABLE `orders` (
          `id` bigint unsigned NOT NULL AUTO_INCREMENT COMMENT 'the key, of course',
          `code` varchar(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
          `state` enum('open','paid, sent') NOT NULL DEFAULT 'open',
          `key` varchar(255) DEFAULT NULL,
          `stock` int UNSIGNED NOT NULL DEFAULT '0',
          `at` datetime(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6) ON UPDATE CURRENT_TIMESTAMP(6),
          PRIMARY KEY (`id`),
          UNIQUE KEY `uq_code` (`code`(10), `state`),
          KEY `ix_at` (`at`),
          UNIQUE INDEX (stock),
          FULLTEXT KEY ft (code),
          CONSTRAINT `fk_code` FOREIGN KEY (`code`) REFERENCES `codes` (`code`) ON DELETE SET NULL ON UPDATE CASCADE
        ) ENGINE=InnoDB AUTO_INCREMENT=7 DEFAULT CHARSET=utf8mb4;";
    let expected = [
        "table orders",
        "column id bigint unsigned not null from a sequence",
        "column code varchar(20) not null",
        "column state enum('open', 'paid, sent') not null default 'open'",
        "column key varchar(255) default null",
        "column stock int unsigned not null default '0'",
        "column at datetime(6) not null default current_timestamp(6)",
        "primary key (id)",
        "unique (code, state)",
        "unique (stock)",
        "foreign key (code) references codes (code)",
    ];
    assert_eq!(lines(text), expected);
    assert!(schema(text).table("orders".into()).unwrap().is_bounded_below("stock".into()));
}

#[test]
fn a_table_of_sqlite() {
    let text = "
        create table if not exists tokens (
            id integer primary key autoincrement,
            token text not null unique on conflict replace,
            owner integer not null references users,
            key text not null,
            used boolean not null default (0) check (used in (0, 1)),
            unique (owner, key)
        ) strict, without rowid;";
    let expected = [
        "table tokens",
        "column id integer not null from a sequence",
        "column token text not null",
        "column owner integer not null",
        "column key text not null",
        "column used boolean not null default (0)",
        "primary key (id)",
        "unique (token)",
        "unique (owner, key)",
        "check (used in(0, 1))",
        "foreign key (owner) references users",
    ];
    assert_eq!(lines(text), expected);
}

#[test]
fn columns_named_like_constraints() {
    let text = "CREATE TABLE t (key VARCHAR(10) NOT NULL, index INT, \"check\" INT, \"unique\" TEXT, KEY idx (index), INDEX (key))";
    assert_eq!(columns(text), ["key varchar(10) not null", "index int", "check int", "unique text"]);
    assert_eq!(constraints(text), [""; 0]);
}

#[test]
fn unique_indexes() {
    let text = "
        CREATE TABLE users (id INT PRIMARY KEY, email TEXT, tenant INT, deleted_at TIMESTAMPTZ, ref TEXT);
        CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS users_email ON public.users USING btree (lower(email), tenant DESC NULLS LAST)
            INCLUDE (id) WHERE deleted_at IS NULL AND tenant > 0;
        CREATE INDEX users_tenant ON users (tenant);
        CREATE UNIQUE INDEX ON ONLY users (ref text_pattern_ops) NULLS NOT DISTINCT;
        CREATE UNIQUE INDEX users_data ON users ((coalesce(ref, '')::text), (tenant + 1));";
    let expected = [
        "primary key (id)",
        "unique (lower(email), tenant) where deleted_at is null and tenant > 0",
        "unique (ref) nulls not distinct",
        "unique (coalesce(ref, '')::text, tenant + 1)",
    ];
    assert_eq!(constraints(text), expected);
    let schema = schema(text);
    let unique = &schema.table("users".into()).unwrap().uniques[1];
    assert_eq!(unique.column_names(), ["email", "tenant"].map(Symbol::new));
    assert_eq!(unique.predicate.as_ref().map(Vec::len), Some(2));
}

#[test]
fn covering_uniques() {
    let schema = schema(
        "CREATE TABLE t (a INT, b INT, c INT, UNIQUE (a, b));
         CREATE UNIQUE INDEX t_a ON t (a) WHERE c IS NULL;
         CREATE UNIQUE INDEX t_c ON t (lower(c));",
    );
    assert_eq!(covers(&schema, "t", &["a"]).as_deref(), Some("unique (a) where c is null"));
    assert_eq!(covers(&schema, "t", &["b", "a"]).as_deref(), Some("unique (a, b)"));
    assert_eq!(covers(&schema, "t", &["c"]).as_deref(), Some("unique (lower(c))"));
    assert_eq!(covers(&schema, "t", &["b"]), None);
    assert_eq!(covers(&schema, "T", &["A", "B"]).as_deref(), Some("unique (a, b)"));
    assert_eq!(covers(&schema, "unknown", &["a"]), None);
    assert!(schema.is_known("t".into()) && !schema.is_known("u".into()));
    assert_eq!(schema.column("t".into(), "b".into()).map(|column| column.ty), Some("int".into()));
}

#[test]
fn exclusions() {
    let text = "
        CREATE TABLE bookings (
            room INT, during tstzrange, cancelled BOOL,
            CONSTRAINT no_overlap EXCLUDE USING gist (room WITH =, during WITH &&) WHERE (NOT cancelled)
        );";
    assert_eq!(constraints(text), ["exclude (room, during) where (not cancelled)"]);
    assert!(schema(text).covering_unique("bookings".into(), &["room".into(), "during".into()]).unwrap().exclusion);
}

#[test]
fn checks_that_bound() {
    let text = "
        CREATE TABLE t (
            a INT CHECK (a >= 0), b INT, c INT, d INT, e INT, f INT,
            CHECK (b > 0 AND c <= 10),
            CHECK (d <= e),
            CHECK (0 < f),
            CHECK (limit_ IS NULL OR used <= limit_),
            CHECK (g IN (1, 2)),
            CHECK (h BETWEEN 1 AND 5)
        );";
    let schema = schema(text);
    let table = schema.table("t".into()).unwrap();
    let all = ["a", "b", "c", "d", "e", "f", "g", "h", "used", "limit_"];
    let below: Vec<_> = all.into_iter().filter(|name| table.is_bounded_below(Symbol::new(name))).collect();
    let above: Vec<_> = all.into_iter().filter(|name| table.is_bounded_above(Symbol::new(name))).collect();
    assert_eq!(below, ["a", "b", "e", "f", "h", "limit_"]);
    assert_eq!(above, ["c", "d", "h", "used"]);
}

#[test]
fn a_domain_checks_its_columns() {
    let text =
        "CREATE DOMAIN amount AS NUMERIC(12,2) NOT NULL CHECK (VALUE >= 0); CREATE TABLE t (paid amount, note text)";
    assert!(schema(text).table("t".into()).unwrap().is_bounded_below("paid".into()));
    assert!(!schema(text).table("t".into()).unwrap().is_bounded_below("note".into()));
}

#[test]
fn tables_made_from_others() {
    let text = "
        CREATE TABLE a (id INT PRIMARY KEY, n INT CHECK (n >= 0));
        CREATE TABLE b (LIKE a INCLUDING ALL, extra TEXT);
        CREATE TABLE c LIKE a;
        CREATE TABLE d (more INT) INHERITS (a);
        CREATE TABLE e AS SELECT id, n AS total FROM a;
        CREATE TABLE f PARTITION OF a FOR VALUES FROM (1) TO (2);
        CREATE TEMP TABLE g (id INT);";
    let schema = schema(text);
    let shown = |name: &str| {
        let table = schema.table(name.into()).unwrap();
        let names: Vec<&str> = table.columns.iter().map(|column| column.name.as_str()).collect();
        format!("{} {} {}", names.join(" "), table.uniques.len(), table.checks.len())
    };
    assert_eq!(
        ["b", "c", "d", "e", "f"].map(shown),
        ["id n extra 1 1", "id n 1 1", "more id n 0 0", "id total 0 0", "id n 1 1"]
    );
    assert!(!schema.is_known("g".into()));
}

#[test]
fn triggers() {
    let text = "
        CREATE TABLE t (a INT);
        CREATE FUNCTION touch() RETURNS trigger AS $$ BEGIN NEW.a := 1; CREATE TABLE inner_ (x INT); RETURN NEW; END; $$ LANGUAGE plpgsql;
        CREATE OR REPLACE TRIGGER touch_t BEFORE UPDATE OF a OR INSERT ON t FOR EACH ROW EXECUTE FUNCTION touch();
        CREATE TRIGGER IF NOT EXISTS counts AFTER INSERT ON t BEGIN UPDATE t SET a = a + 1; DELETE FROM t; END;
        CREATE TRIGGER gone AFTER INSERT ON t BEGIN SELECT 1; END;
        DROP TRIGGER gone;";
    assert_eq!(lines(text), ["table t", "column a int", "trigger touch_t", "trigger counts"]);
}

#[test]
fn spans_are_places_in_the_file() {
    let text = "-- ünïcode first\r\nCREATE TABLE \"Seat\" (\r\n  id INT,\r\n  taken BOOL NOT NULL, -- a comment, with a comma\r\n  UNIQUE (taken)\r\n);\r\nCREATE UNIQUE INDEX x ON \"Seat\" (id);\r\n";
    let sources = sources(&[("migrations/1.sql", text)]);
    let set = build(&sources, &[]);
    let table = set.all().table("Seat".into()).unwrap();
    let shown = |span| (sources.line(span), sources.text(span));
    assert_eq!(shown(table.span), (2, "CREATE TABLE \"Seat\""));
    assert_eq!(shown(table.columns[1].span), (4, "taken BOOL NOT NULL"));
    assert_eq!(shown(table.uniques[0].span), (5, "UNIQUE (taken)"));
    assert_eq!(shown(table.uniques[1].span), (7, "CREATE UNIQUE INDEX x ON \"Seat\" (id)"));
}

#[test]
fn what_cannot_be_read_is_listed_and_loses_nothing_else() {
    let text = "CREATE TABLE a (id INT);\nCREATE TABLE ;\nCREATE TABLE (x);\nCREATE UNIQUE INDEX i t;\nCREATE TABLE b (id INT)";
    let sources = sources(&[("migrations/1.sql", text)]);
    let set = build(&sources, &[]);
    let listed: Vec<_> = set.skipped.iter().map(|skipped| sources.text(skipped.span)).collect();
    assert_eq!(listed, ["CREATE TABLE", "CREATE TABLE (x)", "CREATE UNIQUE INDEX i t"]);
    assert_eq!(set.all().tables.keys().copied().collect::<Vec<_>>(), ["a", "b"]);
}

#[test]
fn unfinished_statements_do_no_harm() {
    let whole = "CREATE TABLE t (id INT PRIMARY KEY, a INT CHECK (a > 0) REFERENCES u (x) ON DELETE SET NULL, UNIQUE (a)); \
        ALTER TABLE t ADD CONSTRAINT c EXCLUDE USING gist (a WITH =) WHERE (a > 1), DROP COLUMN id, RENAME a TO b; \
        CREATE UNIQUE INDEX i ON t USING btree (lower(a)) WHERE a IS NULL; DO $$ BEGIN ALTER TABLE t ADD x INT; END $$; DROP TABLE t, u;";
    for end in 0..whole.len() {
        let set = set(&[("migrations/1.sql", &whole[..end])]);
        assert!(set.all().tables.len() <= 2, "{end}");
    }
}
