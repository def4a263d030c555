//! Windows on places: memory behind locks, concurrent maps, atomics, slots, channels, keys of stores, paths on disk.

use super::View;
use super::decision::{Decider, Question};
use super::key::Relation;
use crate::flow::event::{Access, AccessOp, Domain, Event, EventKind};
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Set;
use crate::intern::Symbol;
use crate::models::row::{Effect, Mode, TypeRole};
use crate::resolve::{AdtId, Evidence, Ty};
use crate::rule::Confidence;

/// A check and an act on one place.
#[derive(Clone, Debug)]
pub struct PlaceWindow {
    /// What was read: an access, or the acquire of the guard through which it was seen.
    pub check: EventId,
    pub act: EventId,
    pub domain: Domain,
    pub deciders: Vec<Decider>,
    /// What is written was computed from what was read.
    pub data: bool,
    pub relation: Relation,
    /// For places behind a lock: the acquire of the check and that of the act.
    pub locks: Option<(EventId, EventId)>,
    pub confidence: Confidence,
}

impl PlaceWindow {
    pub fn decides(&self, question: impl Fn(Question) -> bool) -> bool {
        self.deciders.iter().any(|d| question(d.question))
    }

    pub fn absent(&self) -> bool {
        self.decides(|q| q == Question::Presence { absent: true })
    }
}

/// What was replaced was somebody else's: the act mends that in a second step. Where nothing was, the entry is the caller's own.
fn puts_back(deciders: &[Decider]) -> bool {
    deciders.iter().any(|d| d.question == Question::Presence { absent: false } && d.atom.strong)
}

