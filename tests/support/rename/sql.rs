//! Names in SQL text, by a scan that knows strings, comments, quoted names and placeholders.

use std::collections::BTreeSet;
use std::ops::Range;

use sqlparser::keywords::ALL_KEYWORDS;

use super::names::Names;

/// Where SQL stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Text {
    File,
    /// Between the quotes of a literal, where `\` escapes; `{name}` there may be an argument.
    Literal,
}

/// Whether a literal is a statement, and not a sentence that starts with the same word.
pub fn is_statement(text: &str) -> bool {
    let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\\' || c == '(');
    let upper = text.to_ascii_uppercase();
    let words: Vec<_> = upper.split_whitespace().take(3).collect();
    match words[..] {
        ["SELECT", ..] => upper.contains(" FROM ") || text.starts_with("SELECT"),
        ["INSERT", second, ..] => ["INTO", "OR", "IGNORE"].contains(&second),
        ["UPDATE", _, third] => third == "SET" || upper.contains(" SET "),
        ["DELETE", "FROM", ..] | ["REPLACE", "INTO", ..] | ["MERGE", "INTO", ..] => true,
        ["WITH", ..] => upper.contains(" AS "),
        ["CREATE", second, ..] => ["TABLE", "UNIQUE", "INDEX", "TEMP", "TEMPORARY", "VIEW"].contains(&second),
        ["ALTER" | "LOCK" | "DROP" | "TRUNCATE", "TABLE", ..] => true,
        _ => false,
    }
}

/// Whether a literal may be a piece of a statement that is put together.
fn is_fragment(text: &str) -> bool {
    const SIGNS: &[&str] = &[
        " AND ",
        " OR ",
        "WHERE ",
        " SET ",
        "ORDER BY",
        " = ",
        " < ",
        " > ",
        " >= ",
        " <= ",
        "VALUES",
        "FOR UPDATE",
        "RETURNING",
    ];
    SIGNS.iter().any(|sign| text.contains(sign))
}

/// Adds the names of a statement, and to `kept` the words that may be names or keywords: those stay, in Rust too.
pub fn collect(text: &str, names: &mut BTreeSet<String>, kept: &mut BTreeSet<String>) {
    for word in words(text, Text::Literal) {
        let name = &text[word.range.clone()];
        if !word.quoted && is_keyword(name) {
            kept.insert(name.to_owned());
        } else if word.quoted || !word.called {
            names.insert(name.to_owned());
        }
    }
}

/// The text under new names.
pub fn rename(text: &str, names: &Names, kind: Text) -> String {
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for word in words(text, kind) {
        let name = &text[word.range.clone()];
        let new = names.new_name(name).filter(|_| names.sql.contains(name) && (word.quoted || !word.called));
        if let Some(new) = new {
            out.push_str(&text[done..word.range.start]);
            out.push_str(new);
            done = word.range.end;
        }
    }
    out + &text[done..]
}

/// The inside of a literal under new names, if it has to do with SQL at all.
pub fn rename_literal(inner: &str, names: &Names) -> Option<String> {
    if names.sql.contains(inner) {
        return names.new_name(inner).map(str::to_owned);
    }
    (is_statement(inner) || is_fragment(inner)).then(|| rename(inner, names, Text::Literal))
}

/// Types and names that every database has; sqlparser does not count them all among the keywords.
const GIVEN: &[&str] = &[
    "new",
    "old",
    "excluded",
    "public",
    "bigserial",
    "serial",
    "smallserial",
    "timestamptz",
    "citext",
    "inet",
    "int2",
    "int4",
    "int8",
    "float4",
    "float8",
    "bool",
    "jsonb",
    "uuid",
    "plpgsql",
    "pg_catalog",
    "information_schema",
    "rowid",
    "autoincrement",
    "ctid",
    "gist",
    "gin",
    "btree",
    "tstzrange",
    "daterange",
    "int4range",
    "numrange",
    "btree_gist",
    "pgcrypto",
];

fn is_keyword(word: &str) -> bool {
    let upper = word.to_ascii_uppercase();
    ALL_KEYWORDS.binary_search(&upper.as_str()).is_ok() || GIVEN.contains(&word.to_ascii_lowercase().as_str())
}

struct Word {
    range: Range<usize>,
    quoted: bool,
    /// Followed by `(` where no table is named: a function.
    called: bool,
}

fn words(text: &str, kind: Text) -> Vec<Word> {
    let bytes = text.as_bytes();
    let mut words: Vec<Word> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &text[at..];
        at += match bytes[at] {
            b'\\' if kind == Text::Literal => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            b'\'' => closing(rest, "'"),
            b'-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => 2 + closing(&rest[1..], "*/"),
            b'"' | b'`' => {
                let length = closing(rest, &rest[..1]);
                // sqlx reads `"total!: i64"` as the name `total` and what it is.
                let name = rest[1..length.max(2) - 1].split(['!', '?', ':']).next().unwrap_or_default();
                words.push(Word { range: at + 1..at + 1 + name.len(), quoted: true, called: false });
                length
            }
            b':' | b'@' | b'$' => 1 + word(&rest[1..]),
            b'{' => rest.find('}').map_or(1, |end| end + 1),
            b'0'..=b'9' => word(rest),
            _ if word(rest) > 0 => {
                let length = word(rest);
                let after = rest[length..].trim_start();
                let called = after.starts_with('(') && !names_a_table(text, &words);
                words.push(Word { range: at..at + length, quoted: false, called });
                length
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
    }
    words
}

/// The length of the word at the start of a text.
fn word(text: &str) -> usize {
    text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// The length of what starts with a mark of one byte and ends with `end`.
fn closing(text: &str, end: &str) -> usize {
    text[1..].find(end).map_or(text.len(), |at| at + 1 + end.len())
}

/// `INSERT INTO carts (…)`: after these words a bracket opens a list of columns.
fn names_a_table(text: &str, before: &[Word]) -> bool {
    let last = before.last().map_or("", |word| &text[word.range.clone()]).to_ascii_uppercase();
    ["INTO", "TABLE", "REFERENCES", "ON", "EXISTS", "WITH", "UPDATE", "JOIN", "FROM", "RECURSIVE"]
        .contains(&last.as_str())
}
