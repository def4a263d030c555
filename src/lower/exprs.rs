//! Expressions. What hangs to the right of another (`a.b().c()?.await + d`) can be thousands of links long, so such spines are walked in a loop.

use syn::{Expr, Member};

use crate::intern::Symbol;
use crate::ir::{BinOp, Block, BlockKind, Closure, ExprId, ExprKind, Lit, PatId, UnOp};
use crate::source::Span;

use super::cx::Cx;
use super::{blocks, branches, chains, edges, literals, macros, pats, scopes, types};

pub(super) fn lower(cx: &mut Cx, expr: &Expr) -> ExprId {
    let mut links = Vec::new();
    let mut at = expr;
    while let Some(inner) = chains::inner(at) {
        links.push(at);
        at = inner;
    }
    let mut id = head(cx, at);
    id = scopes::keep(cx, at, id);
    for link in links.into_iter().rev() {
        id = chains::link(cx, link, id);
        id = scopes::keep(cx, link, id);
    }
    id
}

pub(super) fn all<'e>(cx: &mut Cx, exprs: impl IntoIterator<Item = &'e Expr>) -> Vec<ExprId> {
    exprs.into_iter().map(|expr| lower(cx, expr)).collect()
}

fn optional(cx: &mut Cx, expr: Option<&Expr>) -> Option<ExprId> {
    expr.map(|expr| lower(cx, expr))
}

pub(super) fn member(cx: &mut Cx, member: &Member) -> Symbol {
    match member {
        Member::Named(ident) => cx.name(ident),
        Member::Unnamed(index) => cx.symbol(&index.index.to_string()),
    }
}

/// An expression that begins with a token of its own.
fn head(cx: &mut Cx, expr: &Expr) -> ExprId {
    match expr {
        Expr::Path(path) => self::path(cx, path),
        Expr::Lit(lit) => {
            let span = cx.at.span(lit.lit.span());
            let lit = literals::lower(cx, &lit.lit);
            cx.expr(ExprKind::Lit(lit), span)
        }
        Expr::Macro(mac) => macros::expr(cx, &mac.mac),
        Expr::Reference(reference) => {
            self::reference(cx, reference.and_token.spans[0], reference.mutability.is_some(), &reference.expr)
        }
        Expr::RawAddr(raw) => {
            let mutable = matches!(raw.mutability, syn::PointerMutability::Mut(_));
            self::reference(cx, raw.and_token.spans[0], mutable, &raw.expr)
        }
        Expr::Unary(unary) => self::unary(cx, unary),
        Expr::Array(array) => {
            let elems = all(cx, &array.elems);
            delimited(cx, &array.bracket_token.span, ExprKind::Array(elems))
        }
        Expr::Tuple(tuple) => {
            let elems = all(cx, &tuple.elems);
            delimited(cx, &tuple.paren_token.span, ExprKind::Tuple(elems))
        }
        Expr::Repeat(repeat) => {
            let value = lower(cx, &repeat.expr);
            let len = lower(cx, &repeat.len);
            delimited(cx, &repeat.bracket_token.span, ExprKind::Repeat { value, len })
        }
        Expr::Struct(fields) => structure(cx, fields),
        Expr::Closure(closure) => self::closure(cx, closure),
        other => control(cx, other),
    }
}

/// Blocks, branches, loops and jumps.
fn control(cx: &mut Cx, expr: &Expr) -> ExprId {
    match expr {
        Expr::Block(block) => {
            let label = block.label.as_ref();
            blocks::labelled(cx, label, None, &block.block, BlockKind::Plain)
        }
        Expr::Async(block) => blocks::labelled(cx, None, Some(block.async_token.span), &block.block, BlockKind::Async),
        Expr::Unsafe(block) => {
            blocks::labelled(cx, None, Some(block.unsafe_token.span), &block.block, BlockKind::Unsafe)
        }
        Expr::Const(block) => blocks::labelled(cx, None, Some(block.const_token.span), &block.block, BlockKind::Const),
        Expr::TryBlock(block) => blocks::labelled(cx, None, Some(block.try_token.span), &block.block, BlockKind::Try),
        Expr::If(branch) => branches::if_(cx, branch),
        Expr::Match(branch) => branches::match_(cx, branch),
        Expr::Let(condition) => branches::let_(cx, condition),
        Expr::Loop(body) => branches::loop_(cx, body),
        Expr::While(body) => branches::while_(cx, body),
        Expr::ForLoop(body) => branches::for_(cx, body),
        other => jump(cx, other),
    }
}

