//! The methods of types: inherent ones, those of traits and their implementations, found by name and type without a scan.

use std::collections::HashMap;

use super::defs::{Defs, ImplDef, ImplTrait};
use super::doubles::{hands_on, is_delegator, is_double};
use super::ids::{Ids, ImplId};
use super::ty::{Subst, substitute, unify};
use super::{AdtId, BoundTy, FnContainer, FnId, StaticId, TableId, TraitId, Ty};
use crate::intern::Symbol;
use crate::ir::{self, Container};

/// The outermost part of a type, by which its impls are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Head {
    Adt(AdtId),
    Library(Symbol),
    Table(TableId),
    Record(TableId),
    Column(TableId),
    Dyn(TraitId),
    DynLibrary(Symbol),
    Tuple(usize),
    Slice,
    Fn,
}

/// The head of a type behind its references; none for type parameters and what is unknown.
pub(super) fn head(ty: &Ty) -> Option<Head> {
    match ty.unref() {
        Ty::Adt(id, _) => Some(Head::Adt(*id)),
        Ty::Ext(path, _) => Some(Head::Library(*path)),
        Ty::Table(table) => Some(Head::Table(*table)),
        Ty::Record(table) => Some(Head::Record(*table)),
        Ty::Column(table, _) => Some(Head::Column(*table)),
        Ty::Tuple(items) => Some(Head::Tuple(items.len())),
        Ty::Slice(_) => Some(Head::Slice),
        Ty::Fn(_) | Ty::Closure(_) => Some(Head::Fn),
        Ty::Bound { name: None, bounds } => bounds.iter().find_map(|bound| match bound {
            BoundTy::Local(id, _) => Some(Head::Dyn(*id)),
            BoundTy::Ext(path, _) => Some(Head::DynLibrary(*path)),
            BoundTy::Fn(..) => Some(Head::Fn),
            BoundTy::Assoc(..) => None,
        }),
        Ty::Bound { name: Some(_), .. } | Ty::Future(_) | Ty::Ref(..) | Ty::Unknown | Ty::Never => None,
    }
}

/// A function of an impl.
#[derive(Clone, Copy, Debug)]
pub(super) struct Method {
    pub(super) function: FnId,
    pub(super) of: ImplId,
}

/// Who has a method of some name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameUse {
    One(FnId),
    /// Only implementations of one trait.
    Trait(TraitId),
    Many,
}

/// All indexes.
#[derive(Debug, Default)]
pub(super) struct Impls {
    inherent: HashMap<(Head, Symbol), Vec<Method>>,
    of_traits: HashMap<(Head, Symbol), Vec<Method>>,
    /// Impls for a type parameter.
    blanket: HashMap<Symbol, Vec<Method>>,
    by_head: HashMap<Head, Vec<ImplId>>,
    /// The declaration of each trait method.
    declared: HashMap<(TraitId, Symbol), FnId>,
    /// The implementations that a call through the trait may reach, test doubles and delegators left out where there are others.
    dispatch: HashMap<(TraitId, Symbol), Vec<Method>>,
    /// Methods whose default body some implementation takes over, or that nothing implements.
    default_used: HashMap<(TraitId, Symbol), FnId>,
    by_trait: HashMap<TraitId, Vec<ImplId>>,
    consts: HashMap<(Head, Symbol), StaticId>,
    trait_consts: HashMap<(TraitId, Symbol), StaticId>,
    method_names: HashMap<Symbol, NameUse>,
    free_names: HashMap<Symbol, Option<FnId>>,
    doubles: Vec<bool>,
}

impl Impls {
    pub(super) fn build(files: &[ir::File], ids: &Ids, defs: &Defs) -> Impls {
        let mut impls = Impls::default();
        impls.doubles = defs.impls.iter().map(|def| def.test || is_double(defs, &def.self_ty)).collect();
        for (number, def) in (0u32..).zip(&defs.impls) {
            let id = ImplId(number);
            if let Some(head) = head(&def.self_ty) {
                impls.by_head.entry(head).or_default().push(id);
            }
            if let ImplTrait::Local(trait_, _) = def.trait_ {
                impls.by_trait.entry(trait_).or_default().push(id);
            }
        }
        for (number, file) in (0u32..).zip(files) {
            for (index, function) in (0u32..).zip(&file.functions) {
                impls.add(ids, defs, number, function, ids.function(number, index));
            }
            for (index, item) in (0u32..).zip(&file.statics) {
                impls.add_const(ids, defs, number, item, ids.static_(number, index));
            }
        }
        impls.settle(files, defs);
        impls
    }

