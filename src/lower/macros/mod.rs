//! Macro calls. Those whose meaning is known are lowered to what they do; of the others, the expressions among the tokens are.

mod assert;
mod format;
mod items;
mod json;
mod known;
mod log;
mod proptest;
mod select;
mod statics;
mod tables;
mod unknown;

use proc_macro2::TokenStream;
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Macro, Token};

use crate::intern::Symbol;
use crate::ir::{BlockKind, ExprId, ExprKind, Lit, MacroCall, MacroKind, Stmt};

use super::cx::Cx;
use super::{attrs, blocks, exprs, pats, types};

pub(super) use items::{call as items_call, item, members as members_call};
use known::Known;

/// Macro calls inside the tokens of macro calls; every level parses its tokens anew.
const DEEPEST: u32 = 32;

/// A macro call as an expression.
pub(super) fn expr(cx: &mut Cx, mac: &Macro) -> ExprId {
    if cx.macro_depth == DEEPEST {
        let span = blocks::macro_span(cx, mac);
        return cx.missing("macro nested too deeply", span);
    }
    cx.macro_depth += 1;
    let id = understood(cx, mac).unwrap_or_else(|| unknown::lower(cx, mac));
    cx.macro_depth -= 1;
    id
}

/// `None` where the macro is not known, or its tokens are not what it takes.
fn understood(cx: &mut Cx, mac: &Macro) -> Option<ExprId> {
    match known::of(cx, mac) {
        Known::Assert(kind) => assert::assert(cx, mac, kind),
        Known::Ensure => assert::ensure(cx, mac),
        Known::Bail => assert::bail(cx, mac),
        Known::Panic => assert::panic(cx, mac),
        Known::Matches => assert::matches(cx, mac),
        Known::Format => format::lower(cx, mac, MacroKind::Format, 0),
        Known::Print => format::lower(cx, mac, MacroKind::Log, 0),
        Known::Write => format::lower(cx, mac, MacroKind::Log, 1),
        Known::Log => log::lower(cx, mac),
        Known::Vec => vec(cx, mac),
        Known::Json => json::lower(cx, mac, json::Top::Value),
        Known::Document => json::lower(cx, mac, json::Top::Entries),
        Known::Join => joined(cx, mac, MacroKind::Join),
        Known::TryJoin => joined(cx, mac, MacroKind::TryJoin),
        Known::Select => select::lower(cx, mac),
        Known::Stream => stream(cx, mac),
        Known::Wrapper => wrapper(cx, mac),
        Known::Include => include(cx, mac),
        Known::Words => Some(call(cx, mac, MacroKind::Other, Vec::new(), None)),
        Known::Other => None,
    }
}

/// Macros that stand for statements or items of the block at hand. False where it is none of them.
pub(super) fn statement(cx: &mut Cx, mac: &Macro, out: &mut Vec<Stmt>) -> bool {
    let path = attrs::path_text(&mac.path);
    if path.rsplit("::").next() == Some("pin") { pin(cx, mac, out) } else { items::known(cx, mac) }
}

/// `pin! { let x = …; }` declares `x` right here.
fn pin(cx: &mut Cx, mac: &Macro, out: &mut Vec<Stmt>) -> bool {
    let stmts = parse(&mac.tokens, syn::Block::parse_within).unwrap_or_default();
    let declares = stmts.iter().any(|stmt| matches!(stmt, syn::Stmt::Local(_)));
    if declares {
        out.extend(blocks::statements(cx, &stmts).0);
    }
    declares
}

fn parse<T>(tokens: &TokenStream, parser: impl FnOnce(ParseStream) -> syn::Result<T>) -> Option<T> {
    parser.parse2(tokens.clone()).ok()
}

fn expressions(tokens: &TokenStream) -> Option<Vec<Expr>> {
    parse(tokens, Punctuated::<Expr, Token![,]>::parse_terminated).map(|list| list.into_iter().collect())
}