fn jump(cx: &mut Cx, expr: &Expr) -> ExprId {
    match expr {
        Expr::Break(jump) => {
            let value = optional(cx, jump.expr.as_deref());
            let label = jump.label.as_ref().map(|label| cx.name(&label.ident));
            let last = jump.label.as_ref().map_or(jump.break_token.span, |label| label.ident.span());
            let span = from_token(cx, jump.break_token.span, last, value);
            cx.expr(ExprKind::Break { label, value }, span)
        }
        Expr::Continue(jump) => {
            let label = jump.label.as_ref().map(|label| cx.name(&label.ident));
            let last = jump.label.as_ref().map_or(jump.continue_token.span, |label| label.ident.span());
            let span = cx.at.range(jump.continue_token.span, last);
            cx.expr(ExprKind::Continue { label }, span)
        }
        Expr::Return(jump) => {
            let value = optional(cx, jump.expr.as_deref());
            let span = from_token(cx, jump.return_token.span, jump.return_token.span, value);
            cx.expr(ExprKind::Return(value), span)
        }
        Expr::Yield(jump) => {
            let value = optional(cx, jump.expr.as_deref());
            let span = from_token(cx, jump.yield_token.span, jump.yield_token.span, value);
            cx.expr(ExprKind::Yield(value), span)
        }
        other => rest(cx, other),
    }
}

fn rest(cx: &mut Cx, expr: &Expr) -> ExprId {
    match expr {
        Expr::Range(range) => {
            let end = optional(cx, range.end.as_deref());
            let (first, last) = range_tokens(&range.limits);
            let span = from_token(cx, first, last, end);
            cx.expr(ExprKind::Range { start: None, end }, span)
        }
        Expr::Assign(assign) => assignment(cx, assign),
        Expr::Infer(infer) => {
            let span = cx.at.span(infer.underscore_token.spans[0]);
            let path = cx.symbol("_");
            let path = cx.path_of(path);
            cx.expr(ExprKind::Path(path), span)
        }
        Expr::Verbatim(tokens) => {
            let span = edges::tokens(tokens).map_or(cx.at.between(0, 0), |(first, last)| cx.at.range(first, last));
            cx.missing("expression", span)
        }
        _ => {
            let span = cx.at.between(0, 0);
            cx.missing("expression", span)
        }
    }
}

/// From `first` to the end of `value`, or of `last` where there is none.
fn from_token(cx: &Cx, first: proc_macro2::Span, last: proc_macro2::Span, value: Option<ExprId>) -> Span {
    let end = value.map_or_else(|| cx.at.end(last), |value| cx.span(value).end);
    cx.at.between(cx.at.start(first), end)
}

pub(super) fn range_tokens(limits: &syn::RangeLimits) -> (proc_macro2::Span, proc_macro2::Span) {
    match limits {
        syn::RangeLimits::HalfOpen(dots) => (dots.spans[0], dots.spans[1]),
        syn::RangeLimits::Closed(dots) => (dots.spans[0], dots.spans[2]),
    }
}

fn delimited(cx: &mut Cx, span: &proc_macro2::extra::DelimSpan, kind: ExprKind) -> ExprId {
    let span = cx.at.range(span.open(), span.close());
    cx.expr(kind, span)
}

fn path(cx: &mut Cx, expr: &syn::ExprPath) -> ExprId {
    let span = cx.at.range(edges::path_start(expr.qself.as_ref(), &expr.path), edges::path_end(&expr.path));
    if let (None, Some(ident)) = (&expr.qself, expr.path.get_ident()) {
        let name = cx.name(ident);
        return named(cx, name, span);
    }
    let path = types::path(cx, expr.qself.as_ref(), &expr.path);
    cx.expr(ExprKind::Path(path), span)
}

/// A lone name: a local if one is visible.
pub(super) fn named(cx: &mut Cx, name: Symbol, span: Span) -> ExprId {
    match cx.find(name) {
        Some(local) => cx.expr(ExprKind::Local(local), span),
        None => {
            let path = cx.path_of(name);
            cx.expr(ExprKind::Path(path), span)
        }
    }
}

fn reference(cx: &mut Cx, and: proc_macro2::Span, mutable: bool, operand: &Expr) -> ExprId {
    let operand = lower(cx, operand);
    let span = cx.at.between(cx.at.start(and), cx.span(operand).end);
    cx.expr(ExprKind::Ref { mutable, operand }, span)
}

fn unary(cx: &mut Cx, unary: &syn::ExprUnary) -> ExprId {
    let (op, token) = match &unary.op {
        syn::UnOp::Deref(token) => (Some(UnOp::Deref), token.spans[0]),
        syn::UnOp::Not(token) => (Some(UnOp::Not), token.spans[0]),
        syn::UnOp::Neg(token) => (Some(UnOp::Neg), token.spans[0]),
        _ => (None, proc_macro2::Span::call_site()),
    };
    let operand = lower(cx, &unary.expr);
    let Some(op) = op else {
        let span = cx.span(operand);
        cx.not_understood("operator", span);
        return operand;
    };
    let span = cx.at.between(cx.at.start(token), cx.span(operand).end);
    if let (UnOp::Neg, ExprKind::Lit(Lit::Int(value))) = (op, cx.kind(operand)) {
        let value = value.wrapping_neg();
        return cx.expr(ExprKind::Lit(Lit::Int(value)), span);
    }
    cx.expr(ExprKind::Unary { op, operand }, span)
}

