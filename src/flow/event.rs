//! Events: what a function does to shared state, in order, with what was known and held at the time; and the summary its callers need.

use std::sync::Arc;

use super::cond::CondId;
use super::value::{Arena, EventId, ValueId};
use crate::intern::Symbol;
use crate::models::row::{Effect, Mode, Outcome, TypeRole};
use crate::resolve::{AdtId, Evidence, FnId, TraitId};
use crate::source::Span;
use crate::sql::{Isolation, Kind, Statement};

/// One call on the way from the function at hand to an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallSite {
    pub caller: FnId,
    pub callee: FnId,
    pub span: Span,
}

/// Calls from the outermost to the innermost; shared by the events of one callee.
pub type CallPath = Arc<[CallSite]>;

#[derive(Clone, Debug)]
pub struct Event {
    pub kind: EventKind,
    /// From the first token of the call chain to its end.
    pub span: Span,
    /// Empty for events of the function itself.
    pub path: CallPath,
    /// The function whose body it stands in, and a number that tells its events apart.
    pub origin: (FnId, u32),
    /// What holds when it happens.
    pub cond: CondId,
    /// What held at each call of `path`.
    pub levels: Arc<[CondId]>,
    /// Guards and transactions that are open.
    pub held: Arc<[EventId]>,
    /// Loops around it, outermost first, by number; an odd bit says nothing of their kind.
    pub loops: Arc<[LoopId]>,
    pub context: Context,
    pub evidence: Evidence,
    /// The implementation that a trait call chose.
    pub choice: Option<(TraitId, AdtId)>,
}

/// A loop of the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LoopId {
    pub number: u32,
    /// It runs over something, or counts: it ends by itself.
    pub bounded: bool,
}

/// Where an event runs relative to the function's own thread of control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Context {
    /// In something spawned: the n-th spawn of the trace, from 1.
    pub spawned: u32,
    /// In a closure of which it is not known when it runs.
    pub later: bool,
    /// It is part of the condition of this loop.
    pub condition_of: u32,
    /// The future it belongs to was not awaited where it was made.
    pub unsure: bool,
}

#[derive(Clone, Debug)]
pub enum EventKind {
    Sql(SqlEvent),
    Access(Access),
    Acquire(Acquire),
    Release(ValueId),
    Begin {
        on: Option<ValueId>,
        isolation: Isolation,
        savepoint: bool,
    },
    Commit(ValueId),
    Rollback(ValueId),
    Isolation {
        on: ValueId,
        level: Isolation,
    },
    External {
        what: Symbol,
        args: Vec<ValueId>,
    },
    Sleep,
    /// Something of which nothing is known is awaited; what awaiting it gave.
    Wait(ValueId),
    Spawn {
        number: u32,
    },
    /// A parameter of the function is called.
    Invoke {
        callee: ValueId,
        args: Vec<ValueId>,
    },
    /// An `assert!` on a value, in tests.
    Assert(ValueId),
    /// Several things at once: `join_all`, a barrier.
    Concurrent,
}

#[derive(Clone, Debug)]
pub struct SqlEvent {
    pub statement: Arc<Statement>,
    /// The text, where it was written as one.
    pub text: Option<Symbol>,
    /// By parameter number.
    pub args: Vec<Option<ValueId>>,
    pub executor: Option<ValueId>,
    pub result: Outcome,
    /// A whole row that is written, whose fields could not be told apart.
    pub whole: Option<ValueId>,
}

/// An access to a place in memory, a key of a store, or a path on disk.
#[derive(Clone, Debug)]
pub struct Access {
    pub domain: Domain,
    pub op: AccessOp,
    pub place: ValueId,
    pub key: Option<ValueId>,
    pub value: Option<ValueId>,
    pub target: Option<ValueId>,
    pub effect: Option<Effect>,
    pub mode: Option<Mode>,
    pub result: Option<Outcome>,
    pub conditional: bool,
    pub expires: bool,
    pub attempt: bool,
    /// Losing panics (`unwrap`, `expect`): nobody reckons with it.
    pub asserted: bool,
    /// The method or command, for messages and for what only some of them do.
    pub name: Symbol,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessOp {
    Read,
    Write,
    Atomic,
    Probe,
    Use,
}

/// What kind of place it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Domain {
    /// A plain field or collection; shared only through what guards it.
    Plain,
    Map,
    Atomic,
    Slot,
    Cell,
    Channel,
    Pointer,
    Semaphore,
    Store,
    EmbeddedStore,
    File,
}

impl Domain {
    pub fn of(role: Option<TypeRole>) -> Domain {
        match role {
            Some(TypeRole::ConcurrentMap | TypeRole::Entry) => Domain::Map,
            Some(TypeRole::Atomic) => Domain::Atomic,
            Some(TypeRole::Slot) => Domain::Slot,
            Some(TypeRole::Cell) => Domain::Cell,
            Some(TypeRole::Channel) => Domain::Channel,
            Some(TypeRole::Pointer) => Domain::Pointer,
            Some(TypeRole::Semaphore | TypeRole::Lock) => Domain::Semaphore,
            Some(TypeRole::Store | TypeRole::Group) => Domain::Store,
            Some(TypeRole::EmbeddedStore) => Domain::EmbeddedStore,
            Some(TypeRole::File | TypeRole::FileOptions | TypeRole::Path) => Domain::File,
            _ => Domain::Plain,
        }
    }

    /// Memory of this process.
    pub fn in_memory(self) -> bool {
        !matches!(self, Domain::Store | Domain::EmbeddedStore | Domain::File)
    }
}

#[derive(Clone, Debug)]
pub struct Acquire {
    pub lock: ValueId,
    pub mode: Mode,
    pub attempt: bool,
    /// Not getting it panics (`unwrap`, `expect`).
    pub asserted: bool,
    /// Taken with a closure or a guard that lives on; what it is for messages.
    pub name: Symbol,
    /// Waits asynchronously (`tokio::sync`).
    pub role: Option<TypeRole>,
}

/// What a caller must know of a function.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    pub arena: Arena,
    pub events: Vec<Event>,
    /// What it gives back.
    pub ret: Option<ValueId>,
    /// What stands afterwards in places that the caller can see, by the value that names the place.
    pub out: Vec<(ValueId, ValueId)>,
    /// Guards that live on in what it gives back.
    pub escapes: Vec<EventId>,
    /// How many loops and spawns its trace numbers.
    pub loops: u32,
    pub spawns: u32,
    /// The parameters that it hands to something spawned, which awaits them there.
    pub tasks: Vec<u32>,
    /// What handlers that it registers answer to those who ask. Its callers do not see that.
    pub told: Vec<ValueId>,
    /// Events were left out because there were too many.
    pub truncated: bool,
}

/// The DDL that the program runs from strings of its own, with the places where it does.
pub fn inline_ddl(summaries: &[Option<Arc<Summary>>]) -> Vec<(Span, &'static str)> {
    let mut out = Vec::new();
    for event in summaries.iter().flatten().flat_map(|summary| &summary.events).filter(|event| event.path.is_empty()) {
        if let EventKind::Sql(SqlEvent { statement, text: Some(text), .. }) = &event.kind
            && statement.walk().any(|part| part.kind == Kind::Ddl)
        {
            out.push((event.span, text.as_str()));
        }
    }
    out
}
