//! Calls of paths and of values: functions, constructors, associated functions, closures.

use super::super::scope::Item;
use super::super::ty::{Subst, substitute, unify};
use super::super::values::Value;
use super::super::{AdtId, Def, Evidence, FnId, Target, Ty, impls};
use super::signature::{Signature, callable};
use super::{Infer, LibraryFn};
use crate::intern::Symbol;
use crate::ir::{self, ExprId, ExprKind, PathRef};

/// One call: its expression, its arguments, and what is asked of it.
#[derive(Clone, Copy)]
pub(super) struct Site<'s> {
    pub(super) id: ExprId,
    pub(super) args: &'s [ExprId],
    pub(super) turbofish: &'s [Ty],
    /// The type that the place of the call waits for.
    pub(super) expected: &'s Ty,
}

impl Infer<'_> {
    pub(super) fn call(&mut self, id: ExprId, callee: ExprId, args: &[ExprId], expected: &Ty) -> Ty {
        let body = self.body;
        let site = Site { id, args, turbofish: &[], expected };
        match &body.expr(callee).kind {
            ExprKind::Path(path) => self.path_call(site, callee, *path),
            _ => {
                let ty = self.visit(callee);
                let evidence = self.evidence(callee);
                self.call_value(site, callee, &ty, evidence)
            }
        }
    }

    /// A call of a closure, a function in a variable, or whatever `Fn` bounds.
    fn call_value(&mut self, site: Site<'_>, callee: ExprId, ty: &Ty, evidence: Evidence) -> Ty {
        if let Ty::Fn(function) = ty.unref() {
            return self.call_functions(site, vec![*function], None, evidence);
        }
        let chain = self.ix.deref_chain(ty);
        let found = chain.iter().find_map(|ty| match ty {
            Ty::Closure(closure) => Some((Some(*closure), Vec::new(), self.closures.get(closure).cloned())),
            ty => callable(ty).map(|(params, ret)| (None, params.to_vec(), Some(ret))),
        });
        let (closure, params, ret) = found.unwrap_or_default();
        for (at, arg) in site.args.iter().enumerate() {
            self.expr(*arg, params.get(at).unwrap_or(&Ty::Unknown));
        }
        let ret = ret.or_else(|| self.value_of_callable(callee, ty, &[])).unwrap_or_default();
        self.target(site.id, Target { closure, evidence, ..Target::default() });
        self.set(site.id, ret, Evidence::Inferred)
    }

    fn path_call(&mut self, site: Site<'_>, callee: ExprId, path: PathRef) -> Ty {
        let written = self.cx.path(path);
        let value = self.cx.value(written);
        let def = self.def_of(&value);
        self.define(callee, def);
        let turbofish = self.turbofish(written);
        let owner = match &value {
            Value::Assoc { owner, .. } | Value::Library { owner, .. } => Some(owner.clone()),
            _ => None,
        };
        let ty = self.named_call(Site { turbofish: &turbofish, ..site }, callee, written, value, def);
        if let Some(target) = self.out.targets.get_mut(&site.id) {
            target.self_ty = owner;
            target.fish = turbofish;
        }
        ty
    }

    fn named_call(&mut self, site: Site<'_>, callee: ExprId, written: &ir::Path, value: Value, def: Def) -> Ty {
        match value {
            Value::Item(Item::Fn(function)) => {
                self.set(callee, Ty::Fn(function), Evidence::Declared);
                let functions = self.with_twins(function);
                self.call_functions(site, functions, None, Evidence::Declared)
            }
            Value::Item(Item::Variant(adt, name)) => {
                let variants = &self.ix.defs.adts[adt.0 as usize].variants;
                let fields = variants.iter().find(|(known, _)| *known == name).map(|(_, fields)| fields.as_slice());
                self.construct(site, adt, fields.unwrap_or_default())
            }
            Value::Item(Item::Adt(adt)) => self.construct(site, adt, &self.ix.defs.adts[adt.0 as usize].fields),
            Value::Item(Item::Static(of)) => {
                let ty = self.ix.defs.statics[of.0 as usize].ty.clone();
                self.set(callee, ty.clone(), Evidence::Declared);
                self.call_value(site, callee, &ty, Evidence::Declared)
            }
            Value::Assoc { owner, name } => {
                let first = match def {
                    Def::Fn(function) => Ty::Fn(function),
                    _ => Ty::Unknown,
                };
                self.set(callee, first, Evidence::Declared);
                self.associated_call(site, &owner, name)
            }
            Value::Library { path, owner } => {
                self.library_fns.insert(callee, LibraryFn { path, owner: owner.clone() });
                self.library_call(site, path, &owner)
            }
            Value::Item(_) => self.unknown_call(site, Evidence::Declared),
            Value::Unknown => self.call_by_name(site, callee, written),
        }
    }

    fn turbofish(&self, path: &ir::Path) -> Vec<Ty> {
        path.segments.last().map(|last| last.args.iter().map(|ty| self.cx.ty(*ty)).collect()).unwrap_or_default()
    }

    /// All functions of the same path that `cfg` chooses between.
    fn with_twins(&self, function: FnId) -> Vec<FnId> {
        let twins = self.ix.world.names.twins.get(&function);
        std::iter::once(function).chain(twins.into_iter().flatten().copied()).collect()
    }

    /// A bare name that no scope has: a macro may have brought it. One function of the program with that name is taken for it.
    fn call_by_name(&mut self, site: Site<'_>, callee: ExprId, path: &ir::Path) -> Ty {
        let found = match path.segments.as_slice() {
            [only] => self.ix.impls.free_name(only.name),
            _ => None,
        };
        let Some(function) = found.filter(|function| self.ix.source(*function).params.len() == site.args.len()) else {
            return self.unknown_call(site, Evidence::Unknown);
        };
        self.set(callee, Ty::Fn(function), Evidence::UniqueName);
        self.define(callee, Def::Fn(function));
        self.call_functions(site, vec![function], None, Evidence::UniqueName)
    }

    pub(super) fn unknown_call(&mut self, site: Site<'_>, evidence: Evidence) -> Ty {
        self.args_plain(site.args);
        self.target(site.id, Target { evidence, ..Target::default() });
        self.set(site.id, Ty::Unknown, Evidence::Unknown)
    }

    /// A call of functions of the program; the first tells the type. Without a `receiver`, the one of a method is the first argument.
    pub(super) fn call_functions(
        &mut self,
        site: Site<'_>,
        functions: Vec<FnId>,
        receiver: Option<&Ty>,
        evidence: Evidence,
    ) -> Ty {
        let Some(&first) = functions.first() else { return self.unknown_call(site, Evidence::Unknown) };
        let by_path = receiver.is_none() && self.ix.source(first).receiver.is_some();
        let (receiver, args) = match site.args {
            [of, rest @ ..] if by_path => (Some(self.visit(*of)), rest),
            _ => (receiver.cloned(), site.args),
        };
        let signature = self.signature(first, receiver.as_ref(), site.turbofish);
        self.finish(Site { args, ..site }, functions, signature, evidence)
    }

    /// Types the arguments by the signature, then the call.
    pub(super) fn finish(
        &mut self,
        site: Site<'_>,
        functions: Vec<FnId>,
        mut signature: Signature,
        evidence: Evidence,
    ) -> Ty {
        self.args_of_function(site.args, &mut signature);
        let ty = self.result(signature, site.expected);
        self.target(site.id, Target { functions, evidence, ..Target::default() });
        self.set(site.id, ty, evidence.min(Evidence::Inferred))
    }

    /// A tuple struct or variant made of its fields.
    fn construct(&mut self, site: Site<'_>, adt: AdtId, fields: &[(Symbol, Ty)]) -> Ty {
        let mut subst = Subst::default();
        if let Ty::Adt(known, given) = site.expected.unref()
            && *known == adt
        {
            subst = self.ix.params_of(adt, given);
        }
        for (at, arg) in site.args.iter().enumerate() {
            let field = fields.get(at).map(|(_, ty)| ty.clone()).unwrap_or_default();
            let wanted = substitute(&field, &subst);
            let ty = self.expr(*arg, &wanted);
            unify(&field, &ty, &mut subst);
        }
        let names = &self.ix.defs.adts[adt.0 as usize].generics;
        let given = names.iter().map(|name| subst.get(*name).cloned().unwrap_or_default()).collect();
        self.target(site.id, Target { evidence: Evidence::Declared, ..Target::default() });
        self.set(site.id, Ty::Adt(adt, given), Evidence::Declared)
    }

    /// The functions that `Type::name` or `Trait::name` may be, known from the type alone.
    pub(super) fn associated(&self, owner: &Ty, name: Symbol) -> Vec<FnId> {
        let (defs, impls) = (self.ix.defs, self.ix.impls);
        if let Ty::Bound { bounds, .. } = owner.unref() {
            for (trait_, args) in impls::traits_of(defs, bounds) {
                if impls.declaration(trait_, name).is_some() {
                    return impls.through_trait(defs, trait_, &args, name);
                }
            }
        }
        let own = impls.inherent(defs, owner.unref(), name);
        if own.is_empty() { impls.trait_methods(defs, owner.unref(), name) } else { own }
    }

    fn associated_call(&mut self, site: Site<'_>, owner: &Ty, name: Symbol) -> Ty {
        let functions = self.associated(owner, name);
        let Some(&first) = functions.first() else { return self.library_associated(site, owner, name) };
        if self.ix.source(first).receiver.is_some() {
            return self.method_by_path(site, owner, name, functions);
        }
        // Without a receiver, the type before `::` tells the parameters of the impl.
        let signature_of = self.declared_for(owner, name).filter(|_| functions.len() > 1).unwrap_or(first);
        let signature = self.signature(signature_of, Some(owner), site.turbofish);
        self.finish(site, functions, signature, Evidence::Declared)
    }

    /// `Type::method(value)`; of `Trait::method(value)` the value's type says whose method it is.
    fn method_by_path(&mut self, site: Site<'_>, owner: &Ty, name: Symbol, functions: Vec<FnId>) -> Ty {
        let [first, args @ ..] = site.args else { return self.unknown_call(site, Evidence::Declared) };
        let receiver = self.visit(*first);
        let open = matches!(owner, Ty::Bound { name: None, .. });
        let own = if open && receiver.is_known() && !matches!(receiver.unref(), Ty::Bound { .. }) {
            self.ix.impls.trait_methods(self.ix.defs, receiver.unref(), name)
        } else {
            Vec::new()
        };
        let functions = if own.is_empty() { functions } else { own };
        self.call_functions(Site { args, ..site }, functions, Some(&receiver), Evidence::Declared)
    }

    /// The declaration in a trait that a bound names.
    pub(super) fn declared_for(&self, owner: &Ty, name: Symbol) -> Option<FnId> {
        let Ty::Bound { bounds, .. } = owner.unref() else { return None };
        let traits = impls::traits_of(self.ix.defs, bounds);
        traits.iter().find_map(|(trait_, _)| self.ix.impls.declaration(*trait_, name))
    }
}
