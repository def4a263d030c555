//! The links of a spine: expressions whose first token is that of their leftmost operand.

use syn::{BinOp as Syn, Expr};

use crate::ir::{BinOp, ExprId, ExprKind};

use super::cx::Cx;
use super::{edges, exprs, scopes, types};

/// The leftmost operand, where there is one.
pub(super) fn inner(expr: &Expr) -> Option<&Expr> {
    match expr {
        Expr::MethodCall(call) => Some(&call.receiver),
        Expr::Field(field) => Some(&field.base),
        Expr::Call(call) => Some(&call.func),
        Expr::Await(operand) => Some(&operand.base),
        Expr::Try(operand) => Some(&operand.expr),
        Expr::Index(index) => Some(&index.expr),
        Expr::Cast(cast) => Some(&cast.expr),
        Expr::Binary(binary) => Some(&binary.left),
        Expr::Range(range) => range.start.as_deref(),
        Expr::Paren(paren) => Some(&paren.expr),
        Expr::Group(group) => Some(&group.expr),
        _ => None,
    }
}

/// One link around its lowered operand.
pub(super) fn link(cx: &mut Cx, expr: &Expr, id: ExprId) -> ExprId {
    match expr {
        Expr::MethodCall(call) => method_call(cx, call, id),
        Expr::Field(field) => {
            let name = exprs::member(cx, &field.member);
            let end = match &field.member {
                syn::Member::Named(ident) => ident.span(),
                syn::Member::Unnamed(index) => index.span,
            };
            wrap(cx, id, end, ExprKind::Field { base: id, name })
        }
        Expr::Call(call) => {
            let args = exprs::all(cx, &call.args);
            wrap(cx, id, call.paren_token.span.close(), ExprKind::Call { callee: id, args })
        }
        Expr::Await(operand) => wrap(cx, id, operand.await_token.span, ExprKind::Await(id)),
        Expr::Try(operand) => wrap(cx, id, operand.question_token.spans[0], ExprKind::Try(id)),
        Expr::Index(index) => {
            let key = exprs::lower(cx, &index.index);
            wrap(cx, id, index.bracket_token.span.close(), ExprKind::Index { base: id, index: key })
        }
        Expr::Cast(cast) => {
            let ty = types::lower(cx, &cast.ty);
            let end = edges::type_end(&cast.ty).unwrap_or(cast.as_token.span);
            wrap(cx, id, end, ExprKind::Cast { operand: id, ty })
        }
        Expr::Binary(binary) => self::binary(cx, binary, id),
        Expr::Range(range) => self::range(cx, range, id),
        Expr::Paren(paren) => {
            let span = cx.at.range(paren.paren_token.span.open(), paren.paren_token.span.close());
            cx.widen(id, span);
            id
        }
        _ => id,
    }
}

/// An expression from the start of its operand to a token.
fn wrap(cx: &mut Cx, id: ExprId, end: proc_macro2::Span, kind: ExprKind) -> ExprId {
    let span = cx.at.between(cx.span(id).start, cx.at.end(end));
    cx.expr(kind, span)
}

fn method_call(cx: &mut Cx, call: &syn::ExprMethodCall, receiver: ExprId) -> ExprId {
    let name = cx.name(&call.method);
    let name_span = cx.at.span(call.method.span());
    let generics = types::turbofish(cx, call.turbofish.as_ref());
    let args = exprs::all(cx, &call.args);
    let kind = ExprKind::MethodCall { receiver, name, name_span, generics, args };
    wrap(cx, receiver, call.paren_token.span.close(), kind)
}

fn range(cx: &mut Cx, range: &syn::ExprRange, start: ExprId) -> ExprId {
    let end = range.end.as_deref().map(|end| exprs::lower(cx, end));
    let last = match end {
        Some(end) => cx.span(end).end,
        None => cx.at.end(exprs::range_tokens(&range.limits).1),
    };
    let span = cx.at.between(cx.span(start).start, last);
    cx.expr(ExprKind::Range { start: Some(start), end }, span)
}

fn binary(cx: &mut Cx, binary: &syn::ExprBinary, left: ExprId) -> ExprId {
    let left = if is_lazy(&binary.op) && drops_left(&binary.left) { scopes::terminate(cx, left) } else { left };
    let right = exprs::lower(cx, &binary.right);
    let right = if is_lazy(&binary.op) && !is_let(&binary.right) { scopes::terminate(cx, right) } else { right };
    let span = cx.span(left).to(cx.span(right));
    match exprs::operator(&binary.op) {
        Some((op, false)) => cx.expr(ExprKind::Binary { op, left, right }, span),
        Some((op, true)) => cx.expr(ExprKind::Assign { op: Some(op), place: left, value: right }, span),
        None => {
            cx.not_understood("operator", span);
            cx.expr(ExprKind::Tuple(vec![left, right]), span)
        }
    }
}

fn is_lazy(op: &Syn) -> bool {
    matches!(op, Syn::And(_) | Syn::Or(_))
}

fn is_let(expr: &Expr) -> bool {
    matches!(expr, Expr::Let(_))
}

/// `a && b && c` is `(a && b) && c`: the operands of the inner one have dropped theirs already, and a `let` keeps its own.
fn drops_left(left: &Expr) -> bool {
    match left {
        Expr::Let(_) => false,
        Expr::Binary(binary) => !is_lazy(&binary.op),
        _ => true,
    }
}

/// Whether a condition has a `let` among what it joins by `&&`.
pub(super) fn has_let(mut condition: &Expr) -> bool {
    loop {
        match condition {
            Expr::Let(_) => return true,
            Expr::Binary(binary) if matches!(binary.op, Syn::And(_)) => {
                if is_let(&binary.right) {
                    return true;
                }
                condition = &binary.left;
            }
            _ => return false,
        }
    }
}

/// `&&` of conditions made by lowering itself.
pub(super) fn and(cx: &mut Cx, left: ExprId, right: ExprId) -> ExprId {
    let span = cx.span(left).to(cx.span(right));
    cx.expr(ExprKind::Binary { op: BinOp::And, left, right }, span)
}
