//! Operations on types that need no program: peeling, substitution of type parameters, unification, joining what two places tell.

use std::sync::Arc;

use super::{BoundTy, Ty};
use crate::intern::Symbol;

/// What type parameters stand for, by name.
#[derive(Clone, Debug, Default)]
pub(super) struct Subst(Vec<(Symbol, Ty)>);

/// Types of real programs nest a dozen deep; the bound keeps a type that contains itself from running away.
const MAX_DEPTH: u32 = 24;

impl Subst {
    pub(super) fn get(&self, name: Symbol) -> Option<&Ty> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, ty)| ty)
    }

    /// Notes what a parameter stands for; what is known stays, and fills its gaps.
    pub(super) fn bind(&mut self, name: Symbol, ty: &Ty) {
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = join(known, ty),
            None => self.0.push((name, ty.clone())),
        }
    }

    pub(super) fn each(&self, mut visit: impl FnMut(Symbol, &Ty)) {
        for (name, ty) in &self.0 {
            visit(*name, ty);
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn zip(names: &[Symbol], args: &[Ty]) -> Subst {
        Subst(names.iter().copied().zip(args.iter().cloned()).filter(|(_, ty)| *ty != Ty::Unknown).collect())
    }
}

impl Ty {
    /// A library type by canonical path.
    pub(super) fn ext(path: Symbol, args: Vec<Ty>) -> Ty {
        Ty::Ext(path, args.into())
    }

    /// The type behind every reference.
    pub(super) fn unref(&self) -> &Ty {
        let mut ty = self;
        while let Ty::Ref(_, inner) = ty {
            ty = inner;
        }
        ty
    }

    pub(super) fn reference(mutable: bool, inner: Ty) -> Ty {
        match inner {
            Ty::Unknown | Ty::Never => inner,
            inner => Ty::Ref(mutable, Arc::new(inner)),
        }
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self, Ty::Unknown)
    }

    /// The outermost type says something, even where its arguments do not.
    pub(super) fn is_known(&self) -> bool {
        !matches!(self.unref(), Ty::Unknown | Ty::Never)
    }

    pub(super) fn args(&self) -> &[Ty] {
        match self {
            Ty::Adt(_, args) | Ty::Ext(_, args) | Ty::Tuple(args) => args,
            _ => &[],
        }
    }
}

/// Replaces type parameters by what they stand for.
pub(super) fn substitute(ty: &Ty, subst: &Subst) -> Ty {
    if subst.is_empty() { ty.clone() } else { map_params(ty, &|name, _| subst.get(name).cloned(), 0) }
}

/// What to put in the place of a type parameter of some name and bounds.
type Replace<'r> = dyn Fn(Symbol, &Arc<[BoundTy]>) -> Option<Ty> + 'r;

/// Replaces each type parameter for which `with` has something.
pub(super) fn replace_params(ty: &Ty, with: &Replace<'_>) -> Ty {
    map_params(ty, with, 0)
}

fn map_params(ty: &Ty, with: &Replace<'_>, depth: u32) -> Ty {
    if depth > MAX_DEPTH {
        return ty.clone();
    }
    let map = |ty: &Ty| map_params(ty, with, depth + 1);
    let all = |types: &Arc<[Ty]>| -> Arc<[Ty]> { types.iter().map(map).collect() };
    match ty {
        Ty::Adt(id, args) if !args.is_empty() => Ty::Adt(*id, all(args)),
        Ty::Ext(path, args) if !args.is_empty() => Ty::Ext(*path, all(args)),
        Ty::Ref(mutable, inner) => Ty::reference(*mutable, map(inner)),
        Ty::Tuple(items) => Ty::Tuple(all(items)),
        Ty::Slice(inner) => Ty::Slice(Arc::new(map(inner))),
        Ty::Future(inner) => Ty::Future(Arc::new(map(inner))),
        Ty::Bound { name, bounds } => {
            if let Some(found) = name.and_then(|name| with(name, bounds)) {
                return found;
            }
            let bounds = bounds.iter().map(|bound| map_bound(bound, &map)).collect();
            Ty::Bound { name: *name, bounds }
        }
        _ => ty.clone(),
    }
}

fn map_bound(bound: &BoundTy, map: &dyn Fn(&Ty) -> Ty) -> BoundTy {
    let all = |types: &Arc<[Ty]>| -> Arc<[Ty]> { types.iter().map(map).collect() };
    match bound {
        BoundTy::Local(id, args) => BoundTy::Local(*id, all(args)),
        BoundTy::Ext(path, args) => BoundTy::Ext(*path, all(args)),
        BoundTy::Fn(params, ret) => BoundTy::Fn(all(params), Arc::new(map(ret))),
        BoundTy::Assoc(name, ty) => BoundTy::Assoc(*name, Arc::new(map(ty))),
    }
}

/// Learns from `actual` what the parameters in `pattern` stand for. False where the two cannot be the same type.
pub(super) fn unify(pattern: &Ty, actual: &Ty, subst: &mut Subst) -> bool {
    unify_at(pattern, actual, subst, 0)
}

