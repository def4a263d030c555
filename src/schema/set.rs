//! All databases of a run, and which of them a Rust file speaks to.

use std::collections::{BTreeMap, HashSet};

use super::apply::apply;
use super::builders::{Built, Direction, Text};
use super::files::{by_version, definition, inside_of, rust_migrations, up_half};
use super::reader::Place;
use super::{ColumnDef, Filled, Origin, SaidBy, Schema, Table, Unique, UniquePart};
use crate::discover::Database;
use crate::intern::Symbol;
use crate::resolve::TableDef;
use crate::source::{SourceId, SourceKind, Sources, Span};

pub use super::apply::Skipped;

/// The schemas of a run.
#[derive(Clone, Debug, Default)]
pub struct SchemaSet {
    /// One for each folder of migrations and each schema file, in the order of their names; then one for each root that Rust code adds to.
    pub schemas: Vec<Schema>,
    /// Statements that should have been understood and were not.
    pub skipped: Vec<Skipped>,
    /// All schemas of one root together.
    by_root: BTreeMap<String, Schema>,
    /// All schemas together.
    merged: Schema,
    /// Those that the configuration tells of.
    databases: Vec<Database>,
}

/// A file of a place: what orders it there, which it is, and the folder whose packages use the database.
type Part<'s> = (&'s str, SourceId, &'s str);

/// Reads every SQL source that lies where migrations lie or that creates tables; those of the given databases as they say.
pub fn build(sources: &Sources, databases: &[Database]) -> SchemaSet {
    let mut set = SchemaSet { databases: databases.to_vec(), ..SchemaSet::default() };
    let mut told = HashSet::new();
    for database in databases {
        set.add_told(sources, database, &mut told);
    }
    let mut places: BTreeMap<&str, Vec<Part>> = BTreeMap::new();
    let sql = || sources.iter().filter(|(_, source)| source.kind == SourceKind::Sql);
    let names: HashSet<&str> = sql().map(|(_, source)| source.name.as_str()).collect();
    for (id, source) in sql().filter(|(id, _)| !told.contains(id)) {
        if let Some(found) = definition(&source.name, &source.text, &|name| names.contains(name)) {
            places.entry(found.place).or_default().push((found.order, id, found.root));
        }
    }
    for (place, mut files) in places {
        files.sort_by(|one, other| by_version(one.0, other.0));
        let root = files.first().map_or("", |file| file.2);
        set.add_place(sources, place, root, &files);
    }
    set.merge();
    set
}

impl SchemaSet {
    /// Adds a database that the configuration tells of, once for each folder that uses it.
    fn add_told(&mut self, sources: &Sources, database: &Database, told: &mut HashSet<SourceId>) {
        let sql = || sources.iter().filter(|(_, source)| source.kind == SourceKind::Sql);
        let names: HashSet<&str> = sql().map(|(_, source)| source.name.as_str()).collect();
        let mut files: Vec<Part> = Vec::new();
        for place in &database.schema {
            let mut inside: Vec<Part> = Vec::new();
            for (id, source) in sql() {
                if let Some(order) = inside_of(place, &source.name, &|name| names.contains(name)) {
                    inside.push((order, id, ""));
                    told.insert(id);
                }
            }
            inside.sort_by(|one, other| by_version(one.0, other.0));
            files.extend(inside);
        }
        let everywhere = [String::new()];
        let users = if database.used_by.is_empty() { everywhere.as_slice() } else { &database.used_by };
        for user in users {
            self.add_place(sources, &database.schema.join(", "), user, &files);
        }
    }

    fn add_place(&mut self, sources: &Sources, place: &str, root: &str, files: &[Part]) {
        let mut schema = Schema { root: root.to_owned(), place: place.to_owned(), ..Schema::default() };
        for (_, id, _) in files {
            let text = up_half(&sources.get(*id).text);
            apply(&mut schema, &text, Place::At(*id, 0), Origin::Sql, &mut self.skipped);
        }
        self.schemas.push(schema);
    }

    /// The schema that the code of a file speaks to: of the nearest folder above it that has one, else the only one, else all of them together.
    pub fn for_file(&self, path: &str) -> &Schema {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        self.view_above(folder).unwrap_or(&self.merged)
    }

    /// The tables of all schemas.
    pub fn all(&self) -> &Schema {
        &self.merged
    }

