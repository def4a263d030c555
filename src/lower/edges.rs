//! First and last tokens of syntax, without printing it: `syn`'s own `Spanned` turns the whole node into tokens for that.

use proc_macro2::{Span, TokenStream, TokenTree};
use syn::{PathArguments, ReturnType};

/// The first and last token of a stream.
pub(super) fn tokens(tokens: &TokenStream) -> Option<(Span, Span)> {
    let mut trees = tokens.clone().into_iter();
    let first = trees.next()?;
    let last = trees.last().map_or_else(|| close(&first), |last| close(&last));
    Some((open(&first), last))
}

fn open(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) => group.span_open(),
        other => other.span(),
    }
}

fn close(tree: &TokenTree) -> Span {
    match tree {
        TokenTree::Group(group) => group.span_close(),
        other => other.span(),
    }
}

pub(super) fn path_start(qself: Option<&syn::QSelf>, path: &syn::Path) -> Span {
    if let Some(qself) = qself {
        return qself.lt_token.spans[0];
    }
    match (&path.leading_colon, path.segments.first()) {
        (Some(colon), _) => colon.spans[0],
        (None, Some(segment)) => segment.ident.span(),
        (None, None) => Span::call_site(),
    }
}

pub(super) fn path_end(path: &syn::Path) -> Span {
    let Some(segment) = path.segments.last() else { return Span::call_site() };
    match &segment.arguments {
        PathArguments::None => segment.ident.span(),
        PathArguments::AngleBracketed(args) => args.gt_token.spans[0],
        PathArguments::Parenthesized(args) => match &args.output {
            ReturnType::Default => args.paren_token.span.close(),
            ReturnType::Type(_, ty) => type_end(ty).unwrap_or(args.paren_token.span.close()),
        },
    }
}

/// The last token of a type; `None` where syn keeps none.
pub(super) fn type_end(ty: &syn::Type) -> Option<Span> {
    match ty {
        syn::Type::Array(array) => Some(array.bracket_token.span.close()),
        syn::Type::FnPtr(pointer) => match &pointer.output {
            ReturnType::Default => Some(pointer.paren_token.span.close()),
            ReturnType::Type(_, ty) => type_end(ty),
        },
        syn::Type::Group(group) => type_end(&group.elem),
        syn::Type::ImplTrait(bounds) => bounds.bounds.last().and_then(bound_end),
        syn::Type::TraitObject(object) => object.bounds.last().and_then(bound_end),
        syn::Type::Infer(infer) => Some(infer.underscore_token.spans[0]),
        syn::Type::Macro(mac) => Some(mac.mac.delimiter.span().close()),
        syn::Type::Never(never) => Some(never.bang_token.spans[0]),
        syn::Type::Paren(paren) => Some(paren.paren_token.span.close()),
        syn::Type::Path(path) => Some(path_end(&path.path)),
        syn::Type::Ptr(pointer) => type_end(&pointer.elem),
        syn::Type::Reference(reference) => type_end(&reference.elem),
        syn::Type::Slice(slice) => Some(slice.bracket_token.span.close()),
        syn::Type::Tuple(tuple) => Some(tuple.paren_token.span.close()),
        syn::Type::Verbatim(verbatim) => tokens(verbatim).map(|edges| edges.1),
        _ => None,
    }
}

pub(super) fn bound_end(bound: &syn::TypeParamBound) -> Option<Span> {
    match bound {
        syn::TypeParamBound::Trait(bound) => Some(path_end(&bound.path)),
        syn::TypeParamBound::Lifetime(lifetime) => Some(lifetime.ident.span()),
        syn::TypeParamBound::PreciseCapture(capture) => Some(capture.gt_token.spans[0]),
        syn::TypeParamBound::Verbatim(verbatim) => tokens(verbatim).map(|edges| edges.1),
        _ => None,
    }
}
