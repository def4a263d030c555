//! Macros that are not known: their tokens are tried as expressions, pairs, statements, and at last the `{}` groups among them as blocks.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::ParseStream;
use syn::{Expr, Macro, Token, Type};

use crate::ir::{BlockKind, ExprId, ExprKind, MacroKind};

use super::super::cx::Cx;
use super::super::{blocks, types};
use super::{argument, call, expressions, format, json, known, log, parse};

pub(super) fn lower(cx: &mut Cx, mac: &Macro) -> ExprId {
    if let Some(list) = expressions(&mac.tokens) {
        return with(cx, mac, Vec::new(), &list);
    }
    if let Some((ty, list)) = parse(&mac.tokens, type_first) {
        let first = type_argument(cx, &ty);
        return with(cx, mac, vec![first], &list);
    }
    if let Some(entries) = parse(&mac.tokens, entries) {
        let args = entries.iter().map(|(first, second)| entry(cx, first, second.as_ref())).collect();
        return call(cx, mac, MacroKind::Other, args, None);
    }
    let span = blocks::macro_span(cx, mac);
    let tokens = known::without_for_await(mac.tokens.clone());
    if let Some(stmts) = parse(&tokens, syn::Block::parse_within) {
        let block = blocks::from_tokens(cx, &stmts, BlockKind::Plain, span);
        return call(cx, mac, MacroKind::Other, vec![block], None);
    }
    // Home-made log and JSON macros have the grammar of the known ones.
    if let Some(id) = json::lower(cx, mac, json::Top::Value).or_else(|| log::lower(cx, mac)) {
        return id;
    }
    let args = groups(cx, &tokens);
    if args.is_empty() {
        let what = format!("macro {}!", super::attrs::path_text(&mac.path));
        cx.not_understood(&what, span);
    }
    call(cx, mac, MacroKind::Other, args, None)
}

fn with(cx: &mut Cx, mac: &Macro, mut args: Vec<ExprId>, list: &[Expr]) -> ExprId {
    let text = list.iter().find_map(known::string).map(|text| cx.text(&text));
    for expr in list {
        // `name = value` names an argument and assigns nothing.
        let id = argument(cx, format::named(expr).map_or(expr, |(_, value)| value));
        args.push(perhaps(cx, id));
    }
    call(cx, mac, MacroKind::Other, args, text)
}

/// An argument that leaves (`some_or!(x, return)`) does so only if the macro says so: it becomes `if <unknown> { leave }`.
fn perhaps(cx: &mut Cx, id: ExprId) -> ExprId {
    let leaves = matches!(
        cx.kind(id),
        ExprKind::Return(_) | ExprKind::Break { .. } | ExprKind::Continue { .. } | ExprKind::Panic(_)
    );
    if !leaves {
        return id;
    }
    let span = cx.span(id);
    let condition = cx.expr(ExprKind::Missing, span);
    cx.expr(ExprKind::If { condition, then: id, otherwise: None, let_temps_end_before_else: false }, span)
}

/// `query_as!(Row<'_>, …)`: a type that is no expression.
fn type_first(input: ParseStream) -> syn::Result<(Type, Vec<Expr>)> {
    let ty = input.parse()?;
    let mut list = Vec::new();
    while !input.is_empty() {
        input.parse::<Token![,]>()?;
        if !input.is_empty() {
            list.push(input.parse()?);
        }
    }
    Ok((ty, list))
}

fn type_argument(cx: &mut Cx, ty: &Type) -> ExprId {
    let span = types::span(cx, ty);
    let kind = match ty {
        Type::Path(path) => ExprKind::Path(types::path(cx, path.qself.as_ref(), &path.path)),
        _ => ExprKind::Tuple(Vec::new()),
    };
    cx.expr(kind, span)
}

/// `key: value`, `key => value` or a value alone, between commas; `@"…"` is a snapshot to compare with.
fn entries(input: ParseStream) -> syn::Result<Vec<(Expr, Option<Expr>)>> {
    let mut out = Vec::new();
    while !input.is_empty() {
        input.parse::<Option<Token![@]>>()?;
        let first: Expr = input.parse()?;
        let paired = input.parse::<Option<Token![=>]>>()?.is_some() || input.parse::<Option<Token![:]>>()?.is_some();
        out.push((first, if paired { Some(input.parse()?) } else { None }));
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(out)
}

fn entry(cx: &mut Cx, first: &Expr, second: Option<&Expr>) -> ExprId {
    let first = argument(cx, first);
    let Some(second) = second else { return perhaps(cx, first) };
    let second = argument(cx, second);
    let second = perhaps(cx, second);
    let span = cx.span(first).to(cx.span(second));
    cx.expr(ExprKind::Tuple(vec![first, second]), span)
}

fn groups(cx: &mut Cx, tokens: &TokenStream) -> Vec<ExprId> {
    let mut out = Vec::new();
    for tree in tokens.clone() {
        let TokenTree::Group(group) = tree else { continue };
        if group.delimiter() != Delimiter::Brace {
            continue;
        }
        let span = cx.at.range(group.span_open(), group.span_close());
        match parse(&group.stream(), syn::Block::parse_within) {
            Some(stmts) => out.push(blocks::from_tokens(cx, &stmts, BlockKind::Plain, span)),
            None => cx.not_understood("macro group", span),
        }
    }
    out
}