    /// Adds the statements that Rust code builds, in the order of its files; DDL in strings of migrations takes its place among them. What is left of the
    /// strings comes back.
    pub fn add_built<'t>(
        &mut self,
        sources: &Sources,
        built: &'t Built,
        texts: &[(Span, &'t str)],
    ) -> Vec<(Span, &'t str)> {
        let mut places: BTreeMap<(String, String), Vec<BuiltPart>> = BTreeMap::new();
        let mut add = |span: Span, part: BuiltPart<'t>| {
            let file = sources.get(span.source).name.as_str();
            for place in self.places_of(file) {
                places.entry(place).or_default().push(part);
            }
        };
        built.statements.iter().for_each(|one| add(one.span, BuiltPart::Built(one.span, &one.text)));
        let mut left = Vec::new();
        for (span, text) in texts {
            match built.direction(*span) {
                None => left.push((*span, *text)),
                Some(Direction::Up) => add(*span, BuiltPart::Text(*span, text)),
                Some(Direction::Down) => {}
            }
        }
        for ((root, place), mut parts) in places {
            let key = |part: &BuiltPart| (sources.get(part.span().source).name.as_str(), part.span().start);
            parts.sort_by(|one, other| by_version(key(one).0, key(other).0).then(key(one).1.cmp(&key(other).1)));
            let mut schema = Schema { root, place, ..Schema::default() };
            for part in parts {
                let (text, place) = match part {
                    BuiltPart::Built(_, text) => (text.sql.as_str(), Place::Pieces(&text.pieces)),
                    BuiltPart::Text(span, text) => (text, literal_place(sources, span, text)),
                };
                apply(&mut schema, text, place, Origin::Sql, &mut self.skipped);
            }
            self.schemas.push(schema);
        }
        self.merge();
        left
    }

    /// The roots and the place of the databases that DDL in a Rust file makes.
    fn places_of(&self, file: &str) -> Vec<(String, String)> {
        let told =
            |database: &&Database| database.schema.iter().any(|place| inside_of(place, file, &|_| false).is_some());
        if let Some(database) = self.databases.iter().find(told) {
            let everywhere = [String::new()];
            let users = if database.used_by.is_empty() { everywhere.as_slice() } else { &database.used_by };
            return users.iter().map(|root| (root.clone(), database.schema.join(", "))).collect();
        }
        match rust_migrations(file) {
            Some((root, place)) => vec![(root.to_owned(), place.to_owned())],
            None => vec![rust_place(file)],
        }
    }

    /// Adds what the DDL in strings of the program creates; `span` is the literal's.
    pub fn add_inline(&mut self, sources: &Sources, texts: &[(Span, &str)]) {
        for (span, text) in texts {
            let source = sources.get(span.source);
            let place = literal_place(sources, *span, text);
            let mut skipped = Vec::new();
            apply(self.of_rust(&source.name), text, place, Origin::Inline, &mut skipped);
            self.skipped.extend(skipped);
        }
        self.merge();
    }

    /// Adds tables that Rust declares. One that SQL creates is known better from there; only the uniques of a complete declaration are taken over.
    pub fn add_tables(&mut self, sources: &Sources, tables: &[TableDef]) {
        for def in tables {
            let file = &sources.get(def.span.source).name;
            let uniques = if def.complete { declared_uniques(def) } else { Vec::new() };
            let view = self.for_file(file);
            if view.is_known(def.name) {
                let root = view.root.clone();
                let own = self.schemas.iter().position(|schema| schema.root == root && schema.is_known(def.name));
                let any = || self.schemas.iter().position(|schema| schema.is_known(def.name));
                let known = own.or_else(any).map(|at| &mut self.schemas[at].tables);
                if let Some(known) = known.and_then(|tables| tables.get_mut(def.name.as_str())) {
                    known.add_uniques(&uniques);
                }
                continue;
            }
            self.of_rust(file).tables.insert(def.name.as_str(), declared(def));
        }
        self.merge();
    }

    /// The schema that collects what Rust files below one root say.
    fn of_rust(&mut self, file: &str) -> &mut Schema {
        let (root, place) = rust_place(file);
        let known = self.schemas.iter().position(|schema| schema.said_by == SaidBy::Rust && schema.root == root);
        let at = known.unwrap_or_else(|| {
            self.schemas.push(Schema { root, place, said_by: SaidBy::Rust, ..Schema::default() });
            self.schemas.len() - 1
        });
        &mut self.schemas[at]
    }

    /// Puts the views together. What Rust says adds to the SQL that its code speaks to and is no view of its own, which would hide the migrations of
    /// another package.
    fn merge(&mut self) {
        self.by_root.clear();
        self.merged = Schema::default();
        let (sql, rust): (Vec<&Schema>, Vec<&Schema>) =
            self.schemas.iter().partition(|schema| schema.said_by == SaidBy::Sql);
        for schema in &sql {
            let view = self.by_root.entry(schema.root.clone()).or_default();
            view.root.clone_from(&schema.root);
            view.absorb(schema);
        }
        for schema in &rust {
            let root = self.view_above(&schema.root).map(|view| view.root.clone());
            if let Some(view) = root.and_then(|root| self.by_root.get_mut(&root)) {
                view.absorb(schema);
            }
        }
        sql.into_iter().chain(rust).for_each(|schema| self.merged.absorb(schema));
    }

