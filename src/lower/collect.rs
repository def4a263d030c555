//! What the items of a file say about names, before any of them is lowered.

use proc_macro2::{Ident, TokenStream, TokenTree};
use syn::{Block, ImplItem, Item, ItemMacro, Stmt};

use super::cx::Cx;

pub(super) fn names(cx: &mut Cx, items: &[Item]) {
    for item in items {
        match item {
            Item::Const(item) => value(cx, &item.ident),
            Item::Static(item) => value(cx, &item.ident),
            Item::Struct(item) if matches!(item.fields, syn::Fields::Unit) => value(cx, &item.ident),
            Item::Mod(item) => names(cx, item.content.as_ref().map_or(&[], |(_, items)| items)),
            Item::Fn(item) => block(cx, &item.block),
            Item::Impl(item) => {
                for item in &item.items {
                    if let ImplItem::Fn(item) = item {
                        block(cx, &item.block);
                    }
                }
            }
            Item::Macro(item) => rules(cx, item),
            _ => {}
        }
    }
}

/// Items at the head of a body; deeper ones hardly ever define macros or consts with names like a local's.
fn block(cx: &mut Cx, block: &Block) {
    for stmt in &block.stmts {
        match stmt {
            Stmt::Item(Item::Macro(item)) => rules(cx, item),
            Stmt::Item(Item::Const(item)) => value(cx, &item.ident),
            _ => {}
        }
    }
}

fn value(cx: &mut Cx, ident: &Ident) {
    let name = cx.name(ident);
    cx.names.values.insert(name);
}

fn rules(cx: &mut Cx, item: &ItemMacro) {
    let Some(ident) = item.ident.as_ref().filter(|_| item.mac.path.is_ident("macro_rules")) else { return };
    let name = cx.name(ident);
    let exits = returns(&item.mac.tokens);
    // Of two macros by one name, the one that may leave counts.
    *cx.names.macros.entry(name).or_insert(false) |= exits;
}

/// Whether `return` stands anywhere among the tokens.
pub(super) fn returns(tokens: &TokenStream) -> bool {
    tokens.clone().into_iter().any(|tree| match tree {
        TokenTree::Ident(ident) => ident == "return",
        TokenTree::Group(group) => returns(&group.stream()),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}