    fn add(&mut self, ids: &Ids, defs: &Defs, file: u32, item: &ir::Function, id: FnId) {
        match item.container {
            Container::Trait(index) => {
                self.declared.insert((ids.trait_(file, index), item.name), id);
            }
            Container::Impl(index) => {
                let of = ids.implementation(file, index);
                self.add_method(defs, Method { function: id, of }, item.name);
            }
            Container::Module | Container::Function(_) => {
                if !defs.functions[id.0 as usize].test {
                    self.free_names.entry(item.name).and_modify(|known| *known = None).or_insert(Some(id));
                }
            }
        }
        if item.receiver.is_some() && !defs.functions[id.0 as usize].test {
            self.add_name(defs, item.name, id);
        }
    }

    fn add_method(&mut self, defs: &Defs, method: Method, name: Symbol) {
        let def = &defs.impls[method.of.0 as usize];
        match (head(&def.self_ty), &def.trait_) {
            (Some(head), ImplTrait::Inherent) => self.inherent.entry((head, name)).or_default().push(method),
            (Some(head), _) => self.of_traits.entry((head, name)).or_default().push(method),
            (None, _) => self.blanket.entry(name).or_default().push(method),
        }
        if let ImplTrait::Local(trait_, _) = def.trait_ {
            self.dispatch.entry((trait_, name)).or_default().push(method);
        }
    }

    fn add_name(&mut self, defs: &Defs, name: Symbol, id: FnId) {
        let this = match defs.functions[id.0 as usize].container {
            FnContainer::Trait(trait_) | FnContainer::TraitImpl(Some(trait_)) => NameUse::Trait(trait_),
            FnContainer::TraitImpl(None) => NameUse::Many,
            FnContainer::Free | FnContainer::Inherent => NameUse::One(id),
        };
        self.method_names
            .entry(name)
            .and_modify(|known| {
                if *known != this {
                    *known = NameUse::Many;
                }
            })
            .or_insert(this);
    }

    fn add_const(&mut self, ids: &Ids, defs: &Defs, file: u32, item: &ir::Static, id: StaticId) {
        match item.container {
            Container::Trait(index) => {
                self.trait_consts.insert((ids.trait_(file, index), item.name), id);
            }
            Container::Impl(index) => {
                let def = &defs.impls[ids.implementation(file, index).0 as usize];
                if let Some(head) = head(&def.self_ty) {
                    self.consts.entry((head, item.name)).or_insert(id);
                }
            }
            Container::Module | Container::Function(_) => {}
        }
    }

    /// Drops test doubles and delegators from dispatch, and finds the default bodies that are in use.
    fn settle(&mut self, files: &[ir::File], defs: &Defs) {
        let declared: Vec<_> = self.declared.iter().map(|(key, id)| (*key, *id)).collect();
        for ((trait_, name), declaration) in declared {
            let found = self.dispatch.remove(&(trait_, name)).unwrap_or_default();
            let place = defs.functions[declaration.0 as usize].place;
            let has_body = files[place.file as usize].functions[place.index as usize].body.is_some();
            let implementors = self.by_trait.get(&trait_).map_or(0, Vec::len);
            if has_body && (found.len() < implementors || implementors == 0) {
                self.default_used.insert((trait_, name), declaration);
            }
            let real: Vec<Method> = found.iter().copied().filter(|method| self.is_real(defs, method.of)).collect();
            let found = if real.is_empty() { found } else { real };
            let own: Vec<Method> =
                found.iter().copied().filter(|method| !hands_on(files, defs, trait_, *method)).collect();
            self.dispatch.insert((trait_, name), if own.is_empty() { found } else { own });
        }
    }

    fn is_real(&self, defs: &Defs, id: ImplId) -> bool {
        !self.doubles[id.0 as usize] && !is_delegator(&defs.impls[id.0 as usize])
    }

    pub(super) fn is_double(&self, id: ImplId) -> bool {
        self.doubles[id.0 as usize]
    }

