//! Everything that typing a body asks for; shared by all threads and never changed.

use std::sync::Arc;

use super::defs::Defs;
use super::impls::{self, Impls};
use super::prelude::known;
use super::scope::World;
use super::ty::{Subst, substitute};
use super::{AdtId, FnDef, FnId, Ty};
use crate::intern::Symbol;
use crate::ir;
use crate::models::typeexpr::{Project, TypeExpr, Var};

/// The program without the types of its bodies.
#[derive(Clone, Copy)]
pub(super) struct Index<'a> {
    pub(super) world: World<'a>,
    pub(super) defs: &'a Defs,
    pub(super) impls: &'a Impls,
}

/// What the words of a row's types stand for at one call.
#[derive(Clone, Copy)]
pub(super) struct Words<'w> {
    /// `$0`: as the type that matched the row has them.
    pub(super) params: &'w [Ty],
    pub(super) receiver: &'w Ty,
    pub(super) args: &'w [Ty],
    pub(super) turbofish: &'w [Ty],
    /// What the closure, and the one beside it, give.
    pub(super) closure: &'w Ty,
    pub(super) otherwise: &'w Ty,
}

/// Chains of `Deref` in real code have two or three links.
const MAX_DEREF: usize = 12;

impl<'a> Index<'a> {
    pub(super) fn function(&self, id: FnId) -> &'a FnDef {
        &self.defs.functions[id.0 as usize]
    }

    pub(super) fn source(&self, id: FnId) -> &'a ir::Function {
        let place = self.function(id).place;
        &self.world.files[place.file as usize].functions[place.index as usize]
    }

    /// The arguments of a struct or enum, by the names of its parameters.
    pub(super) fn params_of(&self, id: AdtId, args: &[Ty]) -> Subst {
        Subst::zip(&self.defs.adts[id.0 as usize].generics, args)
    }

    /// The type and what it dereferences to, one after the other.
    pub(super) fn deref_chain(&self, ty: &Ty) -> Vec<Ty> {
        let mut chain = vec![ty.unref().clone()];
        while chain.len() < MAX_DEREF {
            let Some(next) = self.deref(&chain[chain.len() - 1]) else { break };
            let next = next.unref().clone();
            if next.is_unknown() || chain.contains(&next) {
                break;
            }
            chain.push(next);
        }
        chain
    }

    /// What `*value` is.
    pub(super) fn deref(&self, ty: &Ty) -> Option<Ty> {
        match ty {
            Ty::Ref(_, inner) => Some((**inner).clone()),
            Ty::Adt(id, args) => {
                let target = self.defs.adts[id.0 as usize].deref.as_ref()?;
                Some(substitute(target, &self.params_of(*id, args)))
            }
            Ty::Ext(path, args) => {
                let told = self.library_part(ty, |exprs| exprs.deref.as_ref());
                told.or_else(|| std_deref(*path, args)).or_else(|| self.assumed_deref(*path, args))
            }
            Ty::Bound { bounds, .. } => {
                let traits = impls::library_bounds(self.defs, bounds);
                let deref = traits.iter().find(|(path, _)| matches!(last(*path), "Deref" | "DerefMut"));
                deref.and_then(|(_, args)| args.last().cloned())
            }
            _ => None,
        }
    }

    /// A wrapper of a library that no row knows, around one type of the program, is most likely there to hand it out (`Data<Context>`).
    fn assumed_deref(&self, path: Symbol, args: &[Ty]) -> Option<Ty> {
        let [inner] = args else { return None };
        let unknown = self.world.library.row(path).is_none() && !path.as_str().starts_with("std::");
        (unknown && matches!(inner.unref(), Ty::Adt(..))).then(|| inner.clone())
    }

    /// A part of a library type that its row speaks of.
    fn library_part(&self, ty: &Ty, part: impl Fn(&'a crate::models::TypeExprs) -> Option<&'a TypeExpr>) -> Option<Ty> {
        let Ty::Ext(path, args) = ty else { return None };
        let models = self.world.library.models;
        let expr = part(models.type_exprs(models.type_by_path(path.as_str())?))?;
        Some(self.instantiate(expr, &Words::of_type(ty, args)))
    }

    /// What iterating over a value gives; over a reference, references.
    pub(super) fn item(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Ref(mutable, inner) => match self.item(inner) {
                // A map by reference gives references to its keys and values.
                Ty::Tuple(items) if matches!(**inner, Ty::Ext(..)) && self.is_collection(inner) => {
                    Ty::Tuple(items.iter().map(|item| Ty::reference(*mutable, item.clone())).collect())
                }
                item if self.is_collection(inner) => Ty::reference(*mutable, item),
                item => item,
            },
            Ty::Slice(item) => (**item).clone(),
            Ty::Ext(path, args) => {
                let k = known();
                let of_row = self.library_part(ty, |exprs| exprs.item.as_ref());
                of_row.unwrap_or_else(|| match args.first() {
                    Some(item) if *path == k.iterator || *path == k.range || *path == k.vec => item.clone(),
                    _ => self.deref(ty).filter(|target| target != ty).map_or(Ty::Unknown, |target| self.item(&target)),
                })
            }
            Ty::Adt(..) => self
                .assoc(ty, &["Iterator", "IntoIterator", "Stream"], "Item")
                .or_else(|| self.deref(ty).map(|target| self.item(&target)))
                .unwrap_or_default(),
            Ty::Bound { bounds, .. } => {
                let traits = impls::library_bounds(self.defs, bounds);
                let iterator = traits.iter().find(|(path, _)| {
                    matches!(
                        last(*path),
                        "Iterator" | "IntoIterator" | "Stream" | "DoubleEndedIterator" | "ExactSizeIterator"
                    )
                });
                iterator.and_then(|(_, args)| args.last().cloned()).unwrap_or_default()
            }
            _ => Ty::Unknown,
        }
    }

    /// Iterators over references are no collections: what they give is already a reference.
    fn is_collection(&self, ty: &Ty) -> bool {
        match ty {
            Ty::Slice(_) => true,
            Ty::Ext(path, _) => {
                *path != known().iterator && self.world.library.role(ty) != Some(crate::models::row::TypeRole::Iterator)
            }
            _ => false,
        }
    }

    fn assoc(&self, ty: &Ty, traits: &[&str], name: &str) -> Option<Ty> {
        traits.iter().find_map(|trait_| self.impls.library_assoc(self.defs, ty, trait_, name))
    }

    /// What awaiting a value gives.
    pub(super) fn awaited(&self, ty: &Ty) -> Ty {
        match ty {
            Ty::Future(output) => (**output).clone(),
            Ty::Ref(_, inner) => self.awaited(inner),
            Ty::Ext(path, args) => {
                let k = known();
                if let Some(output) = self.library_part(ty, |exprs| exprs.awaits.as_ref()) {
                    return output;
                }
                match args.first() {
                    Some(inner) if *path == k.pin || *path == k.boxed => self.awaited(inner),
                    // A row that forgets to say that its call is async must not lose the type.
                    _ => ty.clone(),
                }
            }
            Ty::Adt(..) => self
                .assoc(ty, &["Future", "IntoFuture"], "Output")
                .or_else(|| self.deref(ty).map(|target| self.awaited(&target)))
                .unwrap_or_default(),
            Ty::Bound { bounds, .. } => {
                let traits = impls::library_bounds(self.defs, bounds);
                let future =
                    traits.iter().find(|(path, _)| matches!(last(*path), "Future" | "IntoFuture" | "TryFuture"));
                future.and_then(|(_, args)| args.last().cloned()).unwrap_or_default()
            }
            _ => Ty::Unknown,
        }
    }

    /// What `?` gives.
    pub(super) fn tried(&self, ty: &Ty) -> Ty {
        let k = known();
        match ty.unref() {
            Ty::Ext(path, args) if *path == k.option || *path == k.result => args.first().cloned().unwrap_or_default(),
            // `Client::open(…)?` where naming alone told the type of the call.
            Ty::Ext(path, _) if self.world.library.row(*path).is_none() => ty.unref().clone(),
            _ => Ty::Unknown,
        }
    }

    /// What indexing gives.
    pub(super) fn indexed(&self, ty: &Ty, index: &Ty) -> Ty {
        let by_range = matches!(index, Ty::Ext(path, _) if path.as_str().starts_with("std::ops::Range"));
        for ty in self.deref_chain(ty) {
            match &ty {
                Ty::Slice(_) if by_range => return ty,
                Ty::Slice(item) => return (**item).clone(),
                Ty::Ext(path, _) if by_range && (*path == known().str || *path == known().string) => return ty,
                Ty::Ext(path, args) if by_range && *path == known().vec => {
                    return Ty::Slice(Arc::new(args.first().cloned().unwrap_or_default()));
                }
                Ty::Ext(..) => {
                    if let Some(found) = self.library_part(&ty, |exprs| exprs.index.as_ref()) {
                        return found;
                    }
                }
                Ty::Adt(..) => {
                    if let Some(found) = self.assoc(&ty, &["Index"], "Output") {
                        return found;
                    }
                }
                _ => {}
            }
        }
        Ty::Unknown
    }

    /// The type of a field, looked for behind references and guards.
    pub(super) fn field(&self, ty: &Ty, name: Symbol) -> Ty {
        for ty in self.deref_chain(ty) {
            if let Some(found) = self.own_field(&ty, name) {
                return found;
            }
        }
        Ty::Unknown
    }

    fn own_field(&self, ty: &Ty, name: Symbol) -> Option<Ty> {
        match ty {
            Ty::Adt(id, args) => {
                let (_, field) = self.defs.adts[id.0 as usize].fields.iter().find(|(known, _)| *known == name)?;
                Some(substitute(field, &self.params_of(*id, args)))
            }
            Ty::Tuple(items) => items.get(name.as_str().parse::<usize>().ok()?).cloned(),
            Ty::Record(table) => {
                let model = self.world.tables.models[table.0 as usize]?;
                let (_, field) = self.defs.adts[model.0 as usize].fields.iter().find(|(known, _)| *known == name)?;
                Some(Ty::ext(Symbol::new("sea_orm::ActiveValue"), vec![field.clone()]))
            }
            // `Json<T>.0`, `Path<T>.0`: a library's tuple struct around its argument.
            Ty::Ext(_, args) if name == "0" && self.deref(ty).is_none() => match &**args {
                [inner] => Some(inner.clone()),
                _ => None,
            },
            _ => None,
        }
    }

    /// The fields of a variant of a library enum, or of a tuple struct around one value.
    pub(super) fn library_fields(&self, ty: &Ty, variant: Symbol) -> Option<Vec<Ty>> {
        let Ty::Ext(path, args) = ty else { return None };
        let models = self.world.library.models;
        let k = known();
        if *path == k.option || *path == k.result {
            let at = usize::from(variant == "Err");
            return Some(vec![args.get(at).cloned().unwrap_or_default()]);
        }
        if let Some(row) = models.type_by_path(path.as_str())
            && let Some((_, fields)) = models.type_exprs(row).variants.iter().find(|(name, _)| *name == variant)
        {
            return Some(fields.iter().map(|field| self.instantiate(field, &Words::of_type(ty, args))).collect());
        }
        match &**args {
            [inner] if last(*path) == variant.as_str() => Some(vec![inner.clone()]),
            _ => None,
        }
    }

    /// A type as a row writes it, at one call.
    pub(super) fn instantiate(&self, expr: &TypeExpr, words: &Words<'_>) -> Ty {
        let all = |exprs: &[TypeExpr]| exprs.iter().map(|expr| self.instantiate(expr, words)).collect::<Vec<_>>();
        match expr {
            TypeExpr::Unknown => Ty::Unknown,
            TypeExpr::Path(path, exprs) => self.world.library.ty(*path, all(exprs)),
            TypeExpr::Ref(mutable, inner) => Ty::reference(*mutable, self.instantiate(inner, words)),
            TypeExpr::Tuple(exprs) => Ty::Tuple(all(exprs).into()),
            TypeExpr::Slice(inner) => Ty::Slice(Arc::new(self.instantiate(inner, words))),
            TypeExpr::Future(inner) => Ty::Future(Arc::new(self.instantiate(inner, words))),
            TypeExpr::Either(exprs) => {
                exprs.iter().map(|expr| self.instantiate(expr, words)).find(Ty::is_known).unwrap_or_default()
            }
            TypeExpr::Var(var, projects) => {
                let mut ty = words.get(*var);
                for project in projects {
                    ty = self.projected(&ty, *project);
                }
                ty
            }
        }
    }

    fn projected(&self, ty: &Ty, project: Project) -> Ty {
        match project {
            Project::Arg(at) => ty.unref().args().get(at).cloned().unwrap_or_default(),
            Project::Target => self.deref(ty).unwrap_or_default(),
            Project::Item => self.item(ty),
            Project::Output => self.awaited(ty),
            Project::Row => match ty.unref() {
                Ty::Table(table) | Ty::Record(table) | Ty::Column(table, _) => {
                    let model = self.world.tables.models[table.0 as usize];
                    model.map_or(Ty::Unknown, |id| Ty::Adt(id, Arc::new([])))
                }
                _ => Ty::Unknown,
            },
            Project::Record => match ty.unref() {
                Ty::Table(table) | Ty::Record(table) => Ty::Record(*table),
                Ty::Adt(id, _) => self.defs.adts[id.0 as usize].table.map_or(Ty::Unknown, Ty::Record),
                _ => Ty::Unknown,
            },
        }
    }
}

