//! Expressions. Chains of calls, fields and operators are walked in a loop, from their innermost part outwards.

use std::sync::Arc;

use super::super::prelude::known;
use super::super::ty::join;
use super::super::{Evidence, Target, Ty};
use super::Infer;
use super::calls::Site;
use crate::intern::Symbol;
use crate::ir::{BinOp, ExprId, ExprKind, Lit, UnOp};

impl<'a> Infer<'a> {
    /// Types an expression and all in it.
    pub(super) fn expr(&mut self, id: ExprId, expected: &Ty) -> Ty {
        let body = self.body;
        let mut spine = Vec::new();
        let mut at = id;
        while let Some(inner) = innermost(&body.expr(at).kind) {
            spine.push(at);
            at = inner;
        }
        let transparent =
            spine.iter().all(|id| matches!(body.expr(*id).kind, ExprKind::TempScope(_) | ExprKind::Ref { .. }));
        let wanted = if transparent { expected.unref() } else { &Ty::Unknown };
        let mut ty = self.leaf(at, if spine.is_empty() { expected } else { wanted });
        for id in spine.into_iter().rev() {
            ty = self.step(id, ty, expected);
        }
        ty
    }

    /// Types an expression whose type nobody waits for.
    pub(super) fn visit(&mut self, id: ExprId) -> Ty {
        self.expr(id, &Ty::Unknown)
    }

    /// One link of a chain, on top of what it stands on.
    fn step(&mut self, id: ExprId, inner: Ty, expected: &Ty) -> Ty {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::TempScope(of) => self.carry(id, *of, inner),
            ExprKind::Await(of) => {
                let ty = self.ix.awaited(&inner);
                self.carry(id, *of, ty)
            }
            ExprKind::Try(of) => {
                let ty = self.ix.tried(&inner);
                self.carry(id, *of, ty)
            }
            ExprKind::Field { base, name } => {
                let ty = self.ix.field(&inner, *name);
                self.carry(id, *base, ty)
            }
            ExprKind::Index { base, index } => {
                let index = self.visit(*index);
                self.overloaded(id, &inner, &["index", "index_mut"]);
                let ty = self.ix.indexed(&inner, &index);
                self.carry(id, *base, ty)
            }
            ExprKind::MethodCall { receiver, name, generics, args, .. } => {
                let site = Site { id, args, turbofish: &[], expected };
                self.method_call(site, *receiver, inner, *name, generics)
            }
            ExprKind::Unary { op: UnOp::Deref, operand } => {
                let ty = self.ix.deref(&inner).unwrap_or_default();
                self.carry(id, *operand, ty)
            }
            ExprKind::Unary { operand, .. } => {
                let ty = inner.unref().clone();
                self.carry(id, *operand, ty)
            }
            ExprKind::Ref { mutable, operand } => {
                let ty = Ty::reference(*mutable, inner);
                self.carry(id, *operand, ty)
            }
            ExprKind::Cast { operand, ty } => {
                let ty = self.cx.ty(*ty);
                self.carry(id, *operand, ty)
            }
            ExprKind::Binary { op, left, right } => self.binary(id, *op, *left, &inner, *right),
            _ => inner,
        }
    }

    /// A type that is as well known as that of another expression.
    fn carry(&mut self, id: ExprId, from: ExprId, ty: Ty) -> Ty {
        let evidence = if ty.is_unknown() { Evidence::Unknown } else { self.evidence(from) };
        self.set(id, ty, evidence)
    }

    fn binary(&mut self, id: ExprId, op: BinOp, left: ExprId, left_ty: &Ty, right: ExprId) -> Ty {
        let right_ty = self.expr(right, left_ty);
        let k = known();
        let ty = match op {
            BinOp::And | BinOp::Or | BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge => {
                if matches!(left_ty.unref(), Ty::Adt(..)) {
                    self.overloaded(id, left_ty, comparison(op));
                }
                Ty::ext(k.bool, Vec::new())
            }
            _ => match self.overloaded(id, left_ty, arithmetic(op)) {
                Some(ty) => ty,
                None if matches!(self.body.expr(left).kind, ExprKind::Lit(_)) => right_ty.unref().clone(),
                None => left_ty.unref().clone(),
            },
        };
        self.set(id, ty, Evidence::Inferred)
    }

    /// An operator that the program defines for the type: its target, and what it gives.
    fn overloaded(&mut self, id: ExprId, ty: &Ty, names: &[&str]) -> Option<Ty> {
        if !matches!(ty.unref(), Ty::Adt(..)) {
            return None;
        }
        let mut functions = Vec::new();
        for name in names {
            functions.extend(self.ix.impls.trait_methods(self.ix.defs, ty.unref(), Symbol::new(name)));
        }
        let first = *functions.first()?;
        self.target(id, Target { functions, evidence: Evidence::Inferred, ..Target::default() });
        Some(self.ix.function(first).ret.clone())
    }

    /// An expression that is no link of a chain.
    fn leaf(&mut self, id: ExprId, expected: &Ty) -> Ty {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Lit(lit) => {
                let ty = literal(lit, expected);
                self.set(id, ty, Evidence::Declared)
            }
            ExprKind::Local(local) => {
                let (ty, evidence) = (self.out.locals[local.0 as usize].clone(), self.local_evidence[local.0 as usize]);
                self.set(id, ty, evidence)
            }
            ExprKind::Path(path) => self.path(id, *path, expected),
            ExprKind::Call { callee, args } => self.call(id, *callee, args, expected),
            ExprKind::Macro(call) => self.macro_call(id, call, expected),
            ExprKind::Struct { path, fields, base } => self.struct_literal(id, *path, fields, *base, expected),
            ExprKind::Block(block) => self.block(id, block, expected),
            ExprKind::Closure(_) => self.closure(id, &[], expected),
            ExprKind::Tuple(_)
            | ExprKind::Array(_)
            | ExprKind::Repeat { .. }
            | ExprKind::Assign { .. }
            | ExprKind::Range { .. } => self.compound(id, expected),
            _ => self.control(id, expected),
        }
    }

    fn compound(&mut self, id: ExprId, expected: &Ty) -> Ty {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Tuple(items) => {
                let wanted = expected.unref().args();
                let wanted = |at: usize| wanted.get(at).cloned().unwrap_or_default();
                let items = items.iter().enumerate().map(|(at, item)| self.expr(*item, &wanted(at))).collect();
                self.set(id, Ty::Tuple(items), Evidence::Inferred)
            }
            ExprKind::Array(items) => {
                let mut item_ty = Ty::Unknown;
                for item in items {
                    let ty = self.visit(*item);
                    item_ty = join(&item_ty, &ty);
                }
                self.set(id, Ty::Slice(Arc::new(item_ty)), Evidence::Inferred)
            }
            ExprKind::Repeat { value, len } => {
                let ty = self.visit(*value);
                self.visit(*len);
                self.set(id, Ty::Slice(Arc::new(ty)), Evidence::Inferred)
            }
            ExprKind::Assign { op, place, value } => {
                let place_ty = self.visit(*place);
                let ty = self.expr(*value, &place_ty);
                if op.is_none()
                    && let ExprKind::Local(local) = body.expr(*place).kind
                {
                    self.learn(local, &ty);
                }
                self.set(id, Ty::Tuple(Arc::from([])), Evidence::Declared)
            }
            ExprKind::Range { start, end } => {
                let mut ty = Ty::Unknown;
                for bound in [start, end].into_iter().flatten() {
                    let bound = self.expr(*bound, &ty);
                    ty = join(&ty, &bound);
                }
                self.set(id, Ty::ext(known().range, vec![ty]), Evidence::Inferred)
            }
            _ => Ty::Unknown,
        }
    }

    /// The type that a place declares holds for an expression of which nothing else is known.
    pub(super) fn settle(&mut self, id: ExprId, ty: &Ty) {
        let mut at = id;
        loop {
            self.set(at, ty.clone(), Evidence::Declared);
            match self.body.expr(at).kind {
                ExprKind::TempScope(inner) => at = inner,
                _ => break,
            }
        }
    }
}

