//! Macro calls in item position, and `macro_rules!`.

use proc_macro2::{Delimiter, Punct, Spacing, TokenStream, TokenTree};
use syn::parse::ParseStream;
use syn::{ImplItem, Item, ItemMacro, Macro, TraitItem};

use crate::ir::{Container, Include, MacroRules};

use super::super::cx::Cx;
use super::super::{attrs, blocks, collect, impls};
use super::{parse, proptest, statics, tables};

pub(in super::super) fn item(cx: &mut Cx, item: &ItemMacro) {
    let Some(ident) = item.ident.as_ref() else { return call(cx, &item.mac) };
    let rules = MacroRules { name: cx.name(ident), exits: collect::returns(&item.mac.tokens) };
    cx.file.macros.push(rules);
}

/// A call that stands for items: those it is known to make, or those among its tokens, at the top or in its `{}` groups (`cfg_if!`).
pub(in super::super) fn call(cx: &mut Cx, mac: &Macro) {
    if known(cx, mac) || include(cx, mac) || items(cx, &mac.tokens) || groups(cx, &mac.tokens) {
        return;
    }
    let span = blocks::macro_span(cx, mac);
    cx.not_understood(&format!("macro {}!", attrs::path_text(&mac.path)), span);
}

/// Macros that are known to make items. False for others, and where the tokens are not what they take.
pub(super) fn known(cx: &mut Cx, mac: &Macro) -> bool {
    match attrs::path_text(&mac.path).rsplit("::").next().unwrap_or_default() {
        "lazy_static" | "thread_local" | "task_local" => statics::lower(cx, mac),
        "table" => tables::lower(cx, mac),
        "proptest" => items(cx, &proptest::plain(&mac.tokens)),
        "sql_function" | "define_sql_function" | "declare_sql_function" => {
            let semicolon = TokenTree::Punct(Punct::new(';', Spacing::Alone));
            items(cx, &mac.tokens) || items(cx, &mac.tokens.clone().into_iter().chain([semicolon]).collect())
        }
        // They say nothing that queries do not.
        "joinable" | "allow_tables_to_appear_in_same_query" | "allow_columns_to_appear_in_same_group_by_clause" => true,
        _ => false,
    }
}

/// `include!("handlers.rs")`: the items of that file stand here. False for a path that is put together.
fn include(cx: &mut Cx, mac: &Macro) -> bool {
    let Some(path) = parse(&mac.tokens, <syn::LitStr as syn::parse::Parse>::parse) else { return false };
    let stands = mac.path.is_ident("include") && cx.function.is_none();
    if stands {
        let path = cx.text(&path.value());
        cx.file.includes.push(Include { module: cx.module, path });
    }
    stands
}

fn items(cx: &mut Cx, tokens: &TokenStream) -> bool {
    let Some(items) = parse(tokens, many::<Item>) else { return false };
    // Statements like `check!(a);` pass for items too.
    let only_calls = items.iter().all(|item| matches!(item, Item::Macro(item) if item.ident.is_none()));
    if only_calls && !items.is_empty() {
        return false;
    }
    collect::names(cx, &items);
    super::super::items::all(cx, &items);
    true
}

fn groups(cx: &mut Cx, tokens: &TokenStream) -> bool {
    let groups = tokens.clone().into_iter().filter_map(|tree| match tree {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group.stream()),
        _ => None,
    });
    let mut any = false;
    for group in groups {
        any |= !group.is_empty() && items(cx, &group);
    }
    any
}

/// A call among the members of an impl or trait.
pub(in super::super) fn members(cx: &mut Cx, mac: &Macro, container: Container) {
    let known = match container {
        Container::Impl(place) => parse(&mac.tokens, many::<ImplItem>).map(|items| {
            for item in &items {
                impls::impl_item(cx, place, item);
            }
        }),
        Container::Trait(place) => parse(&mac.tokens, many::<TraitItem>).map(|items| {
            for item in &items {
                impls::trait_item(cx, place, item);
            }
        }),
        Container::Module | Container::Function(_) => None,
    };
    if known.is_none() {
        let span = blocks::macro_span(cx, mac);
        cx.not_understood(&format!("macro {}!", attrs::path_text(&mac.path)), span);
    }
}

fn many<T: syn::parse::Parse>(input: ParseStream) -> syn::Result<Vec<T>> {
    let mut out = Vec::new();
    while !input.is_empty() {
        out.push(input.parse()?);
    }
    Ok(out)
}
