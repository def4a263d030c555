//! Constraints of tables: keys, checks, foreign keys, exclusions; and the parts of an index.

use super::reader::{Reader, normalised};
use super::{Check, ForeignKey, Table, Unique, UniquePart};
use crate::intern::Symbol;
use crate::sql::token::TokenKind;
use crate::sql::{self, Dialect, Op, Operand, Predicate};

/// Whether an element of CREATE TABLE, or what ALTER TABLE adds, is no column.
pub(super) fn is_constraint(reader: &Reader<'_>) -> bool {
    if reader.sees_any(&["CONSTRAINT", "FULLTEXT", "SPATIAL", "EXCLUDE"]) {
        return true;
    }
    if reader.sees(&["PRIMARY", "KEY"])
        || reader.sees(&["FOREIGN", "KEY"])
        || reader.sees(&["UNIQUE", "USING", "INDEX"])
    {
        return true;
    }
    let mut rest = *reader;
    if rest.take(&["CHECK"]) {
        return rest.sees_symbol(b'(');
    }
    if !rest.take_any(&["UNIQUE", "KEY", "INDEX"]) {
        return false;
    }
    rest.take_any(&["KEY", "INDEX"]);
    while !rest.is_done() && !rest.sees_symbol(b'(') {
        rest.skip();
    }
    // `key varchar(255)` is a column of that name: an index lists columns in its parentheses.
    rest.parenthesised().and_then(|inside| inside.peek()).is_some_and(|first| first.kind != TokenKind::Number)
}

impl Table {
    /// Reads a constraint into the table; plain indexes are stepped over.
    pub(super) fn put_constraint(&mut self, mut reader: Reader<'_>) {
        let start = reader.at;
        let name = if reader.take(&["CONSTRAINT"]) { constraint_name(&mut reader) } else { None };
        if reader.take(&["PRIMARY", "KEY"]) {
            self.put_key(reader, start, name, true);
        } else if reader.take(&["UNIQUE"]) {
            reader.take_any(&["KEY", "INDEX"]);
            self.put_key(reader, start, name, false);
        } else if reader.take(&["FOREIGN", "KEY"]) {
            let index = if reader.sees_symbol(b'(') { None } else { reader.name() };
            let columns = reader.names();
            if reader.take(&["REFERENCES"]) {
                self.foreign_keys.extend(foreign_key(&mut reader, start, columns, name.or(index)));
            }
        } else if reader.take(&["CHECK"]) {
            self.checks.extend(check(&mut reader, start, name));
        } else if reader.take(&["EXCLUDE"]) {
            self.uniques.extend(exclusion(reader, start, name));
        }
    }

    fn put_key(&mut self, mut reader: Reader<'_>, start: usize, name: Option<Symbol>, primary: bool) {
        let nulls_conflict = reader.take(&["NULLS", "NOT", "DISTINCT"]);
        reader.take(&["NULLS", "DISTINCT"]);
        if reader.take(&["USING", "INDEX"]) {
            // The index is there already; the constraint takes its place and its name.
            let index = reader.name();
            if let Some(unique) = self.uniques.iter_mut().find(|unique| unique.name.is_some() && unique.name == index) {
                unique.name = name.or(index);
                unique.primary |= primary;
            }
            return;
        }
        let index = if reader.sees_any(&["USING"]) || reader.sees_symbol(b'(') { None } else { reader.name() };
        if reader.take(&["USING"]) {
            reader.skip();
        }
        let Some(inside) = reader.parenthesised() else { return };
        let columns = parts(inside);
        if primary {
            for column in &mut self.columns {
                column.not_null |= columns.contains(&UniquePart::Column(column.name));
            }
        }
        let span = reader.span(start, reader.at);
        let (predicate, predicate_text) = (None, None);
        self.uniques.push(Unique {
            name: name.or(index),
            columns,
            predicate,
            predicate_text,
            primary,
            exclusion: false,
            nulls_conflict,
            span,
        });
    }
}

/// The name after CONSTRAINT, which MySQL allows to be left out.
fn constraint_name(reader: &mut Reader<'_>) -> Option<Symbol> {
    let unnamed = reader.sees_any(&["PRIMARY", "UNIQUE", "FOREIGN", "CHECK", "EXCLUDE"]);
    if unnamed { None } else { reader.name() }
}

/// The parts of an index: columns with what orders them, and expressions.
pub(super) fn parts(inside: Reader<'_>) -> Vec<UniquePart> {
    inside.parts().into_iter().filter_map(part).collect()
}

fn part(mut reader: Reader<'_>) -> Option<UniquePart> {
    let whole = reader;
    if let Some(inside) = reader.parenthesised() {
        return Some(expression(inside));
    }
    let name = reader.name()?;
    let mut after = reader;
    let Some(inside) = after.parenthesised() else { return Some(UniquePart::Column(name)) };
    // `name(20)` is MySQL's index on a prefix.
    if inside.peek().is_some_and(|token| token.kind == TokenKind::Number) {
        return Some(UniquePart::Column(name));
    }
    Some(expression(Reader { tokens: &whole.tokens[..after.at.min(whole.tokens.len())], ..whole }))
}

fn expression(reader: Reader<'_>) -> UniquePart {
    let text = normalised(reader);
    UniquePart::Expression { text, columns: columns_in(reader) }
}

