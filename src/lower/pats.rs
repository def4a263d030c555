//! Patterns. One call of [`lower`] is one whole pattern: a name that appears again in it stands in another alternative and is the same local.

use syn::spanned::Spanned;
use syn::{PatIdent, PatStruct};

use crate::intern::Symbol;
use crate::ir::{LocalId, PatId, PatKind, TypeRef};
use crate::source::Span;

use super::cx::Cx;
use super::{edges, exprs, literals, types};

/// Lowers a pattern and makes its names visible. `ty` is the type written for it.
pub(super) fn lower(cx: &mut Cx, pat: &syn::Pat, ty: Option<TypeRef>) -> PatId {
    let mut seen = Vec::new();
    part(cx, pat, ty, &mut seen)
}

type Seen = Vec<(Symbol, LocalId)>;

fn part(cx: &mut Cx, pat: &syn::Pat, ty: Option<TypeRef>, seen: &mut Seen) -> PatId {
    match pat {
        syn::Pat::Ident(ident) => name(cx, ident, ty, seen),
        syn::Pat::Paren(paren) => part(cx, &paren.pat, ty, seen),
        syn::Pat::Type(typed) => {
            let ty = types::lower(cx, &typed.ty);
            part(cx, &typed.pat, Some(ty), seen)
        }
        syn::Pat::Guard(guard) => {
            let inner = part(cx, &guard.pat, ty, seen);
            let condition = exprs::lower(cx, &guard.guard);
            let span = cx.body.body.pat(inner).span.to(cx.span(condition));
            cx.pat(PatKind::Guard(inner, condition), span)
        }
        syn::Pat::Struct(fields) => structure(cx, fields, seen),
        syn::Pat::Reference(reference) => {
            let inner = part(cx, &reference.pat, None, seen);
            let end = match &*reference.pat {
                syn::Pat::Paren(paren) => cx.at.end(paren.paren_token.span.close()),
                _ => cx.body.body.pat(inner).span.end,
            };
            let span = cx.at.between(cx.at.start(reference.and_token.spans[0]), end);
            cx.pat(PatKind::Ref(inner), span)
        }
        other => {
            let span = span(cx, other);
            let kind = kind(cx, other, span, seen);
            cx.pat(kind, span)
        }
    }
}

fn kind(cx: &mut Cx, pat: &syn::Pat, span: Span, seen: &mut Seen) -> PatKind {
    match pat {
        syn::Pat::Wild(_) => PatKind::Wild,
        syn::Pat::Rest(_) => PatKind::Rest,
        syn::Pat::Lit(lit) => PatKind::Lit(literals::lower(cx, &lit.lit)),
        syn::Pat::Range(_) => PatKind::Range,
        syn::Pat::Path(path) => PatKind::Path(types::path(cx, path.qself.as_ref(), &path.path)),
        syn::Pat::Tuple(tuple) => PatKind::Tuple(parts(cx, &tuple.elems, seen)),
        syn::Pat::Slice(slice) => PatKind::Slice(parts(cx, &slice.elems, seen)),
        syn::Pat::Or(or) => PatKind::Or(parts(cx, &or.cases, seen)),
        syn::Pat::TupleStruct(tuple) => {
            let path = types::path(cx, tuple.qself.as_ref(), &tuple.path);
            PatKind::TupleStruct { path, elems: parts(cx, &tuple.elems, seen) }
        }
        syn::Pat::Const(_) => unknown(cx, "pattern const", span),
        syn::Pat::Macro(_) => unknown(cx, "pattern macro", span),
        _ => unknown(cx, "pattern", span),
    }
}

fn unknown(cx: &mut Cx, what: &str, span: Span) -> PatKind {
    cx.not_understood(what, span);
    PatKind::Missing
}

fn parts<'p>(cx: &mut Cx, pats: impl IntoIterator<Item = &'p syn::Pat>, seen: &mut Seen) -> Vec<PatId> {
    pats.into_iter().map(|pat| part(cx, pat, None, seen)).collect()
}

