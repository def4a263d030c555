//! Statements that are told by their first words: transactions, settings, table locks, DDL. No grammar is needed, and none knows them all.

use super::token::{Token, TokenKind, name_at};
use super::{Evidence, Isolation, Kind, Statement};
use crate::intern::Symbol;

/// The statement, if its first word says that it is none that reads or writes rows by itself.
pub(crate) fn classify(text: &str, tokens: &[Token]) -> Option<Statement> {
    let words = Words { text, tokens };
    let first = tokens.first().filter(|token| token.kind == TokenKind::Word)?.text(text).to_ascii_uppercase();
    let kind = match first.as_str() {
        "BEGIN" => Kind::Begin(words.begin_level()),
        "START" if words.is(1, "TRANSACTION") => Kind::Begin(words.level()),
        "COMMIT" | "END" => Kind::Commit,
        "ROLLBACK" | "ABORT" if words.has("TO") => Kind::Savepoint,
        "ROLLBACK" | "ABORT" => Kind::Rollback,
        "SAVEPOINT" | "RELEASE" => Kind::Savepoint,
        "SET" => words.set(),
        "LOCK" => Kind::LockTable,
        "TRUNCATE" => Kind::Delete,
        "COPY" if words.has("STDIN") => Kind::Insert,
        _ if DDL.contains(&first.as_str()) => Kind::Ddl,
        _ if OTHER.contains(&first.as_str()) => Kind::Other,
        _ => return None,
    };
    let table = match kind {
        Kind::LockTable | Kind::Delete | Kind::Insert | Kind::Ddl => words.table(kind),
        _ => None,
    };
    Some(Statement { kind, table, evidence: Evidence::Parsed, ..Statement::default() })
}

const DDL: &[&str] =
    &["CREATE", "ALTER", "DROP", "RENAME", "COMMENT", "GRANT", "REVOKE", "REINDEX", "REFRESH", "REASSIGN", "SECURITY"];
const OTHER: &[&str] = &[
    "PRAGMA",
    "EXPLAIN",
    "DESCRIBE",
    "SHOW",
    "NOTIFY",
    "LISTEN",
    "UNLISTEN",
    "VACUUM",
    "ANALYZE",
    "OPTIMIZE",
    "CALL",
    "DO",
    "USE",
    "DISCARD",
    "CLUSTER",
    "CHECKPOINT",
    "ATTACH",
    "DETACH",
    "UNLOCK",
    "RESET",
    "PREPARE",
    "EXECUTE",
    "DEALLOCATE",
    "DECLARE",
    "FETCH",
    "CLOSE",
    "COPY",
    "KILL",
    "FLUSH",
    "LOAD",
    "DELIMITER",
];

struct Words<'t> {
    text: &'t str,
    tokens: &'t [Token],
}

