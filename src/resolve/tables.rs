//! Tables that Rust code declares: diesel's `table!`, entities of an ORM's derive, and the structs that are mapped to them.

use std::collections::HashMap;

use super::crates::Tree;
use super::ids::Ids;
use super::library::Library;
use super::scope::{Found, Item, Names, Ns, ScopeId, World};
use super::{AdtId, TableDef, TableId, Ty, marks};
use crate::intern::Symbol;
use crate::ir;
use crate::models::row::DeriveRow;

/// All tables with what names and calls need to know of them.
#[derive(Debug, Default)]
pub(super) struct Tables {
    pub(super) defs: Vec<TableDef>,
    /// The struct of which each table is made, where there is one.
    pub(super) models: Vec<Option<AdtId>>,
    infos: Vec<Info>,
    /// The library traits that derives give to structs.
    derived: HashMap<AdtId, Vec<Symbol>>,
}

#[derive(Debug, Default)]
struct Info {
    /// The Rust name of a `table!` module.
    name: Option<Symbol>,
    /// Members of the column enum, or columns of the module, with the Rust name of the column.
    columns: HashMap<Symbol, Symbol>,
    /// What models call the table, its columns and its records.
    as_table: Vec<Symbol>,
    as_column: Vec<Symbol>,
    as_record: Vec<Symbol>,
}

impl Tables {
    pub(super) fn member(&self, item: Item, name: Symbol) -> Option<Item> {
        match item {
            Item::TableModule(table) => match name.as_str() {
                "table" => Some(Item::Table(table)),
                "dsl" => Some(Item::TableDsl(table)),
                "columns" => Some(item),
                _ => self.column(table, name),
            },
            Item::TableDsl(table) if self.info(table).name == Some(name) => Some(Item::Table(table)),
            Item::TableDsl(table) | Item::ColumnEnum(table) => self.column(table, name),
            _ => None,
        }
    }

    fn column(&self, table: TableId, name: Symbol) -> Option<Item> {
        self.info(table).columns.get(&name).map(|column| Item::Column(table, *column))
    }

    /// The library traits that the derives of a struct give it.
    pub(super) fn derived(&self, id: AdtId) -> &[Symbol] {
        self.derived.get(&id).map_or(&[], Vec::as_slice)
    }

    fn info(&self, table: TableId) -> &Info {
        &self.infos[table.0 as usize]
    }

    /// The library types and traits whose rows hold for a table, column or record.
    pub(super) fn counts_as(&self, ty: &Ty) -> &[Symbol] {
        match ty {
            Ty::Table(table) => &self.info(*table).as_table,
            Ty::Column(table, _) => &self.info(*table).as_column,
            Ty::Record(table) => &self.info(*table).as_record,
            _ => &[],
        }
    }

    fn push(&mut self, def: TableDef, info: Info, model: Option<AdtId>) -> TableId {
        self.defs.push(def);
        self.infos.push(info);
        self.models.push(model);
        TableId(self.defs.len() as u32 - 1)
    }
}

/// Finds all declarations and puts their names into scope.
pub(super) fn declare(files: &[ir::File], tree: &Tree, ids: &Ids, names: &mut Names, library: &Library<'_>) -> Tables {
    let mut tables = Tables::default();
    for (number, file) in (0u32..).zip(files) {
        for decl in &file.tables {
            let scope = ScopeId(tree.at(number, decl.module).0);
            let table = declare_macro(&mut tables, decl);
            names.add(scope, Ns::Type, decl.name, Item::TableModule(table));
        }
        for (index, item) in (0u32..).zip(&file.structs) {
            let derives = marks::derives(&item.attrs);
            let rows: Vec<_> = derives.iter().filter_map(|name| library.models.derive(name.as_str())).collect();
            let id = ids.structure(number, index);
            let traits = rows.iter().flat_map(|row| &row.implements).map(|path| Symbol::new(path));
            tables.derived.entry(id).or_default().extend(traits);
            let Some(row) = rows.into_iter().find(|row| !row.adds.is_empty()) else { continue };
            let module = tree.at(number, item.module);
            let fallback = tree.module(module).path.rsplit("::").next().unwrap_or_default();
            let beside = table_name_beside(file, item.module, row);
            let table = declare_entity(&mut tables, item, id, row, beside.as_deref().unwrap_or(fallback));
            add_names(names, ScopeId(module.0), table, row);
        }
    }
    tables
}

