//! Calls of paths and of values: functions, constructors, associated functions, closures.

use super::super::scope::Item;
use super::super::ty::{Subst, substitute, unify};
use super::super::values::Value;
use super::super::{AdtId, Def, Evidence, FnId, Target, Ty, impls};
use super::signature::callable;
use super::{Infer, LibraryFn};
use crate::intern::Symbol;
use crate::ir::{self, ExprId, ExprKind, PathRef};

impl Infer<'_> {
    pub(super) fn call(&mut self, id: ExprId, callee: ExprId, args: &[ExprId], expected: &Ty) -> Ty {
        let body = self.body;
        match &body.expr(callee).kind {
            ExprKind::Path(path) => self.path_call(id, callee, *path, args, expected),
            _ => {
                let ty = self.visit(callee);
                let evidence = self.evidence(callee);
                self.call_value(id, callee, &ty, evidence, args, expected)
            }
        }
    }

    /// A call of a closure, a function in a variable, or whatever `Fn` bounds.
    fn call_value(
        &mut self,
        id: ExprId,
        callee: ExprId,
        ty: &Ty,
        evidence: Evidence,
        args: &[ExprId],
        expected: &Ty,
    ) -> Ty {
        if let Ty::Fn(function) = ty.unref() {
            return self.call_functions(id, vec![*function], None, args, &[], evidence, expected);
        }
        let chain = self.ix.deref_chain(ty);
        let found = chain.iter().find_map(|ty| match ty {
            Ty::Closure(closure) => Some((Some(*closure), Vec::new(), self.closures.get(closure).cloned())),
            ty => callable(ty).map(|(params, ret)| (None, params.to_vec(), Some(ret))),
        });
        let (closure, params, ret) = found.unwrap_or_default();
        for (at, arg) in args.iter().enumerate() {
            self.expr(*arg, params.get(at).unwrap_or(&Ty::Unknown));
        }
        let ret = ret.or_else(|| self.value_of_callable(callee, ty, &[])).unwrap_or_default();
        self.target(id, Target { closure, evidence, ..Target::default() });
        self.set(id, ret, Evidence::Inferred)
    }

    fn path_call(&mut self, id: ExprId, callee: ExprId, path: PathRef, args: &[ExprId], expected: &Ty) -> Ty {
        let written = self.cx.path(path);
        let value = self.cx.value(written);
        let def = self.def_of(&value);
        self.define(callee, def);
        let turbofish = self.turbofish(written);
        let owner = match &value {
            Value::Assoc { owner, .. } => Some(owner.clone()),
            Value::Library { owner, .. } => Some(owner.clone()),
            _ => None,
        };
        let ty = self.named_call(id, callee, written, value, args, &turbofish, expected);
        if let Some(target) = self.out.targets.get_mut(&id) {
            target.self_ty = owner;
            target.fish = turbofish;
        }
        ty
    }

    #[allow(clippy::too_many_arguments)]
    fn named_call(
        &mut self,
        id: ExprId,
        callee: ExprId,
        written: &ir::Path,
        value: Value,
        args: &[ExprId],
        turbofish: &[Ty],
        expected: &Ty,
    ) -> Ty {
        let def = self.def_of(&value);
        match value {
            Value::Item(Item::Fn(function)) => {
                self.set(callee, Ty::Fn(function), Evidence::Declared);
                let functions = self.with_twins(function);
                self.call_functions(id, functions, None, args, turbofish, Evidence::Declared, expected)
            }
            Value::Item(Item::Variant(adt, name)) => {
                let variants = &self.ix.defs.adts[adt.0 as usize].variants;
                let fields = variants.iter().find(|(known, _)| *known == name).map(|(_, fields)| fields.clone());
                self.construct(id, adt, &fields.unwrap_or_default(), args, expected)
            }
            Value::Item(Item::Adt(adt)) => {
                let fields = self.ix.defs.adts[adt.0 as usize].fields.clone();
                self.construct(id, adt, &fields, args, expected)
            }
            Value::Item(Item::Static(of)) => {
                let ty = self.ix.defs.statics[of.0 as usize].ty.clone();
                self.set(callee, ty.clone(), Evidence::Declared);
                self.call_value(id, callee, &ty, Evidence::Declared, args, expected)
            }
            Value::Assoc { owner, name } => {
                let first = match def {
                    Def::Fn(function) => Ty::Fn(function),
                    _ => Ty::Unknown,
                };
                self.set(callee, first, Evidence::Declared);
                self.associated_call(id, &owner, name, args, turbofish, expected)
            }
            Value::Library { path, owner } => {
                let path_of = LibraryFn { path, owner: owner.clone() };
                self.library_fns.insert(callee, path_of);
                self.library_call(id, path, &owner, args, turbofish, expected)
            }
            Value::Item(_) => self.unknown_call(id, args, Target { evidence: Evidence::Declared, ..Target::default() }),
            Value::Unknown => self.call_by_name(id, callee, written, args, expected),
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
    fn call_by_name(&mut self, id: ExprId, callee: ExprId, path: &ir::Path, args: &[ExprId], expected: &Ty) -> Ty {
        let found = match path.segments.as_slice() {
            [only] => self.ix.impls.free_name(only.name),
            _ => None,
        };
        let Some(function) = found.filter(|function| self.ix.source(*function).params.len() == args.len()) else {
            return self.unknown_call(id, args, Target::default());
        };
        self.set(callee, Ty::Fn(function), Evidence::UniqueName);
        self.define(callee, Def::Fn(function));
        self.call_functions(id, vec![function], None, args, &[], Evidence::UniqueName, expected)
    }

    pub(super) fn unknown_call(&mut self, id: ExprId, args: &[ExprId], target: Target) -> Ty {
        self.args_plain(args);
        self.target(id, target);
        self.set(id, Ty::Unknown, Evidence::Unknown)
    }

    /// A call of functions of the program; the first tells the type. A receiver that was written as the first argument is among `args`.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn call_functions(
        &mut self,
        id: ExprId,
        functions: Vec<FnId>,
        receiver: Option<&Ty>,
        args: &[ExprId],
        turbofish: &[Ty],
        evidence: Evidence,
        expected: &Ty,
    ) -> Ty {
        let Some(&first) = functions.first() else { return self.unknown_call(id, args, Target::default()) };
        let by_path = receiver.is_none() && self.ix.source(first).receiver.is_some();
        let (receiver, args) = match args {
            [of, rest @ ..] if by_path => (Some(self.visit(*of)), rest),
            _ => (receiver.cloned(), args),
        };
        let mut signature = self.signature(first, receiver.as_ref(), turbofish);
        self.args_of_function(args, &mut signature);
        let ty = self.result(signature, expected);
        self.target(id, Target { functions, evidence, ..Target::default() });
        self.set(id, ty, evidence.min(Evidence::Inferred))
    }

    /// A tuple struct or variant made of its fields.
    fn construct(&mut self, id: ExprId, adt: AdtId, fields: &[(Symbol, Ty)], args: &[ExprId], expected: &Ty) -> Ty {
        let mut subst = Subst::default();
        if let Ty::Adt(known, given) = expected.unref()
            && *known == adt
        {
            subst = self.ix.params_of(adt, given);
        }
        for (at, arg) in args.iter().enumerate() {
            let field = fields.get(at).map(|(_, ty)| ty.clone()).unwrap_or_default();
            let wanted = substitute(&field, &subst);
            let ty = self.expr(*arg, &wanted);
            unify(&field, &ty, &mut subst);
        }
        let names = &self.ix.defs.adts[adt.0 as usize].generics;
        let given = names.iter().map(|name| subst.get(*name).cloned().unwrap_or_default()).collect();
        self.target(id, Target { evidence: Evidence::Declared, ..Target::default() });
        self.set(id, Ty::Adt(adt, given), Evidence::Declared)
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

    fn associated_call(
        &mut self,
        id: ExprId,
        owner: &Ty,
        name: Symbol,
        args: &[ExprId],
        turbofish: &[Ty],
        expected: &Ty,
    ) -> Ty {
        // `Trait::method(value)`: the value's type says whose method it is.
        if let (Ty::Bound { name: None, .. }, [first, ..]) = (owner, args) {
            let receiver = self.visit(*first);
            if receiver.is_known() && !matches!(receiver.unref(), Ty::Bound { .. }) {
                let own = self.ix.impls.trait_methods(self.ix.defs, receiver.unref(), name);
                if !own.is_empty() {
                    return self.call_functions(id, own, None, args, turbofish, Evidence::Declared, expected);
                }
            }
        }
        let functions = self.associated(owner, name);
        if functions.is_empty() {
            return self.library_associated(id, owner, name, args, turbofish, expected);
        }
        let first = functions[0];
        if self.ix.source(first).receiver.is_some() {
            return self.call_functions(id, functions, None, args, turbofish, Evidence::Declared, expected);
        }
        // Without a receiver, the type before `::` tells the parameters of the impl.
        let signature_of = self.declared_for(owner, name).filter(|_| functions.len() > 1).unwrap_or(first);
        let mut signature = self.signature(signature_of, Some(owner), turbofish);
        self.args_of_function(args, &mut signature);
        let ty = self.result(signature, expected);
        self.target(id, Target { functions, evidence: Evidence::Declared, ..Target::default() });
        self.set(id, ty, Evidence::Inferred)
    }

    /// The declaration in a trait that a bound names.
    pub(super) fn declared_for(&self, owner: &Ty, name: Symbol) -> Option<FnId> {
        let Ty::Bound { bounds, .. } = owner.unref() else { return None };
        let traits = impls::traits_of(self.ix.defs, bounds);
        traits.iter().find_map(|(trait_, _)| self.ix.impls.declaration(*trait_, name))
    }
}