impl<'w> Words<'w> {
    /// The words of a type row: its own arguments, and itself.
    fn of_type(ty: &'w Ty, args: &'w [Ty]) -> Words<'w> {
        Words { params: args, receiver: ty, args: &[], turbofish: &[], closure: &Ty::Unknown, otherwise: &Ty::Unknown }
    }

    fn get(&self, var: Var) -> Ty {
        let found = match var {
            Var::Param(at) => self.params.get(at),
            Var::Receiver => Some(self.receiver.unref()),
            Var::Arg(at) => self.args.get(at),
            Var::Fish(at) => self.turbofish.get(at),
            Var::Ret => Some(self.closure),
            Var::Otherwise => Some(self.otherwise),
        };
        found.cloned().unwrap_or_default()
    }
}

/// The language's own pointers and owners, for when the rows of std are not there.
fn std_deref(path: Symbol, args: &[Ty]) -> Option<Ty> {
    let k = known();
    let first = || args.first().cloned().unwrap_or_default();
    if path == k.boxed || path == k.arc || path == k.rc || path == k.pin {
        Some(first())
    } else if path == k.vec {
        Some(Ty::Slice(Arc::new(first())))
    } else if path == k.string {
        Some(Ty::ext(k.str, Vec::new()))
    } else {
        None
    }
}

/// The last segment of a path.
pub(super) fn last(path: Symbol) -> &'static str {
    path.as_str().rsplit("::").next().unwrap_or_default()
}