    /// The view of the folder, or of the nearest one above it.
    fn view_above(&self, folder: &str) -> Option<&Schema> {
        let folders = std::iter::successors(Some(folder), |folder| Some(folder.rsplit_once('/')?.0));
        folders.chain([""]).find_map(|folder| self.by_root.get(folder))
    }
}

impl Schema {
    /// Adds the tables of another view of the same database; of a table that both have, the constraints of either hold.
    fn absorb(&mut self, other: &Schema) {
        for (name, table) in &other.tables {
            match self.tables.get_mut(name) {
                None => {
                    self.tables.insert(name, table.clone());
                }
                Some(known) => known.absorb(table),
            }
        }
    }
}

impl Table {
    fn absorb(&mut self, other: &Table) {
        // A program that creates a table which a migration creates too is most often a test.
        if self.origin == Origin::Sql && other.origin == Origin::Inline {
            return;
        }
        if !self.is_complete() && other.is_complete() {
            let before = std::mem::replace(self, other.clone());
            return self.absorb(&before);
        }
        self.add_uniques(&other.uniques);
        let missing = |column: &&ColumnDef| !self.columns.iter().any(|known| known.name == column.name);
        let columns: Vec<ColumnDef> = other.columns.iter().filter(missing).cloned().collect();
        self.columns.extend(columns);
        for check in &other.checks {
            if !self.checks.iter().any(|known| known.text == check.text) {
                self.checks.push(check.clone());
            }
        }
        for key in &other.foreign_keys {
            if !self.foreign_keys.iter().any(|known| known.columns == key.columns && known.table == key.table) {
                self.foreign_keys.push(key.clone());
            }
        }
        self.triggers.extend(
            other.triggers.iter().filter(|trigger| !self.triggers.contains(trigger)).copied().collect::<Vec<_>>(),
        );
    }

    fn add_uniques(&mut self, uniques: &[Unique]) {
        for unique in uniques {
            let same =
                |known: &Unique| known.columns == unique.columns && known.predicate_text == unique.predicate_text;
            if !self.uniques.iter().any(same) {
                self.uniques.push(unique.clone());
            }
        }
    }
}

/// A statement of Rust code with its place there.
#[derive(Clone, Copy)]
enum BuiltPart<'t> {
    Built(Span, &'t Text),
    Text(Span, &'t str),
}

impl BuiltPart<'_> {
    fn span(&self) -> Span {
        match self {
            BuiltPart::Built(span, _) | BuiltPart::Text(span, _) => *span,
        }
    }
}

impl Built {
    /// The method of a migration that the place lies in.
    fn direction(&self, span: Span) -> Option<Direction> {
        let inside = |whole: &Span| whole.source == span.source && whole.start <= span.start && span.end <= whole.end;
        self.migrations.iter().find(|(whole, _)| inside(whole)).map(|(_, direction)| *direction)
    }
}

/// Where the text of a literal stands: byte by byte where it is written as it is, else somewhere in the literal.
fn literal_place(sources: &Sources, span: Span, text: &str) -> Place<'static> {
    let found = sources.text(span).find(text).filter(|_| !text.is_empty());
    found.map_or(Place::Within(span), |at| Place::At(span.source, span.start as usize + at))
}

/// The package of a Rust file, and its `src`.
fn rust_place(file: &str) -> (String, String) {
    let root = package_of(file).to_owned();
    let place = format!("{root}{}src", if root.is_empty() { "" } else { "/" });
    (root, place)
}

/// The folder that holds `src`, `tests` and their like.
fn package_of(file: &str) -> &str {
    let folders = ["src", "tests", "examples", "benches"];
    let mut end = 0;
    for part in file.split('/') {
        if folders.contains(&part) {
            return file[..end].trim_end_matches('/');
        }
        end += part.len() + 1;
    }
    file.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn declared(def: &TableDef) -> Table {
    let origin = if def.complete { Origin::RustComplete } else { Origin::RustPartial };
    let mut table = Table::new(def.name, def.span, origin);
    table.columns = def.columns.iter().map(|(_, name, _)| declared_column(*name, def.span)).collect();
    table.uniques = declared_uniques(def);
    table
}

fn declared_column(name: Symbol, span: Span) -> ColumnDef {
    ColumnDef {
        name,
        ty: Symbol::new(""),
        not_null: false,
        unsigned: false,
        default: None,
        filled: Filled::ByWriter,
        span,
    }
}

fn declared_uniques(def: &TableDef) -> Vec<Unique> {
    let unique = |columns: &[Symbol], primary| Unique {
        name: None,
        columns: columns.iter().map(|column| UniquePart::Column(*column)).collect(),
        predicate: None,
        predicate_text: None,
        primary,
        exclusion: false,
        nulls_conflict: false,
        span: def.span,
    };
    let key = (!def.keys.is_empty()).then(|| unique(&def.keys, true));
    key.into_iter().chain(def.unique.iter().map(|column| unique(&[*column], false))).collect()
}
