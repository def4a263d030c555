//! `proptest!`: functions whose parameters are drawn (`n in 0..9`), which is no grammar of Rust.

use proc_macro2::{Delimiter, Group, Ident, Punct, Spacing, Span, TokenStream, TokenTree};

/// The tokens with every `pattern in strategy` made a parameter of unknown type.
pub(super) fn plain(tokens: &TokenStream) -> TokenStream {
    let mut out = Vec::new();
    let mut trees = tokens.clone().into_iter().peekable();
    // `#![proptest_config(…)]`
    while matches!(&trees.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '#') {
        let mark = trees.next();
        if !matches!(&trees.peek(), Some(TokenTree::Punct(punct)) if punct.as_char() == '!') {
            out.extend(mark);
            break;
        }
        trees.next();
        trees.next();
    }
    for tree in trees {
        match tree {
            TokenTree::Group(group) if group.delimiter() == Delimiter::Parenthesis => out.push(params(&group)),
            other => out.push(other),
        }
    }
    out.into_iter().collect()
}

fn params(group: &Group) -> TokenTree {
    let mut out = Vec::new();
    let mut in_strategy = false;
    for tree in group.stream() {
        match &tree {
            TokenTree::Punct(punct) if punct.as_char() == ',' => in_strategy = false,
            TokenTree::Ident(ident) if ident == "in" => {
                in_strategy = true;
                out.extend(unknown_type(ident.span()));
            }
            _ => {}
        }
        if !in_strategy {
            out.push(tree);
        }
    }
    let mut plain = Group::new(Delimiter::Parenthesis, out.into_iter().collect());
    plain.set_span(group.span());
    TokenTree::Group(plain)
}

fn unknown_type(span: Span) -> [TokenTree; 2] {
    let mut colon = Punct::new(':', Spacing::Alone);
    colon.set_span(span);
    [TokenTree::Punct(colon), TokenTree::Ident(Ident::new("_", span))]
}
