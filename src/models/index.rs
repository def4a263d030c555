//! Finds rows: types by any of their paths, calls by path, method name or macro name.

use std::borrow::Cow;
use std::collections::HashMap;

use super::row::{CallRow, TypeRow};
use super::typeexpr::{TypeExpr, parse};
use crate::intern::Symbol;

/// Row numbers by name; those of users stand before those of racelint.
#[derive(Debug, Default)]
pub struct Index {
    types: HashMap<String, u32>,
    paths: HashMap<String, Vec<u32>>,
    /// By the last segment of the path.
    functions: HashMap<String, Vec<u32>>,
    methods: HashMap<String, Vec<u32>>,
    macros: HashMap<String, Vec<u32>>,
    /// For each alias, the canonical path of what it stands for.
    aliases: HashMap<String, Symbol>,
}

impl Index {
    pub(super) fn new(types: &[TypeRow], calls: &[CallRow]) -> Index {
        let mut index = Index::default();
        for (row, number) in types.iter().zip(0u32..) {
            for path in &row.path {
                index.types.entry(path.clone()).or_insert(number);
                if let Some(Ok(TypeExpr::Path(target, _))) = row.alias.as_deref().map(parse) {
                    index.aliases.entry(path.clone()).or_insert(target);
                }
            }
        }
        for (row, number) in calls.iter().zip(0u32..) {
            for path in &row.path {
                let path = index.canonical(types, path).into_owned();
                push(&mut index.functions, last_segment(&path), number);
                push(&mut index.paths, &path, number);
            }
            for name in &row.method {
                push(&mut index.methods, name, number);
            }
            for path in &row.macros {
                push(&mut index.macros, last_segment(path), number);
            }
        }
        index
    }

    pub(super) fn type_by_path(&self, path: &str) -> Option<u32> {
        self.types.get(standard(path).as_ref()).copied()
    }

    /// The path with its type, if it has one, by its canonical path: `sqlx::PgPool::connect` is `sqlx::Pool::connect`.
    pub(super) fn canonical<'p>(&self, types: &[TypeRow], path: &'p str) -> Cow<'p, str> {
        let path = standard(path);
        if let Some(full) = self.canonical_type(types, &path) {
            return Cow::Owned(full.to_owned());
        }
        let Some((owner, name)) = path.rsplit_once("::") else { return path };
        match self.canonical_type(types, owner) {
            Some(canonical) => Cow::Owned(format!("{canonical}::{name}")),
            None => path,
        }
    }

    fn canonical_type<'t>(&self, types: &'t [TypeRow], path: &str) -> Option<&'t str> {
        let mut number = *self.types.get(path)?;
        // Aliases may name aliases; a ring of them must not hang the load.
        for _ in 0..8 {
            let Some(target) = self.aliases.get(types[number as usize].path[0].as_str()) else { break };
            let Some(&next) = self.types.get(target.as_str()) else { break };
            number = next;
        }
        types[number as usize].path.first().map(String::as_str)
    }

    pub(super) fn by_path(&self, canonical: &str) -> &[u32] {
        self.paths.get(canonical).map_or(&[], Vec::as_slice)
    }

    pub(super) fn by_function(&self, name: &str) -> &[u32] {
        self.functions.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn by_method(&self, name: &str) -> &[u32] {
        self.methods.get(name).map_or(&[], Vec::as_slice)
    }

    pub(super) fn by_macro(&self, name: &str) -> &[u32] {
        self.macros.get(name).map_or(&[], Vec::as_slice)
    }
}

fn push(map: &mut HashMap<String, Vec<u32>>, name: &str, number: u32) {
    match map.get_mut(name) {
        Some(rows) => rows.push(number),
        None => {
            map.insert(name.to_owned(), vec![number]);
        }
    }
}

/// `core::` and `alloc::` are `std::` in models.
fn standard(path: &str) -> Cow<'_, str> {
    match path.strip_prefix("core::").or_else(|| path.strip_prefix("alloc::")) {
        Some(rest) => Cow::Owned(format!("std::{rest}")),
        None => Cow::Borrowed(path),
    }
}

fn last_segment(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}