fn declare_macro(tables: &mut Tables, decl: &ir::TableDecl) -> TableId {
    let columns = decl.columns.iter().map(|column| (column.name, column.name)).collect();
    let info = Info {
        name: Some(decl.name),
        columns,
        as_table: vec![Symbol::new("diesel::Table")],
        as_column: vec![Symbol::new("diesel::Column")],
        as_record: Vec::new(),
    };
    let def = TableDef {
        name: decl.sql_name,
        columns: decl.columns.iter().map(|column| (column.name, column.sql_name, Ty::Unknown)).collect(),
        keys: decl.keys.clone(),
        unique: Vec::new(),
        span: decl.span,
        complete: false,
    };
    tables.push(def, info, None)
}

fn declare_entity(tables: &mut Tables, item: &ir::Struct, id: AdtId, row: &DeriveRow, fallback: &str) -> TableId {
    let attr = row.attr.as_str();
    let written = row.table_key.as_deref().and_then(|key| marks::value(&item.attrs, attr, key));
    let mut def = TableDef {
        name: Symbol::new(written.as_deref().unwrap_or(fallback)),
        columns: Vec::new(),
        keys: Vec::new(),
        unique: Vec::new(),
        span: item.span,
        complete: true,
    };
    let mut info = Info::default();
    for field in item.fields.iter().filter(|field| is_column(field, attr)) {
        let rust = field.name.as_str().trim_start_matches("r#");
        let written = row.column_key.as_deref().and_then(|key| marks::value(&field.attrs, attr, key));
        let column = Symbol::new(written.as_deref().unwrap_or(rust));
        let has = |word: &Option<String>| word.as_deref().is_some_and(|word| marks::has_word(&field.attrs, attr, word));
        if has(&row.key_word) {
            def.keys.push(column);
        }
        if has(&row.unique_word) {
            def.unique.push(column);
        }
        let variant = marks::value(&field.attrs, attr, "enum_name").unwrap_or_else(|| upper_camel(rust));
        info.columns.insert(Symbol::new(&variant), field.name);
        def.columns.push((field.name, column, Ty::Unknown));
    }
    for (name, path) in &row.adds {
        match added(row, name, path) {
            Added::Table => info.as_table.push(Symbol::new(path)),
            Added::Columns => info.as_column.push(Symbol::new(path)),
            Added::Record => info.as_record.push(Symbol::new(path)),
            Added::Other => {}
        }
    }
    tables.push(def, info, Some(id))
}

/// The table of an entity that is written out: an attribute of another struct of the module, or the text that `EntityName::table_name` gives.
fn table_name_beside(file: &ir::File, module: u32, row: &DeriveRow) -> Option<String> {
    let key = row.table_key.as_deref()?;
    let structs = file.structs.iter().filter(|item| item.module == module);
    if let Some(written) = structs.into_iter().find_map(|item| marks::value(&item.attrs, &row.attr, key)) {
        return Some(written);
    }
    let of_entity = |item: &ir::Impl| {
        let path = item.trait_.map(|path| &file.paths[path.0 as usize]);
        item.module == module
            && path.and_then(|path| path.segments.last()).is_some_and(|last| last.name == "EntityName")
    };
    let function = file.functions.iter().find(|function| match function.container {
        ir::Container::Impl(index) => function.name == key && of_entity(&file.impls[index as usize]),
        _ => false,
    })?;
    function.body.as_ref()?.exprs.iter().find_map(|expr| match &expr.kind {
        ir::ExprKind::Lit(ir::Lit::Str(text)) => Some(text.to_string()),
        _ => None,
    })
}

/// Relations of an entity are fields in newer versions, and no columns.
fn is_column(field: &ir::Field, attr: &str) -> bool {
    !["ignore", "has_one", "has_many", "belongs_to"].iter().any(|word| marks::has_word(&field.attrs, attr, word))
}

fn add_names(names: &mut Names, scope: ScopeId, table: TableId, row: &DeriveRow) {
    for (name, path) in &row.adds {
        let item = match added(row, name, path) {
            Added::Table => Item::Table(table),
            Added::Columns => Item::ColumnEnum(table),
            Added::Record => Item::Record(table),
            Added::Other => continue,
        };
        // Written out, the same names are structs and enums with derives of their own.
        names.replace(scope, Symbol::new(name), item);
    }
}

