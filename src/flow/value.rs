//! Values: what an expression is, symbolically, hash-consed per function.
//!
//! Two questions are kept apart. *Identity*: equal ids are the same value, seen through `&`, clone, `?`, await, unwrapping and field access.
//! *Provenance*: [`super::provenance`] tells which reads a value was computed from.

use std::hash::BuildHasher;
use std::sync::Arc;

use foldhash::fast::FixedState;
use hashbrown::HashTable;

use super::cond::{Cond, CondId};
use crate::intern::{Map, Set, Symbol};
use crate::ir::ExprId;
use crate::models::row::{Effect, Gives};
use crate::resolve::{FnId, StaticId, Ty};
use crate::sql::{self, Statement};

/// A value of one [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ValueId(pub u32);

/// An event of one trace, by its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(pub u32);

/// A statement under construction, or ready to run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Query {
    pub statement: Statement,
    /// The bound values, by parameter number; those not bound yet are absent.
    pub args: Vec<Option<ValueId>>,
    /// The handle it was prepared on.
    pub executor: Option<ValueId>,
    /// Text pushed so far, while it is built from pieces.
    pub text: Option<Symbol>,
    /// A whole row or changeset is written, whose fields could not all be told.
    pub whole: Option<ValueId>,
}

/// A condition on columns that a query builder made.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pred {
    Compare { table: Option<Symbol>, column: Symbol, op: sql::Op, right: ValueId },
    And(Vec<ValueId>),
    Or(Vec<ValueId>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Nothing is known; made at an expression (or for a reason) numbered apart.
    Unknown(u32),
    /// A parameter of the function, the receiver being 0 where there is one.
    Param(u32),
    Static(StaticId),
    /// A literal, by its text.
    Lit(Symbol),
    /// A named constant, a unit variant, a library's constant: by its path.
    Const(Symbol),
    Field(ValueId, Symbol),
    /// An element of a collection or iterator; what is inside an Option that is known only as a whole.
    Element(ValueId),
    /// What an event answered.
    Outcome(EventId),
    /// A guard or permit that an acquire event gave.
    Guard(EventId),
    /// What a guard, cell or pointer of this value gives access to.
    Content(ValueId),
    /// Computed from others: arithmetic, comparison, formatting, a call of no further interest.
    Op(Symbol, Vec<ValueId>),
    /// A struct, tuple or variant with payload: fields by name, the rest from a base.
    Record {
        name: Option<Symbol>,
        fields: Vec<(Symbol, ValueId)>,
        base: Option<ValueId>,
    },
    /// `Some(v)`, `Ok(v)`, `Err(v)`.
    Wrap(Symbol, ValueId),
    /// One of several, each under its condition.
    Phi(Vec<(CondId, ValueId)>),
    Query(Arc<Query>),
    Pred(Arc<Pred>),
    Table(Symbol),
    Column(Option<Symbol>, Symbol),
    /// A closure or async block of the same body, not run yet.
    Closure(ExprId),
    Function(FnId),
    /// Builder flags, such as those of `OpenOptions`, on a base value.
    Flags(Vec<(Symbol, bool)>),
    /// Words of a store command or group: `SET key value NX`.
    Command(Vec<ValueId>),
    /// A handle on one entry of a place, held exclusively.
    Entry(ValueId, ValueId),
    /// What a combinator hands to its closure, where nothing better is known.
    Given(ValueId, GivenKind),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GivenKind {
    Error,
    Handle,
}

/// Values and conditions of one function, with the types that are known of them.
#[derive(Clone, Debug, Default)]
pub struct Arena {
    pub(super) values: Vec<Value>,
    /// The numbers of the values, by their hash.
    ids: HashTable<u32>,
    pub(super) conds: Vec<Cond>,
    cond_ids: HashTable<u32>,
    pub types: Types,
    pub(super) memo: Memo,
    fresh: u32,
}

/// The type of a value, as first seen.
#[derive(Clone, Debug, Default)]
pub struct Types {
    known: Map<ValueId, Arc<Ty>>,
    /// All of them once nothing is added any more, by value; equal types are one.
    settled: Vec<(ValueId, Arc<Ty>)>,
}

impl Types {
    pub fn get(&self, id: &ValueId) -> Option<&Ty> {
        self.shared(id).map(|ty| &**ty)
    }

    fn shared(&self, id: &ValueId) -> Option<&Arc<Ty>> {
        match self.settled.binary_search_by_key(id, |(of, _)| *of) {
            Ok(at) => Some(&self.settled[at].1),
            Err(_) => self.known.get(id),
        }
    }

    pub fn contains_key(&self, id: &ValueId) -> bool {
        self.shared(id).is_some()
    }

    pub fn insert(&mut self, id: ValueId, ty: Ty) {
        self.known.insert(id, Arc::new(ty));
    }

    /// `id` has the type that `of` has in `other`, unless one is known.
    pub(super) fn copy(&mut self, id: ValueId, other: &Types, of: ValueId) {
        if let Some(ty) = other.shared(&of) {
            self.known.entry(id).or_insert_with(|| ty.clone());
        }
    }

    /// Ends the adding: the types of values that are kept, by their new numbers.
    pub(super) fn settle(&mut self, new: impl Fn(ValueId) -> Option<ValueId>) {
        let mut kept: Vec<(ValueId, Arc<Ty>)> =
            std::mem::take(&mut self.known).into_iter().filter_map(|(id, ty)| Some((new(id)?, ty))).collect();
        kept.sort_unstable_by_key(|(id, _)| *id);
        kept.shrink_to_fit();
        let mut each: Set<Arc<Ty>> = Set::default();
        for (_, ty) in &mut kept {
            match each.get(ty) {
                Some(same) => *ty = same.clone(),
                None => {
                    each.insert(ty.clone());
                }
            }
        }
        self.settled = kept;
    }
}

/// Answers given before, so that shared parts of conditions are looked through once.
#[derive(Clone, Debug, Default)]
pub(super) struct Memo {
    pub truths: Map<ValueId, CondId>,
    pub tests: Map<(ValueId, super::cond::Test), CondId>,
    pub nots: Map<CondId, CondId>,
}

/// Past this many conditions, tests are kept as they stand instead of being looked into.
const MANY: usize = 8_000;

impl Arena {
    /// Whether conditions may still be expanded.
    pub(super) fn roomy(&self) -> bool {
        self.conds.len() < MANY && self.values.len() < MANY
    }

    pub fn add(&mut self, value: Value) -> ValueId {
        ValueId(number(&mut self.values, &mut self.ids, value))
    }

    /// Forgets what only a walk needs: nothing is added any more.
    pub fn freeze(&mut self) {
        self.ids = HashTable::new();
        self.cond_ids = HashTable::new();
        self.memo = Memo::default();
    }

    pub fn get(&self, id: ValueId) -> &Value {
        &self.values[id.0 as usize]
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// A value of which nothing is known, unlike every other.
    pub fn fresh(&mut self) -> ValueId {
        self.fresh += 1;
        let n = self.fresh;
        self.add(Value::Unknown(n))
    }

    pub fn add_cond(&mut self, cond: Cond) -> CondId {
        CondId(number(&mut self.conds, &mut self.cond_ids, cond))
    }

    pub fn cond(&self, id: CondId) -> &Cond {
        &self.conds[id.0 as usize]
    }

    pub fn lit(&mut self, text: &str) -> ValueId {
        self.add(Value::Lit(Symbol::new(text)))
    }

    pub fn op(&mut self, name: &str, args: Vec<ValueId>) -> ValueId {
        self.add(Value::Op(Symbol::new(name), args))
    }

    pub fn wrap(&mut self, variant: &str, value: ValueId) -> ValueId {
        self.add(Value::Wrap(Symbol::new(variant), value))
    }

    pub fn none(&mut self) -> ValueId {
        self.add(Value::Const(Symbol::new("None")))
    }

    pub fn unit(&mut self) -> ValueId {
        self.add(Value::Record { name: None, fields: Vec::new(), base: None })
    }

    /// `base.name`, looked up where the base is known to that depth.
    pub fn field(&mut self, base: ValueId, name: Symbol) -> ValueId {
        match self.get(base).clone() {
            Value::Record { fields, base: rest, .. } => {
                if let Some((_, value)) = fields.iter().find(|(n, _)| *n == name) {
                    return *value;
                }
                if let Some(rest) = rest {
                    return self.field(rest, name);
                }
            }
            Value::Phi(arms) if arms.len() <= 4 => {
                let picked: Vec<_> = arms.iter().map(|&(cond, v)| (cond, self.field(v, name))).collect();
                return self.phi(picked);
            }
            _ => {}
        }
        self.add(Value::Field(base, name))
    }

    /// `base` with one field replaced.
    pub fn with_field(&mut self, base: ValueId, name: Symbol, value: ValueId) -> ValueId {
        match self.get(base).clone() {
            Value::Record { name: of, mut fields, base: rest } => {
                match fields.iter_mut().find(|(n, _)| *n == name) {
                    Some((_, old)) => *old = value,
                    None => fields.push((name, value)),
                }
                self.add(Value::Record { name: of, fields, base: rest })
            }
            _ => self.add(Value::Record { name: None, fields: vec![(name, value)], base: Some(base) }),
        }
    }

    /// One of `arms`; a single value where they agree.
    pub fn phi(&mut self, mut arms: Vec<(CondId, ValueId)>) -> ValueId {
        if let Some(&(_, first)) = arms.first()
            && arms.iter().all(|&(_, v)| v == first)
        {
            return first;
        }
        if arms.len() > 12 {
            // Beyond what anyone would follow by hand: keep where it comes from, forget when.
            let parts = arms.drain(..).map(|(_, v)| v).collect();
            return self.op("one of", parts);
        }
        if arms.is_empty() {
            return self.fresh();
        }
        self.add(Value::Phi(arms))
    }

    /// The fields, by struct and name, of records made here in which one of these values stands.
    pub fn fields_that_hold(&self, wanted: &[ValueId]) -> Vec<(Symbol, Symbol)> {
        let mut out = Vec::new();
        for value in &self.values {
            if let Value::Record { name: Some(of), fields, .. } = value {
                out.extend(fields.iter().filter(|(_, held)| wanted.contains(held)).map(|(field, _)| (*of, *field)));
            }
        }
        out
    }

    pub fn as_lit(&self, id: ValueId) -> Option<Symbol> {
        match self.get(id) {
            Value::Lit(text) => Some(*text),
            _ => None,
        }
    }
}

/// The place of `item` in `list`, where it is added if it is new.
fn number<T: Eq + std::hash::Hash>(list: &mut Vec<T>, ids: &mut HashTable<u32>, item: T) -> u32 {
    let hasher = FixedState::default();
    let hash = hasher.hash_one(&item);
    if let Some(&id) = ids.find(hash, |&id| list[id as usize] == item) {
        return id;
    }
    let id = list.len() as u32;
    list.push(item);
    ids.insert_unique(hash, id, |&id| hasher.hash_one(&list[id as usize]));
    id
}

/// What an effect does to the presence of what it touches.
pub fn adds(effect: Effect) -> bool {
    matches!(effect, Effect::Put | Effect::Create | Effect::CreateDir | Effect::Append | Effect::Copy | Effect::Link)
}

/// Whether a closure parameter stands for the error of its receiver.
pub fn is_error(gives: Gives) -> bool {
    gives == Gives::Error
}
