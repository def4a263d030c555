//! `format!` and what has its grammar.

use syn::{Expr, Macro};

use crate::intern::Symbol;
use crate::ir::{ExprId, MacroKind};
use crate::source::Span;

use super::super::cx::Cx;
use super::super::{blocks, exprs};
use super::{call, expressions, known};

/// A call whose text is argument number `at`.
pub(super) fn lower(cx: &mut Cx, mac: &Macro, kind: MacroKind, at: usize) -> Option<ExprId> {
    if mac.path.segments.last().is_some_and(|last| last.ident == "concat")
        && let Some(text) = concat(mac)
    {
        let text = cx.text(&text);
        return Some(call(cx, mac, kind, Vec::new(), Some(text)));
    }
    let list = expressions(&mac.tokens)?;
    let span = blocks::macro_span(cx, mac);
    let (args, text) = arguments(cx, &list, at, span);
    Some(call(cx, mac, kind, args, text))
}

/// The arguments of a format call without its text, those that the text names after the written ones; and the text.
pub(super) fn arguments(cx: &mut Cx, list: &[Expr], at: usize, span: Span) -> (Vec<ExprId>, Option<Symbol>) {
    let text = list.get(at).and_then(known::string);
    let mut args = Vec::new();
    let mut given = Vec::new();
    for (place, expr) in list.iter().enumerate() {
        match named(expr) {
            _ if place == at && text.is_some() => {}
            Some((name, value)) if place > at => {
                given.push(name);
                args.push(exprs::lower(cx, value));
            }
            _ => args.push(exprs::lower(cx, expr)),
        }
    }
    if let Some(text) = &text {
        args.extend(inline(cx, text, &given, span));
    }
    (args, text.map(|text| cx.text(&text)))
}

/// `name = value`
pub(super) fn named(expr: &Expr) -> Option<(String, &Expr)> {
    let Expr::Assign(assign) = expr else { return None };
    let Expr::Path(path) = &*assign.left else { return None };
    Some((path.path.get_ident()?.to_string(), &assign.right))
}

/// The names that a text takes from where it stands.
pub(super) fn inline(cx: &mut Cx, text: &str, given: &[String], span: Span) -> Vec<ExprId> {
    let mut args = Vec::new();
    for name in names(text) {
        if !given.contains(&name) {
            let name = cx.symbol(&name);
            args.push(exprs::named(cx, name, span));
        }
    }
    args
}

/// The argument names of a format text, each once: `{name}`, `{name:?}`, `{:width$}`, `{:.precision$}`.
fn names(text: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('{') {
        rest = &rest[open + 1..];
        if let Some(escaped) = rest.strip_prefix('{') {
            rest = escaped;
            continue;
        }
        let Some(close) = rest.find('}') else { break };
        let (name, spec) = rest[..close].split_once(':').unwrap_or((&rest[..close], ""));
        let counts = spec.split('$').rev().skip(1).map(trailing_name);
        for name in std::iter::once(name.trim()).chain(counts) {
            if is_name(name) && !out.iter().any(|known| known == name) {
                out.push(name.to_owned());
            }
        }
        rest = &rest[close + 1..];
    }
    out
}

/// The name that stands before a `$`.
fn trailing_name(text: &str) -> &str {
    let start = text
        .rfind(|c: char| !c.is_alphanumeric() && c != '_')
        .map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8));
    &text[start..]
}

fn is_name(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_') && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// The text of `concat!` where all it joins are literals.
pub(super) fn concat(mac: &Macro) -> Option<String> {
    let mut out = String::new();
    for expr in expressions(&mac.tokens)? {
        match &expr {
            Expr::Lit(lit) => match &lit.lit {
                syn::Lit::Str(text) => out.push_str(&text.value()),
                syn::Lit::Int(int) => out.push_str(int.base10_digits()),
                syn::Lit::Float(float) => out.push_str(float.base10_digits()),
                syn::Lit::Char(char) => out.push(char.value()),
                syn::Lit::Bool(bool) => out.push_str(if bool.value { "true" } else { "false" }),
                _ => return None,
            },
            other => out.push_str(&known::string(other)?),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::names;

    #[test]
    fn inline_names_are_found_and_numbers_and_escapes_are_not() {
        assert_eq!(names("{a} {b:?} {0} {} {{c}} {d:>w$.p$} {:x$} {a}"), ["a", "b", "d", "p", "w", "x"]);
        assert_eq!(names("{ä:#?} {"), ["ä"]);
        assert!(names("SELECT '{\"k\": 1}'::jsonb").is_empty());
    }
}
