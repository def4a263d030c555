//! What a call of a function of the program gives: its signature with type parameters learned from receiver, arguments, turbofish and expectation.

use std::sync::Arc;

use super::super::impls;
use super::super::prelude::known;
use super::super::ty::{Subst, replace_params, substitute, unify};
use super::super::{BoundTy, FnContainer, FnId, Place, Ty};
use super::Infer;
use crate::intern::Symbol;
use crate::ir::{self, ExprId};

/// A signature while a call of it is being typed.
pub(super) struct Signature {
    pub(super) function: FnId,
    pub(super) subst: Subst,
    /// The parameters, the receiver not among them.
    pub(super) params: Vec<Ty>,
}

impl Infer<'_> {
    /// Starts from what receiver and turbofish tell.
    pub(super) fn signature(&self, function: FnId, receiver: Option<&Ty>, turbofish: &[Ty]) -> Signature {
        let def = self.ix.function(function);
        let mut subst = Subst::default();
        if let Some(receiver) = receiver.filter(|ty| ty.is_known()) {
            self.learn_self(&def.self_ty, receiver, def.container, &mut subst);
        }
        for (generic, ty) in self.ix.source(function).generics.iter().zip(turbofish) {
            if !ty.is_unknown() {
                subst.bind(generic.name, ty);
            }
        }
        Signature { function, subst, params: def.params.clone() }
    }

    fn learn_self(&self, self_ty: &Ty, receiver: &Ty, container: FnContainer, subst: &mut Subst) {
        unify(self_ty, receiver, subst);
        let FnContainer::Trait(trait_) = container else { return };
        // `Self: Trait<A>` tells the trait's parameters where the receiver's bound has arguments.
        let (Ty::Bound { bounds: own, .. }, Ty::Bound { bounds: given, .. }) = (self_ty, receiver.unref()) else {
            return;
        };
        let given = impls::traits_of(self.ix.defs, given);
        for bound in own.iter() {
            if let BoundTy::Local(id, params) = bound
                && *id == trait_
                && let Some((_, args)) = given.iter().find(|(known, _)| known == id)
            {
                for (param, arg) in params.iter().zip(args.iter()) {
                    unify(param, arg, subst);
                }
            }
        }
    }

    /// The type that a parameter waits for.
    pub(super) fn wanted(&self, signature: &Signature, at: usize) -> Ty {
        signature.params.get(at).map(|param| substitute(param, &signature.subst)).unwrap_or_default()
    }

    /// Learns from an argument.
    pub(super) fn given(&self, signature: &mut Signature, at: usize, arg: ExprId, ty: &Ty) {
        let Some(param) = signature.params.get(at).cloned() else { return };
        unify(&param, ty, &mut signature.subst);
        if let Some((_, ret)) = callable(&param)
            && let Some(found) = self.value_of_callable(arg, ty, &[])
        {
            self.learn_ret(&ret, &found, &mut signature.subst);
        }
    }

    /// `F: Fn() -> Fut, Fut: Future<Output = T>`: what the closure gives tells `Fut`, and through its bound `T`.
    fn learn_ret(&self, ret: &Ty, found: &Ty, subst: &mut Subst) {
        unify(ret, found, subst);
        if let Ty::Bound { bounds, .. } = ret {
            for (_, args) in impls::library_bounds(self.ix.defs, bounds) {
                if let Some(output) = args.last() {
                    unify(output, &self.ix.awaited(found), subst);
                }
            }
        }
    }

    /// What the call gives. Parameters that nothing told fall back to their bounds.
    pub(super) fn result(&self, mut signature: Signature, expected: &Ty) -> Ty {
        let def = self.ix.function(signature.function);
        let source = self.ix.source(signature.function);
        if expected.is_known() {
            let expected = if source.is_async { self.ix.awaited(expected) } else { expected.clone() };
            unify(&def.ret, &expected, &mut Subst::default());
            self.expect(&def.ret, &expected, &mut signature.subst);
        }
        let mut own: Vec<Symbol> = source.generics.iter().map(|generic| generic.name).collect();
        own.extend(self.params_of_container(def.place));
        let known = substitute(&def.ret, &signature.subst);
        let ty = self.forget(&known, &own, &signature.subst);
        if source.is_async { Ty::Future(Arc::new(ty)) } else { ty }
    }

    /// The type parameters of the impl or trait that a function stands in.
    fn params_of_container(&self, place: Place) -> Vec<Symbol> {
        let file = &self.ix.world.files[place.file as usize];
        let generics = match file.functions[place.index as usize].container {
            ir::Container::Impl(index) => &file.impls[index as usize].generics,
            ir::Container::Trait(index) => &file.traits[index as usize].generics,
            ir::Container::Module | ir::Container::Function(_) => return Vec::new(),
        };
        let own = generics.iter().map(|generic| generic.name);
        own.chain([known().self_type]).collect()
    }

    /// Parameters of the callee that stayed open mean nothing to the caller: their bounds are all that is known. Associated types of those that are
    /// known are looked up.
    fn forget(&self, ty: &Ty, own: &[Symbol], subst: &Subst) -> Ty {
        replace_params(ty, &|name, bounds| {
            if own.contains(&name) {
                return subst.get(name).is_none().then(|| bounds_only(bounds));
            }
            let (base, assoc) = name.as_str().split_once("::")?;
            let base = own.iter().find(|own| **own == base)?;
            let found = subst.get(*base).and_then(|ty| self.ix.impls.assoc(self.ix.defs, ty, Symbol::new(assoc)));
            Some(found.unwrap_or_else(|| bounds_only(bounds)))
        })
    }

    /// What is expected tells only parameters of which nothing else is known.
    fn expect(&self, ret: &Ty, expected: &Ty, subst: &mut Subst) {
        let mut told = Subst::default();
        if unify(ret, expected, &mut told) {
            let before = subst.clone();
            told.each(|name, ty| {
                if before.get(name).is_none() {
                    subst.bind(name, ty);
                }
            });
        }
    }
}

/// Parameters and value of a type that can be called.
pub(super) fn callable(ty: &Ty) -> Option<(Arc<[Ty]>, Ty)> {
    match ty.unref() {
        Ty::Bound { bounds, .. } => bounds.iter().find_map(|bound| match bound {
            BoundTy::Fn(params, ret) => Some((params.clone(), (**ret).clone())),
            _ => None,
        }),
        // `Box<dyn Fn()>`, `Arc<dyn Fn()>`, `Option<fn()>`
        Ty::Ext(_, args) => match &**args {
            [inner] => callable(inner),
            _ => None,
        },
        _ => None,
    }
}

fn bounds_only(bounds: &Arc<[BoundTy]>) -> Ty {
    if bounds.is_empty() { Ty::Unknown } else { Ty::Bound { name: None, bounds: bounds.clone() } }
}
