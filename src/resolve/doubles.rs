//! Implementations that are none: stand-ins for tests, and wrappers that hand every call on.

use super::defs::{Defs, ImplDef};
use super::impls::Method;
use super::prelude::known;
use super::{BoundTy, TraitId, Ty};
use crate::ir;

/// A stand-in for tests by its name. Only whole words count: `Stubborn` is no stub.
pub(super) fn is_double(defs: &Defs, ty: &Ty) -> bool {
    const WORDS: &[&str] = &["Mock", "Fake", "Stub", "Noop", "NoOp", "Dummy"];
    let Ty::Adt(id, _) = ty.unref() else { return false };
    let def = &defs.adts[id.0 as usize];
    let name = def.name.as_str();
    // The type's own name is the last segment.
    let mut modules = def.path.split("::").collect::<Vec<_>>();
    modules.pop();
    let apart = |module: &&str| matches!(*module, "mock" | "mocks" | "fake" | "fakes" | "stub" | "stubs");
    modules.iter().any(apart)
        || WORDS.iter().any(|word| {
            let leads = name.strip_prefix(word).is_some_and(|rest| !rest.starts_with(char::is_lowercase));
            leads || name.ends_with(word)
        })
}

/// A method of a wrapper that holds another implementation of the trait and calls the same method on it: what it reaches, the other reaches as well.
pub(super) fn hands_on(files: &[ir::File], defs: &Defs, trait_: TraitId, method: Method) -> bool {
    let def = &defs.impls[method.of.0 as usize];
    let Ty::Adt(id, args) = &def.self_ty else { return false };
    let fields = defs.adts[id.0 as usize].fields.iter().map(|(_, ty)| ty);
    if !fields.chain(args.iter()).any(|ty| holds(ty, trait_, 0)) {
        return false;
    }
    let place = defs.functions[method.function.0 as usize].place;
    let source = &files[place.file as usize].functions[place.index as usize];
    let Some(body) = &source.body else { return false };
    body.exprs.iter().any(|expr| match &expr.kind {
        ir::ExprKind::MethodCall { name, args, .. } => *name == source.name && args.len() == source.params.len(),
        _ => false,
    })
}

/// `dyn Trait`, a parameter bound by it, or a pointer to one.
fn holds(ty: &Ty, trait_: TraitId, depth: u32) -> bool {
    match ty {
        Ty::Bound { bounds, .. } => bounds.iter().any(|bound| matches!(bound, BoundTy::Local(id, _) if *id == trait_)),
        Ty::Ref(_, inner) => holds(inner, trait_, depth + 1),
        Ty::Ext(_, args) => depth < 4 && args.iter().any(|arg| holds(arg, trait_, depth + 1)),
        _ => false,
    }
}

/// `impl<T: Trait + ?Sized> Trait for Box<T>` and the like hand every call on to what they hold.
pub(super) fn is_delegator(def: &ImplDef) -> bool {
    let k = known();
    match &def.self_ty {
        Ty::Ref(_, inner) => matches!(**inner, Ty::Bound { .. }),
        Ty::Ext(path, args) => {
            (*path == k.boxed || *path == k.arc || *path == k.rc) && matches!(args.first(), Some(Ty::Bound { .. }))
        }
        _ => false,
    }
}
