//! Tables and constraints of the project's databases, as its migrations leave them.
//!
//! DDL is read by its tokens, not by a grammar: one option that a grammar does not know would lose the whole table, and every fact must carry its place
//! in the file. A statement that cannot be read is listed in [`SchemaSet::skipped`] and loses nothing else.
//!
//! Nothing here says what a missing constraint means; [`Table::is_complete`] says whether its absence is evidence at all.

mod alter;
mod apply;
pub mod builders;
mod column;
mod constraint;
mod create;
mod files;
mod index;
mod naming;
mod reader;
mod set;
mod show;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

pub use set::{SchemaSet, Skipped, build};

use crate::finding::{Label, Role};
use crate::intern::Symbol;
use crate::source::Span;
use crate::sql::Predicate;

/// The tables of one database.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    /// The folder whose packages use it: the one that holds `migrations` or `schema.sql`; empty for the folder of the run.
    pub root: String,
    /// The folder or file the tables were read from; empty for what several gave together.
    pub place: String,
    /// By name.
    pub tables: BTreeMap<&'static str, Table>,
    /// What a `CREATE DOMAIN` demands of its values.
    domains: BTreeMap<&'static str, Check>,
    said_by: SaidBy,
}

/// What kind of file a schema was read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum SaidBy {
    #[default]
    Sql,
    Rust,
}

/// Where what is known of a table was said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// CREATE TABLE in a migration or schema file.
    Sql,
    /// CREATE TABLE in a string of the program.
    Inline,
    /// Rust that lists every constraint of the table.
    RustComplete,
    /// Rust that lists columns and keys alone (diesel's `table!`).
    RustPartial,
    /// Only ALTER TABLE or CREATE INDEX were seen.
    Altered,
}

#[derive(Clone, Debug)]
pub struct Table {
    pub name: Symbol,
    pub columns: Vec<ColumnDef>,
    pub uniques: Vec<Unique>,
    pub checks: Vec<Check>,
    pub foreign_keys: Vec<ForeignKey>,
    /// The names of its triggers, which may do anything.
    pub triggers: Vec<Symbol>,
    /// From CREATE to the table's name.
    pub span: Span,
    pub origin: Origin,
}

#[derive(Clone, Debug)]
pub struct ColumnDef {
    pub name: Symbol,
    /// As written, lower case, one space between words.
    pub ty: Symbol,
    pub not_null: bool,
    pub unsigned: bool,
    pub default: Option<Symbol>,
    pub filled: Filled,
    /// From the column's name to the end of its definition.
    pub span: Span,
}

/// Who gives a column its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Filled {
    ByWriter,
    /// A sequence: SERIAL, IDENTITY, AUTO_INCREMENT.
    BySequence,
    /// `INTEGER PRIMARY KEY`: SQLite fills it, other databases do not.
    AsRowid,
    /// `GENERATED ALWAYS AS (expression)`
    ByExpression,
}

/// A primary key, UNIQUE, unique index, or exclusion constraint.
#[derive(Clone, Debug)]
pub struct Unique {
    pub name: Option<Symbol>,
    pub columns: Vec<UniquePart>,
    /// The condition of a partial index.
    pub predicate: Option<Vec<Predicate>>,
    /// The text of that condition.
    pub predicate_text: Option<Symbol>,
    pub primary: bool,
    pub exclusion: bool,
    /// `NULLS NOT DISTINCT`: two rows with NULL conflict too.
    pub nulls_conflict: bool,
    pub span: Span,
}

/// One part of a unique index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UniquePart {
    Column(Symbol),
    /// `lower(email)`: lower case, without spaces, and the columns in it.
    Expression {
        text: Symbol,
        columns: Vec<Symbol>,
    },
}

