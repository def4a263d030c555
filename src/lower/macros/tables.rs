//! `diesel::table!`.

use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Ident, Macro, Token, Type, token};

use crate::intern::Symbol;
use crate::ir;

use super::super::cx::Cx;
use super::super::{attrs, blocks, edges, types};
use super::parse;

struct Table {
    attrs: Vec<Attribute>,
    name: Ident,
    keys: Vec<Ident>,
    columns: Vec<Column>,
}

struct Column {
    attrs: Vec<Attribute>,
    name: Ident,
    ty: Type,
}

/// False where the tokens are no table.
pub(super) fn lower(cx: &mut Cx, mac: &Macro) -> bool {
    let Some(table) = parse(&mac.tokens, table) else { return false };
    let columns = table.columns.iter().map(|column| self::column(cx, column)).collect();
    let decl = ir::TableDecl {
        name: cx.name(&table.name),
        sql_name: sql_name(cx, &table.attrs, &table.name),
        module: cx.module,
        keys: table.keys.iter().map(|key| cx.name(key)).collect(),
        columns,
        span: blocks::macro_span(cx, mac),
    };
    cx.file.tables.push(decl);
    true
}

fn column(cx: &mut Cx, column: &Column) -> ir::Column {
    let end = edges::type_end(&column.ty).unwrap_or(column.name.span());
    ir::Column {
        name: cx.name(&column.name),
        sql_name: sql_name(cx, &column.attrs, &column.name),
        ty: types::lower(cx, &column.ty),
        span: cx.at.range(column.name.span(), end),
    }
}

fn sql_name(cx: &mut Cx, attrs: &[Attribute], name: &Ident) -> Symbol {
    match attrs::string(attrs, "sql_name") {
        Some(text) => cx.text(&text),
        None => cx.name(name),
    }
}

fn table(input: ParseStream) -> syn::Result<Table> {
    while input.peek(Token![use]) {
        input.parse::<syn::ItemUse>()?;
    }
    let attrs = input.call(Attribute::parse_outer)?;
    let mut name: Ident = input.parse()?;
    // `schema.table`
    if input.parse::<Option<Token![.]>>()?.is_some() {
        name = input.parse()?;
    }
    let keys = if input.peek(token::Paren) { keys(input)? } else { vec![Ident::new("id", name.span())] };
    let content;
    syn::braced!(content in input);
    let columns = Punctuated::<Column, Token![,]>::parse_terminated_with(&content, self::parse_column)?;
    Ok(Table { attrs, name, keys, columns: columns.into_iter().collect() })
}

fn keys(input: ParseStream) -> syn::Result<Vec<Ident>> {
    let content;
    syn::parenthesized!(content in input);
    Ok(Punctuated::<Ident, Token![,]>::parse_terminated(&content)?.into_iter().collect())
}

fn parse_column(input: ParseStream) -> syn::Result<Column> {
    let attrs = input.call(Attribute::parse_outer)?;
    let name = input.parse()?;
    input.parse::<Token![->]>()?;
    Ok(Column { attrs, name, ty: input.parse()? })
}
