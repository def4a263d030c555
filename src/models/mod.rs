//! What racelint knows of libraries: rows of `rules/models/*.toml`, validated on load, and the index that finds the row of a call.
//!
//! Knows nothing of a program: which row holds at a call is decided in `resolve`, what it means there in `flow`.

mod check;
mod index;
pub mod load;
pub mod row;
pub mod typeexpr;
mod words;

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use crate::intern::Symbol;
use index::Index;
use load::{LoadError, Loaded};
use row::{CallRow, CommandRow, DeriveRow, TypeRole, TypeRow};
use typeexpr::TypeExpr;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../rules/models/", $name)))),*]
    };
}

/// Every model file that comes with racelint. The order has no meaning: no two rows are about one call.
#[rustfmt::skip]
pub const FILES: &[(&str, &str)] = files![
    "atomics.toml",
    "caches.toml",
    "cells.toml",
    "channels.toml",
    "collections.toml",
    "concurrency.toml",
    "core.toml",
    "diesel.toml",
    "dynamodb.toml",
    "embedded.toml",
    "errors.toml",
    "etcd.toml",
    "external.toml",
    "frameworks.toml",
    "fred.toml",
    "fs-async.toml",
    "fs.toml",
    "iterators.toml",
    "locks.toml",
    "maps.toml",
    "mongodb.toml",
    "mysql.toml",
    "pools.toml",
    "redis.toml",
    "rusqlite.toml",
    "sea-orm.toml",
    "sea-query.toml",
    "slots.toml",
    "sqlx.toml",
    "tokio-postgres.toml",
    "values.toml",
    "waiting.toml",
];

/// All rows, those of users first.
#[derive(Debug, Default)]
pub struct Models {
    pub types: Vec<TypeRow>,
    pub calls: Vec<CallRow>,
    pub derives: Vec<DeriveRow>,
    pub commands: Vec<CommandRow>,
    index: Index,
    parsed_types: Vec<TypeExprs>,
    parsed_calls: Vec<ParsedCall>,
}

/// The types that a type row speaks of.
#[derive(Debug, Default)]
pub struct TypeExprs {
    pub alias: Option<TypeExpr>,
    pub deref: Option<TypeExpr>,
    pub awaits: Option<TypeExpr>,
    pub item: Option<TypeExpr>,
    pub index: Option<TypeExpr>,
    /// Fields of tuple variants, by the variant's name.
    pub variants: Vec<(Symbol, Vec<TypeExpr>)>,
}

#[derive(Debug)]
struct ParsedCall {
    on: Vec<Symbol>,
    returns: Option<TypeExpr>,
    params: Vec<TypeExpr>,
}

static BUILTIN: LazyLock<Models> = LazyLock::new(|| {
    let loaded = builtin_files().expect("a test loads every file that is compiled in");
    Models::link(loaded)
});

fn builtin_files() -> Result<Vec<Loaded>, Vec<LoadError>> {
    FILES.iter().map(|(name, text)| load::load(name, text)).collect()
}