fn unify_at(pattern: &Ty, actual: &Ty, subst: &mut Subst, depth: u32) -> bool {
    if depth > MAX_DEPTH {
        return true;
    }
    match (pattern, actual) {
        (Ty::Bound { name: Some(name), .. }, _) => {
            if !actual.is_unknown() {
                subst.bind(*name, actual);
            }
            true
        }
        // Auto-references and auto-dereferences are not told apart: the match is on what lies behind.
        (Ty::Ref(_, pattern), actual) => unify_at(pattern, actual.unref(), subst, depth + 1),
        (pattern, Ty::Ref(_, actual)) => unify_at(pattern, actual, subst, depth + 1),
        (Ty::Adt(a, pattern_args), Ty::Adt(b, args)) => a == b && unify_all(pattern_args, args, subst, depth),
        (Ty::Ext(a, pattern_args), Ty::Ext(b, args)) => a == b && unify_all(pattern_args, args, subst, depth),
        (Ty::Tuple(pattern_args), Ty::Tuple(args)) => {
            pattern_args.len() == args.len() && unify_all(pattern_args, args, subst, depth)
        }
        (Ty::Slice(pattern), Ty::Slice(actual)) | (Ty::Future(pattern), Ty::Future(actual)) => {
            unify_at(pattern, actual, subst, depth + 1)
        }
        (Ty::Table(a), Ty::Table(b)) | (Ty::Record(a), Ty::Record(b)) => a == b,
        (Ty::Column(a, x), Ty::Column(b, y)) => a == b && x == y,
        (
            Ty::Adt(..) | Ty::Ext(..) | Ty::Table(_) | Ty::Record(_),
            Ty::Adt(..) | Ty::Ext(..) | Ty::Table(_) | Ty::Record(_),
        ) => false,
        _ => true,
    }
}

fn unify_all(patterns: &[Ty], actuals: &[Ty], subst: &mut Subst, depth: u32) -> bool {
    let mut all = true;
    for (pattern, actual) in patterns.iter().zip(actuals) {
        all &= unify_at(pattern, actual, subst, depth + 1);
    }
    all
}

/// The type that is known, with its gaps filled from the other; the first where both are known and differ.
pub(super) fn join(a: &Ty, b: &Ty) -> Ty {
    join_at(a, b, 0)
}

fn join_at(a: &Ty, b: &Ty, depth: u32) -> Ty {
    if depth > MAX_DEPTH {
        return a.clone();
    }
    let all = |xs: &Arc<[Ty]>, ys: &Arc<[Ty]>| -> Arc<[Ty]> {
        if xs.len() != ys.len() {
            return if xs.is_empty() { ys.clone() } else { xs.clone() };
        }
        xs.iter().zip(ys.iter()).map(|(x, y)| join_at(x, y, depth + 1)).collect()
    };
    match (a, b) {
        // What does not come back says nothing of the value, and what is unknown is not known to be nothing.
        (Ty::Never, _) => b.clone(),
        (Ty::Unknown, _) if *b != Ty::Never => b.clone(),
        (Ty::Adt(x, xs), Ty::Adt(y, ys)) if x == y => Ty::Adt(*x, all(xs, ys)),
        (Ty::Ext(x, xs), Ty::Ext(y, ys)) if x == y => Ty::Ext(*x, all(xs, ys)),
        (Ty::Tuple(xs), Ty::Tuple(ys)) if xs.len() == ys.len() => Ty::Tuple(all(xs, ys)),
        (Ty::Ref(mutable, x), Ty::Ref(_, y)) => Ty::reference(*mutable, join_at(x, y, depth + 1)),
        (Ty::Slice(x), Ty::Slice(y)) => Ty::Slice(Arc::new(join_at(x, y, depth + 1))),
        (Ty::Future(x), Ty::Future(y)) => Ty::Future(Arc::new(join_at(x, y, depth + 1))),
        _ => a.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ext(path: &str, args: Vec<Ty>) -> Ty {
        Ty::ext(Symbol::new(path), args)
    }

    fn param(name: &str) -> Ty {
        Ty::Bound { name: Some(Symbol::new(name)), bounds: Arc::from([]) }
    }

    #[test]
    fn a_parameter_is_learned_and_put_in() {
        let mut subst = Subst::default();
        let pattern = Ty::reference(false, ext("std::vec::Vec", vec![param("T")]));
        assert!(unify(&pattern, &ext("std::vec::Vec", vec![ext("u8", vec![])]), &mut subst));
        let result = substitute(&ext("std::option::Option", vec![param("T")]), &subst);
        assert_eq!(result, ext("std::option::Option", vec![ext("u8", vec![])]));
    }

    #[test]
    fn different_types_do_not_unify() {
        assert!(!unify(&ext("a::A", vec![]), &ext("a::B", vec![]), &mut Subst::default()));
        assert!(unify(&ext("a::A", vec![]), &Ty::Unknown, &mut Subst::default()));
    }

    #[test]
    fn gaps_are_filled_and_knowledge_is_kept() {
        let hole = ext("std::vec::Vec", vec![Ty::Unknown]);
        let full = ext("std::vec::Vec", vec![ext("u8", vec![])]);
        assert_eq!(join(&hole, &full), full);
        assert_eq!(join(&ext("std::vec::Vec", vec![]), &full), full);
        assert_eq!(join(&full, &ext("a::B", vec![])), full);
        assert_eq!(join(&Ty::Unknown, &full), full);
    }
}
