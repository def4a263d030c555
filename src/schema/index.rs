//! Unique indexes: CREATE, DROP, ALTER … RENAME.

use super::apply::Outcome;
use super::constraint::{condition, parts};
use super::reader::Reader;
use super::{Schema, Table, Unique};
use crate::intern::Symbol;

impl Schema {
    /// Reads what follows CREATE UNIQUE INDEX.
    pub(super) fn create_unique(&mut self, mut reader: Reader<'_>, start: usize) -> Outcome {
        reader.take(&["CONCURRENTLY"]);
        let if_absent = reader.take_if_exists();
        let name = if reader.sees(&["ON"]) { None } else { reader.name() };
        // MySQL says how the index is built before its table, PostgreSQL after.
        if reader.take(&["USING"]) {
            reader.skip();
        }
        if !reader.take(&["ON"]) {
            return Outcome::Failed("a unique index whose table could not be read");
        }
        reader.take(&["ONLY"]);
        let Some(table) = reader.name() else { return Outcome::Failed("a unique index whose table could not be read") };
        if reader.take(&["USING"]) {
            reader.skip();
        }
        let Some(inside) = reader.parenthesised() else { return Outcome::Failed("a unique index without columns") };
        let end = reader.at;
        let columns = parts(inside);
        let mut nulls_conflict = false;
        while !reader.is_done() && !reader.sees(&["WHERE"]) {
            nulls_conflict |= reader.sees(&["NULLS", "NOT", "DISTINCT"]);
            reader.skip();
        }
        let (predicate, predicate_text) = condition(&mut reader);
        let span = reader.span(start, end);
        // MySQL names the indexes of each table apart.
        let has = |table: &Table| table.uniques.iter().any(|unique| name.is_some() && unique.name == name);
        let taken = if_absent && self.tables.values().any(has);
        let table = self.table_or_new(table, span);
        if taken || has(table) {
            return Outcome::Done;
        }
        let (primary, exclusion) = (false, false);
        let name = Some(name.unwrap_or_else(|| table.index_name(&columns)));
        table.uniques.push(Unique {
            name,
            columns,
            predicate,
            predicate_text,
            primary,
            exclusion,
            nulls_conflict,
            span,
        });
        Outcome::Done
    }

    /// Drops the index, of that table alone where one is given.
    pub(super) fn drop_index(&mut self, name: Symbol, table: Option<Symbol>) {
        let tables = self.tables.values_mut().filter(|known| table.is_none_or(|table| known.name == table));
        tables.for_each(|table| table.uniques.retain(|unique| unique.name != Some(name)));
    }

    /// Reads what follows ALTER INDEX.
    pub(super) fn alter_index(&mut self, mut reader: Reader<'_>) -> Outcome {
        reader.take_if_exists();
        if let (Some(old), true, Some(new)) = (reader.name(), reader.take(&["RENAME", "TO"]), reader.name()) {
            self.tables.values_mut().for_each(|table| table.rename_constraint(old, new));
        }
        Outcome::Done
    }
}

impl Table {
    pub(super) fn rename_constraint(&mut self, old: Symbol, new: Symbol) {
        let named = |name: &mut Option<Symbol>| {
            if *name == Some(old) {
                *name = Some(new);
            }
        };
        self.uniques.iter_mut().for_each(|unique| named(&mut unique.name));
        self.checks.iter_mut().for_each(|check| named(&mut check.name));
        self.foreign_keys.iter_mut().for_each(|key| named(&mut key.name));
    }
}