    pub(super) fn of_trait(&self, trait_: TraitId) -> &[ImplId] {
        self.by_trait.get(&trait_).map_or(&[], Vec::as_slice)
    }

    pub(super) fn of_head(&self, head: Head) -> &[ImplId] {
        self.by_head.get(&head).map_or(&[], Vec::as_slice)
    }

    pub(super) fn declaration(&self, trait_: TraitId, name: Symbol) -> Option<FnId> {
        self.declared.get(&(trait_, name)).copied()
    }

    pub(super) fn constant(&self, ty: &Ty, name: Symbol) -> Option<StaticId> {
        if let Ty::Bound { bounds, .. } = ty.unref() {
            return bounds.iter().find_map(|bound| match bound {
                BoundTy::Local(trait_, _) => self.trait_consts.get(&(*trait_, name)).copied(),
                _ => None,
            });
        }
        self.consts.get(&(head(ty)?, name)).copied()
    }

    pub(super) fn method_name(&self, name: Symbol) -> Option<NameUse> {
        self.method_names.get(&name).copied()
    }

    pub(super) fn free_name(&self, name: Symbol) -> Option<FnId> {
        self.free_names.get(&name).copied().flatten()
    }

    /// Inherent methods of exactly this type (not of what it dereferences to).
    pub(super) fn inherent(&self, defs: &Defs, ty: &Ty, name: Symbol) -> Vec<FnId> {
        head(ty).map_or_else(Vec::new, |head| fitting(defs, ty, self.inherent.get(&(head, name))))
    }

    /// Methods that a concrete type has from traits: its own implementations, default bodies, blanket impls.
    pub(super) fn trait_methods(&self, defs: &Defs, ty: &Ty, name: Symbol) -> Vec<FnId> {
        let Some(head) = head(ty) else { return Vec::new() };
        let own = fitting(defs, ty, self.of_traits.get(&(head, name)));
        if !own.is_empty() {
            return own;
        }
        let implemented = self.of_head(head).iter().filter_map(|id| match &defs.impls[id.0 as usize].trait_ {
            ImplTrait::Local(trait_, _) => self.declared.get(&(*trait_, name)).copied(),
            _ => None,
        });
        let mut defaults: Vec<FnId> = implemented.collect();
        defaults.dedup();
        if !defaults.is_empty() {
            return defaults;
        }
        let blanket = self.blanket.get(&name).into_iter().flatten();
        blanket.filter(|method| self.bounds_hold(defs, method.of, ty)).map(|method| method.function).collect()
    }

    /// Whether a type has the traits of the program that a blanket impl asks for.
    fn bounds_hold(&self, defs: &Defs, of: ImplId, ty: &Ty) -> bool {
        let Ty::Bound { bounds, .. } = defs.impls[of.0 as usize].self_ty.unref() else { return false };
        bounds.iter().all(|bound| match bound {
            BoundTy::Local(trait_, _) => self.implements(defs, ty, *trait_),
            _ => true,
        })
    }

    pub(super) fn implements(&self, defs: &Defs, ty: &Ty, trait_: TraitId) -> bool {
        if let Ty::Bound { bounds, .. } = ty.unref() {
            return traits_of(defs, bounds).iter().any(|(known, _)| *known == trait_);
        }
        let Some(head) = head(ty) else { return false };
        self.of_head(head).iter().any(|id| match &defs.impls[id.0 as usize].trait_ {
            ImplTrait::Local(known, _) => *known == trait_,
            _ => false,
        })
    }

    /// What a call of a trait's method may run, and the declaration.
    pub(super) fn through_trait(&self, defs: &Defs, trait_: TraitId, args: &[Ty], name: Symbol) -> Vec<FnId> {
        let Some(declaration) = self.declaration(trait_, name) else { return Vec::new() };
        let found = self.dispatch.get(&(trait_, name)).map_or(&[][..], Vec::as_slice);
        let fits = |method: &&Method| match &defs.impls[method.of.0 as usize].trait_ {
            ImplTrait::Local(_, given) => given.iter().zip(args).all(|(a, b)| unify(a, b, &mut Subst::default())),
            _ => true,
        };
        let mut functions: Vec<FnId> = found.iter().filter(fits).map(|method| method.function).collect();
        functions.extend(self.default_used.get(&(trait_, name)));
        if functions.is_empty() {
            functions.push(declaration);
        }
        functions
    }

