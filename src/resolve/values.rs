//! What paths in expressions and patterns name: an item, something associated with a type, or something of a library.

use super::Ty;
use super::prelude::{is_primitive, known};
use super::scope::{Found, Item, Ns};
use super::types::Context;
use crate::intern::Symbol;
use crate::ir;

/// What a path in an expression or pattern names.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Item(Item),
    /// Something associated with a type or trait of the program, or with a type parameter.
    Assoc {
        owner: Ty,
        name: Symbol,
    },
    /// A library path with the type that it is associated with, if it is.
    Library {
        path: Symbol,
        owner: Ty,
    },
    Unknown,
}

impl Context<'_> {
    /// What a path in an expression or pattern names.
    pub(super) fn value(&self, path: &ir::Path) -> Value {
        let len = path.segments.len();
        let Some(last) = path.segments.last() else { return Value::Unknown };
        if path.qself.is_some() {
            return Value::Assoc { owner: self.segments_ty(path, path.trait_len as usize, 0), name: last.name };
        }
        let first = path.segments[0].name;
        if first == known().self_type || self.param(first).is_some() {
            let owner = self.segments_ty(path, len.max(2) - 1, 0);
            return if len == 1 { self.constructor(&owner) } else { self.associated(owner, last.name) };
        }
        let Some(found) = self.item(path, Ns::Value) else { return Value::Unknown };
        match found.item {
            Item::Ext(full) if found.used == len => {
                Value::Library { path: full, owner: self.library_owner(path, full) }
            }
            Item::Alias(_) if found.used == len => self.constructor(&self.segments_ty(path, len, 0)),
            item if found.used == len => Value::Item(item),
            Item::Module(_) | Item::Fn(_) | Item::Static(_) | Item::Variant(..) => Value::Unknown,
            _ => self.associated(self.segments_ty(path, len - 1, 0), last.name),
        }
    }

    /// What a path names where a type stands: in struct literals and struct patterns.
    pub(super) fn type_value(&self, path: &ir::Path) -> Value {
        let len = path.segments.len();
        let Some(last) = path.segments.last() else { return Value::Unknown };
        let first = path.segments[0].name;
        if path.qself.is_some() || first == known().self_type || self.param(first).is_some() {
            return self.value(path);
        }
        match self.item(path, Ns::Type) {
            Some(Found { item: Item::Ext(full), used }) if used == len => {
                Value::Library { path: full, owner: Ty::Unknown }
            }
            Some(Found { item: Item::Alias(_), used }) if used == len => {
                self.constructor(&self.segments_ty(path, len, 0))
            }
            Some(Found { item, used }) if used == len => Value::Item(item),
            Some(Found { item: Item::Alias(_), used }) if used + 1 == len => {
                self.associated(self.segments_ty(path, len - 1, 0), last.name)
            }
            _ => Value::Unknown,
        }
    }

    fn constructor(&self, ty: &Ty) -> Value {
        match ty {
            Ty::Adt(id, _) => Value::Item(Item::Adt(*id)),
            Ty::Table(table) => Value::Item(Item::Table(*table)),
            Ty::Record(table) => Value::Item(Item::Record(*table)),
            _ => Value::Unknown,
        }
    }

    fn associated(&self, owner: Ty, name: Symbol) -> Value {
        if let Ty::Adt(id, _) = &owner
            && self.world.is_variant(*id, name)
        {
            return Value::Item(Item::Variant(*id, name));
        }
        Value::Assoc { owner, name }
    }

    /// The type before the last segment of a library path; only naming tells a type from a module where models know neither.
    fn library_owner(&self, path: &ir::Path, full: Symbol) -> Ty {
        let Some((owner, _)) = full.as_str().rsplit_once("::") else { return Ty::Unknown };
        let last = owner.rsplit("::").next().unwrap_or_default();
        let owner = Symbol::new(owner);
        if !last.starts_with(char::is_uppercase) && self.world.library.row(owner).is_none() && !is_primitive(owner) {
            return Ty::Unknown;
        }
        let args = match path.segments.len().checked_sub(2).map(|at| &path.segments[at]) {
            Some(segment) => segment.args.iter().map(|ty| self.ty(*ty)).collect(),
            None => Vec::new(),
        };
        self.world.library.ty(owner, args)
    }
}
