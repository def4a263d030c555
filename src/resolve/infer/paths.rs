//! Paths as values: functions, statics, variants, columns; and struct literals.

use std::sync::Arc;

use super::super::prelude::known;
use super::super::scope::Item;
use super::super::ty::{Subst, join, unify};
use super::super::values::Value;
use super::super::{AdtId, BoundTy, Def, Evidence, StaticId, Ty};
use super::{Infer, LibraryFn};
use crate::intern::Symbol;
use crate::ir::{ExprId, PathRef, StaticKind};

impl Infer<'_> {
    /// A path that is no local.
    pub(super) fn path(&mut self, id: ExprId, path: PathRef, expected: &Ty) -> Ty {
        let written = self.cx.path(path);
        let mut value = self.cx.value(written);
        if matches!(value, Value::Unknown) {
            // `query_as!(Row, …)` and the like pass a type where a value stands.
            value = self.cx.type_value(written);
        }
        let def = self.def_of(&value);
        self.define(id, def);
        let ty = self.value_ty(id, &value, def, expected);
        self.set(id, ty, Evidence::Declared)
    }

    /// What a value is, in the words of the contract.
    pub(super) fn def_of(&self, value: &Value) -> Def {
        match value {
            Value::Item(Item::Fn(id)) => Def::Fn(*id),
            Value::Item(Item::Static(id)) => Def::Static(*id),
            Value::Item(Item::Variant(id, name)) => Def::Variant(*id, *name),
            Value::Item(Item::Adt(id)) => Def::Adt(*id),
            Value::Item(Item::Table(table) | Item::TableModule(table)) => Def::Table(*table),
            Value::Item(Item::Column(table, name)) => Def::Column(*table, *name),
            Value::Library { path, .. } => Def::Ext(self.ix.world.library.canonical_function(*path)),
            Value::Assoc { owner, name } => self.associated_def(owner, *name),
            Value::Item(_) | Value::Unknown => Def::Unknown,
        }
    }

    fn associated_def(&self, owner: &Ty, name: Symbol) -> Def {
        if let Some(id) = self.ix.impls.constant(owner, name) {
            return Def::Static(id);
        }
        match self.associated(owner, name).as_slice() {
            [only] => Def::Fn(*only),
            _ => Def::Unknown,
        }
    }

    fn value_ty(&mut self, id: ExprId, value: &Value, def: Def, expected: &Ty) -> Ty {
        match (value, def) {
            (_, Def::Fn(function)) => Ty::Fn(function),
            (_, Def::Static(of)) => self.static_ty(of),
            (_, Def::Table(table)) => Ty::Table(table),
            (_, Def::Column(table, name)) => Ty::Column(table, name),
            (Value::Item(Item::Record(table)), _) => Ty::Record(*table),
            (_, Def::Variant(adt, name)) => {
                let def = &self.ix.defs.adts[adt.0 as usize];
                let fields = def.variants.iter().find(|(known, _)| *known == name).map(|(_, fields)| fields.clone());
                self.constructor(adt, &fields.unwrap_or_default(), expected)
            }
            (_, Def::Adt(adt)) => {
                let def = &self.ix.defs.adts[adt.0 as usize];
                let tuple = def.fields.iter().all(|(name, _)| name.as_str().starts_with(|c: char| c.is_ascii_digit()));
                let fields = if tuple { def.fields.clone() } else { Vec::new() };
                self.constructor(adt, &fields, expected)
            }
            (Value::Library { path, owner }, _) => {
                self.library_fns.insert(id, LibraryFn { path: *path, owner: owner.clone() });
                self.library_value(*path, owner, expected)
            }
            _ => Ty::Unknown,
        }
    }

    fn static_ty(&self, id: StaticId) -> Ty {
        let def = &self.ix.defs.statics[id.0 as usize];
        match def.kind {
            StaticKind::ThreadLocal => Ty::ext(known().local_key, vec![def.ty.clone()]),
            StaticKind::TaskLocal => Ty::ext(known().task_local_key, vec![def.ty.clone()]),
            StaticKind::Static | StaticKind::Const => def.ty.clone(),
        }
    }

    /// A unit struct or variant is a value of its type, one with fields a function to it.
    fn constructor(&self, adt: AdtId, fields: &[(Symbol, Ty)], expected: &Ty) -> Ty {
        let ty = self.cx.adt_ty(adt, Vec::new());
        if fields.is_empty() {
            return join(&ty, expected.unref());
        }
        let params = fields.iter().map(|(_, ty)| ty.clone()).collect();
        Ty::Bound { name: None, bounds: Arc::from([BoundTy::Fn(params, Arc::new(ty))]) }
    }

    /// A variant or const of a library type is taken for a value of that type.
    fn library_value(&self, path: Symbol, owner: &Ty, expected: &Ty) -> Ty {
        let k = known();
        if path == k.none {
            return join(&Ty::ext(k.option, vec![Ty::Unknown]), expected.unref());
        }
        let name = super::super::index::last(path);
        if owner.is_known() && name.starts_with(char::is_uppercase) {
            return owner.clone();
        }
        // A unit struct, or a type that stands where a value does.
        match self.ix.world.library.row(self.ix.world.library.canonical(path)) {
            Some(_) if name.starts_with(char::is_uppercase) => self.ix.world.library.ty(path, Vec::new()),
            _ => Ty::Unknown,
        }
    }

    pub(super) fn struct_literal(
        &mut self,
        id: ExprId,
        path: PathRef,
        fields: &[(Symbol, ExprId)],
        base: Option<ExprId>,
        expected: &Ty,
    ) -> Ty {
        let written = self.cx.path(path);
        let value = self.cx.type_value(written);
        let def = self.def_of(&value);
        self.define(id, def);
        let (mut ty, declared) = self.literal_fields(&value, path);
        ty = join(&ty, if expected.is_known() { expected.unref() } else { &Ty::Unknown });
        let mut subst = Subst::default();
        for (name, value) in fields {
            let wanted = declared.iter().find(|(known, _)| known == name).map(|(_, ty)| ty.clone()).unwrap_or_default();
            let found = self.expr(*value, &wanted);
            unify(&wanted, &found, &mut subst);
        }
        if let Ty::Adt(adt, args) = &ty {
            let names = &self.ix.defs.adts[adt.0 as usize].generics;
            let told = names
                .iter()
                .zip(args.iter())
                .map(|(name, known)| subst.get(*name).map_or_else(|| known.clone(), |found| join(known, found)));
            ty = Ty::Adt(*adt, told.collect());
        }
        if let Some(base) = base {
            let found = self.expr(base, &ty);
            ty = join(&ty, &found);
        }
        self.set(id, ty, Evidence::Declared)
    }

    /// The type of a struct literal and the declared types of its fields.
    fn literal_fields(&self, value: &Value, path: PathRef) -> (Ty, Vec<(Symbol, Ty)>) {
        match value {
            Value::Item(Item::Variant(adt, name)) => {
                let def = &self.ix.defs.adts[adt.0 as usize];
                let variant = def.variants.iter().find(|(known, _)| known == name);
                (self.cx.adt_ty(*adt, Vec::new()), variant.map(|(_, fields)| fields.clone()).unwrap_or_default())
            }
            Value::Item(Item::Adt(adt)) => (self.cx.path_ty(path), self.ix.defs.adts[adt.0 as usize].fields.clone()),
            Value::Item(Item::Record(table)) => (Ty::Record(*table), Vec::new()),
            _ => (self.cx.path_ty(path), Vec::new()),
        }
    }
}
