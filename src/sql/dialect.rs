//! Which dialect a text is written in, and the grammars to try for it.

use sqlparser::dialect::{self as grammar, Dialect as Grammar};

use super::Dialect;
use super::token::{Token, TokenKind};

/// The dialect that the words of a text give away; `Unknown` if none does.
pub(crate) fn infer(text: &str, tokens: &[Token]) -> Dialect {
    let at = |index: usize, keyword: &str| tokens.get(index).is_some_and(|token| token.is(text, keyword));
    let mut postgres = false;
    for (i, token) in tokens.iter().enumerate() {
        let word = token.text(text);
        match token.kind {
            TokenKind::Quoted if word.starts_with('`') => return Dialect::Mysql,
            TokenKind::Numbered if word.starts_with('?') => return Dialect::Sqlite,
            TokenKind::Numbered => postgres = true,
            TokenKind::Symbol(b':') => postgres |= tokens.get(i + 1).is_some_and(|next| next.is_symbol(b':')),
            TokenKind::Word => match word.to_ascii_uppercase().as_str() {
                "DUPLICATE" if at(i + 1, "KEY") => return Dialect::Mysql,
                "LAST_INSERT_ID" | "GET_LOCK" | "RELEASE_LOCK" | "AUTO_INCREMENT" | "ENGINE" | "STRAIGHT_JOIN" => {
                    return Dialect::Mysql;
                }
                "IGNORE" if at(i.wrapping_sub(1), "INSERT") => return Dialect::Mysql,
                "SHARE" if at(i.wrapping_sub(1), "IN") && at(i + 1, "MODE") => return Dialect::Mysql,
                "OR" if at(i.wrapping_sub(1), "INSERT") || at(i.wrapping_sub(1), "UPDATE") => return Dialect::Sqlite,
                "AUTOINCREMENT" | "ROWID" => return Dialect::Sqlite,
                "IMMEDIATE" | "EXCLUSIVE" if at(i.wrapping_sub(1), "BEGIN") => return Dialect::Sqlite,
                "RETURNING" | "ILIKE" | "JSONB" | "BIGSERIAL" | "SERIAL" | "TIMESTAMPTZ" | "LATERAL" => postgres = true,
                _ => {}
            },
            _ => {}
        }
    }
    if postgres { Dialect::Postgres } else { Dialect::Unknown }
}

/// The grammars to try, likeliest first. The generic one takes most of what several databases share.
pub(crate) fn grammars(dialect: Dialect) -> [&'static dyn Grammar; 4] {
    static POSTGRES: grammar::PostgreSqlDialect = grammar::PostgreSqlDialect {};
    static MYSQL: grammar::MySqlDialect = grammar::MySqlDialect {};
    static SQLITE: grammar::SQLiteDialect = grammar::SQLiteDialect {};
    static GENERIC: grammar::GenericDialect = grammar::GenericDialect {};
    match dialect {
        Dialect::Unknown => [&GENERIC, &POSTGRES, &MYSQL, &SQLITE],
        Dialect::Postgres => [&POSTGRES, &GENERIC, &SQLITE, &MYSQL],
        Dialect::Mysql => [&MYSQL, &GENERIC, &SQLITE, &POSTGRES],
        Dialect::Sqlite => [&SQLITE, &GENERIC, &POSTGRES, &MYSQL],
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokenize;
    use super::*;

    fn of(text: &str) -> Dialect {
        infer(text, &tokenize(text, Dialect::Unknown))
    }

    #[test]
    fn words_give_the_dialect_away() {
        assert_eq!(of("SELECT `id` FROM t WHERE a = ?"), Dialect::Mysql);
        assert_eq!(of("INSERT INTO t (a) VALUES (?) ON DUPLICATE KEY UPDATE a = a"), Dialect::Mysql);
        assert_eq!(of("INSERT OR IGNORE INTO t (a) VALUES (?)"), Dialect::Sqlite);
        assert_eq!(of("SELECT a FROM t WHERE b = ?1"), Dialect::Sqlite);
        assert_eq!(of("CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT)"), Dialect::Sqlite);
        assert_eq!(of("SELECT a FROM t WHERE b = $1"), Dialect::Postgres);
        assert_eq!(of("SELECT a::text FROM t"), Dialect::Postgres);
        assert_eq!(of("SELECT a FROM t WHERE b = ?"), Dialect::Unknown);
    }
}
