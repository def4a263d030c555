//! Control flow: branches, loops, jumps, blocks.

use std::sync::Arc;

use super::super::prelude::known;
use super::super::ty::join;
use super::super::{Evidence, Ty};
use super::{Breakable, Frame, Infer};
use crate::intern::Symbol;
use crate::ir::{Arm, Block, BlockKind, ExprId, ExprKind, PatId, SelectArm, Stmt, TypeRef};

impl<'a> Infer<'a> {
    pub(super) fn control(&mut self, id: ExprId, expected: &Ty) -> Ty {
        let body = self.body;
        let ty = match &body.expr(id).kind {
            ExprKind::If { condition, then, otherwise, .. } => self.branch(*condition, *then, *otherwise, expected),
            ExprKind::Let { pat, scrutinee } => {
                let ty = self.visit(*scrutinee);
                self.bind(*pat, &ty, self.evidence(*scrutinee));
                Ty::ext(known().bool, Vec::new())
            }
            ExprKind::Match { scrutinee, arms } => self.arms(*scrutinee, arms, expected),
            ExprKind::Select { arms, otherwise } => self.select(arms, *otherwise, expected),
            ExprKind::Loop { label, body } => self.looped(*label, *body),
            ExprKind::While { label, condition, body } => {
                self.visit(*condition);
                self.looped(*label, *body);
                unit()
            }
            ExprKind::For { label, pat, iter, body } => {
                let iterated = self.visit(*iter);
                let item = self.ix.item(&iterated);
                self.bind(*pat, &item, self.evidence(*iter).min(Evidence::Inferred));
                self.looped(*label, *body);
                unit()
            }
            ExprKind::Break { label, value } => {
                let ty = value.map_or_else(unit, |value| self.visit(value));
                self.broken(*label, &ty);
                Ty::Never
            }
            ExprKind::Return(value) => self.returned(*value),
            ExprKind::Panic(args) => {
                self.args_plain(args);
                Ty::Never
            }
            ExprKind::Continue { .. } => Ty::Never,
            ExprKind::Yield(Some(value)) => {
                self.visit(*value);
                Ty::Unknown
            }
            _ => Ty::Unknown,
        };
        self.set(id, ty, Evidence::Inferred)
    }

    fn branch(&mut self, condition: ExprId, then: ExprId, otherwise: Option<ExprId>, expected: &Ty) -> Ty {
        self.visit(condition);
        let then = self.expr(then, expected);
        let Some(otherwise) = otherwise else { return unit() };
        let otherwise = self.expr(otherwise, expected);
        join(&then, &otherwise)
    }

    fn arms(&mut self, scrutinee: ExprId, arms: &'a [Arm], expected: &Ty) -> Ty {
        let ty = self.visit(scrutinee);
        let evidence = self.evidence(scrutinee);
        let mut value = Ty::Never;
        for arm in arms {
            let found = self.arm(arm.pat, &ty, evidence, arm.guard, arm.body, expected);
            value = join(&value, &found);
        }
        value
    }

    fn arm(
        &mut self,
        pat: PatId,
        ty: &Ty,
        evidence: Evidence,
        guard: Option<ExprId>,
        body: ExprId,
        expected: &Ty,
    ) -> Ty {
        self.bind(pat, ty, evidence);
        if let Some(guard) = guard {
            self.visit(guard);
        }
        self.expr(body, expected)
    }

    fn select(&mut self, arms: &'a [SelectArm], otherwise: Option<ExprId>, expected: &Ty) -> Ty {
        let mut value = Ty::Never;
        for arm in arms {
            let future = self.visit(arm.future);
            let ty = self.ix.awaited(&future);
            let found = self.arm(arm.pat, &ty, self.evidence(arm.future), arm.guard, arm.body, expected);
            value = join(&value, &found);
        }
        match otherwise {
            Some(otherwise) => join(&value, &self.expr(otherwise, expected)),
            None => value,
        }
    }

    fn returned(&mut self, value: Option<ExprId>) -> Ty {
        let ret = self.frames.last().map(|frame| frame.ret.clone()).unwrap_or_default();
        let ty = value.map_or_else(unit, |value| self.expr(value, &ret));
        if let Some(frame) = self.frames.last_mut() {
            frame.ret = join(&frame.ret, &ty);
        }
        Ty::Never
    }

    /// Types a loop's body, and gives what its `break`s do; a loop without any does not end.
    fn looped(&mut self, label: Option<Symbol>, body: ExprId) -> Ty {
        self.breakables.push(Breakable { label, ty: Ty::Never });
        self.visit(body);
        self.breakables.pop().map(|of| of.ty).unwrap_or_default()
    }

    fn broken(&mut self, label: Option<Symbol>, ty: &Ty) {
        let of = match label {
            Some(_) => self.breakables.iter_mut().rev().find(|of| of.label == label),
            None => self.breakables.last_mut(),
        };
        if let Some(of) = of {
            of.ty = join(&of.ty, ty);
        }
    }

    pub(super) fn block(&mut self, id: ExprId, block: &'a Block, expected: &Ty) -> Ty {
        let is_async = block.kind == BlockKind::Async;
        let inner_expected = if is_async { self.ix.awaited(expected) } else { expected.clone() };
        if is_async {
            self.frames.push(Frame { ret: inner_expected.clone() });
        }
        if block.label.is_some() {
            self.breakables.push(Breakable { label: block.label, ty: Ty::Never });
        }
        let mut ends = false;
        for stmt in &block.stmts {
            ends |= self.statement(stmt);
        }
        let mut ty = match block.tail {
            Some(tail) => self.expr(tail, &inner_expected),
            None if ends => Ty::Never,
            None => unit(),
        };
        if block.label.is_some() {
            let broken = self.breakables.pop().map(|of| of.ty).unwrap_or_default();
            ty = join(&ty, &broken);
        }
        if is_async {
            let frame = self.frames.pop().unwrap_or_default();
            ty = Ty::Future(Arc::new(join(&ty, &frame.ret)));
        }
        let evidence = block.tail.map_or(Evidence::Inferred, |tail| self.evidence(tail));
        self.set(id, ty, evidence)
    }

    /// Types a statement; true if control does not go on behind it.
    fn statement(&mut self, stmt: &'a Stmt) -> bool {
        match stmt {
            Stmt::Let { pat, ty, init, otherwise, .. } => {
                self.let_statement(*pat, *ty, *init);
                if let Some(otherwise) = otherwise {
                    self.visit(*otherwise);
                }
                false
            }
            Stmt::Expr(id) => self.visit(*id) == Ty::Never,
        }
    }

    fn let_statement(&mut self, pat: PatId, ty: Option<TypeRef>, init: Option<ExprId>) {
        let declared = ty.map(|ty| self.cx.ty(ty)).unwrap_or_default();
        let Some(init) = init else { return self.bind(pat, &declared, Evidence::Declared) };
        let found = self.expr(init, &declared);
        if !declared.is_known() {
            let evidence = self.evidence(init);
            return self.bind(pat, &join(&declared, &found), evidence);
        }
        let joined = join(&declared, &found);
        if !found.is_known() {
            self.settle(init, &joined);
        }
        self.bind(pat, &joined, Evidence::Declared);
    }
}

fn unit() -> Ty {
    Ty::Tuple(Arc::from([]))
}