/// The names in an expression that are no functions, types or keywords.
pub(super) fn columns_in(reader: Reader<'_>) -> Vec<Symbol> {
    let mut found = Vec::new();
    for at in reader.at..reader.tokens.len() {
        let here = Reader { at, ..reader };
        let token = &reader.tokens[at];
        let cast = at > reader.at && reader.tokens[at - 1].is_symbol(b':');
        let calls = reader.tokens.get(at + 1).is_some_and(|next| next.is_symbol(b'('));
        let named = matches!(token.kind, TokenKind::Word | TokenKind::Quoted) && !cast && !calls;
        if !named || here.sees_any(NO_COLUMNS) {
            continue;
        }
        if let Some(name) =
            (Reader { tokens: &reader.tokens[..=at], ..here }).name().filter(|name| !found.contains(name))
        {
            found.push(name);
        }
    }
    found
}

const NO_COLUMNS: &[&str] = &[
    "AND",
    "OR",
    "NOT",
    "NULL",
    "IS",
    "IN",
    "TRUE",
    "FALSE",
    "CASE",
    "WHEN",
    "THEN",
    "ELSE",
    "END",
    "LIKE",
    "ILIKE",
    "BETWEEN",
    "COLLATE",
    "ANY",
    "ALL",
    "ARRAY",
    "INTERVAL",
    "DESC",
    "ASC",
    "CAST",
    "AS",
    "NULLS",
    "FIRST",
    "LAST",
    "AT",
    "TIME",
    "ZONE",
    "SIMILAR",
    "TO",
    "REGEXP",
    "GLOB",
    "VALUE",
    "DISTINCT",
    "FROM",
    "TEXT",
    "DATE",
    "TIMESTAMP",
    "CURRENT_TIMESTAMP",
    "CURRENT_DATE",
];

/// What a condition says, read as the WHERE of a SELECT from the table.
pub(super) fn conditions(text: &str) -> Vec<Predicate> {
    sql::parse(&format!("SELECT 1 FROM t WHERE {text}"), Dialect::Unknown).filters
}

/// Reads `(condition)`, CHECK taken.
pub(super) fn check(reader: &mut Reader<'_>, start: usize, name: Option<Symbol>) -> Option<Check> {
    let inside = reader.parenthesised()?;
    let (mut bounded_below, mut bounded_above) = (Vec::new(), Vec::new());
    for predicate in conditions(inside.rest()) {
        bounds(&predicate, &mut bounded_below, &mut bounded_above);
    }
    Some(Check {
        name,
        columns: columns_in(inside),
        text: normalised(inside),
        bounded_below,
        bounded_above,
        span: reader.span(start, reader.at),
    })
}

fn bounds(predicate: &Predicate, below: &mut Vec<Symbol>, above: &mut Vec<Symbol>) {
    match predicate {
        Predicate::Compare { column, op, right } => {
            let other = if let Operand::Column(other) = right { Some(other.name) } else { None };
            match op {
                Op::Ge | Op::Gt => {
                    below.push(column.name);
                    above.extend(other);
                }
                Op::Le | Op::Lt => {
                    above.push(column.name);
                    below.extend(other);
                }
                _ => {}
            }
        }
        // `limit IS NULL OR used <= limit`: a row without the value needs no bound.
        Predicate::Or(members) => {
            let is_null = |member: &&Predicate| matches!(member, Predicate::Compare { op: Op::IsNull, .. });
            let mut others = members.iter().filter(|member| !is_null(member));
            if let (Some(only), None) = (others.next(), others.next()) {
                bounds(only, below, above);
            }
        }
        Predicate::And(members) => members.iter().for_each(|member| bounds(member, below, above)),
        Predicate::Exists { .. } | Predicate::Other { .. } => {}
    }
}

/// Reads `table [(columns)] …`, REFERENCES taken.
pub(super) fn foreign_key(
    reader: &mut Reader<'_>,
    start: usize,
    columns: Vec<Symbol>,
    name: Option<Symbol>,
) -> Option<ForeignKey> {
    let table = reader.name()?;
    let foreign_columns = reader.names();
    while reader.take(&["ON", "DELETE"]) || reader.take(&["ON", "UPDATE"]) {
        if !reader.take(&["SET", "NULL"]) && !reader.take(&["SET", "DEFAULT"]) && !reader.take(&["NO", "ACTION"]) {
            reader.skip();
        }
    }
    Some(ForeignKey { name, columns, table, foreign_columns, span: reader.span(start, reader.at) })
}

/// Reads `[USING method] (part WITH operator, …) [WHERE (condition)]`, EXCLUDE taken.
fn exclusion(mut reader: Reader<'_>, start: usize, name: Option<Symbol>) -> Option<Unique> {
    if reader.take(&["USING"]) {
        reader.skip();
    }
    let columns = parts(reader.parenthesised()?);
    let (predicate, predicate_text) = condition(&mut reader);
    let span = reader.span(start, reader.at);
    let (primary, nulls_conflict) = (false, false);
    Some(Unique { name, columns, predicate, predicate_text, primary, exclusion: true, nulls_conflict, span })
}

/// The WHERE of a partial index, as conditions and as text.
pub(super) fn condition(reader: &mut Reader<'_>) -> (Option<Vec<Predicate>>, Option<Symbol>) {
    if !reader.take(&["WHERE"]) {
        return (None, None);
    }
    let rest = *reader;
    reader.at = reader.tokens.len();
    (Some(conditions(rest.rest())), Some(normalised(rest)))
}