impl View<'_> {
    pub fn access(&self, id: EventId) -> Option<&Access> {
        match &self.event(id).kind {
            EventKind::Access(access) => Some(access),
            _ => None,
        }
    }

    /// All pairs on places, for acts that change something or assume something.
    pub fn place_windows(&self) -> Vec<PlaceWindow> {
        let mut out = Vec::new();
        for (id, _) in self.events() {
            out.extend(self.place_windows_at(id));
        }
        out
    }

    /// The access to a concurrent map that gave the entry which is written in place.
    fn entry_behind(&self, access: &Access) -> Option<EventId> {
        if access.domain != Domain::Plain || access.op != AccessOp::Write {
            return None;
        }
        let mut at = access.place;
        for _ in 0..12 {
            at = match self.trace.arena.get(at) {
                Value::Content(inner) | Value::Field(inner, _) | Value::Element(inner) | Value::Wrap(_, inner) => {
                    *inner
                }
                Value::Outcome(event) => {
                    let entry = self.access(*event)?;
                    return (entry.domain == Domain::Map && entry.op == AccessOp::Read).then_some(*event);
                }
                _ => return None,
            };
        }
        None
    }

    /// An entry that is looked up to be changed in place is the act; an earlier look at the same one, the check. What decides once more what the entry holds,
    /// or whether it is there where nothing more was asked, looks again.
    fn entry_windows(&self, act: EventId, entry: EventId) -> Vec<PlaceWindow> {
        let Some(access) = self.access(entry) else { return Vec::new() };
        let again: Vec<Decider> = self.deciders(act).of(entry).collect();
        let data = self.access(act).map(|access| self.data_touches(act, access)).unwrap_or_default();
        // A place that is changed by what it held is looked up once, though its value is asked for and set.
        let earlier = |check: EventId| check < entry && self.event(check).span != self.event(entry).span;
        let windows = self.windows_on(act, access, data).into_iter().filter(|window| earlier(window.check));
        let asks =
            |deciders: &[Decider]| deciders.iter().any(|d| matches!(d.question, Question::Content | Question::Amount));
        windows.filter(|window| !asks(&again) && (again.is_empty() || asks(&window.deciders) || window.data)).collect()
    }

    /// Those of one act.
    pub fn place_windows_at(&self, id: EventId) -> Vec<PlaceWindow> {
        let Some(access) = self.access(id) else { return Vec::new() };
        let relies = access.op == AccessOp::Read && (access.domain == Domain::File || access.asserted);
        if !relies && !matches!(access.op, AccessOp::Write | AccessOp::Use | AccessOp::Atomic) {
            return Vec::new();
        }
        if let Some(entry) = self.entry_behind(access) {
            return self.entry_windows(id, entry);
        }
        match access.domain {
            Domain::Plain => self.guarded_windows(id, access),
            _ => self.open_windows(id, access),
        }
    }

    /// What was read before an access for the value that goes with it.
    fn data_touches(&self, id: EventId, access: &Access) -> Vec<EventId> {
        let Some(value) = access.value else { return Vec::new() };
        let touches = self.touches(value);
        touches.iter().filter(|touch| !touch.control && touch.event < id).map(|touch| touch.event).collect()
    }

    /// Checks and acts under two acquisitions of one lock.
    fn guarded_windows(&self, act: EventId, access: &Access) -> Vec<PlaceWindow> {
        let Some(mine) = self.guard_of(access.place) else { return Vec::new() };
        let Some(lock) = self.lock_of(mine) else { return Vec::new() };
        let deciders = self.deciders(act);
        let data = self.data_touches(act, access);
        let mut out: Vec<PlaceWindow> = Vec::new();
        // What was seen under another guard on the same lock that is held no more.
        let earlier = |event: EventId| {
            self.acquire_behind(event).filter(|theirs| {
                let same = || self.lock_of(*theirs).is_some_and(|other| self.same_value(other, lock) == Relation::Same);
                *theirs != mine && same() && !self.event(act).held.contains(theirs)
            })
        };
        let mut seen = Set::default();
        let mut looked: Vec<EventId> = deciders
            .among(|event| earlier(event).is_some())
            .filter(|d| d.question != Question::Failure)
            .map(|d| d.event)
            .chain(data.iter().copied())
            .filter(|event| seen.insert(*event))
            .collect();
        // A read of an entry says more of what was checked than the guard that it was made under.
        looked.sort_by_key(|event| self.access(*event).is_none_or(|read| self.key_of(read).is_none()));
        for check in looked {
            let Some(theirs) = earlier(check) else { continue };
            if out.iter().any(|w| w.locks == Some((theirs, mine))) {
                continue;
            }
            let own: Vec<Decider> = deciders.among(|event| self.acquire_behind(event) == Some(theirs)).collect();
            let relation = self.access(check).map_or(Relation::Unknown, |read| self.same_entry(read, access));
            let is_data = data.iter().any(|event| self.acquire_behind(*event) == Some(theirs));
            let elsewhere =
                relation == Relation::Different || relation == Relation::Unknown && self.looks_itself(check, act);
            if elsewhere || !self.may_follow(check, act) {
                continue;
            }
            out.push(PlaceWindow {
                check,
                act,
                domain: Domain::Plain,
                deciders: own,
                data: is_data,
                relation,
                locks: Some((theirs, mine)),
                confidence: self.access_confidence(check, act),
            });
        }
        out
    }

    /// A call nearer to the act has such a check of its own: the one before it was made for something else.
    fn looks_itself(&self, check: EventId, act: EventId) -> bool {
        let (c, a) = (self.event(check), self.event(act));
        let shared = self.common(c, a).len();
        let nearer = |event: &Event| event.origin == c.origin && self.common(event, a).len() > shared;
        self.events().take(act.0 as usize).any(|(_, event)| nearer(event))
    }

    fn same_entry(&self, read: &Access, write: &Access) -> Relation {
        match (self.key_of(read), self.key_of(write)) {
            (Some(a), Some(b)) => self.same_value(a, b),
            _ => Relation::Unknown,
        }
    }

    /// The key of an access, or of the entry that it is made on.
    fn key_of(&self, access: &Access) -> Option<ValueId> {
        access.key.or(match self.trace.arena.get(access.place) {
            Value::Entry(_, key) => Some(*key),
            _ => None,
        })
    }

    /// The guard through which a place is reached.
    pub fn guard_of(&self, place: ValueId) -> Option<EventId> {
        let mut at = place;
        for _ in 0..24 {
            at = match self.trace.arena.get(at) {
                Value::Content(inner)
                | Value::Field(inner, _)
                | Value::Element(inner)
                | Value::Wrap(_, inner)
                | Value::Entry(inner, _)
                | Value::Given(inner, _) => *inner,
                Value::Record { base: Some(base), .. } => *base,
                Value::Guard(event) => return Some(*event),
                Value::Outcome(event) => match &self.event(*event).kind {
                    EventKind::Access(access) => access.place,
                    _ => return None,
                },
                _ => return None,
            };
        }
        None
    }

    /// The field, of a struct of the program, that a place is or stands in: the nearest one, through guards.
    pub fn owner_of(&self, place: ValueId) -> Option<(AdtId, Symbol)> {
        let mut at = place;
        for _ in 0..24 {
            at = match self.trace.arena.get(at) {
                Value::Field(base, name) => match self.struct_of(*base) {
                    Some(adt) => return Some((adt, *name)),
                    None => *base,
                },
                Value::Content(inner) | Value::Element(inner) | Value::Wrap(_, inner) | Value::Entry(inner, _) => {
                    *inner
                }
                Value::Guard(event) => self.lock_of(*event)?,
                Value::Outcome(event) => self.access(*event)?.place,
                _ => return None,
            };
        }
        None
    }

    /// The struct that a value is, behind references, pointers and guards.
    fn struct_of(&self, value: ValueId) -> Option<AdtId> {
        let mut ty = self.trace.arena.types.get(&value)?;
        loop {
            ty = match ty {
                Ty::Adt(adt, _) => return Some(*adt),
                Ty::Ref(_, inner) => inner,
                Ty::Ext(path, args) if self.models.type_role(path.as_str()).is_some() => args.first()?,
                _ => return None,
            };
        }
    }

    /// The parameter or static that a place is reached from, through guards too.
    pub fn root_of(&self, place: ValueId) -> Option<ValueId> {
        let mut at = place;
        for _ in 0..24 {
            at = match self.trace.arena.get(at) {
                Value::Param(_) | Value::Static(_) => return Some(at),
                Value::Field(inner, _)
                | Value::Content(inner)
                | Value::Element(inner)
                | Value::Wrap(_, inner)
                | Value::Entry(inner, _) => *inner,
                Value::Guard(event) => self.lock_of(*event)?,
                Value::Outcome(event) => self.access(*event)?.place,
                _ => return None,
            };
        }
        None
    }

    /// A clone of the value is the same thing, as far as its type is known.
    pub fn is_shared(&self, value: ValueId) -> bool {
        let mut ty = self.trace.arena.types.get(&self.strip(value));
        while let Some(Ty::Ref(_, inner)) = ty {
            ty = Some(inner);
        }
        let Some(Ty::Ext(path, _)) = ty else { return true };
        self.models.type_by_path(path.as_str()).is_none_or(|row| self.models.types[row as usize].shared)
    }

    pub fn lock_of(&self, acquire: EventId) -> Option<ValueId> {
        match &self.event(acquire).kind {
            EventKind::Acquire(acquire) => Some(acquire.lock),
            _ => None,
        }
    }

    /// The acquire under which something was read: the event itself, or the guard that its place is behind.
    pub fn acquire_behind(&self, id: EventId) -> Option<EventId> {
        match &self.event(id).kind {
            EventKind::Acquire(_) => Some(id),
            EventKind::Access(access) if access.domain == Domain::Plain => self.guard_of(access.place),
            _ => None,
        }
    }

    /// Checks on the very place that the act touches.
    fn open_windows(&self, act: EventId, access: &Access) -> Vec<PlaceWindow> {
        self.windows_on(act, access, self.data_touches(act, access))
    }

    /// The windows of an act on the place of `access`, whose value was computed from what `data` answered.
    fn windows_on(&self, act: EventId, access: &Access, data: Vec<EventId>) -> Vec<PlaceWindow> {
        let deciders = self.deciders(act);
        let mut out = Vec::new();
        // Only what decides or was read for the value can be a check.
        let mut checks: Vec<EventId> = deciders.events().iter().chain(&data).copied().collect();
        checks.sort();
        checks.dedup();
        for check in checks {
            let event = self.event(check);
            let EventKind::Access(read) = &event.kind else { continue };
            if read.domain != access.domain || !self.tells(read, event) {
                continue;
            }
            let relation = self.same_place(read, access);
            if relation != Relation::Same || !self.may_follow(check, act) {
                continue;
            }
            // After branches that meet again, what a path probe said decides nothing any more.
            let counts = |d: &Decider| {
                let one_way = access.domain != Domain::File || d.atom.strong || read.op == AccessOp::Read;
                one_way || self.asks_alike(self.event(act).cond, check, d.question, 8)
            };
            let own: Vec<Decider> = deciders.of(check).filter(counts).collect();
            let is_data = data.contains(&check);
            if own.iter().all(|d| d.question == Question::Failure && access.domain != Domain::File) && !is_data {
                continue;
            }
            if own.is_empty() && !is_data || read.op == AccessOp::Write && !puts_back(&own) {
                continue;
            }
            out.push(PlaceWindow {
                check,
                act,
                domain: access.domain,
                deciders: own,
                data: is_data,
                relation,
                locks: None,
                confidence: self.access_confidence(check, act),
            });
        }
        out
    }

    /// The answer of the access tells something of the place.
    fn tells(&self, access: &Access, _event: &Event) -> bool {
        match access.op {
            AccessOp::Read | AccessOp::Probe => true,
            AccessOp::Atomic => access.domain == Domain::Store,
            AccessOp::Use => access.domain == Domain::File && access.effect == Some(Effect::Open),
            // What stood there before, told by the write that replaced it.
            AccessOp::Write => access.domain == Domain::Map && access.effect == Some(Effect::Put),
        }
    }

    fn same_place(&self, read: &Access, write: &Access) -> Relation {
        if write.domain == Domain::Store {
            return self.same_item(read, write);
        }
        let target =
            write.target.filter(|_| matches!(write.effect, Some(Effect::Rename | Effect::Copy | Effect::Link)));
        let places = [Some(write.place), target];
        // What two transactions of a store reach is one thing only under one key.
        let keyed = || read.key.zip(write.key).is_some_and(|(a, b)| self.same_value(a, b) == Relation::Same);
        let same = |place| match self.parts_of_one_store(read.place, place) && keyed() {
            true => Relation::Same,
            false => self.same_value(read.place, place),
        };
        let best = places.into_iter().flatten().map(same).max();
        if best != Some(Relation::Same) {
            return best.unwrap_or(Relation::Unknown);
        }
        match (read.key, write.key) {
            (Some(a), Some(b)) => match self.same_value(a, b) {
                Relation::Different => Relation::Different,
                _ => Relation::Same,
            },
            _ => Relation::Same,
        }
    }

    /// A part of a store that two of its transactions reach.
    fn parts_of_one_store(&self, a: ValueId, b: ValueId) -> bool {
        let part = |value: ValueId| match self.trace.arena.get(self.strip(value)) {
            // A part whose name is not known is no other part's equal.
            Value::Field(of, name) if *name != "part" => Some((self.begun_on(*of)?, *name)),
            _ => None,
        };
        match (part(a), part(b)) {
            (Some((store, name)), Some((other, its))) => name == its && self.same_value(store, other) == Relation::Same,
            _ => false,
        }
    }

    /// What a transaction was opened on.
    fn begun_on(&self, handle: ValueId) -> Option<ValueId> {
        let Value::Outcome(begin) = self.trace.arena.get(self.strip(handle)) else { return None };
        match &self.event(*begin).kind {
            EventKind::Begin { on, .. } => *on,
            _ => None,
        }
    }

    fn access_confidence(&self, check: EventId, act: EventId) -> Confidence {
        let evidence = self.event(check).evidence.min(self.event(act).evidence);
        if evidence <= Evidence::UniqueName { Confidence::Medium } else { Confidence::High }
    }

    /// A transaction of the store encloses the check and the act: what others wrote meanwhile makes it fail.
    pub fn in_one_transaction(&self, check: EventId, act: EventId) -> bool {
        let held = &self.event(act).held;
        let before = &self.event(check).held;
        // What the act begins for itself sees what was written since the check.
        let own = held.iter().any(|begun| self.begins_anew(*begun) && !before.contains(begun));
        let enclosed = !own && before.iter().any(|begun| self.is_begin(*begun) && held.contains(begun));
        let grouped = self.access(act).is_some_and(|act| self.is_grouped(act));
        enclosed || grouped && self.is_watched(check)
    }

    fn begins_anew(&self, begun: EventId) -> bool {
        matches!(&self.event(begun).kind, EventKind::Begin { savepoint: false, .. })
    }

    /// The connection that a read runs on watches keys.
    fn is_watched(&self, read: EventId) -> bool {
        let Some(place) = self.access(read).map(|access| access.place) else { return false };
        self.events().take(read.0 as usize).any(|(_, event)| match &event.kind {
            EventKind::Begin { on: Some(on), .. } => self.same_value(*on, place) == Relation::Same,
            _ => false,
        })
    }

    /// The access waits in a group that runs as one.
    pub fn is_grouped(&self, access: &Access) -> bool {
        self.role(access.place) == Some(TypeRole::Group)
    }

    /// Between the check and the act, a guard on the same thing is held all along.
    pub fn guarded_all_along(&self, check: EventId, act: EventId) -> bool {
        self.event(check).held.iter().any(|held| {
            self.event(act).held.contains(held)
                && match &self.event(*held).kind {
                    EventKind::Acquire(acquire) => acquire.mode != Mode::Shared,
                    _ => false,
                }
        })
    }

    /// What is put where nothing was is a value like any other that is computed for its key: whoever comes last changes nothing. A value that things share by
    /// identity (a lock, a channel, a counter) is not, nor is one of which the caller learns that it was the first. The function that sees both ends knows.
    pub fn is_memo(&self, window: &PlaceWindow) -> bool {
        let Some(act) = self.access(window.act) else { return false };
        let own = self.common(self.event(window.check), self.event(window.act)).is_empty();
        if !own || window.data || !window.absent() || !matches!(act.effect, Some(Effect::Put | Effect::Update)) {
            return false;
        }
        if self.tells_who_was_first(&window.deciders) {
            return false;
        }
        let Some(value) = act.value else { return false };
        // Made from other shared state, it depends on when it was made.
        let from_state = self
            .touches(value)
            .iter()
            .any(|touch| self.access(touch.event).is_some_and(|access| access.domain.in_memory()));
        let ty = self.trace.arena.types.get(&value);
        !from_state
            && self.is_made_for(value, act.key)
            && ty.is_some_and(|ty| self.is_plain(ty, 5))
            && !self.mentions_identity(value, 8)
    }

    /// Every input of the value but the receiver's own is an input of the key: any other request for the key makes the same.
    fn is_made_for(&self, value: ValueId, key: Option<ValueId>) -> bool {
        let keyed = key.map(|key| self.inputs(key)).unwrap_or_default();
        let receiver = self.program.source(self.function).receiver.is_some();
        self.inputs(value).into_iter().all(|input| {
            let root = self.input_root(input);
            let own = receiver && root == Some(0);
            own || root.is_none()
                || keyed.iter().any(|known| self.stands_below(input, *known) || self.input_root(*known) == root)
        })
    }

    /// The parameter that an input is, or is part of.
    fn input_root(&self, input: ValueId) -> Option<u32> {
        let mut at = input;
        for _ in 0..12 {
            at = match self.trace.arena.get(at) {
                Value::Param(n) => return Some(*n),
                Value::Field(base, _) | Value::Element(base) | Value::Content(base) => *base,
                _ => return None,
            };
        }
        None
    }

    /// Nothing in the type is shared by identity, as far as it is known whole.
    fn is_plain(&self, ty: &Ty, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        match ty {
            Ty::Ref(_, inner) | Ty::Slice(inner) => self.is_plain(inner, depth - 1),
            Ty::Tuple(parts) => parts.iter().all(|part| self.is_plain(part, depth - 1)),
            Ty::Ext(path, args) => {
                use TypeRole::*;
                let role = self.models.type_role(path.as_str());
                let shared = matches!(
                    role,
                    Some(
                        Lock | Atomic
                            | Channel
                            | Slot
                            | Cell
                            | ConcurrentMap
                            | Semaphore
                            | Guard
                            | Permit
                            | Pool
                            | Connection
                            | Transaction
                    )
                );
                !shared && args.iter().all(|arg| self.is_plain(arg, depth - 1))
            }
            Ty::Adt(adt, _) => {
                let def = self.program.adt(*adt);
                let fields = def.fields.iter().chain(def.variants.iter().flat_map(|(_, fields)| fields));
                fields.into_iter().all(|(_, ty)| self.is_plain(ty, depth - 1))
            }
            _ => false,
        }
    }

    /// The value is made of a new lock, channel, counter.
    fn mentions_identity(&self, value: ValueId, depth: u32) -> bool {
        if depth == 0 {
            return false;
        }
        if self.trace.arena.types.get(&value).is_some_and(|ty| matches!(ty, Ty::Ext(..)) && !self.is_plain(ty, 4)) {
            return true;
        }
        match self.trace.arena.get(value) {
            Value::Op(_, args) => args.iter().any(|arg| self.mentions_identity(*arg, depth - 1)),
            Value::Record { fields, .. } => fields.iter().any(|(_, field)| self.mentions_identity(*field, depth - 1)),
            Value::Wrap(_, inner) => self.mentions_identity(*inner, depth - 1),
            _ => false,
        }
    }
}
