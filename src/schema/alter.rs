//! ALTER TABLE, one operation after another.

use super::apply::Outcome;
use super::column::{column, default};
use super::constraint::{columns_in, is_constraint};
use super::reader::{Reader, normalised};
use super::{Filled, Schema, Table, Unique, UniquePart};
use crate::intern::Symbol;
use crate::sql::Dialect;
use crate::sql::token::tokenize;

impl Schema {
    /// Reads what follows ALTER TABLE.
    pub(super) fn alter_table(&mut self, mut reader: Reader<'_>) -> Outcome {
        reader.take_if_exists();
        reader.take(&["ONLY"]);
        let start = reader.at;
        let Some(name) = reader.name() else { return Outcome::Failed("an altered table whose name could not be read") };
        let span = reader.span(start, reader.at);
        if reader.take(&["RENAME", "TO"]) || reader.take(&["RENAME", "AS"]) {
            if let Some(new) = reader.name() {
                self.rename_table(name, new);
            }
            return Outcome::Done;
        }
        let mut abroad = Vec::new();
        let table = self.table_or_new(name, span);
        for part in reader.parts() {
            table.alter(part, &mut abroad);
        }
        table.name_constraints();
        for change in abroad {
            self.change_foreign_keys(name, &change);
        }
        Outcome::Done
    }

    /// Changes the foreign keys that name the table.
    fn change_foreign_keys(&mut self, table: Symbol, change: &Abroad) {
        for other in self.tables.values_mut() {
            let keys = &mut other.foreign_keys;
            match change {
                Abroad::Renamed(old, new) => {
                    let columns =
                        keys.iter_mut().filter(|key| key.table == table).flat_map(|key| &mut key.foreign_columns);
                    columns.filter(|column| *column == old).for_each(|column| *column = *new);
                }
                Abroad::Dropped { columns, primary } => keys.retain(|key| {
                    let same = key.foreign_columns == *columns || (*primary && key.foreign_columns.is_empty());
                    key.table != table || !same
                }),
            }
        }
    }
}

/// What a change means for the foreign keys of other tables.
enum Abroad {
    /// A column got another name.
    Renamed(Symbol, Symbol),
    /// A key of these columns went, with all that needs it.
    Dropped { columns: Vec<Symbol>, primary: bool },
}

impl Table {
    fn alter(&mut self, mut part: Reader<'_>, abroad: &mut Vec<Abroad>) {
        if part.take(&["ADD"]) {
            self.alter_add(part);
        } else if part.take(&["DROP"]) {
            abroad.extend(self.alter_drop(part));
        } else if part.take(&["RENAME"]) {
            abroad.extend(self.alter_rename(part));
        } else if part.take(&["MODIFY"]) {
            part.take(&["COLUMN"]);
            self.redefine(None, part);
        } else if part.take(&["CHANGE"]) {
            part.take(&["COLUMN"]);
            let old = part.name();
            abroad.extend(self.redefine(old, part));
        } else if part.take(&["ALTER"]) {
            part.take(&["COLUMN"]);
            self.alter_column(part);
        }
    }

    fn alter_add(&mut self, mut part: Reader<'_>) {
        if is_constraint(&part) {
            return self.put_constraint(part);
        }
        part.take(&["COLUMN"]);
        let if_absent = part.take_if_exists();
        // MySQL adds several in one pair of parentheses.
        let columns = part.parenthesised().map_or_else(|| vec![part], Reader::parts);
        for column in columns.into_iter().filter_map(column) {
            if !if_absent || self.column(column.def.name).is_none() {
                self.put_column(column);
            }
        }
    }

    fn alter_drop(&mut self, mut part: Reader<'_>) -> Vec<Abroad> {
        if part.take(&["PRIMARY", "KEY"]) {
            self.uniques.retain(|unique| !unique.primary);
            return Vec::new();
        }
        let constraint = part.take_any(&["CONSTRAINT", "INDEX", "KEY", "CHECK"]) || part.take(&["FOREIGN", "KEY"]);
        part.take(&["COLUMN"]);
        part.take_if_exists();
        let Some(name) = part.name() else { return Vec::new() };
        let before = self.uniques.clone();
        if constraint {
            self.drop_constraint(name)
        } else {
            self.drop_column(name)
        }
        if !part.sees(&["CASCADE"]) {
            return Vec::new();
        }
        let gone = before.iter().filter(|unique| !self.uniques.iter().any(|left| left.name == unique.name));
        gone.map(|unique| Abroad::Dropped { columns: unique.column_names(), primary: unique.primary }).collect()
    }

    /// Drops by name; MySQL names a unique key without a name after its first column.
    fn drop_constraint(&mut self, name: Symbol) {
        let count = |table: &Table| table.uniques.len() + table.checks.len() + table.foreign_keys.len();
        let before = count(self);
        self.uniques.retain(|unique| unique.name != Some(name));
        self.checks.retain(|check| check.name != Some(name));
        self.foreign_keys.retain(|key| key.name != Some(name));
        if count(self) == before {
            self.uniques.retain(|unique| unique.primary || unique.column_names().first() != Some(&name));
        }
    }

