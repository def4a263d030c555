//! Calls of libraries: what a model row says, done to the state and the trace.

use super::call::Given;
use super::cond::CondId;
use super::event::{Access, AccessOp, Acquire, Domain, EventKind};
use super::value::{EventId, GivenKind, Value, ValueId};
use super::walk::Walker;
use crate::intern::Symbol;
use crate::ir::{self, ExprId, ExprKind};
use crate::models::row::{Arg, ArgName, CallRow, Does, Effect, Gives, Mode, Outcome, Runs, TypeRole};
use crate::resolve::{Evidence, Target, Ty};
use crate::source::Span;
use crate::sql::Isolation;

/// One call of a library at hand: its row and what it was given.
pub struct ModelCall<'c> {
    pub id: ExprId,
    pub span: Span,
    pub row: &'c CallRow,
    pub name: Symbol,
    pub receiver: Option<Given>,
    pub given: &'c [Given],
    pub evidence: Evidence,
}

impl ModelCall<'_> {
    pub fn arg(&self, arg: &Option<Arg>) -> Option<ValueId> {
        match arg.as_ref()? {
            Arg::Nth(n) => self.given.get(*n).map(|(_, value)| *value),
            Arg::Named(ArgName::Receiver) => self.receiver.map(|(_, value)| value),
            Arg::Named(_) => None,
        }
    }

    pub fn arg_expr(&self, arg: &Option<Arg>) -> Option<ExprId> {
        match arg.as_ref()? {
            Arg::Nth(n) => self.given.get(*n).map(|(expr, _)| *expr),
            Arg::Named(ArgName::Receiver) => self.receiver.map(|(expr, _)| expr),
            Arg::Named(_) => None,
        }
    }

    /// The receiver, or the first argument of a function.
    pub fn subject(&self) -> Option<ValueId> {
        self.receiver.or_else(|| self.given.first().copied()).map(|(_, value)| value)
    }

    pub fn subject_expr(&self) -> Option<ExprId> {
        self.receiver.or_else(|| self.given.first().copied()).map(|(expr, _)| expr)
    }

    /// Everything that went in, the receiver first.
    pub fn all(&self) -> Vec<ValueId> {
        self.receiver.iter().chain(self.given).map(|(_, value)| *value).collect()
    }
}