    /// An associated type that a type has from a library trait, by the trait's last segment: `Deref` and `Target`.
    pub(super) fn library_assoc(&self, defs: &Defs, ty: &Ty, trait_: &str, name: &str) -> Option<Ty> {
        self.of_head(head(ty)?).iter().find_map(|id| {
            let def = &defs.impls[id.0 as usize];
            let ImplTrait::Library(path) = &def.trait_ else { return None };
            let same = path.as_str().rsplit("::").next() == Some(trait_);
            let (_, assoc) = def.assoc.iter().find(|(known, _)| same && *known == name)?;
            let mut subst = Subst::default();
            unify(&def.self_ty, ty, &mut subst).then(|| substitute(assoc, &subst))
        })
    }

    /// The library traits that a type of the program implements.
    pub(super) fn library_traits(&self, defs: &Defs, ty: &Ty) -> Vec<(Symbol, Vec<Ty>)> {
        let Some(head) = head(ty) else { return Vec::new() };
        let of = self.of_head(head).iter();
        of.filter_map(|id| match &defs.impls[id.0 as usize] {
            ImplDef { trait_: ImplTrait::Library(path), self_ty, assoc, .. } => {
                let mut subst = Subst::default();
                let fits = unify(self_ty, ty, &mut subst);
                let types = assoc.iter().map(|(_, ty)| substitute(ty, &subst)).collect();
                fits.then_some((*path, types))
            }
            _ => None,
        })
        .collect()
    }

    /// An associated type that some impl gives a type.
    pub(super) fn assoc(&self, defs: &Defs, ty: &Ty, name: Symbol) -> Option<Ty> {
        self.of_head(head(ty)?).iter().find_map(|id| {
            let def = &defs.impls[id.0 as usize];
            let (_, assoc) = def.assoc.iter().find(|(known, _)| *known == name)?;
            let mut subst = Subst::default();
            unify(&def.self_ty, ty, &mut subst).then(|| substitute(assoc, &subst))
        })
    }
}

fn fitting(defs: &Defs, ty: &Ty, found: Option<&Vec<Method>>) -> Vec<FnId> {
    let Some(found) = found else { return Vec::new() };
    if let [only] = found.as_slice() {
        return vec![only.function];
    }
    let fits = |method: &&Method| unify(&defs.impls[method.of.0 as usize].self_ty, ty, &mut Subst::default());
    let fitting: Vec<FnId> = found.iter().filter(fits).map(|method| method.function).collect();
    if fitting.is_empty() { found.iter().map(|method| method.function).collect() } else { fitting }
}

/// The traits of the program in some bounds, with those they inherit.
pub(super) fn traits_of(defs: &Defs, bounds: &[BoundTy]) -> Vec<(TraitId, std::sync::Arc<[Ty]>)> {
    let mut found: Vec<(TraitId, std::sync::Arc<[Ty]>)> = Vec::new();
    let mut queue: Vec<&BoundTy> = bounds.iter().collect();
    while let Some(bound) = queue.pop() {
        if let BoundTy::Local(id, args) = bound
            && !found.iter().any(|(known, _)| known == id)
        {
            found.push((*id, args.clone()));
            queue.extend(&defs.supertraits[id.0 as usize]);
        }
    }
    found
}

/// The library traits in some bounds, with those that the program's traits inherit.
pub(super) fn library_bounds(defs: &Defs, bounds: &[BoundTy]) -> Vec<(Symbol, Vec<Ty>)> {
    let local = traits_of(defs, bounds);
    let inherited = local.iter().flat_map(|(id, _)| &defs.supertraits[id.0 as usize]);
    let all: Vec<&BoundTy> = bounds.iter().chain(inherited).collect();
    let mut found = Vec::new();
    for (at, bound) in all.iter().enumerate() {
        let BoundTy::Ext(path, args) = bound else { continue };
        let mut args = args.to_vec();
        args.extend(all[at + 1..].iter().map_while(|bound| match bound {
            BoundTy::Assoc(_, ty) => Some((**ty).clone()),
            _ => None,
        }));
        found.push((*path, args));
    }
    found
}
