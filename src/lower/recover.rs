//! A second try, item by item, at a file that does not parse: syntax newer than the parser (`gen fn`, `pub impl`) must not cost the rest of the file.
//!
//! Tokens keep their places, so nothing has to be blanked. In a `mod`, `impl` or `trait` only the members that fail are left out.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use syn::parse::discouraged::Speculative;
use syn::parse::{Parse, ParseStream, Parser};
use syn::{Attribute, File, ImplItem, Item, TraitItem};

use super::offsets::Offsets;
use super::{Skip, edges};

/// What of a file does parse, and what was left out. `None` where nothing at all does.
pub(super) fn file(at: &Offsets, tokens: TokenStream) -> Option<(File, Vec<Skip>)> {
    let mut skipped = Vec::new();
    let parser = |input: ParseStream| {
        let attrs = input.call(Attribute::parse_inner)?;
        let items = members(input, at, &mut skipped, item)?;
        Ok(File { shebang: None, frontmatter: None, attrs, items })
    };
    let file = parser.parse2(tokens).ok()?;
    (!file.items.is_empty()).then_some((file, skipped))
}

type Repair<T> = fn(&Offsets, Vec<TokenTree>, &mut Vec<Skip>) -> Option<T>;

fn members<T: Parse>(
    input: ParseStream,
    at: &Offsets,
    skipped: &mut Vec<Skip>,
    repair: Repair<T>,
) -> syn::Result<Vec<T>> {
    let mut out = Vec::new();
    // Whether what was read last is what was skipped last.
    let mut after_skip = false;
    while !input.is_empty() {
        let ahead = input.fork();
        let error = match ahead.parse::<T>() {
            Ok(member) => {
                input.advance_to(&ahead);
                out.push(member);
                after_skip = false;
                continue;
            }
            Err(error) => error,
        };
        let chunk = chunk(input)?;
        let goes_on = after_skip && !starts_item(&chunk);
        let tokens: TokenStream = chunk.iter().cloned().collect();
        let repaired = repair(at, chunk, skipped);
        after_skip = repaired.is_none();
        match repaired {
            Some(member) => out.push(member),
            None => skip(at, &tokens, &error, goes_on, skipped),
        }
    }
    Ok(out)
}

fn skip(at: &Offsets, tokens: &TokenStream, error: &syn::Error, goes_on: bool, skipped: &mut Vec<Skip>) {
    let Some((first, last)) = edges::tokens(tokens) else { return };
    let span = at.range(first, last);
    match skipped.last_mut() {
        Some(Skip { span: Some(before), .. }) if goes_on => *before = before.to(span),
        _ => skipped.push(Skip { span: Some(span), reason: format!("does not parse: {error}") }),
    }
}

/// Tokens up to the first `;` or `{}`: as far as an item that cannot be parsed may be thought to go.
fn chunk(input: ParseStream) -> syn::Result<Vec<TokenTree>> {
    let mut out = Vec::new();
    while !input.is_empty() {
        let tree: TokenTree = input.parse()?;
        let ends = match &tree {
            TokenTree::Punct(punct) => punct.as_char() == ';',
            TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
            TokenTree::Ident(_) | TokenTree::Literal(_) => false,
        };
        out.push(tree);
        if ends {
            break;
        }
    }
    Ok(out)
}

/// Whether this is another item, and not the rest of the one before it.
fn starts_item(chunk: &[TokenTree]) -> bool {
    match chunk.first() {
        Some(TokenTree::Punct(punct)) => punct.as_char() == '#',
        Some(TokenTree::Ident(ident)) => {
            const WORDS: [&str; 19] = [
                "pub",
                "fn",
                "async",
                "const",
                "unsafe",
                "extern",
                "mod",
                "struct",
                "enum",
                "trait",
                "impl",
                "type",
                "use",
                "static",
                "macro_rules",
                "union",
                "auto",
                "gen",
                "default",
            ];
            WORDS.iter().any(|word| ident == word)
        }
        _ => false,
    }
}

fn item(at: &Offsets, mut chunk: Vec<TokenTree>, skipped: &mut Vec<Skip>) -> Option<Item> {
    drop_visibility_of_impl(&mut chunk);
    let Some(TokenTree::Group(body)) = chunk.pop() else { return None };
    let mut hollow = Group::new(body.delimiter(), TokenStream::new());
    hollow.set_span(body.span());
    chunk.push(TokenTree::Group(hollow));
    let mut shell = syn::parse2::<Item>(chunk.into_iter().collect()).ok()?;
    match &mut shell {
        Item::Impl(shell) => shell.items = inside(at, &body, skipped, |_, _, _| None::<ImplItem>)?,
        Item::Trait(shell) => shell.items = inside(at, &body, skipped, |_, _, _| None::<TraitItem>)?,
        Item::Mod(shell) => shell.content.as_mut()?.1 = inside(at, &body, skipped, item)?,
        _ => return None,
    }
    Some(shell)
}

fn inside<T: Parse>(at: &Offsets, body: &Group, skipped: &mut Vec<Skip>, repair: Repair<T>) -> Option<Vec<T>> {
    let parser = |input: ParseStream| {
        input.call(Attribute::parse_inner)?;
        members(input, at, skipped, repair)
    };
    parser.parse2(body.stream()).ok()
}

/// `pub impl Trait for Type { … }`, which attribute macros of extension traits take.
fn drop_visibility_of_impl(chunk: &mut Vec<TokenTree>) {
    let word = |tree: Option<&TokenTree>, name: &str| matches!(tree, Some(TokenTree::Ident(ident)) if ident == name);
    let Some(place) = chunk.iter().position(|tree| word(Some(tree), "pub")) else { return };
    let restricted =
        matches!(chunk.get(place + 1), Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Parenthesis);
    let next = place + 1 + usize::from(restricted);
    let next = if word(chunk.get(next), "unsafe") { next + 1 } else { next };
    if word(chunk.get(next), "impl") {
        chunk.drain(place..=place + usize::from(restricted));
    }
}
