//! Attributes, as text.

use proc_macro2::{Delimiter, Spacing, TokenStream, TokenTree};
use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

use crate::intern::Symbol;
use crate::ir::Attr;
use crate::source::Span;

use super::cx::Cx;

/// All but doc comments, which comments hold already.
pub(super) fn lower(cx: &mut Cx, attrs: &[Attribute]) -> Vec<Attr> {
    let attrs = attrs.iter().filter(|attr| !attr.path().is_ident("doc"));
    let mut out = Vec::new();
    for attr in attrs {
        match conditional(&attr.meta) {
            Some(metas) => out.extend(metas.iter().map(|meta| one(cx, meta))),
            None => out.push(one(cx, &attr.meta)),
        }
    }
    out
}

/// What `cfg_attr` puts there under a condition, as if it held; but for tests.
fn conditional(meta: &Meta) -> Option<Vec<Meta>> {
    let Meta::List(list) = meta else { return None };
    if !list.path.is_ident("cfg_attr") {
        return None;
    }
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated).ok()?;
    let mut parts = parts.into_iter();
    let tests = parts.next().is_some_and(|condition| condition.path().is_ident("test"));
    (!tests).then(|| parts.filter(|meta| !meta.path().is_ident("doc")).collect())
}

fn one(cx: &mut Cx, meta: &Meta) -> Attr {
    let text = match meta {
        Meta::Path(_) => String::new(),
        Meta::List(list) => text(&list.tokens),
        Meta::NameValue(pair) => text(&pair.value.to_token_stream()),
    };
    let path = path_text(meta.path());
    Attr { path: cx.symbol(&path), tokens: Symbol::new(&text) }
}

pub(super) fn path_text(path: &syn::Path) -> String {
    let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
    names.join("::")
}

/// The string of `#[name = "…"]`.
pub(super) fn string(attrs: &[Attribute], name: &str) -> Option<String> {
    attrs.iter().filter(|attr| attr.path().is_ident(name)).find_map(|attr| match &attr.meta {
        Meta::NameValue(pair) => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    })
}

/// Where the first attribute starts, doc comments included.
pub(super) fn start(cx: &Cx, attrs: &[Attribute]) -> Option<u32> {
    attrs.first().map(|attr| cx.at.start(attr.pound_token.spans[0]))
}

/// From the first attribute to the end of what it stands on.
pub(super) fn whole(cx: &Cx, attrs: &[Attribute], span: Span) -> Span {
    let start = start(cx, attrs).unwrap_or(span.start);
    Span { start: start.min(span.start), ..span }
}

/// Tokens as people write them; see [`Attr`].
pub(super) fn text(tokens: &TokenStream) -> String {
    let mut out = String::new();
    write(tokens.clone(), &mut out);
    out.trim_end().to_owned()
}

fn write(tokens: TokenStream, out: &mut String) {
    let mut joint = false;
    for tree in tokens {
        let after_joint = std::mem::take(&mut joint);
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    Delimiter::Parenthesis => ("(", ")"),
                    Delimiter::Bracket => ("[", "]"),
                    Delimiter::Brace => ("{", "}"),
                    Delimiter::None => ("", ""),
                };
                out.push_str(open);
                write(group.stream(), out);
                out.truncate(out.trim_end().len());
                out.push_str(close);
            }
            TokenTree::Punct(punct) => {
                joint = punct.spacing() == Spacing::Joint;
                match punct.as_char() {
                    ',' => out.push_str(", "),
                    '=' if !joint && !after_joint => out.push_str(" = "),
                    other => out.push(other),
                }
            }
            word => {
                if out.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '"')) {
                    out.push(' ');
                }
                out.push_str(&word.to_string());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(source: &str) -> String {
        text(&source.parse().unwrap())
    }

    #[test]
    fn tokens_are_written_as_people_do() {
        assert_eq!(written("table_name=\"a\" , rename_all=\"x\""), "table_name = \"a\", rename_all = \"x\"");
        assert_eq!(written("Debug ,\n sqlx :: FromRow,"), "Debug, sqlx::FromRow,");
        assert_eq!(written("all(test, not(feature = \"a\"))"), "all(test, not(feature = \"a\"))");
        assert_eq!(written("a == b, dyn Foo, x => y"), "a==b, dyn Foo, x=>y");
    }
}