fn structure(cx: &mut Cx, pat: &PatStruct, seen: &mut Seen) -> PatId {
    let path = types::path(cx, pat.qself.as_ref(), &pat.path);
    let mut fields = Vec::new();
    for field in &pat.fields {
        let name = exprs::member(cx, &field.member);
        fields.push((name, part(cx, &field.pat, None, seen)));
    }
    let span = cx.at.range(edges::path_start(pat.qself.as_ref(), &pat.path), pat.brace_token.span.close());
    cx.pat(PatKind::Struct { path, fields }, span)
}

fn name(cx: &mut Cx, pat: &PatIdent, ty: Option<TypeRef>, seen: &mut Seen) -> PatId {
    let name = cx.name(&pat.ident);
    let span = cx.at.span(pat.ident.span());
    let plain = pat.by_ref.is_none() && pat.mutability.is_none() && pat.subpat.is_none();
    if plain && names_value(cx, name) {
        let path = cx.path_of(name);
        return cx.pat(PatKind::Path(path), span);
    }
    let local = match seen.iter().find(|(known, _)| *known == name) {
        Some(&(_, local)) => local,
        None => {
            let local = cx.local(name, span, pat.mutability.is_some(), ty);
            cx.declare(name, local);
            seen.push((name, local));
            local
        }
    };
    let sub = pat.subpat.as_ref().map(|(_, sub)| part(cx, sub, None, seen));
    let end = sub.map_or(span.end, |sub| cx.body.body.pat(sub).span.end);
    let first = pat.by_ref.as_ref().map(|token| token.span).or(pat.mutability.as_ref().map(|token| token.span));
    let start = first.map_or(span.start, |token| cx.at.start(token));
    let span = cx.at.between(start, end);
    cx.pat(PatKind::Bind { local, by_ref: pat.by_ref.is_some(), sub }, span)
}

/// Whether a lone name in a pattern means a const, static, unit struct or variant.
fn names_value(cx: &Cx, name: Symbol) -> bool {
    name.as_str().starts_with(char::is_uppercase) || cx.names.values.contains(&name)
}

/// The span of a pattern that is neither a name nor a struct; these are small, so printing their tokens does not matter, but for the two that nest.
fn span(cx: &mut Cx, pat: &syn::Pat) -> Span {
    match pat {
        syn::Pat::Wild(wild) => cx.at.span(wild.underscore_token.spans[0]),
        syn::Pat::Tuple(tuple) => cx.at.range(tuple.paren_token.span.open(), tuple.paren_token.span.close()),
        syn::Pat::Slice(slice) => cx.at.range(slice.bracket_token.span.open(), slice.bracket_token.span.close()),
        syn::Pat::TupleStruct(tuple) => {
            let first = edges::path_start(tuple.qself.as_ref(), &tuple.path);
            cx.at.range(first, tuple.paren_token.span.close())
        }
        syn::Pat::Path(path) => {
            let first = edges::path_start(path.qself.as_ref(), &path.path);
            cx.at.range(first, edges::path_end(&path.path))
        }
        syn::Pat::Lit(lit) => cx.at.span(lit.lit.span()),
        syn::Pat::Rest(rest) => cx.at.range(rest.dot2_token.spans[0], rest.dot2_token.spans[1]),
        syn::Pat::Reference(reference) => {
            let start = cx.at.start(reference.and_token.spans[0]);
            let end = pat_end(cx, &reference.pat);
            cx.at.between(start, end)
        }
        syn::Pat::Or(or) => {
            let start = or.cases.first().map_or(0, |first| span_or_name(cx, first).start);
            let end = or.cases.last().map_or(start, |last| pat_end(cx, last));
            cx.at.between(start, end)
        }
        other => cx.at.span(other.span()),
    }
}

fn pat_end(cx: &mut Cx, pat: &syn::Pat) -> u32 {
    span_or_name(cx, pat).end
}

fn span_or_name(cx: &mut Cx, pat: &syn::Pat) -> Span {
    match pat {
        syn::Pat::Ident(ident) if ident.subpat.is_none() && ident.by_ref.is_none() => cx.at.span(ident.ident.span()),
        syn::Pat::Struct(fields) => {
            cx.at.range(edges::path_start(fields.qself.as_ref(), &fields.path), fields.brace_token.span.close())
        }
        other => span(cx, other),
    }
}
