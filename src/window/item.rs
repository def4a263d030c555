//! Items of a store that are made of named parts: a row of attributes, a document, a struct that is put as one.

use super::View;
use super::key::Relation;
use crate::flow::event::Access;
use crate::flow::value::{Value, ValueId};
use crate::intern::Symbol;
use crate::models::row::{Effect, TypeRow};
use crate::resolve::Ty;

impl View<'_> {
    /// Whether what was read of a store is what is written to it, as far as the keys tell.
    pub fn same_item(&self, read: &Access, write: &Access) -> Relation {
        let apart = self.item_set(read.place).is_some() && self.same_value(read.place, write.place) != Relation::Same;
        if apart {
            return Relation::Different;
        }
        match (read.key, write.key, write.value) {
            (Some(asked), Some(key), _) => self.same_row(asked, key),
            (Some(asked), None, Some(put)) if write.effect == Some(Effect::Create) => self.has_parts(asked, put),
            _ => Relation::Unknown,
        }
    }

    /// The store itself refuses a second item of the parts by which the first was asked for.
    pub fn is_kept_unique(&self, read: &Access, write: &Access) -> bool {
        let unique = self.item_set(write.place).and_then(|row| row.unique_part.as_deref());
        let (Some(unique), Some(asked)) = (unique, read.key) else { return false };
        write.effect == Some(Effect::Create) && self.parts(asked).iter().any(|(name, _)| name.as_str() == unique)
    }

    /// The type of a handle that stands for one set of items.
    fn item_set(&self, place: ValueId) -> Option<&TypeRow> {
        let mut ty = self.trace.arena.types.get(&self.strip(place));
        while let Some(Ty::Ref(_, inner)) = ty {
            ty = Some(inner);
        }
        let Some(Ty::Ext(path, _)) = ty else { return None };
        let row = &self.models.types[self.models.type_by_path(path.as_str())? as usize];
        row.unique_part.is_some().then_some(row)
    }

    /// Whether two keys are the same; rows of named attributes are where they agree on their table and on all attributes of the first.
    fn same_row(&self, a: ValueId, b: ValueId) -> Relation {
        let (Value::Op(f, x), Value::Op(g, y)) = (self.trace.arena.get(a), self.trace.arena.get(b)) else {
            return self.same_value(a, b);
        };
        if *f != "row" || *g != "row" {
            return self.same_value(a, b);
        }
        let (Some((table, own)), Some((other, theirs))) = (x.split_first(), y.split_first()) else {
            return Relation::Unknown;
        };
        let mut best = self.same_value(*table, *other);
        for pair in own.chunks_exact(2) {
            let same_name = |other: &&[ValueId]| self.same_value(pair[0], other[0]) == Relation::Same;
            let found = theirs.chunks_exact(2).find(same_name);
            best = best.min(found.map_or(Relation::Unknown, |other| self.same_value(pair[1], other[1])));
        }
        best
    }

    /// Whether an item that is put would have been found by what was asked for: it has all of those parts. A struct may call them by other names.
    fn has_parts(&self, asked: ValueId, put: ValueId) -> Relation {
        let own = self.parts(put);
        let held = |(name, value): &(Symbol, ValueId)| {
            let literal = self.trace.arena.as_lit(*value).is_some();
            let same = |other: &ValueId| !literal && self.same_value(*value, *other) == Relation::Same;
            match own.iter().find(|(other, _)| other == name) {
                Some((_, other)) => self.same_value(*value, *other),
                None if own.iter().any(|(_, other)| same(other)) || self.is_field_of(*value, put) => Relation::Same,
                None => Relation::Unknown,
            }
        };
        self.parts(asked).iter().map(held).min().unwrap_or(Relation::Unknown)
    }

    /// The parts of a document or struct, by name.
    fn parts(&self, item: ValueId) -> Vec<(Symbol, ValueId)> {
        let arena = &self.trace.arena;
        let pair = |entry: &ValueId| match arena.get(*entry) {
            Value::Record { fields, .. } if fields.len() == 2 => Some((arena.as_lit(fields[0].1)?, fields[1].1)),
            _ => None,
        };
        match arena.get(self.strip(item)) {
            Value::Op(_, entries) => entries.iter().filter_map(pair).collect(),
            Value::Record { fields, .. } => fields.clone(),
            _ => Vec::new(),
        }
    }

    /// The value is a field of a whole that is put as it is.
    fn is_field_of(&self, value: ValueId, whole: ValueId) -> bool {
        match self.trace.arena.get(self.strip(value)) {
            Value::Field(base, _) => self.strip(*base) == self.strip(whole),
            _ => false,
        }
    }
}
