//! The tokens of a source, flat, with their place in the text.

use std::ops::Range;
use std::str::FromStr;

use proc_macro2::{Spacing, TokenStream, TokenTree};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Ident,
    /// One character; whether the next one belongs to it.
    Punct(Spacing),
    Open,
    Close,
    Literal,
}

#[derive(Clone, Debug)]
pub struct Token<'a> {
    pub kind: Kind,
    pub text: &'a str,
    pub range: Range<usize>,
    /// The opening token of the group it stands in.
    pub parent: Option<usize>,
}

/// All tokens; none where the text does not even lex. Doc comments, which lex as literals, are left out.
pub fn of(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    if let Ok(stream) = TokenStream::from_str(text) {
        flatten(text, stream, None, &mut tokens);
    }
    tokens
}

fn flatten<'a>(text: &'a str, stream: TokenStream, parent: Option<usize>, tokens: &mut Vec<Token<'a>>) {
    for tree in stream {
        let range = tree.span().byte_range();
        let kind = match &tree {
            TokenTree::Group(group) => {
                let (open, close) = (group.span_open().byte_range(), group.span_close().byte_range());
                let at = tokens.len();
                tokens.push(Token { kind: Kind::Open, text: &text[open.clone()], range: open, parent });
                flatten(text, group.stream(), Some(at), tokens);
                tokens.push(Token { kind: Kind::Close, text: &text[close.clone()], range: close, parent });
                continue;
            }
            TokenTree::Ident(_) => Kind::Ident,
            TokenTree::Punct(punct) => Kind::Punct(punct.spacing()),
            TokenTree::Literal(_) => Kind::Literal,
        };
        let source = &text[range.clone()];
        if kind != Kind::Literal || !source.starts_with('/') {
            tokens.push(Token { kind, text: source, range, parent });
        }
    }
}

/// The inside of a string literal; nothing for other literals.
pub fn unquoted(literal: &str) -> &str {
    let start = literal.find('"').map_or(literal.len(), |at| at + 1);
    let end = literal.rfind('"').unwrap_or(start);
    literal.get(start..end).unwrap_or_default()
}
