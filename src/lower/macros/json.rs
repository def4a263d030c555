//! `json!`, `bson!` and `doc!`: objects keep their keys, for a document is a query too.

use syn::parse::ParseStream;
use syn::{Expr, Macro, Token, token};

use crate::ir::{ExprId, ExprKind, MacroKind};
use crate::source::Span;

use super::super::cx::Cx;
use super::super::{blocks, exprs};
use super::{call, parse};

/// What the tokens of the call are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Top {
    Value,
    /// The inside of an object.
    Entries,
}

enum Value {
    Object(Vec<(Expr, Value)>),
    Array(Vec<Value>, proc_macro2::extra::DelimSpan),
    Expr(Box<Expr>),
}

pub(super) fn lower(cx: &mut Cx, mac: &Macro, top: Top) -> Option<ExprId> {
    let value = match top {
        Top::Value => parse(&mac.tokens, self::value)?,
        Top::Entries => Value::Object(parse(&mac.tokens, entries)?),
    };
    let args = match value {
        Value::Object(entries) => pairs(cx, mac, &entries),
        other => vec![one(cx, mac, &other)],
    };
    Some(call(cx, mac, MacroKind::Json, args, None))
}

fn one(cx: &mut Cx, mac: &Macro, value: &Value) -> ExprId {
    match value {
        Value::Expr(expr) => exprs::lower(cx, expr),
        Value::Array(elems, delimiters) => {
            let span: Span = cx.at.range(delimiters.open(), delimiters.close());
            let elems = elems.iter().map(|elem| one(cx, mac, elem)).collect();
            cx.expr(ExprKind::Array(elems), span)
        }
        Value::Object(entries) => {
            let args = pairs(cx, mac, entries);
            let whole = blocks::macro_span(cx, mac);
            let span = match (args.first(), args.last()) {
                (Some(&first), Some(&last)) => cx.span(first).to(cx.span(last)),
                _ => whole,
            };
            let id = call(cx, mac, MacroKind::Json, args, None);
            cx.widen(id, span);
            id
        }
    }
}

fn pairs(cx: &mut Cx, mac: &Macro, entries: &[(Expr, Value)]) -> Vec<ExprId> {
    let mut out = Vec::new();
    for (key, value) in entries {
        let key = exprs::lower(cx, key);
        let value = one(cx, mac, value);
        let span = cx.span(key).to(cx.span(value));
        out.push(cx.expr(ExprKind::Tuple(vec![key, value]), span));
    }
    out
}

fn value(input: ParseStream) -> syn::Result<Value> {
    if input.peek(token::Brace) {
        let ahead = input.fork();
        let content;
        syn::braced!(content in ahead);
        if let Ok(object) = entries(&content)
            && ends_value(&ahead)
        {
            syn::parse::discouraged::Speculative::advance_to(input, &ahead);
            return Ok(Value::Object(object));
        }
    }
    if input.peek(token::Bracket) {
        let ahead = input.fork();
        let content;
        let bracket = syn::bracketed!(content in ahead);
        if let Ok(elems) = elements(&content)
            && ends_value(&ahead)
        {
            syn::parse::discouraged::Speculative::advance_to(input, &ahead);
            return Ok(Value::Array(elems, bracket.span));
        }
    }
    input.parse().map(|expr| Value::Expr(Box::new(expr)))
}

fn ends_value(input: ParseStream) -> bool {
    input.is_empty() || input.peek(Token![,])
}

fn elements(input: ParseStream) -> syn::Result<Vec<Value>> {
    let mut out = Vec::new();
    while !input.is_empty() {
        out.push(value(input)?);
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(out)
}

fn entries(input: ParseStream) -> syn::Result<Vec<(Expr, Value)>> {
    let mut out = Vec::new();
    while !input.is_empty() {
        let key: Expr = input.parse()?;
        input.parse::<Token![:]>()?;
        out.push((key, value(input)?));
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
    }
    Ok(out)
}
