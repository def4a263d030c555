//! Macros that branch or leave: `assert!`, `ensure!`, `bail!`, `panic!`, `matches!`.

use syn::parse::ParseStream;
use syn::{Expr, Macro, Pat, Token};

use crate::ir::{BinOp, Block, BlockKind, ExprId, ExprKind, MacroKind, UnOp};
use crate::source::Span;

use super::super::cx::Cx;
use super::super::{blocks, chains, exprs, scopes};
use super::{call, expressions, format, guarded_pattern, known, parse};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Assert {
    True,
    Equal,
    Differ,
    Matches,
}

/// `if !condition { panic }`
pub(super) fn assert(cx: &mut Cx, mac: &Macro, kind: Assert) -> Option<ExprId> {
    let span = blocks::macro_span(cx, mac);
    if kind == Assert::Matches {
        let condition = matches(cx, mac)?;
        let condition = not(cx, condition);
        let panic = cx.expr(ExprKind::Panic(Vec::new()), span);
        return Some(unless(cx, condition, panic, span));
    }
    let list = expressions(&mac.tokens)?;
    let (condition, used) = match (kind, list.as_slice()) {
        (Assert::True, [condition, ..]) => {
            let condition = exprs::lower(cx, condition);
            (not(cx, condition), 1)
        }
        (Assert::Equal, [left, right, ..]) => (compare(cx, BinOp::Ne, left, right), 2),
        (Assert::Differ, [left, right, ..]) => (compare(cx, BinOp::Eq, left, right), 2),
        _ => return None,
    };
    let args = format::arguments(cx, &list[used..], 0, span).0;
    let panic = cx.expr(ExprKind::Panic(args), span);
    Some(unless(cx, condition, panic, span))
}

fn compare(cx: &mut Cx, op: BinOp, left: &Expr, right: &Expr) -> ExprId {
    let left = exprs::lower(cx, left);
    let right = exprs::lower(cx, right);
    let span = cx.span(left).to(cx.span(right));
    cx.expr(ExprKind::Binary { op, left, right }, span)
}

fn not(cx: &mut Cx, operand: ExprId) -> ExprId {
    let span = cx.span(operand);
    cx.expr(ExprKind::Unary { op: UnOp::Not, operand }, span)
}

/// `if condition { leave; }`, where `condition` is negated already.
fn unless(cx: &mut Cx, condition: ExprId, leave: ExprId, span: Span) -> ExprId {
    let condition = scopes::terminate(cx, condition);
    let block = Block { kind: BlockKind::Plain, label: None, stmts: Vec::new(), tail: Some(leave) };
    let then = cx.expr(ExprKind::Block(block), span);
    let then = scopes::terminate(cx, then);
    cx.expr(ExprKind::If { condition, then, otherwise: None, let_temps_end_before_else: false }, span)
}

/// `if !condition { return Err(…) }`
pub(super) fn ensure(cx: &mut Cx, mac: &Macro) -> Option<ExprId> {
    let list = expressions(&mac.tokens)?;
    let (condition, rest) = list.split_first()?;
    let condition = exprs::lower(cx, condition);
    let condition = not(cx, condition);
    let leave = return_error(cx, mac, rest);
    let span = blocks::macro_span(cx, mac);
    Some(unless(cx, condition, leave, span))
}

/// `return Err(…)`
pub(super) fn bail(cx: &mut Cx, mac: &Macro) -> Option<ExprId> {
    let list = expressions(&mac.tokens)?;
    Some(return_error(cx, mac, &list))
}

fn return_error(cx: &mut Cx, mac: &Macro, list: &[Expr]) -> ExprId {
    let span = blocks::macro_span(cx, mac);
    let error = match list {
        [error] if known::string(error).is_none() => exprs::lower(cx, error),
        _ => {
            let (args, text) = format::arguments(cx, list, 0, span);
            call(cx, mac, MacroKind::Format, args, text)
        }
    };
    let name = cx.symbol("Err");
    let path = cx.path_of(name);
    let callee = cx.expr(ExprKind::Path(path), span);
    let value = cx.expr(ExprKind::Call { callee, args: vec![error] }, span);
    cx.expr(ExprKind::Return(Some(value)), span)
}

pub(super) fn panic(cx: &mut Cx, mac: &Macro) -> Option<ExprId> {
    let list = expressions(&mac.tokens)?;
    let span = blocks::macro_span(cx, mac);
    let args = format::arguments(cx, &list, 0, span).0;
    Some(cx.expr(ExprKind::Panic(args), span))
}

/// `matches!(value, pat if guard)` is `let pat = value && guard`; its names end with it.
pub(super) fn matches(cx: &mut Cx, mac: &Macro) -> Option<ExprId> {
    let (value, pat) = parse(&mac.tokens, |input: ParseStream| {
        let value: Expr = input.parse()?;
        input.parse::<Token![,]>()?;
        let pat = pattern(input)?;
        // What else there is words a message.
        if input.parse::<Option<Token![,]>>()?.is_some() {
            input.parse::<proc_macro2::TokenStream>()?;
        }
        Ok((value, pat))
    })?;
    let span = blocks::macro_span(cx, mac);
    let scrutinee = exprs::lower(cx, &value);
    let mark = cx.mark();
    let (pat, guard) = guarded_pattern(cx, &pat);
    cx.leave(mark);
    let matched = cx.expr(ExprKind::Let { pat, scrutinee }, span);
    Some(guard.map_or(matched, |guard| {
        let guard = scopes::terminate(cx, guard);
        let both = chains::and(cx, matched, guard);
        cx.widen(both, span);
        both
    }))
}

/// A pattern with an `if` after it, which syn takes only in an arm.
fn pattern(input: ParseStream) -> syn::Result<Pat> {
    let pat = Pat::parse_multi_with_leading_vert(input)?;
    if !input.peek(Token![if]) {
        return Ok(pat);
    }
    Ok(Pat::Guard(syn::PatGuard {
        attrs: Vec::new(),
        pat: Box::new(pat),
        if_token: input.parse()?,
        guard: input.parse()?,
    }))
}
