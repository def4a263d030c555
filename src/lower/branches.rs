//! Branches and loops.

use proc_macro2::Span as Token;
use syn::{Expr, ExprForLoop, ExprIf, ExprLet, ExprLoop, ExprMatch, ExprWhile, Label, Pat};

use crate::ir::{Arm, ExprId, ExprKind};

use super::cx::Cx;
use super::{blocks, chains, exprs, pats, scopes};

/// One `if` of a chain, lowered but for what follows its `else`.
struct Link {
    start: u32,
    condition: ExprId,
    then: ExprId,
    has_let: bool,
}

/// Walks the chain of `else if` forwards, then builds it from its end.
pub(super) fn if_(cx: &mut Cx, mut expr: &ExprIf) -> ExprId {
    let mut links = vec![link(cx, expr)];
    let mut rest = None;
    while let Some((_, otherwise)) = &expr.else_branch {
        let Expr::If(next) = &**otherwise else {
            rest = Some(exprs::lower(cx, otherwise));
            break;
        };
        links.push(link(cx, next));
        expr = next;
    }
    while let Some(link) = links.pop() {
        rest = Some(join(cx, link, rest));
    }
    rest.expect("a chain has a first link")
}

fn link(cx: &mut Cx, expr: &ExprIf) -> Link {
    let has_let = chains::has_let(&expr.cond);
    let start = cx.at.start(expr.if_token.span);
    let mark = cx.mark();
    let condition = condition(cx, &expr.cond, has_let);
    let then = blocks::body(cx, &expr.then_branch);
    cx.leave(mark);
    Link { start, condition, then, has_let }
}

fn condition(cx: &mut Cx, condition: &Expr, has_let: bool) -> ExprId {
    let id = exprs::lower(cx, condition);
    if has_let { id } else { scopes::terminate(cx, id) }
}

fn join(cx: &mut Cx, link: Link, otherwise: Option<ExprId>) -> ExprId {
    let otherwise = otherwise.map(|id| scopes::terminate(cx, id));
    let end = cx.span(otherwise.unwrap_or(link.then)).end;
    let span = cx.at.between(link.start, end);
    let ends_early = link.has_let && cx.edition >= 2024;
    let kind =
        ExprKind::If { condition: link.condition, then: link.then, otherwise, let_temps_end_before_else: ends_early };
    let id = cx.expr(kind, span);
    if ends_early && otherwise.is_none() { scopes::terminate(cx, id) } else { id }
}

pub(super) fn let_(cx: &mut Cx, expr: &ExprLet) -> ExprId {
    let scrutinee = exprs::lower(cx, &expr.expr);
    let pat = pats::lower(cx, &expr.pat, None);
    let span = cx.at.between(cx.at.start(expr.let_token.span), cx.span(scrutinee).end);
    cx.expr(ExprKind::Let { pat, scrutinee }, span)
}

pub(super) fn match_(cx: &mut Cx, expr: &ExprMatch) -> ExprId {
    let scrutinee = exprs::lower(cx, &expr.expr);
    let arms = expr.arms.iter().map(|arm| self::arm(cx, &arm.pat, &arm.body)).collect();
    let span = cx.at.range(expr.match_token.span, expr.brace_token.span.close());
    cx.expr(ExprKind::Match { scrutinee, arms }, span)
}

fn arm(cx: &mut Cx, pat: &Pat, body: &Expr) -> Arm {
    let mark = cx.mark();
    let (pat, guard) = match pat {
        Pat::Guard(guarded) => {
            let pat = pats::lower(cx, &guarded.pat, None);
            (pat, Some(condition(cx, &guarded.guard, chains::has_let(&guarded.guard))))
        }
        pat => (pats::lower(cx, pat, None), None),
    };
    let body = exprs::lower(cx, body);
    let body = scopes::terminate(cx, body);
    cx.leave(mark);
    let span = cx.body.body.pat(pat).span.to(cx.span(body));
    Arm { pat, guard, body, span }
}

pub(super) fn loop_(cx: &mut Cx, expr: &ExprLoop) -> ExprId {
    let label = expr.label.as_ref().map(|label| cx.name(&label.name.ident));
    let body = blocks::body(cx, &expr.body);
    let start = start(cx, expr.label.as_ref(), expr.loop_token.span);
    let span = cx.at.between(start, cx.span(body).end);
    cx.expr(ExprKind::Loop { label, body }, span)
}

pub(super) fn while_(cx: &mut Cx, expr: &ExprWhile) -> ExprId {
    let label = expr.label.as_ref().map(|label| cx.name(&label.name.ident));
    let mark = cx.mark();
    let condition = condition(cx, &expr.cond, chains::has_let(&expr.cond));
    let body = blocks::body(cx, &expr.body);
    cx.leave(mark);
    let start = start(cx, expr.label.as_ref(), expr.while_token.span);
    let span = cx.at.between(start, cx.span(body).end);
    cx.expr(ExprKind::While { label, condition, body }, span)
}

pub(super) fn for_(cx: &mut Cx, expr: &ExprForLoop) -> ExprId {
    let label = expr.label.as_ref().map(|label| cx.name(&label.name.ident));
    let iter = exprs::lower(cx, &expr.expr);
    let mark = cx.mark();
    let pat = pats::lower(cx, &expr.pat, None);
    let body = blocks::body(cx, &expr.body);
    cx.leave(mark);
    let start = start(cx, expr.label.as_ref(), expr.for_token.span);
    let span = cx.at.between(start, cx.span(body).end);
    cx.expr(ExprKind::For { label, pat, iter, body }, span)
}

fn start(cx: &Cx, label: Option<&Label>, keyword: Token) -> u32 {
    cx.at.start(label.map_or(keyword, |label| label.name.apostrophe))
}
