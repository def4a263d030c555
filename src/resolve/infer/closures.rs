//! Closures: their parameters come from the call that takes them, their value from their body.

use std::sync::Arc;

use super::super::index::Words;
use super::super::ty::join;
use super::super::{Evidence, Ty};
use super::signature::callable;
use super::{Frame, Infer};
use crate::ir::{ExprId, ExprKind};

impl Infer<'_> {
    /// Types a closure. `given` is what the caller says of its parameters.
    pub(super) fn closure(&mut self, id: ExprId, given: &[Ty], expected: &Ty) -> Ty {
        let body = self.body;
        let ExprKind::Closure(closure) = &body.expr(id).kind else { return Ty::Unknown };
        let wanted = callable(expected);
        let (params, wanted_ret) = match &wanted {
            Some((params, ret)) if given.is_empty() => (&**params, ret.clone()),
            Some((_, ret)) => (given, ret.clone()),
            None => (given, Ty::Unknown),
        };
        for (at, pat) in closure.params.iter().enumerate() {
            let written = closure.types.get(at).copied().flatten().map(|ty| self.cx.ty(ty)).unwrap_or_default();
            let evidence = if written.is_known() { Evidence::Declared } else { Evidence::Inferred };
            let ty = join(&written, params.get(at).unwrap_or(&Ty::Unknown));
            self.bind(*pat, &ty, evidence);
        }
        let written = closure.ret.map(|ty| self.cx.ty(ty)).unwrap_or_default();
        let wanted_ret = if closure.is_async { self.ix.awaited(&wanted_ret) } else { wanted_ret };
        let ret = join(&written, &plain(wanted_ret));
        self.frames.push(Frame { ret: ret.clone() });
        let found = self.expr(closure.body, &ret);
        let frame = self.frames.pop().unwrap_or_default();
        let mut ret = join(&join(&written, &found), &frame.ret);
        if closure.is_async {
            ret = Ty::Future(Arc::new(ret));
        }
        self.closures.insert(id, ret);
        self.set(id, Ty::Closure(id), Evidence::Declared)
    }

    /// What calling a value gives: a closure of this body, a function, anything bound by `Fn`.
    pub(super) fn value_of_callable(&self, arg: ExprId, ty: &Ty, params: &[Ty]) -> Option<Ty> {
        if let Some(library) = self.library_fns.get(&self.through_scopes(arg)) {
            return self.library_fn_value(library, params);
        }
        match ty.unref() {
            Ty::Closure(id) => self.closures.get(id).cloned(),
            Ty::Fn(function) => {
                let signature = self.signature(*function, params.first(), &[]);
                Some(self.result(signature, &Ty::Unknown))
            }
            _ => callable(ty).map(|(_, ret)| ret),
        }
    }

    /// What a closure argument gives in the end: of an async one, what awaiting it gives; an async block stands for itself.
    pub(super) fn closure_value(&self, arg: ExprId, ty: &Ty, params: &[Ty]) -> Ty {
        match ty.unref() {
            Ty::Future(output) => (**output).clone(),
            _ => match self.value_of_callable(arg, ty, params) {
                Some(Ty::Future(output)) => (*output).clone(),
                Some(value) => value,
                None => Ty::Unknown,
            },
        }
    }

    pub(super) fn through_scopes(&self, id: ExprId) -> ExprId {
        let mut at = id;
        while let ExprKind::TempScope(inner) | ExprKind::Ref { operand: inner, .. } = self.body.expr(at).kind {
            at = inner;
        }
        at
    }

    fn library_fn_value(&self, library: &super::LibraryFn, params: &[Ty]) -> Option<Ty> {
        let row = self.path_row(library.path, &library.owner, super::rows::Given::count(params.len()))?;
        let (receiver, args) = match (row.is_method, params) {
            (true, [receiver, rest @ ..]) => (receiver, rest),
            _ => (&Ty::Unknown, params),
        };
        let own = if row.is_method { receiver.unref().args() } else { library.owner.args() };
        let words =
            Words { params: own, receiver, args, turbofish: &[], closure: &Ty::Unknown, otherwise: &Ty::Unknown };
        self.row_value(row.row, &words)
    }
}

/// A type parameter of the callee is nothing to expect.
fn plain(ty: Ty) -> Ty {
    match ty {
        Ty::Bound { name: Some(_), .. } => Ty::Unknown,
        ty => ty,
    }
}
