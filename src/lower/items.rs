//! Items: everything that has a name in a module.

use proc_macro2::Span as Token;
use syn::{Fields, ForeignItem, ForeignItemFn, Generics, Item, ItemForeignMod, ItemMod, UseTree, Visibility as Syn};

use crate::intern::Symbol;
use crate::ir::{
    Alias, Attr, Block, BlockKind, Body, Container, Enum, ExprKind, Field, Module, Static, StaticKind, Struct, Trait,
    Use, Variant, Visibility,
};
use crate::source::Span;

use super::cx::{BodyCx, Cx};
use super::functions::{self, Parts};
use super::{attrs, edges, exprs, impls, macros, scopes, types};

pub(super) fn all(cx: &mut Cx, items: &[Item]) {
    for item in items {
        lower(cx, item);
    }
}

pub(super) fn lower(cx: &mut Cx, item: &Item) {
    match item {
        Item::Fn(item) => {
            let parts = Parts {
                attrs: &item.attrs,
                vis: Some(&item.vis),
                modifiers: Some(&item.modifiers),
                sig: &item.sig,
                block: Some(&item.block),
                end: item.block.brace_token.span.close(),
            };
            let container = container(cx);
            functions::lower(cx, &parts, container);
        }
        Item::Impl(item) => impls::impl_(cx, item),
        Item::Trait(item) => impls::trait_(cx, item),
        Item::Mod(item) => module(cx, item),
        Item::Use(item) => {
            let attrs = attrs::lower(cx, &item.attrs);
            uses(cx, &item.tree, &item.vis, &attrs);
        }
        Item::Macro(item) => macros::item(cx, item),
        Item::ForeignMod(item) => foreign(cx, item),
        other => data(cx, other),
    }
}

/// Types and values.
fn data(cx: &mut Cx, item: &Item) {
    match item {
        Item::Struct(item) => {
            let last = item.semi_token.as_ref().map(|semi| semi.spans[0]).or(fields_end(&item.fields));
            let span = cx.at.range(item.struct_token.span, last.unwrap_or(item.ident.span()));
            let fields = fields(cx, &item.fields);
            let tuple = matches!(item.fields, Fields::Unnamed(_));
            structure(cx, &item.attrs, &item.ident, &item.generics, span, (fields, tuple));
        }
        Item::Union(item) => {
            let span = cx.at.range(item.union_token.span, item.fields.brace_token.span.close());
            let fields = fields(cx, &item.fields.named);
            structure(cx, &item.attrs, &item.ident, &item.generics, span, (fields, false));
        }
        Item::Enum(item) => enumeration(cx, item),
        Item::Const(item) => {
            let span = cx.at.range(item.const_token.span, item.semi_token.spans[0]);
            let what = (StaticKind::Const, span);
            static_(cx, what, &item.attrs, &item.ident, &item.ty, Some(&item.expr), None);
        }
        Item::Static(item) => {
            let span = cx.at.range(item.static_token.span, item.semi_token.spans[0]);
            let what = (StaticKind::Static, span);
            static_(cx, what, &item.attrs, &item.ident, &item.ty, Some(&item.expr), None);
        }
        Item::Type(item) => {
            let alias = Alias {
                name: cx.name(&item.ident),
                module: cx.module,
                generics: types::generics(cx, &item.generics),
                ty: types::lower(cx, &item.ty),
            };
            cx.file.aliases.push(alias);
        }
        other => rare(cx, other),
    }
}

fn rare(cx: &mut Cx, item: &Item) {
    match item {
        Item::ExternCrate(item) => {
            let name = item.rename.as_ref().map_or(&item.ident, |(_, name)| name);
            let leaf = Use {
                module: cx.module,
                function: cx.function,
                path: vec![cx.name(&item.ident)],
                name: Some(cx.name(name)),
                public: is_public(&item.vis),
                attrs: attrs::lower(cx, &item.attrs),
            };
            cx.file.uses.push(leaf);
        }
        Item::TraitAlias(item) => {
            let lowered = Trait {
                name: cx.name(&item.ident),
                span: cx.at.range(item.trait_token.span, item.semi_token.spans[0]),
                module: cx.module,
                attrs: attrs::lower(cx, &item.attrs),
                generics: types::generics(cx, &item.generics),
                supertraits: types::bounds(cx, &item.bounds),
                assoc_types: Vec::new(),
            };
            cx.file.traits.push(lowered);
        }
        // `fn name();` stands in the tokens of macros that declare functions written elsewhere.
        Item::Verbatim(tokens) => match syn::parse2::<ForeignItemFn>(tokens.clone()) {
            Ok(item) => foreign_fn(cx, &item),
            Err(_) => unknown(cx, "item", tokens),
        },
        _ => {
            let span = cx.at.between(0, 0);
            cx.not_understood("item", span);
        }
    }
}

