//! The models as names and types see them: which paths exist, what is canonical, what a written library type is.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Ty;
use super::prelude::known;
use crate::intern::Symbol;
use crate::models::Models;
use crate::models::row::{TypeRole, TypeRow};
use crate::models::typeexpr::{TypeExpr, Var};

/// The models with indexes of their paths.
pub(super) struct Library<'a> {
    pub(super) models: &'a Models,
    crates: HashSet<&'a str>,
    /// Types by crate and last segment; `None` where several share them. Code reaches types by more paths than models can list.
    short: HashMap<(&'a str, &'a str), Option<Symbol>>,
}

impl<'a> Library<'a> {
    pub(super) fn new(models: &'a Models) -> Self {
        let mut library = Library { models, crates: HashSet::new(), short: HashMap::new() };
        for row in &models.types {
            library.add(row);
        }
        for row in &models.calls {
            let paths = row.path.iter().chain(&row.macros);
            library.crates.extend(paths.filter_map(|path| path.split_once("::")).map(|(name, _)| name));
        }
        library
    }

    fn add(&mut self, row: &'a TypeRow) {
        let Some(canonical) = row.path.first().map(|path| Symbol::new(path)) else { return };
        for path in &row.path {
            let Some((name, last)) = ends(path) else { continue };
            self.crates.insert(name);
            let slot = self.short.entry((name, last)).or_insert(Some(canonical));
            if *slot != Some(canonical) {
                *slot = None;
            }
        }
    }

    /// Models speak of a crate of this name.
    pub(super) fn has_crate(&self, name: Symbol) -> bool {
        self.crates.contains(name.as_str())
    }

    /// What a glob import of a library path offers under a name, if models know it.
    pub(super) fn member(&self, prefix: Symbol, name: Symbol) -> Option<Symbol> {
        let path = format!("{prefix}::{name}");
        if let Some(found) = self.known(&path) {
            return Some(found);
        }
        // `use sea_orm::entity::prelude::*` brings much of the crate; models list only some of the paths.
        let (krate, _) = ends(&path)?;
        if krate == "std" {
            return None;
        }
        self.short.get(&(krate, name.as_str())).copied().flatten()
    }

    /// The path, if models know a type, function or macro by it.
    pub(super) fn known(&self, path: &str) -> Option<Symbol> {
        let models = self.models;
        let known =
            models.type_by_path(path).is_some() || !models.calls_by_path(path).is_empty() || self.is_macro(path);
        known.then(|| Symbol::new(path))
    }

    fn is_macro(&self, path: &str) -> bool {
        let last = path.rsplit("::").next().unwrap_or(path);
        let rows = self.models.calls_by_macro(last);
        rows.iter().any(|row| self.models.calls[*row as usize].macros.iter().any(|known| known == path))
    }

    /// The path by which models know a type, or the path itself.
    pub(super) fn canonical(&self, path: Symbol) -> Symbol {
        let text = self.models.canonical(path.as_str());
        if self.models.type_by_path(&text).is_some() {
            return Symbol::new(&text);
        }
        if let Some(own) = self.own_path(&text) {
            return Symbol::new(&self.models.canonical(own));
        }
        let short = ends(&text).filter(|(krate, _)| *krate != "std").and_then(|key| self.short.get(&key).copied());
        short.flatten().unwrap_or_else(|| Symbol::new(&text))
    }

    /// The path of an associated function, with the type before its last segment by its canonical path.
    pub(super) fn canonical_function(&self, path: Symbol) -> Symbol {
        let text = self.models.canonical(path.as_str());
        if !self.models.calls_by_path(&text).is_empty() {
            return Symbol::new(&text);
        }
        if let Some(own) = self.own_path(&text) {
            return Symbol::new(&self.models.canonical(own));
        }
        match text.rsplit_once("::") {
            Some((owner, name)) if owner.contains("::") => {
                let owner = self.canonical(Symbol::new(owner));
                Symbol::new(&format!("{owner}::{name}"))
            }
            _ => Symbol::new(&text),
        }
    }