/// The part of a chain that the expression stands on.
fn innermost(kind: &ExprKind) -> Option<ExprId> {
    match kind {
        ExprKind::MethodCall { receiver: inner, .. }
        | ExprKind::Await(inner)
        | ExprKind::Try(inner)
        | ExprKind::TempScope(inner)
        | ExprKind::Field { base: inner, .. }
        | ExprKind::Index { base: inner, .. }
        | ExprKind::Unary { operand: inner, .. }
        | ExprKind::Ref { operand: inner, .. }
        | ExprKind::Cast { operand: inner, .. }
        | ExprKind::Binary { left: inner, .. } => Some(*inner),
        _ => None,
    }
}

pub(super) fn literal(lit: &Lit, expected: &Ty) -> Ty {
    let k = known();
    let primitive = |path| Ty::ext(path, Vec::new());
    match lit {
        Lit::Str(_) => Ty::reference(false, primitive(k.str)),
        Lit::Bytes => Ty::reference(false, Ty::Slice(Arc::new(primitive(k.u8)))),
        Lit::Bool(_) => primitive(k.bool),
        Lit::Char(_) => primitive(k.char),
        Lit::Int(_) | Lit::Float => match expected.unref() {
            Ty::Ext(path, _) if super::super::prelude::is_primitive(*path) => expected.unref().clone(),
            _ if matches!(lit, Lit::Float) => primitive(k.f64),
            _ => primitive(k.i32),
        },
    }
}

fn comparison(op: BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Eq | BinOp::Ne => &["eq"],
        BinOp::And | BinOp::Or => &[],
        _ => &["partial_cmp"],
    }
}

fn arithmetic(op: BinOp) -> &'static [&'static str] {
    match op {
        BinOp::Add => &["add"],
        BinOp::Sub => &["sub"],
        BinOp::Mul => &["mul"],
        BinOp::Div => &["div"],
        BinOp::Rem => &["rem"],
        BinOp::BitAnd => &["bitand"],
        BinOp::BitOr => &["bitor"],
        BinOp::BitXor => &["bitxor"],
        BinOp::Shl => &["shl"],
        BinOp::Shr => &["shr"],
        _ => &[],
    }
}
