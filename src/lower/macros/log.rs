//! `tracing` and `log`: fields, a message, its arguments.

use syn::ext::IdentExt;
use syn::parse::ParseStream;
use syn::{Expr, Ident, LitStr, Macro, Token, token};

use crate::ir::{ExprId, MacroKind};

use super::super::cx::Cx;
use super::super::{blocks, exprs};
use super::{call, format, parse};

/// What stands between two commas.
#[expect(clippy::large_enum_variant, reason = "a macro has few entries, and each is lowered as soon as it is read")]
enum Entry {
    /// `name = value`, `%value`, `target: value`
    Value(Option<String>, Expr),
    Message(LitStr),
}

pub(super) fn lower(cx: &mut Cx, mac: &Macro) -> Option<ExprId> {
    let entries = parse(&mac.tokens, entries)?;
    let span = blocks::macro_span(cx, mac);
    let mut args = Vec::new();
    let mut given = Vec::new();
    let mut text = None;
    for entry in entries {
        match entry {
            Entry::Message(message) if text.is_none() => text = Some(message.value()),
            Entry::Message(_) => {}
            Entry::Value(name, value) => {
                args.push(exprs::lower(cx, &value));
                given.extend(name);
            }
        }
    }
    if let Some(text) = &text {
        args.extend(format::inline(cx, text, &given, span));
    }
    let text = text.map(|text| cx.text(&text));
    Some(call(cx, mac, MacroKind::Log, args, text))
}

fn entries(input: ParseStream) -> syn::Result<Vec<Entry>> {
    let mut out = Vec::new();
    while !input.is_empty() {
        entry(input, &mut out)?;
        // `log` parts its fields from the message by `;`.
        if !input.is_empty() {
            if input.peek(Token![;]) {
                input.parse::<Token![;]>().map(drop)?
            } else {
                input.parse::<Token![,]>().map(drop)?
            }
        }
    }
    Ok(out)
}

fn entry(input: ParseStream, out: &mut Vec<Entry>) -> syn::Result<()> {
    let name = if constant_name(input)? { Some(String::new()) } else { name(input)? };
    if name.is_none() && input.peek(token::Brace) && braced(input, out).is_ok() {
        return Ok(());
    }
    if name.is_none() && input.peek(LitStr) && is_whole(input)? {
        out.push(Entry::Message(input.parse()?));
        return Ok(());
    }
    if input.peek(Token![%]) {
        input.parse::<Token![%]>()?;
    } else if input.peek(Token![?]) {
        input.parse::<Token![?]>()?;
    }
    out.push(Entry::Value(name, input.parse()?));
    Ok(())
}

/// `{ field = value, … }` before the message.
fn braced(input: ParseStream, out: &mut Vec<Entry>) -> syn::Result<()> {
    let ahead = input.fork();
    let content;
    syn::braced!(content in ahead);
    out.extend(entries(&content)?);
    let content;
    syn::braced!(content in input);
    content.parse::<proc_macro2::TokenStream>().map(drop)
}

/// `{ NAME } =`, a field named by a constant.
fn constant_name(input: ParseStream) -> syn::Result<bool> {
    if !input.peek(token::Brace) || !input.peek2(Token![=]) || input.peek2(Token![=>]) {
        return Ok(false);
    }
    let content;
    syn::braced!(content in input);
    content.parse::<proc_macro2::TokenStream>()?;
    input.parse::<Token![=]>()?;
    Ok(true)
}

/// A literal alone, and not the head of `"a".len()`.
fn is_whole(input: ParseStream) -> syn::Result<bool> {
    let ahead = input.fork();
    ahead.parse::<LitStr>()?;
    Ok(ahead.is_empty() || ahead.peek(Token![,]) || ahead.peek(Token![;]))
}

/// `name =`, `a.b =`, `"name" =`, `target:`; log's `name:% =` and `name:? =` too.
fn name(input: ParseStream) -> syn::Result<Option<String>> {
    let ahead = input.fork();
    let Ok(mut name) = name_text(&ahead) else { return Ok(None) };
    if ahead.peek(Token![:]) && !ahead.peek(Token![::]) {
        ahead.parse::<Token![:]>()?;
        if ahead.peek(Token![%]) && ahead.peek2(Token![=]) {
            ahead.parse::<Token![%]>()?;
        } else if ahead.peek(Token![?]) && ahead.peek2(Token![=]) {
            ahead.parse::<Token![?]>()?;
        } else if ahead.peek(Ident) && ahead.peek2(Token![=]) && !ahead.peek2(Token![==]) {
            ahead.parse::<Ident>()?;
        } else {
            name.clear();
        }
    }
    if !name.is_empty() {
        if !ahead.peek(Token![=]) || ahead.peek(Token![==]) || ahead.peek(Token![=>]) {
            return Ok(None);
        }
        ahead.parse::<Token![=]>()?;
    }
    syn::parse::discouraged::Speculative::advance_to(input, &ahead);
    Ok(Some(name))
}

fn name_text(input: ParseStream) -> syn::Result<String> {
    if input.peek(LitStr) {
        return Ok(input.parse::<LitStr>()?.value());
    }
    let mut name = input.call(Ident::parse_any)?.unraw().to_string();
    while input.peek(Token![.]) && input.peek2(Ident::peek_any) {
        input.parse::<Token![.]>()?;
        name = format!("{name}.{}", input.call(Ident::parse_any)?);
    }
    Ok(name)
}
