//! Which model row a call has: by path, by receiver type and method name, by macro name.

use super::super::Ty;
use super::super::impls;
use super::super::impls::Head;
use super::super::index::Words;
use super::super::scope::join;
use super::Infer;
use crate::intern::Symbol;
use crate::ir;

/// A row with the type arguments that `$0` and its like stand for.
#[derive(Clone, Debug)]
pub(super) struct RowMatch {
    pub(super) row: u32,
    pub(super) params: Vec<Ty>,
    pub(super) how: How,
}

/// How a row came to hold, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum How {
    UnknownReceiver,
    AnyReceiver,
    /// Through a trait that the type implements, or a bound.
    Trait,
    Type,
}

/// A row of a path call.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathRow {
    pub(super) row: u32,
    /// A method called by its path: the first argument is the receiver.
    pub(super) is_method: bool,
}

impl Infer<'_> {
    /// The names by which rows may speak of one type, with its arguments: itself, then what it implements.
    fn spoken_of(&self, ty: &Ty) -> Vec<(Symbol, Vec<Ty>, How)> {
        let mut names: Vec<(Symbol, Vec<Ty>, How)> = Vec::new();
        match ty {
            Ty::Ext(path, args) => names.push((*path, args.to_vec(), How::Type)),
            Ty::Slice(item) => names.push((Symbol::new("slice"), vec![(**item).clone()], How::Type)),
            Ty::Future(output) => {
                names.push((super::super::prelude::known().future, vec![(**output).clone()], How::Type))
            }
            Ty::Bound { bounds, .. } => {
                let traits = impls::library_bounds(self.ix.defs, bounds);
                names.extend(traits.into_iter().map(|(path, args)| (path, args, How::Trait)));
            }
            Ty::Adt(id, _) => {
                let derived = self.ix.world.tables.derived(*id);
                names.extend(derived.iter().map(|path| (*path, Vec::new(), How::Trait)));
            }
            Ty::Table(_) | Ty::Column(..) | Ty::Record(_) => {
                names.extend(self.ix.world.tables.counts_as(ty).iter().map(|path| (*path, Vec::new(), How::Trait)));
            }
            _ => {}
        }
        if impls::head(ty).is_some_and(|head| !matches!(head, Head::Library(_))) {
            let traits = self.ix.impls.library_traits(self.ix.defs, ty);
            names.extend(traits.into_iter().map(|(path, args)| (path, args, How::Trait)));
        }
        self.add_implemented(&mut names);
        names
    }

    /// Types of rows implement traits of their library, and those may imply others.
    fn add_implemented(&self, names: &mut Vec<(Symbol, Vec<Ty>, How)>) {
        let mut at = 0;
        while at < names.len() {
            let (path, args, _) = names[at].clone();
            let implemented = self.ix.world.library.row(path).map_or(&[][..], |row| row.implements.as_slice());
            for trait_ in implemented {
                let trait_ = self.ix.world.library.canonical(Symbol::new(trait_));
                if !names.iter().any(|(known, _, _)| *known == trait_) {
                    names.push((trait_, args.clone(), How::Trait));
                }
            }
            at += 1;
        }
    }

    /// The row of a method on exactly this type, not on what it dereferences to.
    pub(super) fn method_row(&self, ty: &Ty, name: Symbol, arity: usize) -> Option<RowMatch> {
        let models = self.ix.world.library.models;
        let candidates = models.calls_by_method(name.as_str());
        if candidates.is_empty() {
            return None;
        }
        let names = self.spoken_of(ty);
        for (path, args, how) in names {
            let mut fitting =
                candidates.iter().filter(|row| models.on(**row).contains(&path) && self.fits(**row, arity));
            // A row that names the arity knows more than one that does not.
            let all: Vec<u32> = fitting.by_ref().copied().collect();
            let row = all.iter().find(|row| models.calls[**row as usize].arity.is_some()).or(all.first());
            if let Some(row) = row {
                return Some(RowMatch { row: *row, params: args, how });
            }
        }
        None
    }

    /// The row of a method whose receiver says nothing.
    pub(super) fn method_row_by_name(&self, name: Symbol, arity: usize, receiver_known: bool) -> Option<RowMatch> {
        let models = self.ix.world.library.models;
        let candidates = models.calls_by_method(name.as_str());
        let fitting = |row: &&u32| self.fits(**row, arity);
        let any = candidates.iter().filter(fitting).find(|row| models.on(**row).iter().any(|on| *on == "*"));
        if let Some(row) = any {
            return Some(RowMatch { row: *row, params: Vec::new(), how: How::AnyReceiver });
        }
        if receiver_known {
            return None;
        }
        let unknown = candidates.iter().filter(fitting).find(|row| models.calls[**row as usize].unknown_receiver);
        unknown.map(|row| RowMatch { row: *row, params: Vec::new(), how: How::UnknownReceiver })
    }

    fn fits(&self, row: u32, arity: usize) -> bool {
        self.ix.world.library.models.calls[row as usize].arity.is_none_or(|known| known == arity)
    }

    /// The row of a function called by its path: a function's, or a method's of the type before the last segment.
    pub(super) fn path_row(&self, path: Symbol, owner: &Ty, arity: usize) -> Option<PathRow> {
        let models = self.ix.world.library.models;
        let canonical = self.ix.world.library.canonical_function(path);
        for text in [path.as_str(), canonical.as_str()] {
            let rows = models.calls_by_path(text);
            if let Some(row) = rows.iter().find(|row| self.fits(**row, arity)).or(rows.first()) {
                return Some(PathRow { row: *row, is_method: false });
            }
        }
        self.owner_row(owner, Symbol::new(super::super::index::last(path)), arity)
    }

    /// The row of `Type::name(…)`, for a type of any kind.
    pub(super) fn owner_row(&self, owner: &Ty, name: Symbol, arity: usize) -> Option<PathRow> {
        let models = self.ix.world.library.models;
        for (path, _, _) in self.spoken_of(owner.unref()) {
            let rows = models.calls_by_path(&format!("{path}::{name}"));
            if let Some(row) = rows.iter().find(|row| self.fits(**row, arity)) {
                return Some(PathRow { row: *row, is_method: false });
            }
        }
        let arity = arity.checked_sub(1)?;
        let found = self.method_row(owner.unref(), name, arity);
        // `Arc::clone(&x)`: what any type has, a library type has by its path too.
        let any = || matches!(owner, Ty::Ext(..)).then(|| self.method_row_by_name(name, arity, true)).flatten();
        found.or_else(any).map(|found| PathRow { row: found.row, is_method: true })
    }

    /// The row of a macro: by its full path, else by the last segment where no path contradicts.
    pub(super) fn macro_row(&self, path: &ir::Path, arity: usize) -> Option<u32> {
        let names: Vec<Symbol> = path.segments.iter().map(|segment| segment.name).collect();
        let last = names.last()?;
        let models = self.ix.world.library.models;
        let candidates = models.calls_by_macro(last.as_str());
        if candidates.is_empty() {
            return None;
        }
        let written = join(&names);
        let full = self.cx.macro_path(path);
        let fits = |row: &&u32| self.fits(**row, arity);
        let named = |row: &&u32, text: &str| models.calls[**row as usize].macros.iter().any(|known| known == text);
        if let Some(full) = full {
            let row = candidates.iter().filter(fits).find(|row| named(row, full.as_str()));
            if row.is_some() || names.len() > 1 {
                return row.copied();
            }
        }
        let row = candidates.iter().filter(fits).find(|row| named(row, &written));
        // `#[macro_use] extern crate` and re-exports bring macros without a path that could be followed.
        let own = self.ix.world.names.macros.contains(last);
        row.or_else(|| if names.len() == 1 && !own { candidates.iter().find(fits) } else { None }).copied()
    }

    /// The type that a row says its call gives.
    pub(super) fn row_value(&self, row: u32, words: &Words<'_>) -> Option<Ty> {
        let models = self.ix.world.library.models;
        let ty = self.ix.instantiate(models.returns(row)?, words);
        let is_async = models.calls[row as usize].is_async;
        Some(match ty {
            Ty::Future(_) => ty,
            ty if is_async => Ty::Future(std::sync::Arc::new(ty)),
            ty => ty,
        })
    }
}
