//! Rust source → the names it defines.

use std::collections::BTreeSet;

use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};

use super::sql;
use super::tokens::{self, Kind};

/// What the Rust files of a case define.
#[derive(Clone, Debug, Default)]
pub struct Collected {
    /// Every name.
    pub idents: BTreeSet<String>,
    /// What can stand before `::`.
    pub heads: BTreeSet<String>,
    /// Functions that take `self`.
    pub methods: BTreeSet<String>,
    pub fields: BTreeSet<String>,
    /// Variants that a derive makes of fields; they go with them.
    pub columns: BTreeSet<String>,
    /// Names that a library's trait or the case's files prescribe.
    pub kept: BTreeSet<String>,
    /// Literals that are SQL.
    pub sql_texts: Vec<String>,
    /// Tables and columns that Rust declares.
    pub tables: BTreeSet<String>,
}

/// Adds what a file defines. Text that is no Rust defines nothing.
pub fn rust(text: &str, into: &mut Collected) {
    let Ok(file) = syn::parse_file(text) else { return };
    let mut traits = Traits::default();
    traits.visit_file(&file);
    let mut visitor = Definitions { into, own_traits: traits.0 };
    visitor.visit_file(&file);
    for token in tokens::of(text) {
        if token.kind == Kind::Literal {
            let inner = tokens::unquoted(token.text);
            if sql::is_statement(inner) {
                into.sql_texts.push(inner.to_owned());
            }
        }
    }
}

#[derive(Default)]
struct Traits(BTreeSet<String>);

impl Visit<'_> for Traits {
    fn visit_item_trait(&mut self, item: &syn::ItemTrait) {
        self.0.insert(item.ident.to_string());
        visit::visit_item_trait(self, item);
    }

    /// A trait of another file of the case.
    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        if let syn::UseTree::Path(path) = &item.tree
            && ["crate", "self", "super"].iter().any(|root| path.ident == root)
        {
            leaves(&path.tree, &mut self.0);
        }
    }
}

fn leaves(tree: &syn::UseTree, into: &mut BTreeSet<String>) {
    match tree {
        syn::UseTree::Path(path) => leaves(&path.tree, into),
        syn::UseTree::Name(name) => {
            into.insert(name.ident.to_string());
        }
        syn::UseTree::Rename(rename) => {
            into.insert(rename.rename.to_string());
        }
        syn::UseTree::Group(group) => group.items.iter().for_each(|item| leaves(item, into)),
        syn::UseTree::Glob(_) => {}
    }
}

struct Definitions<'a> {
    into: &'a mut Collected,
    own_traits: BTreeSet<String>,
}

impl Definitions<'_> {
    fn own(&mut self, ident: &syn::Ident) {
        self.into.idents.insert(ident.to_string());
    }

    fn head(&mut self, ident: &syn::Ident) {
        self.own(ident);
        self.into.heads.insert(ident.to_string());
    }

    fn function(&mut self, signature: &syn::Signature) {
        self.own(&signature.ident);
        if signature.receiver().is_some() {
            self.into.methods.insert(signature.ident.to_string());
        }
    }

    /// sea-orm makes a `Column` variant of each field of its `Model`.
    fn columns_of_a_model(&mut self, item: &syn::ItemStruct) {
        let derived = |attr: &syn::Attribute| quote::quote!(#attr).to_string().contains("DeriveEntityModel");
        if !item.attrs.iter().any(derived) {
            return;
        }
        for field in item.fields.iter().filter_map(|field| field.ident.as_ref()) {
            let parts = field.to_string().split('_').map(capitalised).collect::<String>();
            self.into.columns.insert(parts.clone());
            self.into.idents.insert(parts);
            self.into.tables.insert(field.to_string());
        }
    }

    /// `table! { carts (id) { id -> Int8, } }` names a table and its columns, `static` inside other macros a static.
    fn declared_in(&mut self, mac: &syn::Macro) {
        let tokens: Vec<_> = mac.tokens.to_string().split_whitespace().map(str::to_owned).collect();
        let table = mac.path.segments.last().is_some_and(|last| last.ident == "table");
        for pair in tokens.windows(2) {
            let name = pair[0].trim_start_matches('(').to_owned();
            if table && syn::parse_str::<syn::Ident>(&name).is_ok() && (pair[1] == "->" || pair[1].starts_with('(')) {
                self.into.tables.insert(name.clone());
                self.into.idents.insert(name.clone());
                self.into.heads.insert(name);
            } else if (pair[0] == "static" || pair[0] == "ref")
                && pair[1].chars().all(|c| c.is_alphanumeric() || c == '_')
            {
                self.into.idents.insert(pair[1].clone());
            }
        }
    }
}