impl Words<'_> {
    fn is(&self, index: usize, keyword: &str) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is(self.text, keyword))
    }

    fn has(&self, keyword: &str) -> bool {
        self.tokens.iter().any(|token| token.is(self.text, keyword))
    }

    /// Whether some word or literal is `word` (`SET transaction_isolation = 'serializable'`).
    fn says(&self, word: &str) -> bool {
        self.tokens.iter().any(|token| token.text(self.text).trim_matches('\'').eq_ignore_ascii_case(word))
    }

    fn begin_level(&self) -> Isolation {
        let immediate = self.is(1, "IMMEDIATE") || self.is(1, "EXCLUSIVE");
        if immediate { Isolation::Immediate } else { self.level() }
    }

    fn level(&self) -> Isolation {
        let pair = |a: &str, b: &str| (0..self.tokens.len()).any(|i| self.is(i, a) && self.is(i + 1, b));
        let spelled = |word: &str| self.says(word) || self.says(&word.replace(' ', "-"));
        if spelled("serializable") {
            Isolation::Serializable
        } else if pair("REPEATABLE", "READ") || spelled("repeatable read") {
            Isolation::RepeatableRead
        } else if pair("READ", "COMMITTED") || spelled("read committed") {
            Isolation::ReadCommitted
        } else if pair("READ", "UNCOMMITTED") || spelled("read uncommitted") {
            Isolation::ReadUncommitted
        } else {
            Isolation::Default
        }
    }

    fn set(&self) -> Kind {
        let variable = |token: &Token| {
            let word = token.text(self.text).trim_start_matches('@').to_ascii_lowercase();
            matches!(word.as_str(), "transaction_isolation" | "default_transaction_isolation" | "tx_isolation")
        };
        let names_isolation = self.tokens.iter().any(variable) || (self.has("ISOLATION") && self.has("LEVEL"));
        match self.level() {
            level if level != Isolation::Default && names_isolation => Kind::SetIsolation(level),
            _ if self.is(1, "LOCAL") => Kind::SetLocal,
            _ => Kind::Other,
        }
    }

    /// The table, by what usually stands before it.
    fn table(&self, kind: Kind) -> Option<Symbol> {
        let after = match kind {
            Kind::Ddl => self.tokens.iter().position(|token| token.is(self.text, "TABLE"))? + 1,
            _ => 1,
        };
        let skipped = ["TABLE", "TABLES", "ONLY", "IF", "NOT", "EXISTS"];
        let start = (after..self.tokens.len()).find(|&i| !skipped.iter().any(|word| self.is(i, word)))?;
        name_at(self.text, self.tokens, start).map(|(name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Dialect;
    use super::super::token::tokenize;
    use super::*;

    fn kind(text: &str) -> Option<Kind> {
        classify(text, &tokenize(text, Dialect::Unknown)).map(|statement| statement.kind)
    }

    fn table(text: &str) -> Option<Symbol> {
        classify(text, &tokenize(text, Dialect::Unknown)).and_then(|statement| statement.table)
    }

    #[test]
    fn transactions() {
        assert_eq!(kind("BEGIN"), Some(Kind::Begin(Isolation::Default)));
        assert_eq!(kind("begin immediate transaction"), Some(Kind::Begin(Isolation::Immediate)));
        assert_eq!(kind("BEGIN EXCLUSIVE"), Some(Kind::Begin(Isolation::Immediate)));
        assert_eq!(kind("BEGIN DEFERRED"), Some(Kind::Begin(Isolation::Default)));
        assert_eq!(kind("BEGIN ISOLATION LEVEL SERIALIZABLE"), Some(Kind::Begin(Isolation::Serializable)));
        assert_eq!(
            kind("START TRANSACTION ISOLATION LEVEL REPEATABLE READ"),
            Some(Kind::Begin(Isolation::RepeatableRead))
        );
        assert_eq!(kind("COMMIT AND CHAIN"), Some(Kind::Commit));
        assert_eq!(kind("ROLLBACK"), Some(Kind::Rollback));
        assert_eq!(kind("ROLLBACK TO SAVEPOINT a"), Some(Kind::Savepoint));
        assert_eq!(kind("RELEASE SAVEPOINT a"), Some(Kind::Savepoint));
    }

    #[test]
    fn settings() {
        assert_eq!(
            kind("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE"),
            Some(Kind::SetIsolation(Isolation::Serializable))
        );
        let session = "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED";
        assert_eq!(kind(session), Some(Kind::SetIsolation(Isolation::ReadCommitted)));
        assert_eq!(
            kind("SET LOCAL transaction_isolation = 'serializable'"),
            Some(Kind::SetIsolation(Isolation::Serializable))
        );
        assert_eq!(
            kind("SET @@session.transaction_isolation = 'REPEATABLE-READ'"),
            Some(Kind::SetIsolation(Isolation::RepeatableRead))
        );
        assert_eq!(kind("SET LOCAL lock_timeout = '2s'"), Some(Kind::SetLocal));
        assert_eq!(kind("SET search_path TO app"), Some(Kind::Other));
    }

    #[test]
    fn tables_of_locks_and_ddl() {
        assert_eq!(table("LOCK TABLE app.Orders IN EXCLUSIVE MODE"), Some("orders".into()));
        assert_eq!(table("LOCK TABLES `orders` WRITE"), Some("orders".into()));
        assert_eq!(table("CREATE TABLE IF NOT EXISTS orders (id INT)"), Some("orders".into()));
        assert_eq!(table("TRUNCATE TABLE orders"), Some("orders".into()));
        assert_eq!(table("COPY orders (id) FROM STDIN"), Some("orders".into()));
        assert_eq!(kind("COPY orders TO STDOUT"), Some(Kind::Other));
        assert_eq!(table("ALTER TABLE {} ADD COLUMN x INT"), None);
    }

    #[test]
    fn rows_are_left_to_the_parser() {
        for text in [
            "SELECT 1",
            "insert into t values (1)",
            "WITH a AS (SELECT 1) SELECT 1",
            "(SELECT 1)",
            "",
            "{} WHERE id = $1",
        ] {
            assert_eq!(kind(text), None, "{text}");
        }
    }
}
