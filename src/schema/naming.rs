//! The names that PostgreSQL gives to constraints and indexes that have none. They stay as they are when a table or a column is renamed later, so they are
//! given when the constraint is read. Other databases name less: what MySQL does is asked where a constraint is dropped.

use super::{Table, Unique, UniquePart};
use crate::intern::Symbol;

/// The longest name, in bytes.
const LONGEST: usize = 63;

impl Table {
    /// Gives a name to every constraint that has none yet.
    pub(super) fn name_constraints(&mut self) {
        for at in 0..self.uniques.len() {
            let unique = &self.uniques[at];
            let name = match unique {
                Unique { name: Some(name), .. } => *name,
                Unique { primary: true, .. } => self.free_name("", "pkey"),
                Unique { exclusion: true, .. } => self.free_name(&index_columns(&unique.columns), "excl"),
                _ => self.free_name(&index_columns(&unique.columns), "key"),
            };
            self.uniques[at].name = Some(name);
        }
        for at in 0..self.checks.len() {
            // A check of several columns is named after none of them.
            let column = if let [only] = self.checks[at].columns.as_slice() { only.as_str() } else { "" };
            let name = self.checks[at].name.unwrap_or_else(|| self.free_name(column, "check"));
            self.checks[at].name = Some(name);
        }
        for at in 0..self.foreign_keys.len() {
            let key = &self.foreign_keys[at];
            let columns = joined(key.columns.iter().map(|column| column.as_str()));
            let name = key.name.unwrap_or_else(|| self.free_name(&columns, "fkey"));
            self.foreign_keys[at].name = Some(name);
        }
    }

    /// The name of an index on the table that is made without one.
    pub(super) fn index_name(&self, columns: &[UniquePart]) -> Symbol {
        self.free_name(&index_columns(columns), "idx")
    }

    /// `table_columns_label`, with a number behind it if that is taken.
    fn free_name(&self, columns: &str, label: &str) -> Symbol {
        let taken = |name: Symbol| {
            let mut names = (self.uniques.iter().map(|unique| unique.name))
                .chain(self.checks.iter().map(|check| check.name))
                .chain(self.foreign_keys.iter().map(|key| key.name));
            names.any(|known| known == Some(name))
        };
        let numbered = |number: usize| match number {
            0 => fitting(self.name.as_str(), columns, label),
            _ => fitting(self.name.as_str(), columns, &format!("{label}{number}")),
        };
        let mut number = 0;
        while taken(numbered(number)) {
            number += 1;
        }
        numbered(number)
    }
}

/// The parts of an index as its name has them: an expression by its function.
fn index_columns(parts: &[UniquePart]) -> String {
    joined(parts.iter().map(|part| match part {
        UniquePart::Column(name) => name.as_str(),
        UniquePart::Expression { text, .. } => match text.as_str().split_once('(') {
            Some((function, _)) if !function.is_empty() && function.bytes().all(is_word) => function,
            _ => "expr",
        },
    }))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn joined<'n>(names: impl Iterator<Item = &'n str>) -> String {
    names.collect::<Vec<_>>().join("_")
}

/// The three parts, the longer of the first two cut short until the whole fits.
fn fitting(table: &str, columns: &str, label: &str) -> Symbol {
    let (mut table, mut columns) = (table, columns);
    let separators = if columns.is_empty() { 1 } else { 2 };
    while table.len() + columns.len() + label.len() + separators > LONGEST {
        let longer = if table.len() > columns.len() { &mut table } else { &mut columns };
        let Some((last, _)) = longer.char_indices().next_back() else { break };
        *longer = &longer[..last];
    }
    let parts = [table, columns, label];
    Symbol::new(&joined(parts.into_iter().filter(|part| !part.is_empty())))
}