impl Walker<'_> {
    pub fn model_call(&mut self, id: ExprId, receiver: Option<Given>, given: &[Given], target: &Target) -> ValueId {
        let models = self.models;
        let Some(row) = target.row.and_then(|row| models.calls.get(row as usize)) else { return self.arena.fresh() };
        let name = match &self.body.expr(id).kind {
            ExprKind::MethodCall { name, .. } => *name,
            ExprKind::Call { callee, .. } => match &self.body.expr(*callee).kind {
                ExprKind::Path(path) => Symbol::new(&self.path_text(*path)),
                _ => Symbol::new("call"),
            },
            ExprKind::Macro(call) => Symbol::new(&self.path_text(call.path)),
            _ => Symbol::new("call"),
        };
        // A method called by its path has its receiver as the first argument.
        let (receiver, given) = match (receiver, given.split_first()) {
            (None, Some((first, rest))) if !row.method.is_empty() && row.path.is_empty() => (Some(*first), rest),
            (receiver, _) => (receiver, given),
        };
        let call =
            ModelCall { id, span: self.body.expr(id).span, row, name, receiver, given, evidence: target.evidence };
        self.modelled(&call)
    }

    pub fn model_macro(&mut self, id: ExprId, call: &ir::MacroCall) -> ValueId {
        let given: Vec<Given> = call.args.iter().map(|arg| (*arg, self.eval(*arg))).collect();
        if self.state.dead {
            return self.arena.fresh();
        }
        let target = self.typed.targets.get(&id).cloned().unwrap_or_default();
        self.model_call(id, None, &given, &target)
    }

    fn modelled(&mut self, call: &ModelCall) -> ValueId {
        match call.row.does {
            Does::Query | Does::Predicate | Does::Operator => self.query_step(call),
            Does::Run => self.run_statement(call),
            Does::Begin => self.begin(call),
            Does::Commit => self.end_transaction(call, EventKind::Commit),
            Does::Rollback => self.end_transaction(call, EventKind::Rollback),
            Does::Transaction => self.transaction(call),
            Does::Isolation => self.isolation(call),
            Does::Setting | Does::Option => self.setting(call),
            Does::Connect => self.connect(call),
            Does::Acquire => self.acquire(call),
            Does::Release | Does::Drop => self.released(call),
            Does::Read => self.access(call, AccessOp::Read),
            Does::Write => self.access(call, AccessOp::Write),
            Does::Atomic => self.access(call, AccessOp::Atomic),
            Does::Probe => self.access(call, AccessOp::Probe),
            Does::Use => self.access(call, AccessOp::Use),
            Does::External => self.external(call),
            Does::Sleep => {
                self.push(EventKind::Sleep, call.span, call.evidence);
                self.arena.unit()
            }
            Does::Spawn => self.spawn(call),
            Does::Retry => self.retry(call),
            Does::Concurrent => {
                self.push(EventKind::Concurrent, call.span, call.evidence);
                self.run_given(call);
                self.arena.op(call.name.as_str(), call.all())
            }
            Does::Model => self.run_given(call),
            Does::Same => self.same(call),
            Does::Compute => self.computed(call),
            Does::Combinator | Does::Unwrap => self.combined(call),
            Does::Wrap => {
                let value = call.subject().unwrap_or_else(|| self.arena.unit());
                let variant = call.row.op.clone().unwrap_or_else(|| call.name.to_string());
                self.arena.wrap(&variant, value)
            }
            Does::Error => {
                let op = format!("error {}", call.row.op.as_deref().unwrap_or_default());
                let all = call.all();
                self.arena.op(&op, all)
            }
            Does::Column => self.column_of_row(call),
            Does::AtomicGroup => self.atomic_group(call),
            Does::Entry => {
                let answer = self.run_given(call);
                self.told.push(answer);
                call.subject().unwrap_or_else(|| self.arena.unit())
            }
            Does::Nothing => {
                self.run_given(call);
                call.subject().unwrap_or_else(|| self.arena.unit())
            }
        }
    }

    /// The name of a part: what the key says, or what the constant is called that it is.
    fn part_named(&self, key: ValueId) -> Symbol {
        match self.arena.get(key) {
            Value::Lit(name) | Value::Const(name) => *name,
            Value::Static(of) => Symbol::new(&self.program.static_(*of).path),
            Value::Op(_, args) => {
                args.iter().find_map(|arg| self.arena.as_lit(*arg)).unwrap_or_else(|| Symbol::new("part"))
            }
            _ => Symbol::new("part"),
        }
    }

    /// A result whose errors say that there is no row, as `Ok(Some(row))` or `Ok(None)`.
    fn or_none(&mut self, mut arms: Vec<(CondId, ValueId)>) -> ValueId {
        for (_, arm) in &mut arms {
            let given = match self.arena.get(*arm) {
                Value::Wrap(name, inner) if *name == "Ok" => {
                    let row = *inner;
                    self.arena.wrap("Some", row)
                }
                Value::Wrap(name, _) if *name == "Err" => self.arena.none(),
                _ => continue,
            };
            *arm = self.arena.wrap("Ok", given);
        }
        self.arena.phi(arms)
    }

    fn same(&mut self, call: &ModelCall) -> ValueId {
        let (value, of) = match call.arg(&call.row.value) {
            Some(value) => (value, call.arg_expr(&call.row.value)),
            None => match call.subject() {
                Some(value) => (value, call.subject_expr()),
                None => return self.computed(call),
            },
        };
        if let Some(key) = call.arg(&call.row.key) {
            let part = self.part_named(key);
            return self.arena.field(value, part);
        }
        if call.row.result == Some(Outcome::Optional)
            && let Value::Phi(arms) = self.arena.get(value).clone()
        {
            return self.or_none(arms);
        }
        if call.row.result == Some(Outcome::Affected) {
            // Asked of a handle, it is the count of the statement that ran on it last.
            let last = self.events.iter().rposition(|event| match &event.kind {
                EventKind::Sql(sql) => sql.executor == Some(value),
                _ => false,
            });
            if let Some(last) = last {
                let outcome = self.arena.add(Value::Outcome(EventId(last as u32)));
                return self.arena.op("affected", vec![outcome]);
            }
            return self.arena.op("affected", vec![value]);
        }
        match of {
            // A clone of a guard's content, or a view into it, is not the guard.
            Some(of) if self.role_of(of) == Some(TypeRole::Guard) => self.behind_guard(value, of),
            _ => value,
        }
    }

    fn computed(&mut self, call: &ModelCall) -> ValueId {
        let ran = self.run_closure_arg(call);
        if let (Some(ran), Some(Runs::Once)) = (ran, call.row.runs) {
            return ran;
        }
        let mut all = call.all();
        all.extend(ran);
        if all.is_empty() {
            return self.arena.fresh();
        }
        if let Some(result) = self.sql_literal_call(call.id, None, &all) {
            return result;
        }
        self.arena.op(call.name.as_str(), all)
    }

    fn combined(&mut self, call: &ModelCall) -> ValueId {
        let Some(receiver) = call.receiver else { return self.computed(call) };
        match self.combinator(call.id, receiver, call.name, call.given, Some(call.row)) {
            Some(value) => value,
            None => self.computed(call),
        }
    }

    /// Runs the closures that the call was given, wherever they stand; the value of the first.
    pub fn run_given(&mut self, call: &ModelCall) -> ValueId {
        let mut result = None;
        for &(_, value) in call.given {
            if let Value::Closure(closure) = *self.arena.get(value) {
                let value = self.run_closure(closure, Vec::new());
                result.get_or_insert(value);
            }
        }
        result.or(call.given.first().map(|(_, v)| *v)).unwrap_or_else(|| self.arena.unit())
    }

    /// Runs the closure that the row names, if it is one that is known here.
    pub fn run_closure_arg(&mut self, call: &ModelCall) -> Option<ValueId> {
        let closure = call.arg(&call.row.closure)?;
        let args = self.closure_args(call, None);
        Some(self.call_value(call.id, closure, args))
    }

    pub fn closure_args(&mut self, call: &ModelCall, handle: Option<ValueId>) -> Vec<ValueId> {
        let subject = call.subject();
        call.row.gives.iter().map(|gives| self.given(*gives, subject, handle)).collect()
    }

    fn given(&mut self, gives: Gives, subject: Option<ValueId>, handle: Option<ValueId>) -> ValueId {
        let Some(subject) = subject else { return handle.unwrap_or_else(|| self.arena.fresh()) };
        match gives {
            Gives::Handle => handle.unwrap_or_else(|| self.arena.add(Value::Given(subject, GivenKind::Handle))),
            Gives::Inner => self.unwrap(subject),
            Gives::Error => self.error_of(subject),
            Gives::Element => self.element(subject).0,
            Gives::Guarded => match handle {
                Some(guard) => self.content(guard),
                None => self.content(subject),
            },
            Gives::Unknown => self.arena.fresh(),
        }
    }

    fn external(&mut self, call: &ModelCall) -> ValueId {
        let args = call.all();
        let event = self.push(EventKind::External { what: call.name, args }, call.span, call.evidence);
        self.arena.add(Value::Outcome(event))
    }

    fn spawn(&mut self, call: &ModelCall) -> ValueId {
        let number = self.spawning.take().unwrap_or_else(|| self.next_spawn());
        self.push(EventKind::Spawn { number }, call.span, call.evidence);
        self.in_task(number, |walker| walker.spawned(call))
    }

    fn next_spawn(&mut self) -> u32 {
        self.spawns += 1;
        self.spawns
    }

    /// What `run` walks is a task of its own: it holds nothing of what is held here.
    fn in_task<T>(&mut self, number: u32, run: impl FnOnce(&mut Self) -> T) -> T {
        let context = self.context;
        self.context.spawned = number;
        let held = std::mem::take(&mut self.state.held);
        let result = run(self);
        self.state.held = held;
        self.context = context;
        result
    }

    /// The arguments of a call. A future that is made for a task runs there.
    pub fn arguments(&mut self, args: &[ExprId], target: &Target, receivers: usize) -> Vec<Given> {
        let models = self.models;
        let spawns =
            target.row.and_then(|row| models.calls.get(row as usize)).is_some_and(|row| row.does == Does::Spawn);
        let number = spawns.then(|| self.next_spawn());
        let given = args.iter().enumerate().map(|(index, arg)| {
            let task = number.or_else(|| self.is_task(target, index + receivers).then(|| self.next_spawn()));
            match task {
                Some(number) => (*arg, self.in_task(number, |walker| walker.eval(*arg))),
                None => (*arg, self.eval(*arg)),
            }
        });
        let given = given.collect();
        self.spawning = number;
        given
    }

    /// The function spawns the future that it is given there.
    fn is_task(&self, target: &Target, index: usize) -> bool {
        let [only] = target.functions[..] else { return false };
        self.summaries.get(only).is_some_and(|summary| summary.tasks.contains(&(index as u32)))
    }

    /// A parameter runs in a task.
    pub fn note_task(&mut self, value: ValueId) {
        if let Value::Param(n) = *self.arena.get(value)
            && !self.tasks.contains(&n)
        {
            self.tasks.push(n);
        }
    }

    /// What is spawned, walked where the context is already that of the task.
    fn spawned(&mut self, call: &ModelCall) -> ValueId {
        let closure = call.arg(&call.row.closure).or_else(|| call.given.last().map(|(_, v)| *v));
        // One task an element: the closure is given each of them, as in a loop.
        let each = call.row.gives.contains(&Gives::Element);
        let args: Vec<ValueId> = self.closure_args(call, None).into_iter().map(|arg| self.unwrap(arg)).collect();
        if each {
            self.loop_count += 1;
            self.loop_ids.push(super::event::LoopId { number: self.loop_count, bounded: true });
        }
        let value = match closure.map(|closure| (closure, self.arena.get(closure).clone())) {
            Some((_, Value::Closure(id))) => self.run_closure(id, args),
            Some((closure, Value::Function(_))) => self.call_value(call.id, closure, args),
            Some((closure, _)) => {
                self.note_task(closure);
                closure
            }
            None => self.arena.unit(),
        };
        if each {
            self.loop_ids.pop();
        }
        // Waiting for it gives what it gave; a runtime adds an error of its own, which nobody decides on.
        value
    }

    fn retry(&mut self, call: &ModelCall) -> ValueId {
        self.loop_count += 1;
        self.loop_ids.push(super::event::LoopId { number: self.loop_count, bounded: true });
        let value = self.run_closure_arg(call).unwrap_or_else(|| self.run_given(call));
        self.loop_ids.pop();
        value
    }

    // Handles.

    fn begin(&mut self, call: &ModelCall) -> ValueId {
        let on = call.arg(&call.row.resource).or_else(|| call.subject());
        let isolation = self.isolation_of(call, on);
        let savepoint = on.is_some_and(|on| self.is_transaction(on));
        let event = self.push(EventKind::Begin { on, isolation, savepoint }, call.span, call.evidence);
        self.hold(event);
        self.arena.add(Value::Outcome(event))
    }

    /// The level that the row, an option, an SQL text or the builder at hand sets.
    fn isolation_of(&mut self, call: &ModelCall, on: Option<ValueId>) -> Isolation {
        if let Some(level) = call.row.isolation {
            return level;
        }
        let text = call.arg(&call.row.sql).and_then(|sql| self.text_of(sql));
        if let Some(text) = text
            && let crate::sql::Kind::Begin(level) = crate::sql::parse(text.as_str(), crate::sql::Dialect::Unknown).kind
        {
            return level;
        }
        let options = call.arg(&call.row.options);
        [options, on].into_iter().flatten().find_map(|value| self.isolation_flag(value)).unwrap_or_default()
    }

    fn isolation_flag(&self, value: ValueId) -> Option<Isolation> {
        match self.arena.get(value) {
            Value::Flags(flags) => flags.iter().find_map(|(name, on)| {
                let level = name.as_str().strip_prefix("isolation ")?;
                if *on { level_named(level) } else { None }
            }),
            Value::Wrap(_, inner) => self.isolation_flag(*inner),
            Value::Record { fields, base, .. } => fields
                .iter()
                .find_map(|(_, field)| self.isolation_flag(*field))
                .or_else(|| base.and_then(|b| self.isolation_flag(b))),
            _ => None,
        }
    }

    pub fn is_transaction(&self, value: ValueId) -> bool {
        match self.arena.get(value) {
            Value::Outcome(event) => matches!(self.events[event.0 as usize].kind, EventKind::Begin { .. }),
            _ => self.value_role(value) == Some(TypeRole::Transaction),
        }
    }

    fn end_transaction(&mut self, call: &ModelCall, make: fn(ValueId) -> EventKind) -> ValueId {
        let Some(handle) = call.arg(&call.row.resource).or_else(|| call.subject()) else { return self.arena.fresh() };
        let event = self.push(make(handle), call.span, call.evidence);
        self.release(handle);
        self.arena.add(Value::Outcome(event))
    }

    fn transaction(&mut self, call: &ModelCall) -> ValueId {
        let on = call.arg(&call.row.resource).or_else(|| call.subject());
        let isolation = self.isolation_of(call, on);
        let savepoint = on.is_some_and(|on| self.is_transaction(on));
        let retried = call.row.runs == Some(Runs::Retried);
        if retried {
            // Each try begins anew.
            self.loop_count += 1;
            self.loop_ids.push(super::event::LoopId { number: self.loop_count, bounded: true });
        }
        let event = self.push(EventKind::Begin { on, isolation, savepoint }, call.span, call.evidence);
        self.hold(event);
        let handle = self.arena.add(Value::Outcome(event));
        let closure = call.arg(&call.row.closure).or_else(|| call.given.last().map(|(_, v)| *v));
        let args = if call.row.gives.is_empty() { vec![handle] } else { self.closure_args(call, Some(handle)) };
        let value = match closure {
            Some(closure) => self.call_value(call.id, closure, args),
            None => self.arena.fresh(),
        };
        if !self.state.dead {
            self.push(EventKind::Commit(handle), call.span, call.evidence);
        }
        self.release(handle);
        if retried {
            self.loop_ids.pop();
        }
        value
    }

    fn isolation(&mut self, call: &ModelCall) -> ValueId {
        let Some(on) = call.arg(&call.row.resource).or_else(|| call.subject()) else { return self.arena.fresh() };
        let level = call
            .row
            .isolation
            .or_else(|| call.given.iter().find_map(|(_, v)| self.isolation_flag(*v)))
            .unwrap_or_default();
        if self.is_transaction(on) {
            let event = self.push(EventKind::Isolation { on, level }, call.span, call.evidence);
            return self.arena.add(Value::Outcome(event));
        }
        let flag = self.arena.add(Value::Flags(vec![(Symbol::new(&format!("isolation {}", level_name(level))), true)]));
        self.arena.with_field(on, Symbol::new("isolation"), flag)
    }

    /// A value that says how a later call is done: flags, added to those of what it was made from.
    fn setting(&mut self, call: &ModelCall) -> ValueId {
        let mut flags: Vec<(Symbol, bool)> = Vec::new();
        for value in call.all() {
            flags.extend(self.flags_of(value));
        }
        let row = call.row;
        if let Some(op) = &row.op {
            let on = call.arg(&row.value).or_else(|| call.given.first().map(|(_, v)| *v));
            let on = on.and_then(|value| self.arena.as_lit(value)).is_none_or(|text| text != "false");
            flags.push((Symbol::new(op), on));
        }
        flags.extend(settings_of(row));
        let value = self.arena.add(Value::Flags(flags));
        // Builders by reference (`options.write(true);`) change what they are called on.
        if row.does == Does::Option
            && let Some((receiver, _)) = call.receiver
            && let ExprKind::Local(local) = self.body.expr(receiver).kind
        {
            self.state.env.insert(local, value);
        }
        value
    }

    pub fn flags_of(&self, value: ValueId) -> Vec<(Symbol, bool)> {
        match self.arena.get(value) {
            Value::Flags(flags) => flags.clone(),
            Value::Wrap(_, inner) => self.flags_of(*inner),
            _ => Vec::new(),
        }
    }

    pub fn has_flag(&self, value: Option<ValueId>, name: &str) -> bool {
        let Some(value) = value else { return false };
        self.flags_of(value).iter().rev().find(|(flag, _)| *flag == name).is_some_and(|(_, on)| *on)
    }

    fn connect(&mut self, call: &ModelCall) -> ValueId {
        let Some(pool) = call.arg(&call.row.resource).or_else(|| call.subject()) else { return self.arena.fresh() };
        // Who asks twice has two of them.
        let own = self.arena.fresh();
        self.arena.op("connection", vec![pool, own])
    }

    // Locks.

    fn acquire(&mut self, call: &ModelCall) -> ValueId {
        let Some(lock) = call.arg(&call.row.resource).or_else(|| call.subject()) else { return self.arena.fresh() };
        if matches!(self.arena.get(lock), Value::Guard(_)) {
            // An upgradable guard that is upgraded never let go.
            return lock;
        }
        let of = call.arg_expr(&call.row.resource).or_else(|| call.subject_expr());
        let role = of.and_then(|of| self.role_of(of)).filter(|role| *role != TypeRole::Pointer);
        let declared = || call.row.on.iter().find_map(|path| self.models.type_role(path));
        let acquire = Acquire {
            lock,
            mode: call.row.mode.unwrap_or(Mode::Exclusive),
            attempt: call.row.attempt,
            asserted: false,
            name: call.name,
            role: role.or_else(declared),
        };
        let event = self.push(EventKind::Acquire(acquire), call.span, call.evidence);
        self.hold(event);
        let guard = self.arena.add(Value::Guard(event));
        if call.row.closure.is_none() {
            return guard;
        }
        let args = self.closure_args(call, Some(guard));
        let value = match call.arg(&call.row.closure) {
            Some(closure) => self.call_value(call.id, closure, args),
            None => self.arena.fresh(),
        };
        self.release(guard);
        value
    }

    fn released(&mut self, call: &ModelCall) -> ValueId {
        if let Some(value) = call.arg(&call.row.resource).or_else(|| call.subject()) {
            if !matches!(call.row.does, Does::Drop) || matches!(self.arena.get(value), Value::Guard(_)) {
                self.push(EventKind::Release(value), call.span, call.evidence);
            }
            self.release(value);
        }
        self.arena.unit()
    }

    // Places.

    fn access(&mut self, call: &ModelCall, op: AccessOp) -> ValueId {
        let row = call.row;
        let Some(place) = call.arg(&row.resource).or_else(|| call.subject()) else { return self.computed(call) };
        let of = call.arg_expr(&row.resource).or_else(|| call.subject_expr());
        let place = match of {
            Some(of) => self.behind_guard(place, of),
            None => place,
        };
        let domain = self.domain(call, of, op);
        self.queue_command(call, Some(place));
        if domain == Domain::Plain && (!self.reachable(place) || self.is_own(of)) || self.edits_path(call) {
            return self.own_access(call, op, place);
        }
        let options =
            call.arg(&row.options).or(if domain == Domain::File { call.receiver.map(|(_, v)| v) } else { None });
        let on_absent = matches!(row.runs, Some(Runs::OnAbsent));
        let access = Access {
            domain,
            op,
            place,
            key: call.arg(&row.key),
            value: call.arg(&row.value),
            target: call.arg(&row.target),
            effect: row.effect,
            mode: row.mode,
            result: row.result,
            conditional: row.conditional
                || self.has_flag(options, "conditional")
                || self.has_flag(options, "create_new"),
            expires: row.expires || self.has_flag(options, "expires"),
            attempt: row.attempt,
            asserted: false,
            name: call.name,
        };
        if domain == Domain::File && row.effect == Some(Effect::Open) {
            return self.open_file(call, access, options);
        }
        let event = self.push(EventKind::Access(access), call.span, call.evidence);
        let outcome = self.arena.add(Value::Outcome(event));
        self.access_closure(call, outcome, on_absent);
        if row.effect == Some(Effect::Entry) {
            let key = call.arg(&row.key).unwrap_or(outcome);
            return self.arena.add(Value::Entry(place, key));
        }
        outcome
    }

    fn access_closure(&mut self, call: &ModelCall, outcome: ValueId, on_absent: bool) {
        let Some(closure) = call.arg(&call.row.closure) else { return };
        if !matches!(self.arena.get(closure), Value::Closure(_) | Value::Function(_)) {
            return;
        }
        let args: Vec<ValueId> = call.row.gives.iter().map(|_| self.arena.add(Value::Element(outcome))).collect();
        let path = self.state.path;
        if on_absent {
            let some = self.arena.test(outcome, super::cond::Test::Some);
            let absent = self.arena.not(some);
            self.state.path = self.arena.then(path, absent);
        }
        self.call_value(call.id, closure, args);
        self.state.path = path;
        self.state.dead = false;
    }

    /// What `OpenOptions` say: a file is made, made only if absent, or opened.
    fn open_file(&mut self, call: &ModelCall, mut access: Access, options: Option<ValueId>) -> ValueId {
        access.op = AccessOp::Use;
        if self.has_flag(options, "create_new") {
            access.op = AccessOp::Atomic;
            access.effect = Some(Effect::Create);
        } else if self.has_flag(options, "create") || self.has_flag(options, "truncate") {
            access.op = AccessOp::Write;
            access.effect = Some(Effect::Put);
        } else if self.has_flag(options, "append") || self.has_flag(options, "write") {
            access.op = AccessOp::Write;
            access.effect = Some(Effect::Update);
        }
        let event = self.push(EventKind::Access(access), call.span, call.evidence);
        self.arena.add(Value::Outcome(event))
    }

    fn domain(&self, call: &ModelCall, of: Option<ExprId>, op: AccessOp) -> Domain {
        let declared = call.row.on.iter().find_map(|path| self.models.type_role(path));
        let role = of
            .and_then(|of| self.role_of(of))
            .filter(|role| !matches!(role, TypeRole::Guard | TypeRole::Option | TypeRole::Result));
        let domain = Domain::of(role);
        let declared = Domain::of(declared);
        if call.receiver.is_none() && declared == Domain::Plain && domain == Domain::Plain {
            // Functions on places that are not collections of this process act on paths.
            let file = call.row.path.iter().any(|path| path.contains("fs::") || path.contains("::net::"));
            return if file { Domain::File } else { Domain::Plain };
        }
        let _ = op;
        if call.receiver.is_none() && call.row.path.iter().any(|path| path.contains("fs")) {
            return Domain::File;
        }
        if declared == Domain::Plain { domain } else { declared }
    }

    /// The path itself grows, nothing on disk.
    fn edits_path(&self, call: &ModelCall) -> bool {
        let on_path = |path: &String| self.models.type_role(path) == Some(TypeRole::Path);
        call.row.effect == Some(Effect::Append) && call.row.on.iter().any(on_path)
    }

    /// A collection that this function alone has: a local that is no reference.
    fn is_own(&self, of: Option<ExprId>) -> bool {
        let Some(of) = of else { return false };
        let mut at = of;
        loop {
            match &self.body.expr(at).kind {
                ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => at = *base,
                ExprKind::TempScope(inner) | ExprKind::Ref { operand: inner, .. } => at = *inner,
                ExprKind::Local(local) => return self.owns_local(*local),
                _ => return false,
            }
        }
    }

    /// A `mut` local whose type is no reference or guard is changed by itself.
    pub fn owns_local(&self, local: ir::LocalId) -> bool {
        let declared = self.body.local(local);
        if declared.name == "self" {
            return false;
        }
        let ty = self.typed.local(local);
        let shared = matches!(ty, Ty::Ref(..)) || matches!(self.role(ty), Some(TypeRole::Guard | TypeRole::Pointer));
        declared.mutable && !shared
    }

    /// An access to something that only this function has: its value is computed, or changed.
    fn own_access(&mut self, call: &ModelCall, op: AccessOp, place: ValueId) -> ValueId {
        if matches!(op, AccessOp::Write | AccessOp::Atomic)
            && let Some(expr) = call.arg_expr(&call.row.resource).or_else(|| call.subject_expr())
        {
            let mut parts = vec![place];
            parts.extend(call.given.iter().map(|(_, v)| *v));
            let changed = self.arena.op("changed", parts);
            self.change_own(expr, changed);
        }
        if matches!(call.row.runs, Some(Runs::Each | Runs::Test)) || call.row.closure.is_some() {
            self.run_closure_arg(call);
        }
        match call.row.effect {
            Some(Effect::Entry) => {
                let key = call.arg(&call.row.key).unwrap_or(place);
                self.arena.add(Value::Entry(place, key))
            }
            _ => self.arena.op(call.name.as_str(), call.all()),
        }
    }

    fn column_of_row(&mut self, call: &ModelCall) -> ValueId {
        let row = call.arg(&call.row.resource).or_else(|| call.subject());
        let Some(row) = row else { return self.arena.fresh() };
        let name = call.arg(&call.row.column).or_else(|| call.given.first().map(|(_, v)| *v));
        match name.and_then(|name| self.arena.as_lit(name)) {
            Some(name) => self.arena.field(row, name),
            None => {
                let parts = call.all();
                self.arena.op("column", parts)
            }
        }
    }

    /// The event behind a value that is an event's answer.
    pub fn event_of(&self, value: ValueId) -> Option<EventId> {
        match self.arena.get(value) {
            Value::Outcome(event) | Value::Guard(event) => Some(*event),
            _ => None,
        }
    }
}

