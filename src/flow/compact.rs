//! Compaction: at the end of a walk only what its summary reaches is kept, numbered anew in the old order.

use std::hash::Hash;
use std::sync::Arc;

use super::cond::{Cond, CondId, Test};
use super::event::{Event, EventKind, SqlEvent, Summary};
use super::value::{Arena, Pred, Query, Value, ValueId};
use crate::intern::Set;

/// A place where an id stands.
enum Slot<'s> {
    Value(&'s mut ValueId),
    Cond(&'s mut CondId),
}

type See<'f> = &'f mut dyn FnMut(Slot<'_>);

/// For each old id the new one; absent where nothing reaches it.
struct Kept {
    values: Vec<Option<ValueId>>,
    conds: Vec<Option<CondId>>,
}

impl Summary {
    /// Drops the values, conditions and types that no event, no result and no place reaches.
    pub(super) fn compact(&mut self) {
        self.arena.freeze();
        let mut marks = Marks::new(&self.arena);
        self.roots(&mut |slot| marks.add(slot));
        marks.spread(&mut self.arena);
        let kept = marks.numbered();
        self.roots(&mut |slot| kept.renumber(slot));
        self.arena.keep(&kept);
        self.share_lists();
    }

    /// Events that stand side by side mostly have their lists in common.
    fn share_lists(&mut self) {
        self.events.shrink_to_fit();
        let (mut paths, mut levels, mut held, mut loops) = Default::default();
        for event in &mut self.events {
            share(&mut paths, &mut event.path);
            share(&mut levels, &mut event.levels);
            share(&mut held, &mut event.held);
            share(&mut loops, &mut event.loops);
        }
    }

    fn roots(&mut self, see: See<'_>) {
        for event in &mut self.events {
            event_slots(event, see);
        }
        option(&mut self.ret, see);
        for (place, value) in &mut self.out {
            see(Slot::Value(place));
            see(Slot::Value(value));
        }
    }
}

impl Arena {
    fn keep(&mut self, kept: &Kept) {
        retain(&mut self.values, &kept.values);
        retain(&mut self.conds, &kept.conds);
        for value in &mut self.values {
            value_slots(value, &mut |slot| kept.renumber(slot));
        }
        for cond in &mut self.conds {
            cond_slots(cond, &mut |slot| kept.renumber(slot));
        }
        self.types.settle(|id| kept.values[id.0 as usize]);
    }
}

fn share<T: Eq + Hash>(known: &mut Set<Arc<[T]>>, list: &mut Arc<[T]>) {
    match known.get(list) {
        Some(same) => *list = same.clone(),
        None => {
            known.insert(list.clone());
        }
    }
}

fn retain<T, I>(list: &mut Vec<T>, kept: &[Option<I>]) {
    let mut keep = kept.iter().map(Option::is_some);
    list.retain(|_| keep.next().unwrap_or(false));
    list.shrink_to_fit();
}

impl Kept {
    fn renumber(&self, slot: Slot<'_>) {
        match slot {
            Slot::Value(id) => *id = self.values[id.0 as usize].expect("what is kept reaches only what is kept"),
            Slot::Cond(id) => *id = self.conds[id.0 as usize].expect("what is kept reaches only what is kept"),
        }
    }
}

/// What was reached so far, and what of it was not yet looked into.
struct Marks {
    values: Vec<bool>,
    conds: Vec<bool>,
    todo_values: Vec<ValueId>,
    todo_conds: Vec<CondId>,
}

impl Marks {
    fn new(arena: &Arena) -> Marks {
        Marks {
            values: vec![false; arena.values.len()],
            conds: vec![false; arena.conds.len()],
            todo_values: Vec::new(),
            todo_conds: Vec::new(),
        }
    }

    fn add(&mut self, slot: Slot<'_>) {
        match slot {
            Slot::Value(id) => {
                if !std::mem::replace(&mut self.values[id.0 as usize], true) {
                    self.todo_values.push(*id);
                }
            }
            Slot::Cond(id) => {
                if !std::mem::replace(&mut self.conds[id.0 as usize], true) {
                    self.todo_conds.push(*id);
                }
            }
        }
    }

    fn spread(&mut self, arena: &mut Arena) {
        loop {
            if let Some(id) = self.todo_values.pop() {
                value_slots(&mut arena.values[id.0 as usize], &mut |slot| self.add(slot));
            } else if let Some(id) = self.todo_conds.pop() {
                cond_slots(&mut arena.conds[id.0 as usize], &mut |slot| self.add(slot));
            } else {
                return;
            }
        }
    }

    fn numbered(self) -> Kept {
        Kept { values: number(&self.values, ValueId), conds: number(&self.conds, CondId) }
    }
}

fn number<I>(marks: &[bool], id: fn(u32) -> I) -> Vec<Option<I>> {
    let mut next = 0;
    marks
        .iter()
        .map(|marked| {
            marked.then(|| {
                next += 1;
                id(next - 1)
            })
        })
        .collect()
}

fn option(of: &mut Option<ValueId>, see: See<'_>) {
    if let Some(id) = of {
        see(Slot::Value(id));
    }
}

fn all<'v>(ids: impl IntoIterator<Item = &'v mut ValueId>, see: See<'_>) {
    for id in ids {
        see(Slot::Value(id));
    }
}

fn value_slots(value: &mut Value, see: See<'_>) {
    match value {
        Value::Unknown(_)
        | Value::Param(_)
        | Value::Static(_)
        | Value::Lit(_)
        | Value::Const(_)
        | Value::Outcome(_)
        | Value::Guard(_)
        | Value::Table(_)
        | Value::Column(..)
        | Value::Closure(_)
        | Value::Function(_)
        | Value::Flags(_) => {}
        Value::Field(of, _) | Value::Element(of) | Value::Content(of) | Value::Wrap(_, of) | Value::Given(of, _) => {
            see(Slot::Value(of))
        }
        Value::Op(_, args) | Value::Command(args) => all(args, see),
        Value::Record { fields, base, .. } => {
            all(fields.iter_mut().map(|(_, value)| value), see);
            option(base, see);
        }
        Value::Phi(arms) => {
            for (cond, arm) in arms {
                see(Slot::Cond(cond));
                see(Slot::Value(arm));
            }
        }
        Value::Query(query) => query_slots(Arc::make_mut(query), see),
        Value::Pred(pred) => match Arc::make_mut(pred) {
            Pred::Compare { right, .. } => see(Slot::Value(right)),
            Pred::And(parts) | Pred::Or(parts) => all(parts, see),
        },
        Value::Entry(place, key) => {
            see(Slot::Value(place));
            see(Slot::Value(key));
        }
    }
}

fn query_slots(query: &mut Query, see: See<'_>) {
    all(query.args.iter_mut().flatten(), see);
    option(&mut query.executor, see);
    option(&mut query.whole, see);
}

fn cond_slots(cond: &mut Cond, see: See<'_>) {
    match cond {
        Cond::True | Cond::False => {}
        Cond::Test { value, test, .. } => {
            see(Slot::Value(value));
            if let Test::Compare(_, other) = test {
                see(Slot::Value(other));
            }
        }
        Cond::And(parts) | Cond::Or(parts) => {
            for part in parts {
                see(Slot::Cond(part));
            }
        }
        Cond::Then(path, next) => {
            see(Slot::Cond(path));
            see(Slot::Cond(next));
        }
    }
}

fn event_slots(event: &mut Event, see: See<'_>) {
    see(Slot::Cond(&mut event.cond));
    for level in Arc::make_mut(&mut event.levels) {
        see(Slot::Cond(level));
    }
    match &mut event.kind {
        EventKind::Sql(sql) => sql_slots(sql, see),
        EventKind::Access(access) => {
            see(Slot::Value(&mut access.place));
            for of in [&mut access.key, &mut access.value, &mut access.target] {
                option(of, see);
            }
        }
        EventKind::Acquire(acquire) => see(Slot::Value(&mut acquire.lock)),
        EventKind::Release(of)
        | EventKind::Commit(of)
        | EventKind::Rollback(of)
        | EventKind::Assert(of)
        | EventKind::Wait(of) => see(Slot::Value(of)),
        EventKind::Begin { on, .. } => option(on, see),
        EventKind::Isolation { on, .. } => see(Slot::Value(on)),
        EventKind::External { args, .. } => all(args, see),
        EventKind::Invoke { callee, args } => {
            see(Slot::Value(callee));
            all(args, see);
        }
        EventKind::Sleep | EventKind::Spawn { .. } | EventKind::Concurrent => {}
    }
}

fn sql_slots(sql: &mut SqlEvent, see: See<'_>) {
    all(sql.args.iter_mut().flatten(), see);
    option(&mut sql.executor, see);
    option(&mut sql.whole, see);
}