#[derive(Clone, Debug)]
pub struct Check {
    pub name: Option<Symbol>,
    pub columns: Vec<Symbol>,
    pub text: Symbol,
    /// The columns that it keeps from falling below something (`quantity >= 0`).
    pub bounded_below: Vec<Symbol>,
    /// The columns that it keeps from rising above something (`taken <= capacity`).
    pub bounded_above: Vec<Symbol>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct ForeignKey {
    pub name: Option<Symbol>,
    pub columns: Vec<Symbol>,
    pub table: Symbol,
    /// Empty where the primary key of the other table is meant.
    pub foreign_columns: Vec<Symbol>,
    pub span: Span,
}

impl Schema {
    /// The table of that name; names that differ only in case are equal where no table has the exact one.
    pub fn table(&self, name: Symbol) -> Option<&Table> {
        let same = |known: &&Table| known.name.as_str().eq_ignore_ascii_case(name.as_str());
        self.tables.get(name.as_str()).or_else(|| self.tables.values().find(same))
    }

    pub fn is_known(&self, table: Symbol) -> bool {
        self.table(table).is_some()
    }

    pub fn column(&self, table: Symbol, name: Symbol) -> Option<&ColumnDef> {
        self.table(table)?.column(name)
    }

    /// The unique index or key that two rows equal in `columns` would violate: all of its columns are among them. One that holds for every row comes before
    /// a partial one, of which the caller must judge whether it holds for the row at hand.
    pub fn covering_unique(&self, table: Symbol, columns: &[Symbol]) -> Option<&Unique> {
        let covering = || {
            self.table(table)
                .into_iter()
                .flat_map(|table| &table.uniques)
                .filter(|unique| unique.is_covered_by(columns))
        };
        covering().find(|unique| unique.predicate.is_none()).or_else(|| covering().next())
    }
}

impl Table {
    fn new(name: Symbol, span: Span, origin: Origin) -> Table {
        let (columns, uniques, checks, foreign_keys, triggers) = Default::default();
        Table { name, columns, uniques, checks, foreign_keys, triggers, span, origin }
    }

    pub fn column(&self, name: Symbol) -> Option<&ColumnDef> {
        let same = |column: &&ColumnDef| column.name.as_str().eq_ignore_ascii_case(name.as_str());
        self.columns.iter().find(|column| column.name == name).or_else(|| self.columns.iter().find(same))
    }

    /// Points at its definition.
    pub fn label(&self, message: String) -> Label {
        Label { role: Role::Schema, span: self.span, message }
    }

    /// Whether a constraint that is not listed does not exist.
    pub fn is_complete(&self) -> bool {
        matches!(self.origin, Origin::Sql | Origin::Inline | Origin::RustComplete)
    }

    pub fn primary_key(&self) -> Option<&Unique> {
        self.uniques.iter().find(|unique| unique.primary)
    }

    /// Whether the database keeps the column from falling below a bound: a CHECK, or an unsigned type.
    pub fn is_bounded_below(&self, column: Symbol) -> bool {
        let unsigned = self.column(column).is_some_and(|column| column.unsigned);
        unsigned
            || self.checks.iter().any(|check| check.bounded_below.iter().any(|bounded| same_name(*bounded, column)))
    }

    /// Whether a CHECK keeps the column from rising above a bound.
    pub fn is_bounded_above(&self, column: Symbol) -> bool {
        self.checks.iter().any(|check| check.bounded_above.iter().any(|bounded| same_name(*bounded, column)))
    }

    /// The foreign key of the column, alone or with others.
    pub fn foreign_key(&self, column: Symbol) -> Option<&ForeignKey> {
        self.foreign_keys.iter().find(|key| key.columns.iter().any(|name| same_name(*name, column)))
    }
}

impl Unique {
    /// Every column it is made of, those inside expressions too.
    pub fn column_names(&self) -> Vec<Symbol> {
        let names = |part: &UniquePart| match part {
            UniquePart::Column(name) => vec![*name],
            UniquePart::Expression { columns, .. } => columns.clone(),
        };
        self.columns.iter().flat_map(names).collect()
    }

    fn is_covered_by(&self, columns: &[Symbol]) -> bool {
        let names = self.column_names();
        !names.is_empty() && names.iter().all(|name| columns.iter().any(|column| same_name(*name, *column)))
    }
}

fn same_name(one: Symbol, other: Symbol) -> bool {
    one == other || one.as_str().eq_ignore_ascii_case(other.as_str())
}
