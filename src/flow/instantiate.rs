//! A call of a program function: its summary replayed with the caller's values, handles and conditions.

use std::sync::Arc as Shared;

use super::cond::{Cond, CondId, Test};
use super::event::{Access, AccessOp, Acquire, CallSite, Domain, Event, EventKind, LoopId, SqlEvent, Summary};
use super::value::{EventId, Pred, Query, Value, ValueId};
use super::walk::Walker;
use crate::intern::Map;
use crate::resolve::{AdtId, Evidence, TraitId};
use crate::sql::Kind;

/// Calls deeper than this are not followed: chains that long are hardly worth showing.
const DEEP: usize = 6;
/// More events than this in one trace are left out.
const MANY_EVENTS: usize = 800;
/// A callee without events whose values are more than this is taken as a computation.
const MANY_VALUES: usize = 2_000;
/// A callee with more values than this, or a caller that holds so many already, is not looked into any further.
const TOO_MANY_VALUES: usize = 10_000;

/// The values, conditions and events of a callee as the caller sees them.
struct Replay<'s> {
    summary: &'s Summary,
    args: &'s [ValueId],
    values: Vec<Option<ValueId>>,
    conds: Vec<Option<CondId>>,
    /// What an event answered, where it is not an event of the caller's trace.
    answers: Map<EventId, ValueId>,
    events: Map<EventId, EventId>,
    loop_base: u32,
    spawn_base: u32,
}

