//! Windows: check → decision → act on one subject, in each trace; whether something closes them; and which rule speaks of them.
//!
//! A pair is judged in every trace in which it can be seen, because a helper may be racy under one caller and safe under another. It belongs to the
//! innermost function in which both events are seen, and is reported there once.

pub mod access;
pub mod asked;
pub mod database;
pub mod decision;
pub mod handle;
pub mod item;
pub mod key;
pub mod outcome;
pub mod protect;
pub mod touch;

use std::cell::RefCell;
use std::sync::Arc;

use crate::flow::cond::Atom;
use crate::flow::event::{CallSite, Event, EventKind, SqlEvent, Summary};
use crate::flow::value::{EventId, ValueId};
use crate::models::Models;
use crate::resolve::{FnId, Program};
use crate::source::Span;
use asked::Asked;
use touch::{Touch, Touches};

/// One trace with what is needed to judge it.
pub struct View<'v> {
    pub program: &'v Program,
    pub models: &'v Models,
    pub function: FnId,
    pub trace: &'v Summary,
    touches: RefCell<Touches<'v>>,
    asked: Asked,
}

impl<'v> View<'v> {
    pub fn new(program: &'v Program, models: &'v Models, function: FnId, trace: &'v Summary) -> Self {
        View {
            program,
            models,
            function,
            trace,
            touches: RefCell::new(Touches::new(program, trace)),
            asked: Asked::default(),
        }
    }

    /// Lets go of what was worked out; it is worked out again for whoever asks.
    pub fn forget(&mut self) {
        *self = View::new(self.program, self.models, self.function, self.trace);
    }

    pub fn event(&self, id: EventId) -> &'v Event {
        &self.trace.events[id.0 as usize]
    }

    pub fn events(&self) -> impl Iterator<Item = (EventId, &'v Event)> + use<'v> {
        self.trace.events.iter().enumerate().map(|(index, event)| (EventId(index as u32), event))
    }

    pub fn sql(&self, id: EventId) -> Option<&'v SqlEvent> {
        match &self.event(id).kind {
            EventKind::Sql(sql) => Some(sql),
            _ => None,
        }
    }

    pub fn touches(&self, value: ValueId) -> Arc<[Touch]> {
        self.touches.borrow_mut().of(value)
    }

    pub fn touches_of_atom(&self, atom: &Atom) -> Vec<Touch> {
        self.touches.borrow_mut().of_atom(atom)
    }

    /// Those of one event's answer.
    pub fn touches_of_atom_at(&self, atom: &Atom, event: EventId) -> Vec<Touch> {
        self.touches.borrow_mut().of_atom_at(atom, event)
    }

    /// Where an event is seen from this function: the call that leads to it, or itself.
    pub fn seen_at(&self, id: EventId) -> Span {
        let event = self.event(id);
        event.path.first().map_or(event.span, |site| site.span)
    }

    /// Where an act is said to be: in the innermost function on the way to it that takes the decision, the call that leads on; or itself.
    pub fn decided_at(&self, act: EventId, decides: impl Fn(&decision::Decider) -> bool) -> Span {
        let event = self.event(act);
        let depth = event
            .levels
            .iter()
            .position(|level| self.deciders_of(*level, act).iter().any(|decider| decides(&decider)))
            .unwrap_or(if self.deciders(act).iter().any(|decider| decides(&decider)) { event.path.len() } else { 0 });
        event.path.get(depth).map_or(event.span, |site| site.span)
    }

    /// The calls that two events have in common on the way to them.
    pub fn common<'e>(&self, a: &'e Event, b: &Event) -> &'e [CallSite] {
        let shared = a.path.iter().zip(b.path.iter()).take_while(|(x, y)| x == y).count();
        &a.path[..shared]
    }
}