impl Models {
    /// The rows that come with racelint.
    pub fn builtin() -> &'static Models {
        &BUILTIN
    }

    /// The rows that come with racelint and those of users' files, given by name and text; the latter win.
    pub fn with_user(files: &[(String, String)]) -> Result<Models, Vec<LoadError>> {
        let (mut loaded, mut errors) = (Vec::new(), Vec::new());
        for (name, text) in files {
            match load::load(name, text) {
                Ok(file) => loaded.push(file),
                Err(found) => errors.extend(found),
            }
        }
        let user = loaded.len();
        loaded.extend(builtin_files()?);
        let known = paths_of_types(&loaded);
        errors.extend(loaded[..user].iter().flat_map(|file| check::names(file, &known)));
        if errors.is_empty() { Ok(Models::link(loaded)) } else { Err(errors) }
    }

    fn link(files: Vec<Loaded>) -> Models {
        let mut models = Models::default();
        for Loaded { library, .. } in files {
            models.types.extend(library.types);
            models.calls.extend(library.calls);
            models.derives.extend(library.derives);
            models.commands.extend(library.commands);
        }
        models.index = Index::new(&models.types, &models.calls);
        models.parsed_types = models.types.iter().map(parse_type_row).collect();
        models.parsed_calls = models.calls.iter().map(|row| models.parse_call_row(row)).collect();
        models
    }

    fn parse_call_row(&self, row: &CallRow) -> ParsedCall {
        let on = row.on.iter().map(|path| Symbol::new(&self.canonical(path))).collect();
        let params = row.params.iter().map(|text| checked(text)).collect();
        ParsedCall { on, returns: row.returns.as_deref().map(checked), params }
    }

    /// The row of a type, by any of its paths.
    pub fn type_by_path(&self, path: &str) -> Option<u32> {
        self.index.type_by_path(path)
    }

    /// The role of a type, by any of its paths, through aliases.
    pub fn type_role(&self, path: &str) -> Option<TypeRole> {
        let row = &self.types[self.type_by_path(path)? as usize];
        if row.alias.is_none() {
            return row.role;
        }
        self.type_by_path(&self.canonical(path)).and_then(|row| self.types[row as usize].role)
    }

    /// The types that a type row speaks of.
    pub fn type_exprs(&self, row: u32) -> &TypeExprs {
        &self.parsed_types[row as usize]
    }

    /// A path with `core` and `alloc` as `std`, and with the type it names or starts with (`Type::function`) by its canonical path, through aliases.
    pub fn canonical<'p>(&self, path: &'p str) -> Cow<'p, str> {
        self.index.canonical(&self.types, path)
    }

    /// Rows of functions with this path, associated ones by any path of their type. Methods called by path are in [`Models::calls_by_method`].
    pub fn calls_by_path(&self, path: &str) -> &[u32] {
        self.index.by_path(&self.canonical(path))
    }

    /// Rows of functions whose path ends in this name.
    pub fn calls_by_function_name(&self, name: &str) -> &[u32] {
        self.index.by_function(name)
    }

    /// Rows of methods of this name: candidates, to be told apart by [`Models::on`] and the arity. Those of `*` hold for
    /// methods of their type that no other row names.
    pub fn calls_by_method(&self, name: &str) -> &[u32] {
        self.index.by_method(name)
    }

    /// Rows of macros whose path ends in this name: candidates, to be told apart by their `macros`.
    pub fn calls_by_macro(&self, name: &str) -> &[u32] {
        self.index.by_macro(name)
    }

    /// The receivers of a method row by canonical path; `*` for any.
    pub fn on(&self, call: u32) -> &[Symbol] {
        &self.parsed_calls[call as usize].on
    }

    /// The type of a call's value.
    pub fn returns(&self, call: u32) -> Option<&TypeExpr> {
        self.parsed_calls[call as usize].returns.as_ref()
    }

    /// The types of the parameters of a call's closure.
    pub fn params(&self, call: u32) -> &[TypeExpr] {
        &self.parsed_calls[call as usize].params
    }

    /// The row of a store's command, in upper or lower case.
    pub fn command(&self, name: &str) -> Option<&CommandRow> {
        self.commands.iter().find(|row| row.name.iter().any(|known| known.eq_ignore_ascii_case(name)))
    }

    /// What a derive of this name, or attribute macro, makes of a struct.
    pub fn derive(&self, name: &str) -> Option<&DeriveRow> {
        self.derives.iter().find(|row| row.derive == name)
    }
}

fn parse_type_row(row: &TypeRow) -> TypeExprs {
    let one = |text: &Option<String>| text.as_deref().map(checked);
    let fields = |texts: &Vec<String>| texts.iter().map(|text| checked(text)).collect();
    TypeExprs {
        alias: one(&row.alias),
        deref: one(&row.deref),
        awaits: one(&row.awaits),
        item: one(&row.item),
        index: one(&row.index),
        variants: row.variants.iter().map(|(name, texts)| (Symbol::new(name), fields(texts))).collect(),
    }
}

fn checked(text: &str) -> TypeExpr {
    typeexpr::parse(text).expect("the load refuses rows with types that cannot be read")
}

fn paths_of_types(files: &[Loaded]) -> HashSet<&str> {
    files.iter().flat_map(|file| &file.library.types).flat_map(|row| &row.path).map(String::as_str).collect()
}

#[cfg(test)]
mod tests;
