//! Impl blocks and traits.

use syn::{ImplItem, ItemImpl, ItemTrait, TraitItem};

use crate::ir::{Container, Generic, Impl, StaticKind, Trait};

use super::cx::Cx;
use super::functions::{self, Parts};
use super::{attrs, items, macros, types};

pub(super) fn impl_(cx: &mut Cx, item: &ItemImpl) {
    let place = cx.file.impls.len() as u32;
    let lowered = Impl {
        span: cx.at.range(item.impl_token.span, item.brace_token.span.close()),
        module: cx.module,
        attrs: attrs::lower(cx, &item.attrs),
        generics: types::generics(cx, &item.generics),
        self_ty: types::lower(cx, &item.self_ty),
        trait_: item.trait_.as_ref().map(|(path, _)| types::path(cx, None, path)),
        assoc_types: Vec::new(),
    };
    cx.file.impls.push(lowered);
    for member in &item.items {
        impl_item(cx, place, member);
    }
}

pub(super) fn impl_item(cx: &mut Cx, place: u32, item: &ImplItem) {
    let container = Container::Impl(place);
    match item {
        ImplItem::Fn(item) => {
            let parts = Parts {
                attrs: &item.attrs,
                vis: Some(&item.vis),
                modifiers: Some(&item.modifiers),
                sig: &item.sig,
                block: Some(&item.block),
                end: item.block.brace_token.span.close(),
            };
            functions::lower(cx, &parts, container);
        }
        ImplItem::Const(item) => {
            let span = cx.at.range(item.const_token.span, item.semi_token.spans[0]);
            let what = (StaticKind::Const, span);
            items::static_(cx, what, &item.attrs, &item.ident, &item.ty, Some(&item.expr), Some(container));
        }
        ImplItem::Type(item) => {
            let named = (cx.name(&item.ident), types::lower(cx, &item.ty));
            cx.file.impls[place as usize].assoc_types.push(named);
        }
        ImplItem::Macro(item) => macros::members_call(cx, &item.mac, container),
        ImplItem::Verbatim(tokens) => items::unknown(cx, "impl item", tokens),
        _ => {
            let span = cx.file.impls[place as usize].span;
            cx.not_understood("impl item", span);
        }
    }
}

pub(super) fn trait_(cx: &mut Cx, item: &ItemTrait) {
    let place = cx.file.traits.len() as u32;
    let lowered = Trait {
        name: cx.name(&item.ident),
        span: cx.at.range(item.trait_token.span, item.brace_token.span.close()),
        module: cx.module,
        attrs: attrs::lower(cx, &item.attrs),
        generics: types::generics(cx, &item.generics),
        supertraits: types::bounds(cx, &item.supertraits),
        assoc_types: Vec::new(),
    };
    cx.file.traits.push(lowered);
    for member in &item.items {
        trait_item(cx, place, member);
    }
}

pub(super) fn trait_item(cx: &mut Cx, place: u32, item: &TraitItem) {
    let container = Container::Trait(place);
    match item {
        TraitItem::Fn(item) => {
            let end = match (&item.default, &item.semi_token) {
                (Some(block), _) => block.brace_token.span.close(),
                (None, Some(semi)) => semi.spans[0],
                (None, None) => item.sig.paren_token.span.close(),
            };
            let parts = Parts {
                attrs: &item.attrs,
                vis: None,
                modifiers: Some(&item.modifiers),
                sig: &item.sig,
                block: item.default.as_ref(),
                end,
            };
            functions::lower(cx, &parts, container);
        }
        TraitItem::Const(item) => {
            let span = cx.at.range(item.const_token.span, item.semi_token.spans[0]);
            let init = item.default.as_ref().map(|(_, init)| init);
            items::static_(cx, (StaticKind::Const, span), &item.attrs, &item.ident, &item.ty, init, Some(container));
        }
        TraitItem::Type(item) => {
            let named = Generic { name: cx.name(&item.ident), bounds: types::bounds(cx, &item.bounds) };
            cx.file.traits[place as usize].assoc_types.push(named);
        }
        TraitItem::Macro(item) => macros::members_call(cx, &item.mac, container),
        TraitItem::Verbatim(tokens) => items::unknown(cx, "trait item", tokens),
        _ => {
            let span = cx.file.traits[place as usize].span;
            cx.not_understood("trait item", span);
        }
    }
}
