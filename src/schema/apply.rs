//! One statement after another onto a [`Schema`].

use super::reader::{Place, Reader};
use super::{Origin, Schema, Table};
use crate::intern::Symbol;
use crate::source::Span;
use crate::sql::token::{Token, TokenKind, tokenize};
use crate::sql::{Dialect, split};

/// A statement that should have been understood and was not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    pub span: Span,
    pub reason: &'static str,
}

/// How a statement was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Done,
    /// It defines no tables.
    Ignored,
    Failed(&'static str),
}

/// Applies every statement of `text` in order.
pub(super) fn apply(schema: &mut Schema, text: &str, place: Place<'_>, origin: Origin, skipped: &mut Vec<Skipped>) {
    let tokens = tokenize(text, Dialect::Unknown);
    for range in split::statements(text, &tokens) {
        let reader = Reader { text, tokens: &tokens[..range.end], at: range.start, place };
        if reader.sees(&["DO"]) {
            apply_body(schema, reader, origin, skipped);
        } else if let Outcome::Failed(reason) = schema.statement(reader, origin) {
            skipped.push(Skipped { span: reader.span(range.start, range.end), reason });
        }
    }
}

/// `DO $$ BEGIN IF NOT EXISTS (…) THEN ALTER TABLE …; END IF; END $$`: how PostgreSQL's users make a change once. What stands in it is taken as done.
fn apply_body(schema: &mut Schema, reader: Reader<'_>, origin: Origin, skipped: &mut Vec<Skipped>) {
    let quoted = |token: &&Token| token.kind == TokenKind::Text && token.text(reader.text).starts_with('$');
    let Some(body) = reader.tokens[reader.at..].iter().find(quoted) else { return };
    let literal = body.text(reader.text);
    let Some(tag) = literal[1..].find('$').map(|end| end + 2) else { return };
    let Some(inside) = literal.len().checked_sub(tag).and_then(|end| literal.get(tag..end)) else { return };
    let place = match reader.place {
        Place::At(source, base) => Place::At(source, base + body.start + tag),
        other => other,
    };
    let tokens = tokenize(inside, Dialect::Unknown);
    for range in split::statements(inside, &tokens) {
        let whole = Reader { text: inside, tokens: &tokens[..range.end], at: range.start, place };
        // `IF … THEN` and BEGIN stand before the statement.
        let start = (range.clone()).find(|at| Reader { at: *at, ..whole }.sees_any(&["CREATE", "ALTER", "DROP"]));
        let Some(at) = start else { continue };
        if let Outcome::Failed(reason) = schema.statement(Reader { at, ..whole }, origin) {
            skipped.push(Skipped { span: whole.span(at, range.end), reason });
        }
    }
}

impl Schema {
    pub(super) fn statement(&mut self, mut reader: Reader<'_>, origin: Origin) -> Outcome {
        let start = reader.at;
        if reader.take(&["CREATE"]) {
            self.create(reader, start, origin)
        } else if reader.take(&["ALTER", "TABLE"]) {
            self.alter_table(reader)
        } else if reader.take(&["ALTER", "INDEX"]) {
            self.alter_index(reader)
        } else if reader.take(&["DROP"]) {
            self.drop_things(reader)
        } else if reader.take(&["RENAME", "TABLE"]) {
            for mut part in reader.parts() {
                if let (Some(old), true, Some(new)) = (part.name(), part.take(&["TO"]), part.name()) {
                    self.rename_table(old, new);
                }
            }
            Outcome::Done
        } else {
            Outcome::Ignored
        }
    }

    fn create(&mut self, mut reader: Reader<'_>, start: usize, origin: Origin) -> Outcome {
        reader.take(&["OR", "REPLACE"]);
        reader.take_any(&["GLOBAL", "LOCAL"]);
        let temporary = reader.take_any(&["TEMP", "TEMPORARY"]);
        reader.take_any(&["UNLOGGED", "CONSTRAINT", "FOREIGN"]);
        let unique = reader.take(&["UNIQUE"]);
        if reader.take(&["TRIGGER"]) {
            return self.create_trigger(reader);
        }
        // A temporary table is one connection's own.
        if temporary {
            return Outcome::Ignored;
        }
        if reader.take(&["TABLE"]) {
            return self.create_table(reader, start, origin);
        }
        if reader.take(&["DOMAIN"]) {
            return self.create_domain(reader);
        }
        reader.take_any(&["FULLTEXT", "SPATIAL"]);
        if reader.take(&["INDEX"]) {
            return if unique { self.create_unique(reader, start) } else { Outcome::Done };
        }
        Outcome::Ignored
    }

    fn create_trigger(&mut self, mut reader: Reader<'_>) -> Outcome {
        reader.take_if_exists();
        let Some(name) = reader.name() else { return Outcome::Failed("a trigger without a name") };
        // `UPDATE OF a ON t`: the table stands after the first ON.
        while !reader.is_done() && !reader.take(&["ON"]) {
            reader.skip();
        }
        let Some(table) = reader.name() else { return Outcome::Failed("a trigger without a table") };
        let span = reader.span(reader.at.saturating_sub(1), reader.at);
        let table = self.table_or_new(table, span);
        if !table.triggers.contains(&name) {
            table.triggers.push(name);
        }
        Outcome::Done
    }

    fn drop_things(&mut self, mut reader: Reader<'_>) -> Outcome {
        // A unique index makes a view known by the name of a table.
        reader.take(&["MATERIALIZED"]);
        let tables = reader.take_any(&["TABLE", "VIEW"]);
        let indexes = !tables && reader.take(&["INDEX"]);
        let triggers = !tables && !indexes && reader.take(&["TRIGGER"]);
        if !tables && !indexes && !triggers {
            return Outcome::Ignored;
        }
        reader.take(&["CONCURRENTLY"]);
        reader.take_if_exists();
        for mut part in reader.parts() {
            let Some(name) = part.name() else { continue };
            if tables {
                self.drop_table(name, part.sees(&["CASCADE"]));
            } else if indexes {
                let table = if part.take(&["ON"]) { part.name() } else { None };
                self.drop_index(name, table);
            } else {
                self.tables.values_mut().for_each(|table| table.triggers.retain(|trigger| *trigger != name));
            }
        }
        Outcome::Done
    }

    fn drop_table(&mut self, name: Symbol, cascade: bool) {
        self.tables.remove(name.as_str());
        if cascade {
            self.tables.values_mut().for_each(|table| table.foreign_keys.retain(|key| key.table != name));
        }
    }

    pub(super) fn rename_table(&mut self, old: Symbol, new: Symbol) {
        let Some(mut table) = self.tables.remove(old.as_str()) else { return };
        table.name = new;
        self.tables.insert(new.as_str(), table);
        for table in self.tables.values_mut() {
            table.foreign_keys.iter_mut().filter(|key| key.table == old).for_each(|key| key.table = new);
        }
    }

    /// The table; one of which only this is known if its CREATE was not seen.
    pub(super) fn table_or_new(&mut self, name: Symbol, span: Span) -> &mut Table {
        self.tables.entry(name.as_str()).or_insert_with(|| Table::new(name, span, Origin::Altered))
    }
}
