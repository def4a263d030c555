//! What the variants of an enum of names stand for in the database: `Users::Table`, `Users::FirstName`.

use super::{AdtId, Program};
use crate::intern::Symbol;
use crate::ir::Attr;

impl Program {
    /// The table where the variant is called `Table`, else a column; `#[iden = "…"]` on either says otherwise.
    pub fn named_by_variant(&self, adt: AdtId, variant: Symbol) -> Symbol {
        let place = self.adt(adt).place;
        let item = &self.files[place.file as usize].enums[place.index as usize];
        let own = item.variants.iter().find(|known| known.name == variant).and_then(|known| written(&known.attrs));
        own.unwrap_or_else(|| match variant.as_str() {
            "Table" => self.named_by_type(adt),
            name => Symbol::new(&super::tables::snake(name)),
        })
    }

    /// What a type of its own for one name stands for.
    pub fn named_by_type(&self, adt: AdtId) -> Symbol {
        let name = self.adt(adt).name;
        written(self.attrs_of(adt)).unwrap_or_else(|| Symbol::new(&super::tables::snake(name.as_str())))
    }

    /// The last segments of what the type derives.
    pub fn derives(&self, adt: AdtId) -> impl Iterator<Item = &'static str> {
        let derives = self.attrs_of(adt).iter().filter(|attr| attr.path == "derive");
        derives
            .flat_map(|attr| attr.tokens.as_str().split(','))
            .map(|path| path.rsplit("::").next().unwrap_or(path).trim())
    }

    fn attrs_of(&self, adt: AdtId) -> &[Attr] {
        let def = self.adt(adt);
        let file = &self.files[def.place.file as usize];
        let place = def.place.index as usize;
        if def.is_enum { &file.enums[place].attrs } else { &file.structs[place].attrs }
    }
}

/// The name that `#[iden = "…"]`, `#[iden(rename = "…")]` or `#[sea_orm(iden = "…")]` gives.
fn written(attrs: &[Attr]) -> Option<Symbol> {
    let mut said = attrs.iter().filter(|attr| attr.path == "iden" || attr.path == "sea_orm");
    said.find_map(|attr| {
        let tokens = attr.tokens.as_str();
        let named = attr.path == "iden" || tokens.contains("iden");
        tokens.split('"').nth(1).filter(|name| named && !name.is_empty()).map(Symbol::new)
    })
}
