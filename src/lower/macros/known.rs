//! Which macros are known, by the last segment of their path.

use proc_macro2::{Group, TokenStream, TokenTree};
use syn::{BinOp, Expr, ExprLit, Lit, Macro};

use super::super::cx::Cx;
use super::assert::Assert;
use super::format;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Known {
    Assert(Assert),
    Ensure,
    Bail,
    Panic,
    Matches,
    Format,
    Print,
    /// `write!`: the text is the second argument.
    Write,
    Log,
    Vec,
    Json,
    /// `doc!`: the entries of an object, without its braces.
    Document,
    Join,
    TryJoin,
    Select,
    Stream,
    Wrapper,
    Include,
    /// Its tokens are no code.
    Words,
    Other,
}

/// A macro that the file itself defines is taken for what it is called with only.
pub(super) fn of(cx: &mut Cx, mac: &Macro) -> Known {
    let Some(last) = mac.path.segments.last() else { return Known::Other };
    let name = cx.name(&last.ident);
    if mac.path.segments.len() == 1 && cx.names.macros.contains_key(&name) {
        return Known::Other;
    }
    by_name(name.as_str())
}

fn by_name(name: &str) -> Known {
    match name {
        "assert" | "debug_assert" => Known::Assert(Assert::True),
        "assert_eq" | "debug_assert_eq" => Known::Assert(Assert::Equal),
        "assert_ne" | "debug_assert_ne" => Known::Assert(Assert::Differ),
        "assert_matches" | "debug_assert_matches" => Known::Assert(Assert::Matches),
        "ensure" => Known::Ensure,
        "bail" => Known::Bail,
        "panic" | "unreachable" | "todo" | "unimplemented" => Known::Panic,
        "matches" => Known::Matches,
        "format" | "format_args" | "anyhow" | "eyre" | "concat" => Known::Format,
        "print" | "println" | "eprint" | "eprintln" => Known::Print,
        "write" | "writeln" => Known::Write,
        "trace" | "debug" | "info" | "warn" | "error" | "event" | "log" | "span" => Known::Log,
        "trace_span" | "debug_span" | "info_span" | "warn_span" | "error_span" => Known::Log,
        "vec" | "smallvec" => Known::Vec,
        "json" | "bson" => Known::Json,
        "doc" => Known::Document,
        "join" => Known::Join,
        "try_join" => Known::TryJoin,
        "select" | "select_biased" => Known::Select,
        "stream" | "try_stream" => Known::Stream,
        "pin" | "pin_mut" | "dbg" => Known::Wrapper,
        "include_str" | "include_bytes" | "include" => Known::Include,
        "stringify" | "env" | "option_env" | "cfg" | "line" | "column" | "file" | "module_path" => Known::Words,
        "compile_error" | "asm" | "global_asm" => Known::Words,
        // Code that is generated runs elsewhere.
        "quote" | "quote_spanned" | "parse_quote" | "parse_quote_spanned" | "Token" => Known::Words,
        _ => Known::Other,
    }
}

/// The text of a string literal, of several joined by `+`, or of `concat!` of literals.
pub(super) fn string(expr: &Expr) -> Option<String> {
    let mut parts = Vec::new();
    let mut at = expr;
    while let Expr::Binary(binary) = at {
        if !matches!(binary.op, BinOp::Add(_)) {
            return None;
        }
        parts.push(single(&binary.right)?);
        at = &binary.left;
    }
    parts.push(single(at)?);
    parts.reverse();
    Some(parts.concat())
}

fn single(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Lit(ExprLit { lit: Lit::Str(text), .. }) => Some(text.value()),
        Expr::Macro(mac) if mac.mac.path.segments.last().is_some_and(|last| last.ident == "concat") => {
            format::concat(&mac.mac)
        }
        Expr::Paren(paren) => single(&paren.expr),
        Expr::Group(group) => single(&group.expr),
        _ => None,
    }
}

/// `for await x in y` is the grammar of `stream!` alone; without the `await` it is a loop.
pub(super) fn without_for_await(tokens: TokenStream) -> TokenStream {
    let mut after_for = false;
    let mut out = Vec::new();
    for tree in tokens {
        let skip = after_for && matches!(&tree, TokenTree::Ident(ident) if ident == "await");
        after_for = matches!(&tree, TokenTree::Ident(ident) if ident == "for");
        match tree {
            _ if skip => {}
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), without_for_await(group.stream()));
                inner.set_span(group.span());
                out.push(TokenTree::Group(inner));
            }
            other => out.push(other),
        }
    }
    out.into_iter().collect()
}
