//! Arguments: plain ones first, closures last, when the others have told what their parameters are.

use super::super::index::Words;
use super::super::{Evidence, Ty};
use super::Infer;
use super::signature::Signature;
use crate::ir::{ExprId, ExprKind};
use crate::models::row::{Arg, CallRow, Gives, TypeRole};

/// A row at one call, with what is known before the arguments are.
#[derive(Clone, Copy)]
pub(super) struct RowCall<'r> {
    pub(super) row: u32,
    /// What `$0` and its like stand for.
    pub(super) params: &'r [Ty],
    pub(super) receiver: &'r Ty,
    pub(super) turbofish: &'r [Ty],
    /// What the first argument may be taken for, where the row does not say.
    pub(super) hint: &'r Ty,
}

impl Infer<'_> {
    fn is_closure(&self, arg: ExprId) -> bool {
        matches!(self.body.expr(self.through_scopes(arg)).kind, ExprKind::Closure(_))
    }

    /// Types the arguments of a function of the program.
    pub(super) fn args_of_function(&mut self, args: &[ExprId], signature: &mut Signature) {
        for closures in [false, true] {
            for (at, arg) in args.iter().enumerate() {
                if self.is_closure(*arg) != closures {
                    continue;
                }
                let wanted = self.wanted(signature, at);
                let ty = self.expr(*arg, &wanted);
                if !ty.is_known() && wanted.is_known() && !matches!(wanted.unref(), Ty::Bound { .. }) {
                    self.settle(*arg, &wanted);
                }
                self.given(signature, at, *arg, &ty);
            }
        }
    }

    /// Types arguments of which nothing is known.
    pub(super) fn args_plain(&mut self, args: &[ExprId]) -> Vec<Ty> {
        args.iter().map(|arg| self.visit(*arg)).collect()
    }

    /// Types the arguments of a library call, and gives what the call gives.
    pub(super) fn args_of_row(&mut self, args: &[ExprId], call: RowCall<'_>) -> Ty {
        let models = self.ix.world.library.models;
        let row = &models.calls[call.row as usize];
        let mut types = vec![Ty::Unknown; args.len()];
        for (at, arg) in args.iter().enumerate().filter(|(_, arg)| !self.is_closure(**arg)).collect::<Vec<_>>() {
            types[at] = self.expr(*arg, if at == 0 { call.hint } else { &Ty::Unknown });
        }
        let mut values = [Ty::Unknown, Ty::Unknown];
        for (at, arg) in args.iter().enumerate() {
            let of = [&row.closure, &row.otherwise].into_iter().position(|of| *of == Some(Arg::Nth(at)));
            let params = match of {
                Some(0) => self.closure_params(call, row, &types),
                Some(_) => vec![call.params.get(1).cloned().unwrap_or_default()],
                None => Vec::new(),
            };
            if self.is_closure(*arg) {
                types[at] = self.closure_arg(*arg, &params, if at == 0 { call.hint } else { &Ty::Unknown });
            }
            if let Some(of) = of {
                values[of] = self.closure_value(*arg, &types[at], &params);
            }
        }
        let words = Words {
            params: call.params,
            receiver: call.receiver,
            args: &types,
            turbofish: call.turbofish,
            closure: &values[0],
            otherwise: &values[1],
        };
        self.row_value(call.row, &words).unwrap_or_default()
    }

    /// Types a closure behind the scopes of its argument.
    fn closure_arg(&mut self, arg: ExprId, params: &[Ty], expected: &Ty) -> Ty {
        let inner = self.through_scopes(arg);
        let ty = self.closure(inner, params, expected);
        let mut at = arg;
        while at != inner {
            self.set(at, ty.clone(), Evidence::Declared);
            match self.body.expr(at).kind {
                ExprKind::TempScope(next) | ExprKind::Ref { operand: next, .. } => at = next,
                _ => break,
            }
        }
        ty
    }

    /// The types of the parameters that a row's closure gets.
    fn closure_params(&self, call: RowCall<'_>, row: &CallRow, args: &[Ty]) -> Vec<Ty> {
        let models = self.ix.world.library.models;
        let words = Words {
            params: call.params,
            receiver: call.receiver,
            args,
            turbofish: call.turbofish,
            closure: &Ty::Unknown,
            otherwise: &Ty::Unknown,
        };
        let written = models.params(call.row);
        if !written.is_empty() {
            return written.iter().map(|expr| self.ix.instantiate(expr, &words)).collect();
        }
        row.gives.iter().map(|gives| self.given_type(*gives, call)).collect()
    }

    fn given_type(&self, gives: Gives, call: RowCall<'_>) -> Ty {
        let param = |at: usize| call.params.get(at).cloned().unwrap_or_default();
        match gives {
            Gives::Inner | Gives::Guarded => param(0),
            Gives::Error => param(1),
            Gives::Element => self.ix.item(call.receiver),
            Gives::Handle => match self.ix.world.library.role(call.receiver) {
                // A connection that runs a closure in a transaction hands itself in.
                Some(TypeRole::Connection | TypeRole::Transaction) => call.receiver.clone(),
                _ => Ty::Unknown,
            },
            Gives::Unknown => Ty::Unknown,
        }
    }
}
