//! Where temporaries end, and which of them a `let` keeps.

use syn::{Expr, UnOp};

use crate::intern::Symbol;
use crate::ir::{BlockKind, ExprId, ExprKind, PatKind, Stmt};
use crate::source::Span;

use super::cx::{Cx, TEMPORARY};

/// Ends the temporaries of an expression with it, where it can make any.
pub(super) fn terminate(cx: &mut Cx, id: ExprId) -> ExprId {
    if !makes_temporaries(cx, id) {
        return id;
    }
    let span = cx.span(id);
    cx.expr(ExprKind::TempScope(id), span)
}

/// Whether a temporary may be alive once the expression has its value.
fn makes_temporaries(cx: &Cx, id: ExprId) -> bool {
    let any = |ids: &[ExprId]| ids.iter().any(|&id| makes_temporaries(cx, id));
    match cx.kind(id) {
        ExprKind::Missing | ExprKind::Lit(_) | ExprKind::Local(_) | ExprKind::Path(_) => false,
        ExprKind::TempScope(_) | ExprKind::Closure(_) | ExprKind::Panic(_) | ExprKind::Continue { .. } => false,
        // Their bodies end their own, and so does a condition, at the latest with the iteration.
        ExprKind::Loop { .. } | ExprKind::While { .. } => false,
        ExprKind::Field { base: operand, .. }
        | ExprKind::Cast { operand, .. }
        | ExprKind::Unary { operand, .. }
        | ExprKind::Ref { operand, .. }
        | ExprKind::Try(operand)
        | ExprKind::Let { scrutinee: operand, .. }
        | ExprKind::Match { scrutinee: operand, .. }
        | ExprKind::If { condition: operand, .. }
        | ExprKind::For { iter: operand, .. } => makes_temporaries(cx, *operand),
        ExprKind::Break { value, .. } | ExprKind::Return(value) | ExprKind::Yield(value) => {
            value.is_some_and(|value| makes_temporaries(cx, value))
        }
        ExprKind::Index { base: left, index: right }
        | ExprKind::Binary { left, right, .. }
        | ExprKind::Assign { place: left, value: right, .. }
        | ExprKind::Repeat { value: left, len: right } => any(&[*left, *right]),
        ExprKind::Range { start, end } => [start, end].into_iter().flatten().any(|&id| makes_temporaries(cx, id)),
        ExprKind::Tuple(elems) | ExprKind::Array(elems) => any(elems),
        ExprKind::Struct { fields, base, .. } => {
            fields.iter().any(|field| makes_temporaries(cx, field.1))
                || base.is_some_and(|base| makes_temporaries(cx, base))
        }
        ExprKind::Block(block) => match block.kind {
            BlockKind::Async | BlockKind::Const => false,
            BlockKind::Plain | BlockKind::Unsafe | BlockKind::Try => {
                block.tail.is_some_and(|tail| makes_temporaries(cx, tail))
            }
        },
        ExprKind::Call { .. }
        | ExprKind::MethodCall { .. }
        | ExprKind::Macro(_)
        | ExprKind::Await(_)
        | ExprKind::Select { .. } => true,
    }
}

/// Binds the value of an expression that a `let` extends to a local of its own.
pub(super) fn keep(cx: &mut Cx, expr: &Expr, id: ExprId) -> ExprId {
    if cx.body.extended.is_empty() || !cx.body.extended.remove(&std::ptr::from_ref(expr)) {
        return id;
    }
    bind_before(cx, id)
}

/// Keeps the whole initialiser, for a pattern that borrows from it.
pub(super) fn keep_whole(cx: &mut Cx, value: ExprId) -> ExprId {
    if makes_temporaries(cx, value) { bind_before(cx, value) } else { value }
}

