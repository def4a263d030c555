//! `select!` of tokio, futures and crossbeam.

use syn::parse::ParseStream;
use syn::{Expr, Ident, Macro, Pat, Token};

use crate::ir::{ExprId, ExprKind, PatKind, SelectArm};

use super::super::cx::Cx;
use super::super::{blocks, exprs, pats, scopes};
use super::{parse, skip_biased};

#[expect(clippy::large_enum_variant, reason = "a macro has few branches, and each is lowered as soon as it is read")]
enum Branch {
    /// `pat = future, if guard => body`; crossbeam's `recv(channel) -> pat => body`.
    Arm { pat: Option<Pat>, future: Expr, guard: Option<Expr>, body: Expr },
    /// `else => body`, `default => body`, `complete => body`
    Otherwise(Expr),
}

pub(super) fn lower(cx: &mut Cx, mac: &Macro) -> Option<ExprId> {
    let branches = parse(&mac.tokens, branches)?;
    let span = blocks::macro_span(cx, mac);
    let mut arms = Vec::new();
    let mut otherwise = None;
    for branch in branches {
        match branch {
            Branch::Otherwise(body) => otherwise = otherwise.or(Some(self::body(cx, &body))),
            Branch::Arm { pat, future, guard, body } => {
                arms.push(arm(cx, pat.as_ref(), &future, guard.as_ref(), &body))
            }
        }
    }
    Some(cx.expr(ExprKind::Select { arms, otherwise }, span))
}

fn arm(cx: &mut Cx, pat: Option<&Pat>, future: &Expr, guard: Option<&Expr>, body: &Expr) -> SelectArm {
    let guard = guard.map(|guard| {
        let guard = exprs::lower(cx, guard);
        scopes::terminate(cx, guard)
    });
    let future = exprs::lower(cx, future);
    let mark = cx.mark();
    let pat = match pat {
        Some(pat) => pats::lower(cx, pat, None),
        None => {
            let span = cx.span(future);
            cx.pat(PatKind::Wild, span)
        }
    };
    let body = self::body(cx, body);
    cx.leave(mark);
    SelectArm { pat, future, guard, body }
}

fn body(cx: &mut Cx, body: &Expr) -> ExprId {
    let body = exprs::lower(cx, body);
    scopes::terminate(cx, body)
}

fn branches(input: ParseStream) -> syn::Result<Vec<Branch>> {
    skip_biased(input)?;
    let mut out = Vec::new();
    while !input.is_empty() {
        out.push(branch(input)?);
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(out)
}

fn branch(input: ParseStream) -> syn::Result<Branch> {
    if is_otherwise(input) {
        input.call(<Ident as syn::ext::IdentExt>::parse_any)?;
        if !input.peek(Token![=>]) {
            let content;
            syn::parenthesized!(content in input);
            content.parse::<Expr>()?;
        }
        return Ok(Branch::Otherwise(handler(input)?));
    }
    let ahead = input.fork();
    match Pat::parse_multi_with_leading_vert(&ahead) {
        Ok(pat) if ahead.peek(Token![=]) && !ahead.peek(Token![=>]) => {
            syn::parse::discouraged::Speculative::advance_to(input, &ahead);
            input.parse::<Token![=]>()?;
            let future = input.parse()?;
            let guard = guard(input)?;
            Ok(Branch::Arm { pat: Some(pat), future, guard, body: handler(input)? })
        }
        _ => bare(input),
    }
}

/// A branch that begins with its future: `recv(channel) -> pat => body`, or no pattern at all.
fn bare(input: ParseStream) -> syn::Result<Branch> {
    let future: Expr = input.parse()?;
    let pat = match input.parse::<Option<Token![->]>>()? {
        Some(_) => Some(Pat::parse_multi_with_leading_vert(input)?),
        None => None,
    };
    Ok(Branch::Arm { pat, future, guard: None, body: handler(input)? })
}

fn is_otherwise(input: ParseStream) -> bool {
    let ahead = input.fork();
    let Ok(word) = ahead.call(<Ident as syn::ext::IdentExt>::parse_any) else { return false };
    match word.to_string().as_str() {
        "else" | "complete" => ahead.peek(Token![=>]),
        "default" => ahead.peek(Token![=>]) || ahead.peek(syn::token::Paren),
        _ => false,
    }
}

fn guard(input: ParseStream) -> syn::Result<Option<Expr>> {
    if !input.peek(Token![,]) {
        return Ok(None);
    }
    input.parse::<Token![,]>()?;
    input.parse::<Token![if]>()?;
    input.parse().map(Some)
}

fn handler(input: ParseStream) -> syn::Result<Expr> {
    input.parse::<Token![=>]>()?;
    Expr::parse_with_earlier_boundary_rule(input)
}
