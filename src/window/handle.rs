//! Handles: which transaction, connection or pool a statement ran on.

use super::View;
use crate::flow::event::{Event, EventKind};
use crate::flow::value::{EventId, Value, ValueId};
use crate::models::row::TypeRole;
use crate::resolve::Ty;
use crate::sql::Isolation;

/// What a statement runs in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tx {
    /// Each statement by itself, on a pool or a connection on which nothing was begun.
    Auto,
    /// A transaction that was begun in the trace.
    Begun(EventId),
    /// A value that is a transaction by its type; begun by somebody else.
    Given(ValueId),
    /// A connection or executor that the caller gave: it may or may not be in a transaction.
    Maybe(ValueId),
    Unknown,
}

impl Tx {
    /// It is one for sure.
    pub fn is_open(self) -> bool {
        matches!(self, Tx::Begun(_) | Tx::Given(_))
    }
}

impl View<'_> {
    pub fn tx(&self, id: EventId) -> Tx {
        let event = self.event(id);
        let EventKind::Sql(sql) = &event.kind else { return Tx::Unknown };
        match sql.executor {
            Some(executor) => self.tx_of(event, executor),
            None => Tx::Unknown,
        }
    }

    pub fn tx_of(&self, event: &Event, executor: ValueId) -> Tx {
        let handle = self.strip(executor);
        if let Some(begun) = self.begin_on(event, handle) {
            return Tx::Begun(begun);
        }
        match self.trace.arena.get(handle) {
            Value::Outcome(begin) if self.is_begin(*begin) => Tx::Begun(*begin),
            Value::Phi(arms) => {
                arms.iter().map(|(_, arm)| self.tx_of(event, *arm)).find(|tx| *tx != Tx::Unknown).unwrap_or(Tx::Unknown)
            }
            Value::Op(name, _) if *name == "connection" => Tx::Auto,
            Value::Record { fields, base, .. } => {
                let inner = fields.iter().map(|(_, v)| *v).chain(*base).find(|v| self.is_handle(*v));
                inner.map_or(Tx::Unknown, |inner| self.tx_of(event, inner))
            }
            _ => match self.role(handle) {
                Some(TypeRole::Transaction) => Tx::Given(handle),
                Some(TypeRole::Pool) => Tx::Auto,
                Some(TypeRole::Connection) => self.connection(handle),
                Some(TypeRole::Executor) => Tx::Maybe(handle),
                _ => Tx::Unknown,
            },
        }
    }

    /// A connection that is a parameter may be in its caller's transaction; one that was opened or is owned here is not.
    fn connection(&self, handle: ValueId) -> Tx {
        match self.trace.arena.get(handle) {
            Value::Param(_) => Tx::Maybe(handle),
            // A connection behind a mutex, or owned by a struct, is what its statements share.
            _ => Tx::Auto,
        }
    }

    fn is_handle(&self, value: ValueId) -> bool {
        matches!(self.trace.arena.get(value), Value::Outcome(begin) if self.is_begin(*begin))
            || matches!(
                self.role(value),
                Some(TypeRole::Transaction | TypeRole::Pool | TypeRole::Connection | TypeRole::Executor)
            )
    }

    pub fn is_begin(&self, id: EventId) -> bool {
        matches!(self.event(id).kind, EventKind::Begin { .. })
    }

    /// The value without what only passes a handle on.
    pub fn strip(&self, value: ValueId) -> ValueId {
        let mut at = value;
        for _ in 0..8 {
            at = match self.trace.arena.get(at) {
                Value::Wrap(_, inner) | Value::Content(inner) | Value::Given(inner, _) => *inner,
                Value::Guard(event) => match &self.event(*event).kind {
                    EventKind::Acquire(acquire) => acquire.lock,
                    _ => return at,
                },
                _ => return at,
            };
        }
        at
    }

    /// A transaction that was begun on the very connection that a statement names (`BEGIN` as a statement, `conn.begin()`).
    fn begin_on(&self, event: &Event, handle: ValueId) -> Option<EventId> {
        if self.role(handle) == Some(TypeRole::Pool) {
            return None;
        }
        event.held.iter().rev().copied().find(|held| match &self.event(*held).kind {
            EventKind::Begin { on: Some(on), .. } => self.strip(*on) == handle,
            _ => false,
        })
    }

    pub fn role(&self, value: ValueId) -> Option<TypeRole> {
        self.trace.arena.types.get(&value).and_then(|ty| self.role_of_type(ty))
    }

    pub fn role_of_type(&self, ty: &Ty) -> Option<TypeRole> {
        match ty {
            Ty::Ref(_, inner) | Ty::Future(inner) => self.role_of_type(inner),
            Ty::Ext(path, args) => match self.models.type_role(path.as_str()) {
                Some(TypeRole::Pointer | TypeRole::Option | TypeRole::Result | TypeRole::Guard | TypeRole::Lock) => {
                    args.first().and_then(|arg| self.role_of_type(arg))
                }
                role => role,
            },
            Ty::Bound { bounds, .. } => bounds.iter().find_map(|bound| match bound {
                crate::resolve::BoundTy::Ext(path, _) => self.models.type_role(path.as_str()),
                _ => None,
            }),
            _ => None,
        }
    }

    /// The level of the transaction that an event runs in.
    pub fn isolation(&self, id: EventId) -> Isolation {
        let Tx::Begun(begin) = self.tx(id) else { return Isolation::Default };
        let level = match &self.event(begin).kind {
            EventKind::Begin { isolation, .. } => *isolation,
            _ => Isolation::Default,
        };
        if level != Isolation::Default {
            return level;
        }
        self.events()
            .filter(|(at, _)| *at > begin && *at < id)
            .find_map(|(at, event)| match &event.kind {
                EventKind::Isolation { on, level } if self.tx_of(event, *on) == Tx::Begun(begin) => Some(*level),
                EventKind::Sql(sql) if self.tx(at) == Tx::Begun(begin) => match sql.statement.kind {
                    crate::sql::Kind::SetIsolation(level) => Some(level),
                    _ => None,
                },
                _ => None,
            })
            .unwrap_or_default()
    }
}
