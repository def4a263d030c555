//! Constraints as each database writes them.

use crate::sql::Dialect;

/// A unique index or key over these columns. PostgreSQL builds it while others write; it fails where duplicates are there already.
pub fn unique(dialect: Dialect, table: &str, columns: &[&str]) -> String {
    let name = format!("{table}_{}_key", columns.join("_"));
    let columns = columns.join(", ");
    match dialect {
        Dialect::Postgres | Dialect::Unknown => {
            format!("CREATE UNIQUE INDEX CONCURRENTLY {name} ON {table} ({columns})")
        }
        Dialect::Mysql => format!("ALTER TABLE {table} ADD UNIQUE KEY {name} ({columns})"),
        Dialect::Sqlite => format!("CREATE UNIQUE INDEX {name} ON {table} ({columns})"),
    }
}

/// A condition on a column; `None` where the database adds none to a table that is there.
pub fn check(dialect: Dialect, table: &str, column: &str, condition: &str) -> Option<String> {
    let ddl = format!("ALTER TABLE {table} ADD CONSTRAINT {table}_{column}_check CHECK ({condition})");
    (dialect != Dialect::Sqlite).then_some(ddl)
}

/// A table of the requests that were answered. MySQL makes no key of a text without a length.
pub fn keys(dialect: Dialect) -> String {
    let key = if dialect == Dialect::Mysql { "VARCHAR(255)" } else { "TEXT" };
    format!("CREATE TABLE answered_requests (request_key {key} PRIMARY KEY, answer TEXT NOT NULL)")
}

/// A reference to a parent's key; `None` where the database adds none to a table that is there.
pub fn reference(dialect: Dialect, table: &str, column: &str, parent: &str, key: &str) -> Option<String> {
    let ddl = format!("ALTER TABLE {table} ADD FOREIGN KEY ({column}) REFERENCES {parent} ({key})");
    (dialect != Dialect::Sqlite).then_some(ddl)
}

#[cfg(test)]
mod tests {
    use sqlparser::dialect::{MySqlDialect, PostgreSqlDialect, SQLiteDialect};
    use sqlparser::parser::Parser;

    use super::*;

    /// Every constraint is a statement that the parser takes in the dialect that it is for.
    #[test]
    fn each_database_can_read_its_own() {
        let dialects: [(Dialect, &dyn sqlparser::dialect::Dialect); 3] = [
            (Dialect::Postgres, &PostgreSqlDialect {}),
            (Dialect::Mysql, &MySqlDialect {}),
            (Dialect::Sqlite, &SQLiteDialect {}),
        ];
        for (dialect, parser) in dialects {
            let all = [
                Some(unique(dialect, "users", &["tenant", "email"])),
                check(dialect, "kegs", "litres", "litres >= 0"),
                Some(keys(dialect)),
                reference(dialect, "notes", "user_id", "users", "id"),
            ];
            for text in all.into_iter().flatten() {
                let parsed = Parser::parse_sql(parser, &text);
                assert_eq!(parsed.map(|all| all.len()), Ok(1), "{dialect:?}: {text}");
            }
        }
    }

    #[test]
    fn what_a_database_lacks_is_not_written_for_it() {
        assert!(unique(Dialect::Postgres, "users", &["email"]).contains("CONCURRENTLY"));
        for dialect in [Dialect::Mysql, Dialect::Sqlite] {
            assert!(!unique(dialect, "users", &["email"]).contains("CONCURRENTLY"));
        }
        assert_eq!(check(Dialect::Sqlite, "kegs", "litres", "litres >= 0"), None);
        assert_eq!(reference(Dialect::Sqlite, "notes", "user_id", "users", "id"), None);
    }
}