    /// A constraint goes with any of its columns.
    fn drop_column(&mut self, name: Symbol) {
        self.columns.retain(|column| column.name != name);
        self.uniques.retain(|unique| !unique.column_names().contains(&name));
        self.checks.retain(|check| !check.columns.contains(&name));
        self.foreign_keys.retain(|key| !key.columns.contains(&name));
    }

    fn alter_rename(&mut self, mut part: Reader<'_>) -> Option<Abroad> {
        let constraint = part.take_any(&["CONSTRAINT", "INDEX", "KEY"]);
        part.take(&["COLUMN"]);
        let (Some(old), true, Some(new)) = (part.name(), part.take(&["TO"]), part.name()) else { return None };
        if constraint {
            self.rename_constraint(old, new);
            return None;
        }
        self.rename_column(old, new);
        Some(Abroad::Renamed(old, new))
    }

    fn rename_column(&mut self, old: Symbol, new: Symbol) {
        let rename = |name: &mut Symbol| {
            if *name == old {
                *name = new;
            }
        };
        self.columns.iter_mut().for_each(|column| rename(&mut column.name));
        self.foreign_keys.iter_mut().flat_map(|key| &mut key.columns).for_each(rename);
        for check in &mut self.checks {
            check.columns.iter_mut().chain(&mut check.bounded_below).chain(&mut check.bounded_above).for_each(rename);
            check.text = renamed_in(check.text, old, new);
        }
        for unique in &mut self.uniques {
            rename_in_unique(unique, old, new);
        }
    }

    /// MODIFY and CHANGE give the whole definition anew; keys stay as they are.
    fn redefine(&mut self, old: Option<Symbol>, part: Reader<'_>) -> Option<Abroad> {
        let column = column(part)?;
        let new = column.def.name;
        let renamed = old.filter(|old| *old != new);
        if let Some(old) = renamed {
            self.rename_column(old, new);
        }
        let unique = |unique: &Unique| self.uniques.iter().any(|known| known.columns == unique.columns);
        let uniques = column.uniques.iter().filter(|known| !unique(known)).cloned().collect();
        self.put_column(super::column::Column { uniques, ..column });
        renamed.map(|old| Abroad::Renamed(old, new))
    }

    fn alter_column(&mut self, mut part: Reader<'_>) {
        let Some(column) = part.name().and_then(|name| self.columns.iter_mut().find(|column| column.name == name))
        else {
            return;
        };
        if part.take(&["SET", "NOT", "NULL"]) {
            column.not_null = true;
        } else if part.take(&["DROP", "NOT", "NULL"]) {
            column.not_null = false;
        } else if part.take(&["SET", "DEFAULT"]) {
            column.put_default(default(&mut part));
        } else if part.take(&["DROP", "DEFAULT"]) || part.take(&["DROP", "IDENTITY"]) {
            column.drop_default();
        } else if part.take(&["ADD", "GENERATED"]) {
            column.filled = Filled::BySequence;
        } else if part.take(&["TYPE"]) || part.take(&["SET", "DATA", "TYPE"]) {
            let end =
                (part.at..part.tokens.len()).find(|at| Reader { at: *at, ..part }.sees_any(&["USING", "COLLATE"]));
            column.ty = normalised(Reader { tokens: &part.tokens[..end.unwrap_or(part.tokens.len())], ..part });
        }
    }
}

fn rename_in_unique(unique: &mut Unique, old: Symbol, new: Symbol) {
    for part in &mut unique.columns {
        match part {
            UniquePart::Column(name) if *name == old => *name = new,
            UniquePart::Column(_) => {}
            UniquePart::Expression { text, columns } => {
                *text = renamed_in(*text, old, new);
                columns.iter_mut().filter(|name| **name == old).for_each(|name| *name = new);
            }
        }
    }
    if let Some(text) = unique.predicate_text.map(|text| renamed_in(text, old, new)) {
        unique.predicate = Some(super::constraint::conditions(text.as_str()));
        unique.predicate_text = Some(text);
    }
}

/// The text of an expression with one of its columns renamed.
fn renamed_in(text: Symbol, old: Symbol, new: Symbol) -> Symbol {
    let text = text.as_str();
    let tokens = tokenize(text, Dialect::Unknown);
    let place = super::reader::Place::Within(NOWHERE);
    if !columns_in(Reader { text, tokens: &tokens, at: 0, place }).contains(&old) {
        return Symbol::new(text);
    }
    let mut out = String::new();
    let mut at = 0;
    for token in tokens.iter().filter(|token| token.text(text) == old.as_str()) {
        out.push_str(&text[at..token.start]);
        out.push_str(new.as_str());
        at = token.end;
    }
    out.push_str(&text[at..]);
    Symbol::new(&out)
}

/// Expressions that were normalised stand in no file any more.
const NOWHERE: crate::source::Span = crate::source::Span { source: crate::source::SourceId(0), start: 0, end: 0 };