fn call(cx: &mut Cx, mac: &Macro, kind: MacroKind, args: Vec<ExprId>, text: Option<Symbol>) -> ExprId {
    let path = types::path(cx, None, &mac.path);
    let exits = mac.path.segments.last().is_some_and(|last| {
        let name = cx.name(&last.ident);
        cx.names.macros.get(&name).copied().unwrap_or(false)
    });
    let span = blocks::macro_span(cx, mac);
    cx.expr(ExprKind::Macro(MacroCall { path, kind, args, text, exits }), span)
}

fn vec(cx: &mut Cx, mac: &Macro) -> Option<ExprId> {
    if let Some(elems) = expressions(&mac.tokens) {
        let args = exprs::all(cx, &elems);
        return Some(call(cx, mac, MacroKind::Vec, args, None));
    }
    let (value, len) = parse(&mac.tokens, |input: ParseStream| {
        let value: Expr = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok((value, input.parse::<Expr>()?))
    })?;
    let value = exprs::lower(cx, &value);
    let len = exprs::lower(cx, &len);
    let span = blocks::macro_span(cx, mac);
    Some(cx.expr(ExprKind::Repeat { value, len }, span))
}

fn joined(cx: &mut Cx, mac: &Macro, kind: MacroKind) -> Option<ExprId> {
    let list = parse(&mac.tokens, |input: ParseStream| {
        skip_biased(input)?;
        Punctuated::<Expr, Token![,]>::parse_terminated(input)
    })?;
    let args = exprs::all(cx, &list);
    Some(call(cx, mac, kind, args, None))
}

/// `biased;` at the head of tokio's macros.
fn skip_biased(input: ParseStream) -> syn::Result<()> {
    if input.peek(syn::Ident) && input.peek2(Token![;]) && input.fork().parse::<syn::Ident>()? == "biased" {
        input.parse::<syn::Ident>()?;
        input.parse::<Token![;]>()?;
    }
    Ok(())
}

fn stream(cx: &mut Cx, mac: &Macro) -> Option<ExprId> {
    let tokens = known::without_for_await(mac.tokens.clone());
    let stmts = parse(&tokens, syn::Block::parse_within)?;
    let span = blocks::macro_span(cx, mac);
    let block = blocks::from_tokens(cx, &stmts, BlockKind::Async, span);
    Some(call(cx, mac, MacroKind::Wrapper, vec![block], None))
}

fn wrapper(cx: &mut Cx, mac: &Macro) -> Option<ExprId> {
    let list = expressions(&mac.tokens)?;
    let args = exprs::all(cx, &list);
    Some(call(cx, mac, MacroKind::Wrapper, args, None))
}

fn include(cx: &mut Cx, mac: &Macro) -> Option<ExprId> {
    let list = expressions(&mac.tokens)?;
    let text = list.first().and_then(known::string);
    let args = if text.is_some() { Vec::new() } else { exprs::all(cx, &list) };
    let text = text.map(|text| cx.text(&text));
    Some(call(cx, mac, MacroKind::Include, args, text))
}

/// An argument; string literals joined by `+` are one.
fn argument(cx: &mut Cx, expr: &Expr) -> ExprId {
    match expr {
        Expr::Binary(_) => match known::string(expr) {
            Some(text) => {
                let id = exprs::lower(cx, expr);
                let span = cx.span(id);
                let text = cx.text(&text);
                cx.expr(ExprKind::Lit(Lit::Str(text)), span)
            }
            None => exprs::lower(cx, expr),
        },
        _ => exprs::lower(cx, expr),
    }
}

/// `pat [if guard]`, as `matches!` and its like take it.
fn guarded_pattern(cx: &mut Cx, pat: &syn::Pat) -> (crate::ir::PatId, Option<ExprId>) {
    match pat {
        syn::Pat::Guard(guarded) => {
            let pat = pats::lower(cx, &guarded.pat, None);
            (pat, Some(exprs::lower(cx, &guarded.guard)))
        }
        pat => (pats::lower(cx, pat, None), None),
    }
}
