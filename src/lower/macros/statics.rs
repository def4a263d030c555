//! `lazy_static!`, `thread_local!`, `task_local!`.

use syn::parse::ParseStream;
use syn::{Attribute, Expr, Ident, Macro, Token, Type, Visibility};

use crate::ir::StaticKind;

use super::super::cx::Cx;
use super::super::items;
use super::parse;

struct Entry {
    attrs: Vec<Attribute>,
    keyword: Token![static],
    name: Ident,
    ty: Type,
    init: Option<Expr>,
}

/// False where the tokens are not what these macros take.
pub(super) fn lower(cx: &mut Cx, mac: &Macro) -> bool {
    let Some(last) = mac.path.segments.last() else { return false };
    let kind = match last.ident.to_string().as_str() {
        "lazy_static" => StaticKind::Static,
        "task_local" => StaticKind::TaskLocal,
        _ => StaticKind::ThreadLocal,
    };
    let Some(entries) = parse(&mac.tokens, entries) else { return false };
    for entry in entries {
        let span = cx.at.range(entry.keyword.span, entry.name.span());
        items::static_(cx, (kind, span), &entry.attrs, &entry.name, &entry.ty, entry.init.as_ref(), None);
    }
    true
}

fn entries(input: ParseStream) -> syn::Result<Vec<Entry>> {
    let mut out = Vec::new();
    while !input.is_empty() {
        out.push(entry(input)?);
        input.parse::<Option<Token![;]>>()?;
    }
    Ok(out)
}

fn entry(input: ParseStream) -> syn::Result<Entry> {
    let attrs = input.call(Attribute::parse_outer)?;
    input.parse::<Visibility>()?;
    let keyword = input.parse()?;
    input.parse::<Option<Token![ref]>>()?;
    let name = input.parse()?;
    input.parse::<Token![:]>()?;
    let ty = input.parse()?;
    let init = match input.parse::<Option<Token![=]>>()? {
        Some(_) => Some(input.parse()?),
        None => None,
    };
    Ok(Entry { attrs, keyword, name, ty, init })
}