impl Visit<'_> for Definitions<'_> {
    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        self.function(&item.sig);
        visit::visit_item_fn(self, item);
    }

    fn visit_item_impl(&mut self, item: &syn::ItemImpl) {
        let theirs = item.trait_.as_ref().is_some_and(|(path, _)| {
            path.segments.last().is_some_and(|last| !self.own_traits.contains(&last.ident.to_string()))
        });
        for inner in &item.items {
            match inner {
                syn::ImplItem::Fn(function) if theirs => drop(self.into.kept.insert(function.sig.ident.to_string())),
                syn::ImplItem::Fn(function) => self.function(&function.sig),
                syn::ImplItem::Const(constant) if theirs => drop(self.into.kept.insert(constant.ident.to_string())),
                syn::ImplItem::Const(constant) => self.own(&constant.ident),
                syn::ImplItem::Type(ty) if theirs => drop(self.into.kept.insert(ty.ident.to_string())),
                _ => {}
            }
        }
        visit::visit_item_impl(self, item);
    }

    fn visit_item_trait(&mut self, item: &syn::ItemTrait) {
        self.head(&item.ident);
        for inner in &item.items {
            match inner {
                syn::TraitItem::Fn(function) => self.function(&function.sig),
                syn::TraitItem::Const(constant) => self.own(&constant.ident),
                syn::TraitItem::Type(ty) => self.own(&ty.ident),
                _ => {}
            }
        }
        visit::visit_item_trait(self, item);
    }

    fn visit_item_struct(&mut self, item: &syn::ItemStruct) {
        self.head(&item.ident);
        self.columns_of_a_model(item);
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &syn::ItemEnum) {
        self.head(&item.ident);
        visit::visit_item_enum(self, item);
    }

    fn visit_item_type(&mut self, item: &syn::ItemType) {
        self.head(&item.ident);
        visit::visit_item_type(self, item);
    }

    fn visit_item_const(&mut self, item: &syn::ItemConst) {
        self.own(&item.ident);
        visit::visit_item_const(self, item);
    }

    fn visit_item_static(&mut self, item: &syn::ItemStatic) {
        self.own(&item.ident);
        visit::visit_item_static(self, item);
    }

    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        self.head(&item.ident);
        // A file named by an attribute keeps its name, and so must a module that another file may look for there.
        if item.attrs.iter().any(|attr| attr.path().is_ident("path")) {
            self.into.kept.insert(item.ident.to_string());
        }
        visit::visit_item_mod(self, item);
    }

    fn visit_variant(&mut self, variant: &syn::Variant) {
        self.own(&variant.ident);
        visit::visit_variant(self, variant);
    }

    fn visit_field(&mut self, field: &syn::Field) {
        if let Some(ident) = &field.ident {
            self.own(ident);
            self.into.fields.insert(ident.to_string());
        }
        visit::visit_field(self, field);
    }

    fn visit_pat_ident(&mut self, pat: &syn::PatIdent) {
        if pat.ident.to_string().starts_with(|c: char| c.is_lowercase() || c == '_') {
            self.own(&pat.ident);
        }
        visit::visit_pat_ident(self, pat);
    }

    /// `#[sea_orm(table_name = "carts")]`
    fn visit_attribute(&mut self, attribute: &syn::Attribute) {
        let Ok(list) = attribute.meta.require_list() else { return };
        if !list.path.is_ident("sea_orm") {
            return;
        }
        let _ = list.parse_nested_meta(|meta| {
            let named = meta.path.is_ident("table_name") || meta.path.is_ident("column_name");
            if let Ok(value) = meta.value()
                && let Ok(name) = value.parse::<syn::LitStr>()
                && named
            {
                self.into.tables.insert(name.value());
            }
            Ok(())
        });
    }

    fn visit_macro(&mut self, mac: &syn::Macro) {
        self.declared_in(mac);
        if let Ok(args) = mac.parse_body_with(Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated) {
            args.iter().for_each(|arg| self.visit_expr(arg));
        } else if let Ok(statements) = mac.parse_body_with(syn::Block::parse_within) {
            statements.iter().for_each(|statement| self.visit_stmt(statement));
        }
    }
}

fn capitalised(word: &str) -> String {
    let mut chars = word.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
