//! What the names in a statement refer to: real tables under their aliases, derived tables and CTEs by what they select.

use super::Lowering;
use super::operand::EXCLUDED;
use crate::intern::Symbol;
use crate::sql::{Column, Projection, Statement};

/// A table of FROM, by the name that columns are qualified with.
pub(super) struct Source {
    pub alias: Symbol,
    pub rows: Rows,
}

impl Source {
    /// The row that an upsert could not insert is always named with its qualifier.
    fn is_excluded(&self) -> bool {
        matches!(self.rows, Rows::Table(Some(table)) if table == EXCLUDED)
    }
}

/// Where the rows of a source come from.
#[derive(Clone)]
pub(super) enum Rows {
    /// A real table; nothing for one that is interpolated without a name, and for functions.
    Table(Option<Symbol>),
    Derived(Derived),
}

/// The result of a sub-select or CTE, as far as its columns can be traced.
#[derive(Clone, Default)]
pub(super) struct Derived {
    table: Option<Symbol>,
    projections: Vec<Projection>,
}

impl Derived {
    pub fn of(statement: &Statement) -> Self {
        Derived { table: statement.table, projections: statement.projections.clone() }
    }

    /// With the names that `WITH c (a, b)` gives to the columns.
    pub fn renamed(mut self, columns: &[Symbol]) -> Self {
        for (projection, name) in self.projections.iter_mut().zip(columns) {
            projection.name = Some(*name);
        }
        self
    }

    /// The real column behind a column of the result, if it is passed through unchanged.
    fn column(&self, name: Symbol) -> Option<Column> {
        let named = self.projections.iter().find(|p| p.name == Some(name) && p.aggregate.is_none());
        if let Some([column]) = named.map(|p| p.columns.as_slice()) {
            return Some(*column);
        }
        let all = |p: &&Projection| p.columns.len() == 1 && p.columns[0].name == "*";
        let star = self.projections.iter().find(all)?;
        Some(Column { table: star.columns[0].table.or(self.table), name })
    }
}

/// The names that hold in one query, and around it those of the queries it stands in.
#[derive(Default)]
pub(super) struct Scope<'s> {
    pub parent: Option<&'s Scope<'s>>,
    pub sources: Vec<Source>,
    pub ctes: Vec<(Symbol, Derived)>,
}

impl<'s> Scope<'s> {
    pub fn within(parent: Option<&'s Scope<'s>>) -> Self {
        Scope { parent, ..Scope::default() }
    }

    pub fn add(&mut self, alias: Symbol, rows: Rows) {
        self.sources.push(Source { alias, rows });
    }

    pub fn cte(&self, name: Symbol) -> Option<&Derived> {
        let own = self.ctes.iter().rev().find(|(known, _)| *known == name).map(|(_, rows)| rows);
        own.or_else(|| self.parent?.cte(name))
    }

    /// The real table that a qualifier stands for; the qualifier itself where nothing is known of it.
    fn qualified(&self, qualifier: Symbol, name: Symbol) -> Column {
        let Some(source) = self.sources.iter().find(|source| source.alias == qualifier) else {
            return match self.parent {
                Some(parent) => parent.qualified(qualifier, name),
                None => Column { table: Some(qualifier), name },
            };
        };
        match &source.rows {
            Rows::Table(table) => Column { table: *table, name },
            Rows::Derived(rows) => rows.column(name).unwrap_or(Column { table: None, name }),
        }
    }

    /// A column without a qualifier: of the only source, or of the only real table where no derived one names it.
    fn unqualified(&self, name: Symbol) -> Column {
        let unknown = Column { table: None, name };
        let sources: Vec<&Source> = self.sources.iter().filter(|source| !source.is_excluded()).collect();
        match sources.as_slice() {
            [] => self.parent.map_or(unknown, |parent| parent.unqualified(name)),
            [only] => match &only.rows {
                Rows::Table(table) => Column { table: *table, name },
                Rows::Derived(rows) => rows.column(name).unwrap_or(unknown),
            },
            several => {
                let derived = several.iter().find_map(|source| match &source.rows {
                    Rows::Derived(rows) if rows.projections.iter().any(|p| p.name == Some(name)) => rows.column(name),
                    _ => None,
                });
                let mut tables = several.iter().filter_map(|source| match &source.rows {
                    Rows::Table(table) => Some(*table),
                    Rows::Derived(_) => None,
                });
                let only = tables.next().filter(|_| tables.next().is_none()).flatten();
                derived.unwrap_or(Column { table: only, name })
            }
        }
    }

    /// How many tables can be named without a qualifier.
    pub fn tables(&self) -> usize {
        self.sources.iter().filter(|source| !source.is_excluded()).count()
    }

    pub fn column(&self, qualifier: Option<Symbol>, name: Symbol) -> Column {
        match qualifier {
            Some(qualifier) => self.qualified(qualifier, name),
            None => self.unqualified(name),
        }
    }
}

/// What an expression is read against: the scope, the statement's own table, and where its sub-selects go.
pub(super) struct Cx<'c, 's> {
    pub lowering: &'c Lowering<'c>,
    pub scope: &'c Scope<'s>,
    pub own: Option<Symbol>,
    pub inner: &'c mut Vec<Statement>,
}