/// `let <temporary> = value;` before the `let` at hand; gives the local.
fn bind_before(cx: &mut Cx, value: ExprId) -> ExprId {
    let span = cx.span(value);
    let init = terminate(cx, value);
    let local = cx.local(Symbol::new(TEMPORARY), span, true, None);
    let pat = cx.pat(PatKind::Bind { local, by_ref: false, sub: None }, span);
    let stmt = let_stmt(pat, init, span);
    cx.body.before.push(stmt);
    cx.expr(ExprKind::Local(local), span)
}

fn let_stmt(pat: crate::ir::PatId, init: ExprId, span: Span) -> Stmt {
    Stmt::Let { pat, ty: None, init: Some(init), otherwise: None, span }
}

/// The expressions in an initialiser whose value lives as long as the block: operands of `&` that the value itself is made of. Inside blocks and branches
/// they are left alone, for they cannot be bound before the `let`.
pub(super) fn extended<'e>(init: &'e Expr, out: &mut Vec<&'e Expr>) {
    match init {
        Expr::Reference(reference) => operand(&reference.expr, out),
        Expr::RawAddr(raw) => operand(&raw.expr, out),
        Expr::Paren(paren) => extended(&paren.expr, out),
        Expr::Group(group) => extended(&group.expr, out),
        Expr::Cast(cast) => extended(&cast.expr, out),
        Expr::Tuple(tuple) => tuple.elems.iter().for_each(|elem| extended(elem, out)),
        Expr::Array(array) => array.elems.iter().for_each(|elem| extended(elem, out)),
        Expr::Struct(fields) => fields.fields.iter().for_each(|field| extended(&field.expr, out)),
        Expr::Call(call) if is_constructor(&call.func) => call.args.iter().for_each(|arg| extended(arg, out)),
        _ => {}
    }
}

fn operand<'e>(expr: &'e Expr, out: &mut Vec<&'e Expr>) {
    extended(expr, out);
    let root = place_root(expr);
    let kept = matches!(
        root,
        Expr::Call(_)
            | Expr::MethodCall(_)
            | Expr::Await(_)
            | Expr::Try(_)
            | Expr::Block(_)
            | Expr::Unsafe(_)
            | Expr::Match(_)
            | Expr::If(_)
    );
    if kept && !out.iter().any(|known| std::ptr::eq(*known, root)) {
        out.push(root);
    }
}

/// `*x`, `x.f`, `x[i]`, `&x` and `(x)` keep what `x` is.
fn place_root(mut expr: &Expr) -> &Expr {
    loop {
        expr = match expr {
            Expr::Unary(unary) if matches!(unary.op, UnOp::Deref(_)) => &unary.expr,
            Expr::Field(field) => &field.base,
            Expr::Index(index) => &index.expr,
            Expr::Reference(reference) => &reference.expr,
            Expr::Paren(paren) => &paren.expr,
            Expr::Group(group) => &group.expr,
            other => return other,
        };
    }
}

/// `Some(&value())` extends like `&value()` does.
fn is_constructor(callee: &Expr) -> bool {
    let Expr::Path(path) = callee else { return false };
    let Some(last) = path.path.segments.last() else { return false };
    last.ident.to_string().starts_with(char::is_uppercase)
}

/// A `ref` in the pattern extends the whole initialiser.
pub(super) fn binds_by_ref(pat: &syn::Pat) -> bool {
    match pat {
        syn::Pat::Ident(ident) => {
            ident.by_ref.is_some() || ident.subpat.as_ref().is_some_and(|(_, sub)| binds_by_ref(sub))
        }
        syn::Pat::Paren(paren) => binds_by_ref(&paren.pat),
        syn::Pat::Type(typed) => binds_by_ref(&typed.pat),
        syn::Pat::Tuple(tuple) => tuple.elems.iter().any(binds_by_ref),
        syn::Pat::TupleStruct(tuple) => tuple.elems.iter().any(binds_by_ref),
        syn::Pat::Slice(slice) => slice.elems.iter().any(binds_by_ref),
        syn::Pat::Or(or) => or.cases.iter().any(binds_by_ref),
        syn::Pat::Struct(fields) => fields.fields.iter().any(|field| binds_by_ref(&field.pat)),
        _ => false,
    }
}