    /// The path in a crate that another hands on: `deadpool_redis::redis::cmd` is `redis::cmd`. Only where models know the crate's own path.
    fn own_path<'p>(&self, path: &'p str) -> Option<&'p str> {
        let (mut rest, models) = (path, self.models);
        let owner = path.rsplit_once("::").map_or("", |(owner, _)| owner);
        if path.starts_with("std::") || models.type_by_path(owner).is_some() {
            return None;
        }
        while let Some((_, inner)) = rest.split_once("::") {
            rest = inner;
            let first = rest.split("::").next().unwrap_or_default();
            if !rest.contains("::") || !self.crates.contains(first) {
                continue;
            }
            let owner = rest.rsplit_once("::").map_or("", |(owner, _)| owner);
            let known = models.type_by_path(rest).is_some() || models.type_by_path(owner).is_some();
            if known || !models.calls_by_path(rest).is_empty() {
                return Some(rest);
            }
        }
        None
    }

    pub(super) fn row(&self, path: Symbol) -> Option<&'a TypeRow> {
        self.models.type_by_path(path.as_str()).map(|row| &self.models.types[row as usize])
    }

    pub(super) fn role(&self, ty: &Ty) -> Option<TypeRole> {
        let Ty::Ext(path, _) = ty.unref() else { return None };
        self.row(*path)?.role
    }

    /// A library type as written, aliases followed.
    pub(super) fn ty(&self, path: Symbol, args: Vec<Ty>) -> Ty {
        self.ty_at(path, args, 0)
    }

    fn ty_at(&self, path: Symbol, args: Vec<Ty>, depth: u32) -> Ty {
        let text = self.models.canonical(path.as_str());
        // `canonical` goes through aliases; their arguments need the row as it is written.
        let row = self.models.type_by_path(path.as_str());
        if let Some(row) = row
            && let Some(alias) = &self.models.type_exprs(row).alias
            && depth < 8
        {
            return self.alias(alias, &args, depth);
        }
        if row.is_none() && self.models.type_by_path(&text).is_none() {
            let short = self.canonical(path);
            if short.as_str() != text && depth < 8 {
                return self.ty_at(short, args, depth + 1);
            }
        }
        named(Symbol::new(&text), args)
    }

    fn alias(&self, alias: &TypeExpr, args: &[Ty], depth: u32) -> Ty {
        let all = |exprs: &[TypeExpr]| exprs.iter().map(|expr| self.alias(expr, args, depth + 1)).collect::<Vec<_>>();
        match alias {
            TypeExpr::Unknown => Ty::Unknown,
            TypeExpr::Path(path, exprs) => self.ty_at(*path, all(exprs), depth + 1),
            TypeExpr::Ref(mutable, inner) => Ty::reference(*mutable, self.alias(inner, args, depth + 1)),
            TypeExpr::Tuple(exprs) => Ty::Tuple(all(exprs).into()),
            TypeExpr::Slice(inner) => Ty::Slice(Arc::new(self.alias(inner, args, depth + 1))),
            TypeExpr::Future(inner) => Ty::Future(Arc::new(self.alias(inner, args, depth + 1))),
            TypeExpr::Var(Var::Param(number), _) => args.get(*number).cloned().unwrap_or_default(),
            TypeExpr::Var(..) => Ty::Unknown,
            TypeExpr::Either(exprs) => all(exprs).into_iter().find(|ty| *ty != Ty::Unknown).unwrap_or_default(),
        }
    }
}

/// A type by canonical path, where the language's own wrappers and the habits of libraries are seen through.
fn named(path: Symbol, mut args: Vec<Ty>) -> Ty {
    let k = known();
    // A boxed or pinned future is a future.
    if (path == k.boxed || path == k.pin)
        && let [Ty::Future(_)] = args.as_slice()
    {
        return args.remove(0);
    }
    let last = path.as_str().rsplit("::").next().unwrap_or_default();
    match last {
        "BoxFuture" | "LocalBoxFuture" => Ty::Future(Arc::new(args.into_iter().next().unwrap_or_default())),
        // Every library has a `Result` of its own with the error filled in.
        "Result" if path != k.result && args.len() <= 2 => {
            if args.is_empty() {
                args.push(Ty::Tuple(Arc::from([])));
            }
            Ty::ext(k.result, args)
        }
        _ => Ty::ext(path, args),
    }
}

/// The crate and the last segment of a path.
fn ends(path: &str) -> Option<(&str, &str)> {
    let (first, _) = path.split_once("::")?;
    let (_, last) = path.rsplit_once("::")?;
    Some((first, last))
}