fn assignment(cx: &mut Cx, assign: &syn::ExprAssign) -> ExprId {
    let value = lower(cx, &assign.right);
    let place = lower(cx, &assign.left);
    let span = cx.span(place).to(cx.span(value));
    cx.expr(ExprKind::Assign { op: None, place, value }, span)
}

fn structure(cx: &mut Cx, expr: &syn::ExprStruct) -> ExprId {
    let path = types::path(cx, expr.qself.as_ref(), &expr.path);
    let mut fields = Vec::new();
    for field in &expr.fields {
        let name = member(cx, &field.member);
        fields.push((name, lower(cx, &field.expr)));
    }
    let base = optional(cx, expr.rest.as_deref());
    let span = cx.at.range(edges::path_start(expr.qself.as_ref(), &expr.path), expr.brace_token.span.close());
    cx.expr(ExprKind::Struct { path, fields, base }, span)
}

fn closure(cx: &mut Cx, expr: &syn::ExprClosure) -> ExprId {
    let mark = cx.mark();
    let mut params: Vec<PatId> = Vec::new();
    let mut written = Vec::new();
    for input in &expr.inputs {
        let (pat, ty) = match input {
            syn::Pat::Type(typed) => (&*typed.pat, Some(types::lower(cx, &typed.ty))),
            pat => (pat, None),
        };
        params.push(pats::lower(cx, pat, ty));
        written.push(ty);
    }
    let ret = types::ret(cx, &expr.output);
    let body = lower(cx, &expr.body);
    let body = scopes::terminate(cx, body);
    cx.leave(mark);
    let first = expr.asyncness.as_ref().map(|token| token.span).or(expr.capture.as_ref().map(|token| token.span));
    let first = first.unwrap_or(expr.inputs_begin.spans[0]);
    let span = cx.at.between(cx.at.start(first), cx.span(body).end);
    let (is_async, is_move) = (expr.asyncness.is_some(), expr.capture.is_some());
    cx.expr(ExprKind::Closure(Closure { params, types: written, ret, is_async, is_move, body }), span)
}

/// The operator, and whether it assigns.
pub(super) fn operator(op: &syn::BinOp) -> Option<(BinOp, bool)> {
    use syn::BinOp as Syn;
    Some(match op {
        Syn::Add(_) => (BinOp::Add, false),
        Syn::Sub(_) => (BinOp::Sub, false),
        Syn::Mul(_) => (BinOp::Mul, false),
        Syn::Div(_) => (BinOp::Div, false),
        Syn::Rem(_) => (BinOp::Rem, false),
        Syn::And(_) => (BinOp::And, false),
        Syn::Or(_) => (BinOp::Or, false),
        Syn::BitXor(_) => (BinOp::BitXor, false),
        Syn::BitAnd(_) => (BinOp::BitAnd, false),
        Syn::BitOr(_) => (BinOp::BitOr, false),
        Syn::Shl(_) => (BinOp::Shl, false),
        Syn::Shr(_) => (BinOp::Shr, false),
        Syn::Eq(_) => (BinOp::Eq, false),
        Syn::Lt(_) => (BinOp::Lt, false),
        Syn::Le(_) => (BinOp::Le, false),
        Syn::Ne(_) => (BinOp::Ne, false),
        Syn::Ge(_) => (BinOp::Ge, false),
        Syn::Gt(_) => (BinOp::Gt, false),
        Syn::AddAssign(_) => (BinOp::Add, true),
        Syn::SubAssign(_) => (BinOp::Sub, true),
        Syn::MulAssign(_) => (BinOp::Mul, true),
        Syn::DivAssign(_) => (BinOp::Div, true),
        Syn::RemAssign(_) => (BinOp::Rem, true),
        Syn::BitXorAssign(_) => (BinOp::BitXor, true),
        Syn::BitAndAssign(_) => (BinOp::BitAnd, true),
        Syn::BitOrAssign(_) => (BinOp::BitOr, true),
        Syn::ShlAssign(_) => (BinOp::Shl, true),
        Syn::ShrAssign(_) => (BinOp::Shr, true),
        _ => return None,
    })
}

/// A block made by lowering itself.
pub(super) fn block(cx: &mut Cx, block: Block, span: Span) -> ExprId {
    cx.expr(ExprKind::Block(block), span)
}
