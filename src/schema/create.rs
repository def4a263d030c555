//! CREATE TABLE in its forms, and CREATE DOMAIN.

use super::apply::Outcome;
use super::column::column;
use super::constraint::{check, is_constraint};
use super::reader::Reader;
use super::{Check, ColumnDef, Filled, Origin, Schema, Table, Unique, UniquePart};
use crate::intern::Symbol;
use crate::source::Span;
use crate::sql::{self, Dialect};

impl Schema {
    /// Reads what follows CREATE TABLE.
    pub(super) fn create_table(&mut self, mut reader: Reader<'_>, start: usize, origin: Origin) -> Outcome {
        let if_absent = reader.take_if_exists();
        let Some(name) = reader.name() else { return Outcome::Failed("a table whose name could not be read") };
        let span = reader.span(start, reader.at);
        let known = self.tables.get(name.as_str()).is_some_and(|table| table.origin != Origin::Altered);
        if if_absent && known {
            return Outcome::Done;
        }
        let mut table = Table::new(name, span, origin);
        if reader.take(&["PARTITION", "OF"]) || reader.take(&["LIKE"]) {
            let Some(parent) = reader.name() else { return Outcome::Failed("a table like another without its name") };
            self.copy(&mut table, parent, Copied::All);
        } else if let Some(body) = reader.parenthesised() {
            body.parts().into_iter().for_each(|part| self.element(&mut table, part));
            if reader.take(&["INHERITS"]) {
                reader.names().into_iter().for_each(|parent| self.copy(&mut table, parent, Copied::Columns));
            }
        } else if let Some(at) = (reader.at..reader.tokens.len()).find(|at| Reader { at: *at, ..reader }.sees(&["AS"]))
        {
            table.columns = selected(Reader { at: at + 1, ..reader }, span);
        } else {
            return Outcome::Failed("a table without columns");
        }
        // What was altered before its CREATE was seen belongs to it.
        if let Some(before) = self.tables.remove(name.as_str()).filter(|before| before.origin == Origin::Altered) {
            table.uniques.extend(before.uniques);
            table.triggers.extend(before.triggers);
        }
        table.name_constraints();
        if let Some([UniquePart::Column(only)]) = table.primary_key().map(|key| key.columns.clone()).as_deref() {
            table.columns.iter_mut().filter(|column| column.name == *only).for_each(ColumnDef::put_rowid);
        }
        self.tables.insert(name.as_str(), table);
        Outcome::Done
    }

    fn element(&self, table: &mut Table, mut part: Reader<'_>) {
        if part.take(&["LIKE"]) {
            let Some(parent) = part.name() else { return };
            let all = part.sees(&["INCLUDING", "ALL"]) || part.sees(&["INCLUDING", "INDEXES"]);
            self.copy(table, parent, if all { Copied::All } else { Copied::Columns });
        } else if is_constraint(&part) {
            table.put_constraint(part);
        } else if let Some(column) = column(part) {
            let domain = self.domains.get(column.def.ty.as_str()).map(|check| of_column(check, &column.def));
            table.put_column(column);
            table.checks.extend(domain);
        }
    }

    fn copy(&self, table: &mut Table, parent: Symbol, copied: Copied) {
        let Some(parent) = self.tables.get(parent.as_str()) else { return };
        table.columns.extend(parent.columns.iter().cloned());
        if copied == Copied::All {
            table.uniques.extend(parent.uniques.iter().map(|unique| Unique { name: None, ..unique.clone() }));
            table.checks.extend(parent.checks.iter().map(|check| Check { name: None, ..check.clone() }));
        }
    }

    /// `CREATE DOMAIN amount AS numeric CHECK (VALUE >= 0)`
    pub(super) fn create_domain(&mut self, mut reader: Reader<'_>) -> Outcome {
        let Some(name) = reader.name() else { return Outcome::Failed("a domain without a name") };
        while !reader.is_done() {
            let start = reader.at;
            if reader.take(&["CHECK"]) {
                self.domains.extend(check(&mut reader, start, None).map(|check| (name.as_str(), check)));
            } else {
                reader.skip();
            }
        }
        Outcome::Done
    }
}

/// What a table takes over from another.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    Columns,
    All,
}

/// A domain's check on one of its columns.
fn of_column(check: &Check, column: &ColumnDef) -> Check {
    let bound = |names: &[Symbol]| if names.is_empty() { Vec::new() } else { vec![column.name] };
    Check {
        name: None,
        columns: vec![column.name],
        text: check.text,
        bounded_below: bound(&check.bounded_below),
        bounded_above: bound(&check.bounded_above),
        span: column.span,
    }
}

/// The columns of `CREATE TABLE … AS SELECT`, by name alone.
fn selected(mut reader: Reader<'_>, span: Span) -> Vec<ColumnDef> {
    let inside = reader.parenthesised();
    let select = sql::parse(inside.unwrap_or(reader).rest(), Dialect::Unknown);
    let named = select.projections.iter().filter_map(|projection| projection.name);
    let column = |name| ColumnDef {
        name,
        ty: Symbol::new(""),
        not_null: false,
        unsigned: false,
        default: None,
        filled: Filled::ByWriter,
        span,
    };
    named.map(column).collect()
}