pub(super) fn unknown(cx: &mut Cx, what: &str, tokens: &proc_macro2::TokenStream) {
    let span = edges::tokens(tokens).map_or(cx.at.between(0, 0), |(first, last)| cx.at.range(first, last));
    cx.not_understood(what, span);
}

/// Where an item stands that stands in no impl or trait.
pub(super) fn container(cx: &Cx) -> Container {
    cx.function.map_or(Container::Module, Container::Function)
}

pub(super) fn visibility(vis: Option<&Syn>) -> Visibility {
    match vis {
        Some(Syn::Public(_)) => Visibility::Public,
        Some(Syn::Restricted(restricted)) if restricted.path.is_ident("self") => Visibility::Private,
        Some(Syn::Restricted(_)) => Visibility::Crate,
        Some(Syn::Inherited) | None => Visibility::Private,
    }
}

fn is_public(vis: &Syn) -> bool {
    !matches!(visibility(Some(vis)), Visibility::Private)
}

fn module(cx: &mut Cx, item: &ItemMod) {
    let end = match (&item.content, &item.semi) {
        (Some((brace, _)), _) => brace.span.close(),
        (None, Some(semi)) => semi.spans[0],
        (None, None) => item.ident.span(),
    };
    let path_attr = attrs::string(&item.attrs, "path").map(|path| Symbol::new(&path));
    let lowered = Module {
        name: cx.name(&item.ident),
        parent: cx.module,
        inline: item.content.is_some(),
        path_attr,
        attrs: attrs::lower(cx, &item.attrs),
        span: cx.at.range(item.mod_token.span, end),
    };
    cx.file.modules.push(lowered);
    let Some((_, items)) = &item.content else { return };
    let outer = (cx.module, cx.function.take());
    cx.module = cx.file.modules.len() as u32 - 1;
    all(cx, items);
    (cx.module, cx.function) = outer;
}

fn foreign(cx: &mut Cx, item: &ItemForeignMod) {
    for item in &item.items {
        match item {
            ForeignItem::Fn(item) => foreign_fn(cx, item),
            ForeignItem::Static(item) => {
                let span = cx.at.range(item.static_token.span, item.semi_token.spans[0]);
                static_(cx, (StaticKind::Static, span), &item.attrs, &item.ident, &item.ty, None, None);
            }
            // An opaque type has nothing to look into.
            ForeignItem::Type(_) => {}
            ForeignItem::Macro(item) => macros::items_call(cx, &item.mac),
            ForeignItem::Verbatim(tokens) => unknown(cx, "foreign item", tokens),
            _ => {
                let span = cx.at.between(0, 0);
                cx.not_understood("foreign item", span);
            }
        }
    }
}

fn foreign_fn(cx: &mut Cx, item: &ForeignItemFn) {
    let parts = Parts {
        attrs: &item.attrs,
        vis: Some(&item.vis),
        modifiers: Some(&item.modifiers),
        sig: &item.sig,
        block: None,
        end: item.semi_token.spans[0],
    };
    let container = container(cx);
    functions::lower(cx, &parts, container);
}

fn structure(
    cx: &mut Cx,
    attrs: &[syn::Attribute],
    ident: &syn::Ident,
    generics: &Generics,
    span: Span,
    (fields, tuple): (Vec<Field>, bool),
) {
    let lowered = Struct {
        name: cx.name(ident),
        span,
        module: cx.module,
        attrs: attrs::lower(cx, attrs),
        generics: types::generics(cx, generics),
        fields,
        tuple,
    };
    cx.file.structs.push(lowered);
}

fn fields_end(fields: &Fields) -> Option<Token> {
    match fields {
        Fields::Named(fields) => Some(fields.brace_token.span.close()),
        Fields::Unnamed(fields) => Some(fields.paren_token.span.close()),
        Fields::Unit => None,
    }
}

fn fields<'f>(cx: &mut Cx, fields: impl IntoIterator<Item = &'f syn::Field>) -> Vec<Field> {
    fields.into_iter().enumerate().map(|(place, field)| self::field(cx, place, field)).collect()
}