enum Added {
    Table,
    Columns,
    Record,
    Other,
}

/// What a type that a derive adds is: the column enum is named by the row, the others tell by the trait that models give them.
fn added(row: &DeriveRow, name: &str, path: &str) -> Added {
    let last = path.rsplit("::").next().unwrap_or(path);
    match last {
        _ if row.columns.as_deref() == Some(name) => Added::Columns,
        _ if last.contains("ActiveModel") => Added::Record,
        _ if last.contains("Entity") => Added::Table,
        _ if last.contains("PrimaryKey") => Added::Columns,
        _ => Added::Other,
    }
}

/// `total_plays` → `TotalPlays`.
fn upper_camel(name: &str) -> String {
    let mut text = String::new();
    for part in name.split('_') {
        let mut chars = part.chars();
        text.extend(chars.next().into_iter().flat_map(char::to_uppercase));
        text.push_str(chars.as_str());
    }
    text
}

/// `NewMember` → `new_member`.
pub(super) fn snake(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.extend(c.to_lowercase());
    }
    text
}

/// A struct that a derive maps to a table.
struct Mapping {
    adt: AdtId,
    name: Symbol,
    table: Option<TableId>,
    span: crate::source::Span,
}

/// Structs with the names of their tables.
pub(super) struct Mapped(Vec<Mapping>);

/// Finds the tables of structs.
pub(super) fn map_structs(world: World<'_>) -> Mapped {
    let mut found = Vec::new();
    for (number, file) in (0u32..).zip(world.files) {
        for (index, item) in (0u32..).zip(&file.structs) {
            let Some(row) = mapping_row(item, world.library) else { continue };
            let attr = row.attr.as_str();
            let written = row.table_key.as_deref().and_then(|key| marks::value(&item.attrs, attr, key));
            let path = written.unwrap_or_else(|| format!("{}s", snake(item.name.as_str())));
            let names: Vec<Symbol> = path.split("::").map(Symbol::new).collect();
            let scope = ScopeId(world.tree.at(number, item.module).0);
            let table = match world.resolve(scope, &names, Ns::Type) {
                Some(Found { item: Item::TableModule(table) | Item::Table(table), .. }) => Some(table),
                _ => None,
            };
            let (adt, name) = (world.ids.structure(number, index), names[names.len() - 1]);
            found.push(Mapping { adt, name, table, span: item.span });
        }
    }
    Mapped(found)
}

impl Tables {
    /// The table of each mapped struct. Tables whose declaration is not among the sources are added by their name alone.
    pub(super) fn apply(&mut self, mapped: Mapped) -> HashMap<AdtId, TableId> {
        let mut map: HashMap<AdtId, TableId> =
            (0u32..).zip(&self.models).filter_map(|(table, model)| Some(((*model)?, TableId(table)))).collect();
        let mut by_name: HashMap<Symbol, TableId> = HashMap::new();
        for (table, def) in (0u32..).zip(&self.defs) {
            by_name.entry(def.name).or_insert(TableId(table));
        }
        for Mapping { adt, name, table, span } in mapped.0 {
            let table = table.or_else(|| by_name.get(&name).copied()).unwrap_or_else(|| {
                let def = TableDef { name, columns: vec![], keys: vec![], unique: vec![], span, complete: false };
                self.push(def, Info::default(), None)
            });
            by_name.entry(name).or_insert(table);
            map.entry(adt).or_insert(table);
        }
        map
    }
}

/// A derive that says of a struct that it is a row of some table; those without a table named need the struct's name to go by, and only writing ones do so.
fn mapping_row<'a>(item: &ir::Struct, library: &Library<'a>) -> Option<&'a DeriveRow> {
    let rows = marks::derives(&item.attrs).into_iter().filter_map(|name| library.models.derive(name.as_str()));
    let mut rows: Vec<&DeriveRow> = rows.filter(|row| row.table_key.is_some() && row.adds.is_empty()).collect();
    rows.retain(|row| {
        let key = row.table_key.as_deref().unwrap_or_default();
        row.writes || marks::value(&item.attrs, &row.attr, key).is_some()
    });
    rows.into_iter().next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_change_their_case() {
        assert_eq!(upper_camel("total_plays"), "TotalPlays");
        assert_eq!(upper_camel("id"), "Id");
        assert_eq!(snake("NewMember"), "new_member");
    }
}
