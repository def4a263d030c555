//! Written types → [`Ty`], in the scope they stand in.

use std::sync::Arc;

use super::ids::AliasId;
use super::prelude::{is_primitive, known};
use super::scope::{Found, Item, Ns, ScopeId, World};
use super::ty::{Subst, substitute};
use super::{AdtId, BoundTy, TraitId, Ty};
use crate::intern::Symbol;
use crate::ir::{self, Bound, PathRef, Segment, Type, TypeRef};

/// Where a type is written: its file, scope, and the type parameters there.
#[derive(Clone)]
pub(super) struct Context<'a> {
    pub(super) world: World<'a>,
    pub(super) file: u32,
    pub(super) scope: ScopeId,
    pub(super) params: Vec<(Symbol, Ty)>,
    pub(super) self_ty: Option<Ty>,
    /// Associated types of the impl: `Self::Item`.
    pub(super) assoc: Vec<(Symbol, Ty)>,
}

/// Aliases that name each other would go on for ever.
const MAX_DEPTH: u32 = 40;

impl<'a> Context<'a> {
    pub(super) fn new(world: World<'a>, file: u32, scope: ScopeId) -> Self {
        Context { world, file, scope, params: Vec::new(), self_ty: None, assoc: Vec::new() }
    }

    pub(super) fn ir(&self) -> &'a ir::File {
        &self.world.files[self.file as usize]
    }

    pub(super) fn path(&self, path: PathRef) -> &'a ir::Path {
        &self.ir().paths[path.0 as usize]
    }

    /// Brings type parameters into scope with their bounds.
    pub(super) fn declare(&mut self, generics: &[ir::Generic]) {
        let first = self.params.len();
        // A `where` clause on a parameter of the impl adds to the bounds it has there.
        let outer: Vec<Vec<BoundTy>> = generics.iter().map(|generic| self.bounds_of(generic.name)).collect();
        for generic in generics {
            self.params.push((generic.name, param(generic.name, Vec::new())));
        }
        // Bounds speak of other parameters (`F: Fn() -> Fut, Fut: Future<…>`): the second round sees the bounds that the first found.
        for _ in 0..2 {
            let bounds = generics.iter().zip(&outer).map(|(generic, outer)| {
                let mut bounds = self.bounds(&generic.bounds, 0);
                bounds.extend(outer.iter().cloned());
                param(generic.name, bounds)
            });
            let types: Vec<Ty> = bounds.collect();
            for (slot, ty) in self.params[first..].iter_mut().zip(types) {
                slot.1 = ty;
            }
        }
    }

    fn bounds_of(&self, name: Symbol) -> Vec<BoundTy> {
        match self.param(name) {
            Some(Ty::Bound { bounds, .. }) => bounds.to_vec(),
            _ => Vec::new(),
        }
    }

    /// The bounds of a trait on itself.
    pub(super) fn bound_list(&self, bounds: &[Bound]) -> Vec<BoundTy> {
        self.bounds(bounds, 0)
    }

    /// The library path of a macro, if imports or the path itself tell it.
    pub(super) fn macro_path(&self, path: &ir::Path) -> Option<Symbol> {
        match self.item(path, Ns::Value).or_else(|| self.item(path, Ns::Type))?.item {
            Item::Ext(path) => Some(path),
            _ => None,
        }
    }

    /// What the path of an implemented trait leads to.
    pub(super) fn trait_item(&self, path: &ir::Path) -> Option<Item> {
        self.item(path, Ns::Type).map(|found| found.item)
    }

    pub(super) fn ty(&self, ty: TypeRef) -> Ty {
        self.ty_at(ty, 0)
    }

    fn ty_at(&self, ty: TypeRef, depth: u32) -> Ty {
        if depth > MAX_DEPTH {
            return Ty::Unknown;
        }
        let all = |types: &[TypeRef]| -> Arc<[Ty]> { types.iter().map(|ty| self.ty_at(*ty, depth + 1)).collect() };
        match &self.ir().types[ty.0 as usize] {
            Type::Path(path) => self.path_ty_at(*path, depth + 1),
            Type::Ref { mutable, inner } => Ty::reference(*mutable, self.ty_at(*inner, depth + 1)),
            Type::Ptr(inner) => Ty::reference(true, self.ty_at(*inner, depth + 1)),
            Type::Tuple(items) => Ty::Tuple(all(items)),
            Type::Slice(inner) | Type::Array(inner) => Ty::Slice(Arc::new(self.ty_at(*inner, depth + 1))),
            Type::Fn { params, ret } => {
                let bound = BoundTy::Fn(all(params), Arc::new(self.ret(*ret, depth + 1)));
                Ty::Bound { name: None, bounds: Arc::from([bound]) }
            }
            Type::Dyn(bounds) | Type::Impl(bounds) => anonymous(self.bounds(bounds, depth + 1)),
            Type::Never => Ty::Never,
            Type::Infer => Ty::Unknown,
        }
    }

    fn ret(&self, ret: Option<TypeRef>, depth: u32) -> Ty {
        ret.map_or_else(|| Ty::Tuple(Arc::from([])), |ty| self.ty_at(ty, depth))
    }

    fn bounds(&self, bounds: &[Bound], depth: u32) -> Vec<BoundTy> {
        let mut found = Vec::new();
        for bound in bounds {
            match bound {
                Bound::Trait(path) => self.trait_bound(*path, depth, &mut found),
                Bound::Fn(ty) => {
                    if let Type::Fn { params, ret } = &self.ir().types[ty.0 as usize] {
                        let params = params.iter().map(|ty| self.ty_at(*ty, depth + 1)).collect();
                        found.push(BoundTy::Fn(params, Arc::new(self.ret(*ret, depth + 1))));
                    }
                }
            }
        }
        found
    }

    fn trait_bound(&self, path: PathRef, depth: u32, found: &mut Vec<BoundTy>) {
        let path = self.path(path);
        let Some(last) = path.segments.last() else { return };
        let args = last.args.iter().map(|ty| self.ty_at(*ty, depth + 1)).collect();
        match self.item(path, Ns::Type) {
            Some(Found { item: Item::Trait(id), .. }) => found.push(BoundTy::Local(id, args)),
            Some(Found { item: Item::Ext(path), .. }) => {
                found.push(BoundTy::Ext(self.world.library.canonical(path), args))
            }
            _ => return,
        }
        for (name, ty) in &last.bindings {
            found.push(BoundTy::Assoc(*name, Arc::new(self.ty_at(*ty, depth + 1))));
        }
    }

    /// What a path leads to, type arguments left aside.
    pub(super) fn item(&self, path: &ir::Path, ns: Ns) -> Option<Found> {
        let names: Vec<Symbol> = path.segments.iter().map(|segment| segment.name).collect();
        if path.global {
            // `::krate::x` never means a local name, but `2015` code and macros write it for one.
            let external = self.world.external_path(self.scope, &names);
            if external.is_some() {
                return external;
            }
        }
        self.world.resolve(self.scope, &names, ns).or_else(|| self.world.library_path(&names))
    }

    /// The type that a path names.
    pub(super) fn path_ty(&self, path: PathRef) -> Ty {
        self.path_ty_at(path, 0)
    }

    fn path_ty_at(&self, path: PathRef, depth: u32) -> Ty {
        let path = self.path(path);
        self.segments_ty(path, path.segments.len(), depth)
    }

    pub(super) fn segments_ty(&self, path: &ir::Path, len: usize, depth: u32) -> Ty {
        if depth > MAX_DEPTH || len == 0 {
            return Ty::Unknown;
        }
        let segments = &path.segments[..len];
        if let Some(qself) = path.qself {
            let base = self.ty_at(qself, depth + 1);
            return match segments.last() {
                Some(last) if len > path.trait_len as usize => self.project(&base, last.name),
                _ => base,
            };
        }
        let first = segments[0].name;
        let base = if first == known().self_type { self.self_ty.clone() } else { self.param(first).cloned() };
        if let Some(mut base) = base {
            for segment in &segments[1..] {
                base = self.project(&base, segment.name);
            }
            return base;
        }
        let names: Vec<Symbol> = segments.iter().map(|segment| segment.name).collect();
        let found = if path.global { self.world.external_path(self.scope, &names) } else { None };
        let found = found.or_else(|| self.world.resolve(self.scope, &names, Ns::Type));
        let Some(found) = found.or_else(|| self.world.library_path(&names)) else { return self.unresolved(&names) };
        let mut ty = self.item_ty(found.item, &segments[found.used - 1], depth);
        for segment in &segments[found.used..] {
            ty = self.project(&ty, segment.name);
        }
        ty
    }

    fn item_ty(&self, item: Item, segment: &Segment, depth: u32) -> Ty {
        let args = || segment.args.iter().map(|ty| self.ty_at(*ty, depth + 1)).collect::<Vec<_>>();
        match item {
            Item::Adt(id) => self.adt_ty(id, args()),
            Item::Variant(id, _) => self.adt_ty(id, Vec::new()),
            Item::Alias(id) => self.alias_ty(id, &args(), depth),
            Item::Trait(id) => Ty::Bound { name: None, bounds: Arc::from([BoundTy::Local(id, args().into())]) },
            Item::Table(table) | Item::TableModule(table) => Ty::Table(table),
            Item::Record(table) => Ty::Record(table),
            Item::Column(table, column) => Ty::Column(table, column),
            Item::Ext(path) => self.world.library.ty(path, args()),
            Item::Module(_) | Item::Fn(_) | Item::Static(_) | Item::TableDsl(_) | Item::ColumnEnum(_) => Ty::Unknown,
        }
    }

    /// A struct or enum with as many arguments as it has parameters.
    pub(super) fn adt_ty(&self, id: AdtId, mut args: Vec<Ty>) -> Ty {
        let count = self.world.generics(id).len();
        args.truncate(count);
        args.resize(count, Ty::Unknown);
        Ty::Adt(id, args.into())
    }

    fn alias_ty(&self, id: AliasId, args: &[Ty], depth: u32) -> Ty {
        let place = self.world.ids.place_of_alias(id);
        let file = &self.world.files[place.file as usize];
        let alias = &file.aliases[place.index as usize];
        let scope = ScopeId(self.world.tree.at(place.file, alias.module).0);
        let mut inside = Context::new(self.world, place.file, scope);
        for (index, generic) in alias.generics.iter().enumerate() {
            inside.params.push((generic.name, args.get(index).cloned().unwrap_or_default()));
        }
        inside.ty_at(alias.ty, depth + 1)
    }

    /// A type that is written and found nowhere: a primitive, or one that a macro declares.
    fn unresolved(&self, names: &[Symbol]) -> Ty {
        match names {
            [name] if is_primitive(*name) => Ty::ext(*name, Vec::new()),
            _ => Ty::Unknown,
        }
    }

    pub(super) fn param(&self, name: Symbol) -> Option<&Ty> {
        self.params.iter().rev().find(|(known, _)| *known == name).map(|(_, ty)| ty)
    }

    /// An associated type of a type.
    pub(super) fn project(&self, base: &Ty, name: Symbol) -> Ty {
        let is_self = self.self_ty.as_ref() == Some(base);
        if is_self && let Some((_, ty)) = self.assoc.iter().find(|(known, _)| *known == name) {
            return ty.clone();
        }
        let Ty::Bound { name: base_name, bounds } = base.unref() else { return Ty::Unknown };
        for bound in bounds.iter() {
            match bound {
                BoundTy::Assoc(known, ty) if *known == name => return (**ty).clone(),
                BoundTy::Local(id, args) => {
                    if let Some(bounds) = self.assoc_bounds(*id, args, name) {
                        let base_name = base_name.unwrap_or(known().self_type);
                        return param(Symbol::new(&format!("{base_name}::{name}")), bounds);
                    }
                }
                BoundTy::Ext(path, _) => {
                    if let Some(full) = self.world.library.known(&format!("{path}::{name}")) {
                        return self.world.library.ty(full, vec![base.clone()]);
                    }
                }
                _ => {}
            }
        }
        match base_name {
            Some(base_name) => param(Symbol::new(&format!("{base_name}::{name}")), Vec::new()),
            None => Ty::Unknown,
        }
    }

    /// The bounds of an associated type of a trait, or of what it inherits.
    fn assoc_bounds(&self, id: TraitId, args: &[Ty], name: Symbol) -> Option<Vec<BoundTy>> {
        let place = self.world.ids.place_of_trait(id);
        let item = &self.world.files[place.file as usize].traits[place.index as usize];
        let assoc = item.assoc_types.iter().find(|assoc| assoc.name == name)?;
        let scope = ScopeId(self.world.tree.at(place.file, item.module).0);
        let mut inside = Context::new(self.world, place.file, scope);
        let names: Vec<Symbol> = item.generics.iter().map(|generic| generic.name).collect();
        inside.params = names.iter().map(|name| (*name, param(*name, Vec::new()))).collect();
        let bounds = inside.bounds(&assoc.bounds, 0);
        let ty = substitute(&Ty::Bound { name: None, bounds: bounds.into() }, &Subst::zip(&names, args));
        match ty {
            Ty::Bound { bounds, .. } => Some(bounds.to_vec()),
            _ => None,
        }
    }
}

/// A type parameter.
pub(super) fn param(name: Symbol, bounds: Vec<BoundTy>) -> Ty {
    Ty::Bound { name: Some(name), bounds: bounds.into() }
}

/// `impl` or `dyn` of some bounds; futures and iterators are what they give.
fn anonymous(bounds: Vec<BoundTy>) -> Ty {
    for (at, bound) in bounds.iter().enumerate() {
        let BoundTy::Ext(path, args) = bound else { continue };
        let last = path.as_str().rsplit("::").next().unwrap_or_default();
        let given = bounds[at + 1..].iter().find_map(|bound| match bound {
            BoundTy::Assoc(name, ty) if *name == "Output" || *name == "Item" => Some((**ty).clone()),
            _ => None,
        });
        match last {
            "Future" | "IntoFuture" => return Ty::Future(Arc::new(given.unwrap_or_default())),
            "Iterator" | "IntoIterator" | "DoubleEndedIterator" | "ExactSizeIterator" | "Stream" => {
                let path = if last == "Stream" { *path } else { known().iterator };
                return Ty::ext(path, vec![given.or_else(|| args.first().cloned()).unwrap_or_default()]);
            }
            _ => {}
        }
    }
    Ty::Bound { name: None, bounds: bounds.into() }
}