/// The flags that a row sets by itself.
pub fn settings_of(row: &CallRow) -> Vec<(Symbol, bool)> {
    let named = [
        (row.conditional, "conditional"),
        (row.expires, "expires"),
        (row.skip_locked, "skip_locked"),
        (row.nowait, "nowait"),
        (row.mode == Some(Mode::Shared), "shared"),
    ];
    let mut flags: Vec<(Symbol, bool)> =
        named.iter().filter(|(on, _)| *on).map(|(_, name)| (Symbol::new(name), true)).collect();
    flags.extend(row.isolation.map(|level| (Symbol::new(&format!("isolation {}", level_name(level))), true)));
    flags
}

pub fn level_name(level: Isolation) -> &'static str {
    match level {
        Isolation::Default => "default",
        Isolation::ReadUncommitted => "read uncommitted",
        Isolation::ReadCommitted => "read committed",
        Isolation::RepeatableRead => "repeatable read",
        Isolation::Serializable => "serializable",
        Isolation::Immediate => "immediate",
    }
}

fn level_named(name: &str) -> Option<Isolation> {
    [
        Isolation::ReadUncommitted,
        Isolation::ReadCommitted,
        Isolation::RepeatableRead,
        Isolation::Serializable,
        Isolation::Immediate,
    ]
    .into_iter()
    .find(|level| level_name(*level) == name)
}