impl Walker<'_> {
    /// Replays `summary`; the value is what the call gives back.
    pub fn replay(
        &mut self,
        summary: &Summary,
        args: &[ValueId],
        site: CallSite,
        evidence: Evidence,
        choice: Option<(TraitId, AdtId)>,
    ) -> ValueId {
        let large = summary.arena.len() > TOO_MANY_VALUES || self.arena.len() > TOO_MANY_VALUES;
        if large || summary.events.is_empty() && summary.arena.len() > MANY_VALUES {
            self.truncated |= large;
            return if args.is_empty() { self.arena.fresh() } else { self.arena.op("call", args.to_vec()) };
        }
        let mut replay = Replay {
            summary,
            args,
            values: vec![None; summary.arena.len()],
            conds: vec![None; summary.arena.conds.len()],
            answers: Map::default(),
            events: Map::default(),
            loop_base: self.loop_count,
            spawn_base: self.spawns,
        };
        self.loop_count += summary.loops;
        self.spawns += summary.spawns;
        for (index, event) in summary.events.iter().enumerate() {
            self.replay_event(&mut replay, EventId(index as u32), event, site, evidence, choice);
        }
        for &escaped in &summary.escapes {
            if let Some(&event) = replay.events.get(&escaped) {
                self.hold(event);
            }
        }
        for &(place, value) in &summary.out {
            let place = self.seen(&mut replay, place);
            let value = self.seen(&mut replay, value);
            if place != value {
                self.state.places.insert(place, value);
            }
        }
        match summary.ret {
            Some(ret) => self.seen(&mut replay, ret),
            None => self.arena.unit(),
        }
    }

    fn replay_event(
        &mut self,
        replay: &mut Replay,
        id: EventId,
        event: &Event,
        site: CallSite,
        evidence: Evidence,
        choice: Option<(TraitId, AdtId)>,
    ) {
        if let EventKind::Invoke { callee, args } = &event.kind {
            self.replay_invoke(replay, id, event, *callee, args, site);
            return;
        }
        let cond = self.cond_seen(replay, event.cond);
        let too_deep = self.through.len() + 1 + event.path.len() > DEEP || self.events.len() > MANY_EVENTS;
        if too_deep || self.arena.cond(cond) == &Cond::False {
            self.truncated |= too_deep;
            return;
        }
        let Some(kind) = self.kind_seen(replay, &event.kind) else {
            if let EventKind::Access(access) = &event.kind {
                let answer = self.answer_computed(replay, access);
                replay.answers.extend(answer.map(|answer| (id, answer)));
            }
            return;
        };
        match &kind {
            EventKind::Commit(value) | EventKind::Rollback(value) | EventKind::Release(value) => self.release(*value),
            _ => {}
        }
        // A task holds nothing of what its starter holds.
        let mut held: Vec<EventId> = match event.context.spawned {
            0 => self.state.held.iter().map(|held| held.event).collect(),
            _ => Vec::new(),
        };
        held.extend(event.held.iter().filter_map(|held| replay.events.get(held).copied()));
        let mut loops = self.loop_ids.clone();
        loops.extend(event.loops.iter().map(|of| LoopId { number: of.number + replay.loop_base, bounded: of.bounded }));
        let mut context = event.context;
        if context.spawned != 0 {
            context.spawned += replay.spawn_base;
        } else {
            context.spawned = self.context.spawned;
        }
        if context.condition_of != 0 {
            context.condition_of += replay.loop_base;
        }
        context.later |= self.context.later;
        context.unsure |= self.context.unsure;
        let mut path = self.through.to_vec();
        path.push(site);
        path.extend(event.path.iter().copied());
        let cond = self.arena.then(self.state.path, cond);
        let mut levels: Vec<CondId> = self.through.iter().map(|_| self.state.path).collect();
        levels.push(self.state.path);
        for level in event.levels.iter() {
            let level = self.cond_seen(replay, *level);
            levels.push(self.arena.then(self.state.path, level));
        }
        let replayed = self.push_event(Event {
            kind,
            span: event.span,
            path: path.into(),
            origin: event.origin,
            cond,
            levels: levels.into(),
            held: held.into(),
            loops: loops.into(),
            context,
            evidence: event.evidence.min(evidence),
            choice: event.choice.or(choice),
        });
        replay.events.insert(id, replayed);
    }

    /// The callee calls something that it was given: here it is known what.
    fn replay_invoke(
        &mut self,
        replay: &mut Replay,
        id: EventId,
        event: &Event,
        callee: ValueId,
        args: &[ValueId],
        site: CallSite,
    ) {
        let callee = self.seen(replay, callee);
        let args: Vec<ValueId> = args.iter().map(|arg| self.seen(replay, *arg)).collect();
        let cond = self.cond_seen(replay, event.cond);
        if self.arena.cond(cond) == &Cond::False {
            return;
        }
        let before = (self.state.path, self.state.held.clone(), self.through.clone(), self.loop_ids.len());
        self.state.path = self.arena.then(before.0, cond);
        for held in event.held.iter().filter_map(|held| replay.events.get(held).copied()) {
            self.state.held.push(super::state::Held { event: held, owner: super::state::Owner::Elsewhere, file: None });
        }
        self.loop_ids
            .extend(event.loops.iter().map(|of| LoopId { number: of.number + replay.loop_base, bounded: of.bounded }));
        let spawned = self.context.spawned;
        if event.context.spawned != 0 {
            self.context.spawned = event.context.spawned + replay.spawn_base;
        }
        let answer = match self.arena.get(callee).clone() {
            Value::Closure(closure) => self.run_closure(closure, args),
            Value::Function(function) => {
                let inner = CallSite { caller: self.id, callee: function, span: site.span };
                match self.summaries.get(function) {
                    Some(summary) => self.replay(&summary, &args, inner, Evidence::Inferred, None),
                    None => self.arena.fresh(),
                }
            }
            _ => {
                let mut path = self.through.to_vec();
                path.push(site);
                let through = std::mem::replace(&mut self.through, path.into());
                let pushed = self.push(EventKind::Invoke { callee, args }, event.span, event.evidence);
                self.through = through;
                self.arena.add(Value::Outcome(pushed))
            }
        };
        self.context.spawned = spawned;
        self.loop_ids.truncate(before.3);
        self.state.held.retain(|held| before.1.iter().any(|old| old.event == held.event));
        self.through = before.2;
        if !self.state.dead {
            self.state.path = before.0;
        }
        self.state.dead = false;
        self.state.path = before.0;
        replay.answers.insert(id, answer);
    }

    fn kind_seen(&mut self, replay: &mut Replay, kind: &EventKind) -> Option<EventKind> {
        Some(match kind {
            EventKind::Sql(sql) => EventKind::Sql(self.sql_seen(replay, sql)),
            EventKind::Access(access) => EventKind::Access(self.access_seen(replay, access)?),
            EventKind::Acquire(acquire) => {
                EventKind::Acquire(Acquire { lock: self.seen(replay, acquire.lock), ..acquire.clone() })
            }
            EventKind::Release(value) => EventKind::Release(self.seen(replay, *value)),
            EventKind::Begin { on, isolation, savepoint } => EventKind::Begin {
                on: on.map(|on| self.seen(replay, on)),
                isolation: *isolation,
                savepoint: *savepoint,
            },
            EventKind::Commit(value) => EventKind::Commit(self.seen(replay, *value)),
            EventKind::Rollback(value) => EventKind::Rollback(self.seen(replay, *value)),
            EventKind::Isolation { on, level } => EventKind::Isolation { on: self.seen(replay, *on), level: *level },
            EventKind::External { what, args } => {
                let args = args.iter().map(|arg| self.seen(replay, *arg)).collect();
                EventKind::External { what: *what, args }
            }
            EventKind::Assert(value) => EventKind::Assert(self.seen(replay, *value)),
            EventKind::Spawn { number } => EventKind::Spawn { number: number + replay.spawn_base },
            EventKind::Sleep => EventKind::Sleep,
            EventKind::Wait(value) => EventKind::Wait(self.seen(replay, *value)),
            EventKind::Concurrent => EventKind::Concurrent,
            EventKind::Invoke { .. } => return None,
        })
    }

    fn sql_seen(&mut self, replay: &mut Replay, sql: &SqlEvent) -> SqlEvent {
        let mut seen = SqlEvent {
            statement: sql.statement.clone(),
            text: sql.text,
            args: sql.args.iter().map(|arg| arg.map(|arg| self.seen(replay, arg))).collect(),
            executor: sql.executor.map(|executor| self.seen(replay, executor)),
            result: sql.result,
            whole: sql.whole.map(|whole| self.seen(replay, whole)),
        };
        if seen.statement.kind == Kind::Unknown
            && let Some(whole) = seen.whole
            && let Some(query) = self.query_of(whole)
        {
            // A statement that a wrapper was given brings what it was bound to.
            if seen.args.is_empty() {
                seen.args = query.args;
            }
            seen.statement = Shared::new(query.statement);
            seen.executor = seen.executor.or(query.executor);
            seen.whole = query.whole;
        }
        self.settle_whole(&mut seen);
        seen
    }

    /// A row that was passed in is seen field by field once the caller's record is known.
    fn settle_whole(&mut self, sql: &mut SqlEvent) {
        let Some(whole) = sql.whole.filter(|whole| matches!(self.arena.get(*whole), Value::Record { .. })) else {
            return;
        };
        if !sql.statement.effective().is_write() || sql.statement.kind == Kind::Unknown {
            return;
        }
        let mut query = Query {
            statement: (*sql.statement).clone(),
            args: std::mem::take(&mut sql.args),
            executor: sql.executor,
            text: sql.text,
            whole: None,
        };
        self.set_values(&mut query, whole);
        sql.statement = Shared::new(query.statement);
        sql.args = query.args;
        sql.whole = query.whole;
    }

    /// A plain place is an event only while something that others may reach could be behind it.
    fn access_seen(&mut self, replay: &mut Replay, access: &Access) -> Option<Access> {
        let place = self.seen(replay, access.place);
        if access.domain == Domain::Plain && !self.reachable(place) {
            return None;
        }
        Some(Access {
            place,
            key: access.key.map(|key| self.seen(replay, key)),
            value: access.value.map(|value| self.seen(replay, value)),
            target: access.target.map(|target| self.seen(replay, target)),
            ..access.clone()
        })
    }

    /// What is read of something that only this call has is computed from it.
    fn answer_computed(&mut self, replay: &mut Replay, access: &Access) -> Option<ValueId> {
        if !matches!(access.op, AccessOp::Read | AccessOp::Probe) {
            return None;
        }
        let mut parts = vec![self.seen(replay, access.place)];
        parts.extend(access.key.map(|key| self.seen(replay, key)));
        Some(self.arena.op(access.name.as_str(), parts))
    }

    fn cond_seen(&mut self, replay: &mut Replay, id: CondId) -> CondId {
        if let Some(known) = replay.conds[id.0 as usize] {
            return known;
        }
        let seen = match replay.summary.arena.cond(id).clone() {
            Cond::True => self.arena.always(),
            Cond::False => self.arena.never(),
            Cond::Test { value, test, negated } => {
                let value = self.seen(replay, value);
                let test = match test {
                    Test::Compare(op, other) => Test::Compare(op, self.seen(replay, other)),
                    other => other,
                };
                let cond = match test {
                    Test::True => self.arena.truth(value),
                    test => self.arena.test(value, test),
                };
                if negated { self.arena.not(cond) } else { cond }
            }
            Cond::And(parts) => {
                let parts = parts.into_iter().map(|part| self.cond_seen(replay, part)).collect();
                self.arena.and(parts)
            }
            Cond::Or(parts) => {
                let parts = parts.into_iter().map(|part| self.cond_seen(replay, part)).collect();
                self.arena.or(parts)
            }
            Cond::Then(path, next) => {
                let path = self.cond_seen(replay, path);
                let next = self.cond_seen(replay, next);
                self.arena.then(path, next)
            }
        };
        replay.conds[id.0 as usize] = Some(seen);
        seen
    }

    /// A value of the callee, as the caller sees it.
    fn seen(&mut self, replay: &mut Replay, id: ValueId) -> ValueId {
        if let Some(known) = replay.values[id.0 as usize] {
            return known;
        }
        let value = replay.summary.arena.get(id).clone();
        let seen = self.seen_value(replay, value);
        let seen = self.read_place(seen);
        self.arena.types.copy(seen, &replay.summary.arena.types, id);
        // An event that is still to come may give an answer later: only what is settled is kept.
        replay.values[id.0 as usize] = Some(seen);
        seen
    }

    fn seen_value(&mut self, replay: &mut Replay, value: Value) -> ValueId {
        let all = |walker: &mut Self, replay: &mut Replay, list: Vec<ValueId>| -> Vec<ValueId> {
            list.into_iter().map(|v| walker.seen(replay, v)).collect()
        };
        let value = match value {
            Value::Unknown(_) | Value::Closure(_) => return self.arena.fresh(),
            Value::Param(n) => return replay.args.get(n as usize).copied().unwrap_or_else(|| self.arena.fresh()),
            Value::Static(_)
            | Value::Lit(_)
            | Value::Const(_)
            | Value::Table(_)
            | Value::Column(..)
            | Value::Function(_)
            | Value::Flags(_) => value,
            Value::Field(base, name) => {
                let base = self.seen(replay, base);
                return self.arena.field(base, name);
            }
            Value::Element(of) => Value::Element(self.seen(replay, of)),
            Value::Outcome(event) => return self.answer(replay, event, Value::Outcome),
            Value::Guard(event) => return self.answer(replay, event, Value::Guard),
            Value::Content(of) => {
                let of = self.seen(replay, of);
                return self.content(of);
            }
            Value::Op(name, args) => Value::Op(name, all(self, replay, args)),
            Value::Record { name, fields, base } => Value::Record {
                name,
                fields: fields.into_iter().map(|(n, v)| (n, self.seen(replay, v))).collect(),
                base: base.map(|base| self.seen(replay, base)),
            },
            Value::Wrap(name, inner) => Value::Wrap(name, self.seen(replay, inner)),
            Value::Phi(arms) => {
                let arms: Vec<_> = arms.into_iter().map(|(cond, v)| (self.cond_seen(replay, cond), v)).collect();
                let arms =
                    arms.into_iter().filter(|(cond, _)| self.arena.cond(*cond) != &Cond::False).collect::<Vec<_>>();
                let arms = arms.into_iter().map(|(cond, v)| (cond, self.seen(replay, v))).collect();
                return self.arena.phi(arms);
            }
            Value::Query(query) => {
                let query = Query {
                    statement: query.statement.clone(),
                    args: query.args.iter().map(|arg| arg.map(|arg| self.seen(replay, arg))).collect(),
                    executor: query.executor.map(|executor| self.seen(replay, executor)),
                    text: query.text,
                    whole: query.whole.map(|whole| self.seen(replay, whole)),
                };
                return self.settle_query(query);
            }
            Value::Pred(pred) => Value::Pred(Shared::new(match &*pred {
                Pred::Compare { table, column, op, right } => {
                    Pred::Compare { table: *table, column: *column, op: *op, right: self.seen(replay, *right) }
                }
                Pred::And(parts) => Pred::And(all(self, replay, parts.clone())),
                Pred::Or(parts) => Pred::Or(all(self, replay, parts.clone())),
            })),
            Value::Command(words) => Value::Command(all(self, replay, words)),
            Value::Entry(place, key) => Value::Entry(self.seen(replay, place), self.seen(replay, key)),
            Value::Given(of, kind) => Value::Given(self.seen(replay, of), kind),
        };
        self.arena.add(value)
    }

    fn answer(&mut self, replay: &Replay, event: EventId, make: fn(EventId) -> Value) -> ValueId {
        if let Some(&answer) = replay.answers.get(&event) {
            return answer;
        }
        match replay.events.get(&event) {
            Some(&event) => self.arena.add(make(event)),
            None => self.arena.fresh(),
        }
    }

    /// Something that more than this call may reach stands behind the value: a guard's content, a static, a parameter.
    pub fn reachable(&self, place: ValueId) -> bool {
        let mut at = place;
        for _ in 0..24 {
            match self.arena.get(at) {
                Value::Content(_) | Value::Static(_) | Value::Param(_) => return true,
                Value::Field(base, _) | Value::Element(base) | Value::Entry(base, _) | Value::Given(base, _) => {
                    at = *base
                }
                Value::Record { base: Some(base), .. } => at = *base,
                Value::Outcome(event) => match &self.events[event.0 as usize].kind {
                    EventKind::Access(access) => at = access.place,
                    _ => return false,
                },
                _ => return false,
            }
        }
        false
    }
}
