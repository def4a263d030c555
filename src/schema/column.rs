//! A column's definition: its type, its options, and the constraints written with it.

use super::constraint::{check, foreign_key};
use super::reader::{Reader, normalised};
use super::{Check, ColumnDef, Filled, ForeignKey, Table, Unique, UniquePart};
use crate::intern::Symbol;

/// A column with the constraints that stand in its definition.
pub(super) struct Column {
    pub def: ColumnDef,
    pub uniques: Vec<Unique>,
    pub checks: Vec<Check>,
    pub foreign_keys: Vec<ForeignKey>,
}

/// Words that end a type, or the expression of a DEFAULT.
const OPTIONS: &[&str] = &[
    "NOT",
    "NULL",
    "DEFAULT",
    "PRIMARY",
    "UNIQUE",
    "CHECK",
    "REFERENCES",
    "CONSTRAINT",
    "GENERATED",
    "AUTO_INCREMENT",
    "AUTOINCREMENT",
    "IDENTITY",
    "COLLATE",
    "COMMENT",
    "ON",
    "AS",
    "CHARSET",
    "INVISIBLE",
    "VISIBLE",
    "VIRTUAL",
    "STORED",
    "DEFERRABLE",
    "INITIALLY",
    "FIRST",
    "AFTER",
    "USING",
    "KEY",
    "STORAGE",
    "COMPRESSION",
];

/// Reads `name type options…`.
pub(super) fn column(mut reader: Reader<'_>) -> Option<Column> {
    let start = reader.at;
    let name = reader.name()?;
    let ty = ty(&mut reader);
    let span = reader.span(start, reader.tokens.len());
    let mut column = Column {
        def: ColumnDef {
            name,
            ty,
            not_null: false,
            unsigned: says(ty, "unsigned"),
            default: None,
            filled: Filled::ByWriter,
            span,
        },
        uniques: Vec::new(),
        checks: Vec::new(),
        foreign_keys: Vec::new(),
    };
    if ["serial", "bigserial", "smallserial", "serial4", "serial8"].contains(&ty.as_str()) {
        column.def.filled = Filled::BySequence;
        column.def.not_null = true;
    }
    let mut constraint = None;
    while !reader.is_done() {
        option(&mut reader, &mut column, &mut constraint);
    }
    Some(column)
}

fn says(ty: Symbol, word: &str) -> bool {
    ty.as_str().split(' ').any(|part| part == word)
}

fn ty(reader: &mut Reader<'_>) -> Symbol {
    let start = reader.at;
    while !reader.is_done() && !reader.sees_any(OPTIONS) && !reader.sees(&["CHARACTER", "SET"]) {
        if reader.parenthesised().is_none() {
            reader.skip();
        }
    }
    normalised(Reader { tokens: &reader.tokens[..reader.at.min(reader.tokens.len())], at: start, ..*reader })
}

/// Reads one option; what is not known is stepped over by a token.
fn option(reader: &mut Reader<'_>, column: &mut Column, constraint: &mut Option<Symbol>) {
    let name = column.def.name;
    let start = reader.at;
    if reader.take(&["CONSTRAINT"]) {
        *constraint = reader.name();
    } else if reader.take(&["NOT", "NULL"]) {
        column.def.not_null = true;
    } else if reader.take(&["PRIMARY", "KEY"]) {
        column.def.not_null = true;
        column.uniques.push(one_column(name, constraint.take(), true, reader.span(start, reader.at)));
    } else if reader.take(&["UNIQUE"]) {
        reader.take(&["KEY"]);
        let nulls_conflict = reader.take(&["NULLS", "NOT", "DISTINCT"]);
        let unique = one_column(name, constraint.take(), false, reader.span(start, reader.at));
        column.uniques.push(Unique { nulls_conflict, ..unique });
    } else if reader.take(&["CHECK"]) {
        column.checks.extend(check(reader, start, constraint.take()));
    } else if reader.take(&["REFERENCES"]) {
        column.foreign_keys.extend(foreign_key(reader, start, vec![name], constraint.take()));
    } else if reader.take(&["DEFAULT"]) {
        column.def.put_default(default(reader));
    } else if reader.take_any(&["AUTO_INCREMENT", "AUTOINCREMENT", "IDENTITY"]) {
        column.def.filled = Filled::BySequence;
    } else if reader.take(&["AS"]) {
        if reader.parenthesised().is_some() {
            column.def.filled = Filled::ByExpression;
        }
    } else {
        reader.skip();
    }
}

impl ColumnDef {
    /// Of the column that alone is the primary key of a new table.
    pub(super) fn put_rowid(&mut self) {
        if self.ty.as_str() == "integer" && self.filled == Filled::ByWriter {
            self.filled = Filled::AsRowid;
        }
    }

    pub(super) fn put_default(&mut self, default: Symbol) {
        if default.as_str().starts_with("nextval(") {
            self.filled = Filled::BySequence;
        }
        self.default = Some(default);
    }

    /// Without a default, the sequence behind `SERIAL` gives nothing any more.
    pub(super) fn drop_default(&mut self) {
        self.default = None;
        if self.filled == Filled::BySequence {
            self.filled = Filled::ByWriter;
        }
    }
}

fn one_column(name: Symbol, constraint: Option<Symbol>, primary: bool, span: crate::source::Span) -> Unique {
    Unique {
        name: constraint,
        columns: vec![UniquePart::Column(name)],
        predicate: None,
        predicate_text: None,
        primary,
        exclusion: false,
        nulls_conflict: false,
        span,
    }
}

/// The expression after DEFAULT; its first token may be a word that elsewhere begins an option (`DEFAULT NULL`).
pub(super) fn default(reader: &mut Reader<'_>) -> Symbol {
    let start = reader.at;
    loop {
        if reader.parenthesised().is_none() {
            reader.skip();
        }
        if reader.is_done() || reader.sees_any(OPTIONS) {
            break;
        }
    }
    normalised(Reader { tokens: &reader.tokens[..reader.at.min(reader.tokens.len())], at: start, ..*reader })
}

impl Table {
    /// Adds the column, or puts it in the place of one of the same name.
    pub(super) fn put_column(&mut self, column: Column) {
        match self.columns.iter_mut().find(|known| known.name == column.def.name) {
            Some(known) => *known = column.def,
            None => self.columns.push(column.def),
        }
        self.uniques.extend(column.uniques);
        self.checks.extend(column.checks);
        self.foreign_keys.extend(column.foreign_keys);
    }
}
