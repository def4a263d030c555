//! SQL text → [`Statement`]: infer the dialect, prepare, parse, lower; scan what no grammar takes.

use sqlparser::parser::Parser;

use super::names::Names;
use super::token::{Token, TokenKind, tokenize};
use super::{Dialect, Statement, control, dialect, lower, prepare, scan, split};

/// Longer text is data that happens to be SQL.
const LONGEST_TEXT: usize = 256 * 1024;
/// Nesting that sqlparser may go into; real statements stay below twenty.
const DEEPEST: usize = 64;

/// The facts of the first statement of `text`. Never fails: what cannot be told is said by [`Statement::evidence`].
pub fn parse(text: &str, dialect: Dialect) -> Statement {
    parse_all(text, dialect).into_iter().next().unwrap_or_default()
}

/// The facts of every statement of `text`, in order.
pub fn parse_all(text: &str, dialect: Dialect) -> Vec<Statement> {
    if text.len() > LONGEST_TEXT {
        return vec![Statement::default()];
    }
    let (tokens, dialect) = tokens(text, dialect);
    if is_prose(text, &tokens) {
        return vec![Statement::default()];
    }
    split::statements(text, &tokens).into_iter().map(|range| one(text, &tokens[range], dialect)).collect()
}

/// `Select an option from the list` is a sentence: nobody writes a keyword with a capital and small letters.
fn is_prose(text: &str, tokens: &[Token]) -> bool {
    let word = tokens.first().filter(|token| token.kind == TokenKind::Word).map_or("", |token| token.text(text));
    word.len() > 1
        && word.starts_with(|c: char| c.is_ascii_uppercase())
        && word[1..].bytes().all(|b| b.is_ascii_lowercase())
}

/// The tokens, and the dialect that they show where none was given.
fn tokens(text: &str, dialect: Dialect) -> (Vec<Token>, Dialect) {
    let tokens = tokenize(text, dialect);
    if dialect != Dialect::Unknown {
        return (tokens, dialect);
    }
    match dialect::infer(text, &tokens) {
        Dialect::Mysql => (tokenize(text, Dialect::Mysql), Dialect::Mysql),
        inferred => (tokens, inferred),
    }
}

fn one(text: &str, tokens: &[Token], dialect: Dialect) -> Statement {
    if let Some(statement) = control::classify(text, tokens) {
        let names = Names::new(text, tokens);
        return Statement { params: names.params, param_names: names.param_names, ..statement };
    }
    let starts_with_hole = tokens.first().is_some_and(|token| token.kind == TokenKind::Hole);
    if starts_with_hole || split::too_deep(tokens) {
        return scan::scan(text, tokens);
    }
    let prepared = prepare::prepare(text, tokens);
    let parsed = dialect::grammars(dialect).into_iter().find_map(|grammar| {
        let parser = Parser::new(grammar).with_recursion_limit(DEEPEST);
        let mut statements = parser.try_with_sql(&prepared.text).ok()?.parse_statements().ok()?;
        (statements.len() == 1).then(|| statements.remove(0))
    });
    match parsed {
        Some(parsed) => lower::lower(&parsed, &prepared),
        None => scan::scan(text, tokens),
    }
}