fn field(cx: &mut Cx, place: usize, field: &syn::Field) -> Field {
    let attrs = attrs::lower(cx, &field.attrs);
    let ty = types::lower(cx, &field.ty);
    let end = edges::type_end(&field.ty);
    let (name, span) = match &field.ident {
        Some(ident) => (cx.name(ident), cx.at.range(ident.span(), end.unwrap_or(ident.span()))),
        None => (cx.symbol(&place.to_string()), types::span(cx, &field.ty)),
    };
    Field { name, ty, attrs, span }
}

fn enumeration(cx: &mut Cx, item: &syn::ItemEnum) {
    let mut variants = Vec::new();
    for variant in &item.variants {
        let lowered = Variant {
            name: cx.name(&variant.ident),
            attrs: attrs::lower(cx, &variant.attrs),
            fields: fields(cx, &variant.fields),
            tuple: matches!(variant.fields, Fields::Unnamed(_)),
        };
        variants.push(lowered);
    }
    let lowered = Enum {
        name: cx.name(&item.ident),
        span: cx.at.range(item.enum_token.span, item.brace_token.span.close()),
        module: cx.module,
        attrs: attrs::lower(cx, &item.attrs),
        generics: types::generics(cx, &item.generics),
        variants,
    };
    cx.file.enums.push(lowered);
}

/// A const or static; `container` where it is not the place we stand in.
pub(super) fn static_(
    cx: &mut Cx,
    (kind, span): (StaticKind, Span),
    attrs: &[syn::Attribute],
    ident: &syn::Ident,
    ty: &syn::Type,
    init: Option<&syn::Expr>,
    container: Option<Container>,
) {
    let lowered = Static {
        name: cx.name(ident),
        span,
        module: cx.module,
        container: container.unwrap_or_else(|| self::container(cx)),
        kind,
        ty: types::lower(cx, ty),
        attrs: attrs::lower(cx, attrs),
        init: init.map(|init| initialiser(cx, init)),
    };
    cx.file.statics.push(lowered);
}

/// An initialiser as the body of a function without parameters.
fn initialiser(cx: &mut Cx, init: &syn::Expr) -> Body {
    let outer = std::mem::take(&mut cx.body);
    let tail = exprs::lower(cx, init);
    let span = cx.span(tail);
    let block = Block { kind: BlockKind::Plain, label: None, stmts: Vec::new(), tail: Some(tail) };
    let root = cx.expr(ExprKind::Block(block), span);
    let root = scopes::terminate(cx, root);
    cx.body.body.root = Some(root);
    std::mem::replace(&mut cx.body, outer).into_body()
}

fn uses(cx: &mut Cx, tree: &UseTree, vis: &Syn, attrs: &[Attr]) {
    let mut prefix = Vec::new();
    use_tree(cx, tree, &mut prefix, (is_public(vis), attrs));
}

fn use_tree(cx: &mut Cx, tree: &UseTree, prefix: &mut Vec<Symbol>, head: (bool, &[Attr])) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(cx.name(&path.ident));
            use_tree(cx, &path.tree, prefix, head);
            prefix.pop();
        }
        UseTree::Group(group) => {
            for item in &group.items {
                use_tree(cx, item, prefix, head);
            }
        }
        UseTree::Glob(_) => leaf(cx, prefix.clone(), None, head),
        UseTree::Name(name) => {
            let name = cx.name(&name.ident);
            let path = extend(prefix, name);
            let bound = path.last().copied();
            leaf(cx, path, bound, head);
        }
        UseTree::Rename(rename) => {
            let name = cx.name(&rename.ident);
            let bound = cx.name(&rename.rename);
            leaf(cx, extend(prefix, name), Some(bound), head);
        }
    }
}

/// `a::{self}` is `a`.
fn extend(prefix: &[Symbol], name: Symbol) -> Vec<Symbol> {
    let mut path = prefix.to_vec();
    if name != "self" || path.is_empty() {
        path.push(name);
    }
    path
}

fn leaf(cx: &mut Cx, path: Vec<Symbol>, name: Option<Symbol>, (public, attrs): (bool, &[Attr])) {
    let leaf = Use { module: cx.module, function: cx.function, path, name, public, attrs: attrs.to_vec() };
    cx.file.uses.push(leaf);
}

impl BodyCx {
    pub fn into_body(self) -> Body {
        self.body
    }
}
