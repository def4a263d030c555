//! The walk through one body: expressions to values, with guards and temporaries ended where Rust ends them.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::cond::{CondId, Test};
use super::event::{CallPath, Context, Domain, Event, EventKind, LoopId, Summary};
use super::state::{Held, Owner, State, owns};
use super::value::{Arena, EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::ir::{self, BinOp, BlockKind, Body, ExprId, ExprKind, Lit, LocalId, MacroKind, Stmt, UnOp};
use crate::models::Models;
use crate::models::row::{Does, TypeRole};
use crate::resolve::{Def, Evidence, FnId, Program, StaticId, Ty, Typed};
use crate::source::Span;

/// A walk with more values than this ends where it is.
const MOST_VALUES: usize = 60_000;

/// The summaries that are known so far, by function.
pub struct Summaries(Vec<RwLock<Option<Arc<Summary>>>>);

impl Summaries {
    /// None of `count` functions is known.
    pub fn of(count: usize) -> Summaries {
        Summaries((0..count).map(|_| RwLock::default()).collect())
    }

    pub fn get(&self, id: FnId) -> Option<Arc<Summary>> {
        self.0[id.0 as usize].read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set(&self, id: FnId, summary: Option<Summary>) {
        *self.0[id.0 as usize].write().unwrap_or_else(PoisonError::into_inner) = summary.map(Arc::new);
    }

    pub fn into_all(self) -> Vec<Option<Arc<Summary>>> {
        self.0.into_iter().map(|slot| slot.into_inner().unwrap_or_else(PoisonError::into_inner)).collect()
    }
}

/// Something that `return` and `?` leave: the function, a closure, an async block.
pub struct Frame {
    pub base: CondId,
    pub exits: Vec<(CondId, ValueId)>,
}

pub struct LoopFrame {
    pub label: Option<Symbol>,
    pub breaks: Vec<State>,
    pub values: Vec<(CondId, ValueId)>,
    pub base: CondId,
    /// On which conditions, from the loop's start on, a round leaves the function.
    pub left: Vec<CondId>,
}

pub struct Walker<'a> {
    pub program: &'a Program,
    pub models: &'a Models,
    pub summaries: &'a Summaries,
    pub id: FnId,
    pub file: &'a ir::File,
    pub body: &'a Body,
    pub typed: &'a Typed,
    pub arena: Arena,
    pub events: Vec<Event>,
    pub state: State,
    pub frames: Vec<Frame>,
    pub loops: Vec<LoopFrame>,
    pub loop_ids: Vec<LoopId>,
    pub loop_count: u32,
    pub context: Context,
    pub spawns: u32,
    /// The number of the spawn whose arguments were walked before it.
    pub spawning: Option<u32>,
    /// The parameters that run in something spawned.
    pub tasks: Vec<u32>,
    /// What handlers that are registered here answer.
    pub told: Vec<ValueId>,
    pub depth: u32,
    /// The locals that each open scope declared.
    pub scopes: Vec<Vec<LocalId>>,
    /// Closures being run, so that one that calls itself ends.
    pub running: Vec<ExprId>,
    /// The calls in whose closures the walk is: where a callee runs a closure of this body.
    pub through: CallPath,
    pub truncated: bool,
    /// The value of each static's initialiser is not walked; a const's literal is its value.
    pub consts: &'a HashMap<StaticId, Lit>,
}

impl Walker<'_> {
    /// The value of an expression; its type is noted.
    pub fn eval(&mut self, id: ExprId) -> ValueId {
        if self.state.dead {
            return self.arena.fresh();
        }
        if self.arena.len() > MOST_VALUES {
            // Nobody follows code of this size by hand either; what was seen so far stands.
            self.truncated = true;
            return self.stop();
        }
        let value = self.eval_kind(id);
        self.note_type(value, id);
        value
    }

    fn note_type(&mut self, value: ValueId, id: ExprId) {
        let ty = self.typed.expr(id);
        if *ty != Ty::Unknown && !self.arena.types.contains_key(&value) {
            self.arena.types.insert(value, ty.clone());
        }
    }

    fn eval_kind(&mut self, id: ExprId) -> ValueId {
        let body = self.body;
        match &body.expr(id).kind {
            ExprKind::Missing => self.arena.fresh(),
            ExprKind::Lit(lit) => self.literal(lit),
            ExprKind::Local(local) => self.local(*local),
            ExprKind::Path(_) => self.path(id),
            ExprKind::Field { base, name } => self.field_of(*base, *name),
            ExprKind::Index { base, index } => self.index(id, *base, *index),
            ExprKind::Call { callee, args } => self.call(id, *callee, args),
            ExprKind::MethodCall { receiver, name, args, .. } => self.method_call(id, *receiver, *name, args),
            ExprKind::Macro(call) => self.macro_call(id, call),
            ExprKind::Struct { fields, base, .. } => self.struct_value(id, fields, *base),
            ExprKind::Tuple(parts) => self.tuple(parts),
            ExprKind::Array(parts) => self.list("list", parts),
            ExprKind::Repeat { value, len } => self.list("repeat", &[*value, *len]),
            ExprKind::Unary { op, operand } => self.unary(*op, *operand),
            ExprKind::Ref { operand, .. } => self.eval(*operand),
            ExprKind::Binary { op: BinOp::And | BinOp::Or, .. } | ExprKind::Let { .. } => self.condition_value(id),
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (self.eval(*left), self.eval(*right));
                self.arena.op(op_name(*op), vec![left, right])
            }
            ExprKind::Assign { op, place, value } => self.assign(id, *op, *place, *value),
            ExprKind::Cast { operand, .. } => self.eval(*operand),
            ExprKind::Block(block) => self.block(block),
            ExprKind::If { condition, then, otherwise, let_temps_end_before_else } => {
                self.if_(*condition, *then, *otherwise, *let_temps_end_before_else)
            }
            ExprKind::Match { scrutinee, arms } => self.match_(*scrutinee, arms),
            ExprKind::Loop { label, body } => self.loop_(*label, *body),
            ExprKind::While { label, condition, body } => self.while_(*label, *condition, *body),
            ExprKind::For { label, pat, iter, body } => self.for_(*label, *pat, *iter, *body),
            ExprKind::Break { label, value } => self.break_(*label, *value),
            ExprKind::Continue { .. } => self.stop(),
            ExprKind::Return(value) => self.return_(*value),
            ExprKind::Panic(args) => {
                for arg in args {
                    self.eval(*arg);
                }
                self.stop()
            }
            ExprKind::Try(inner) => self.try_(*inner),
            ExprKind::Await(inner) => self.await_(*inner),
            ExprKind::Closure(_) => self.arena.add(Value::Closure(id)),
            ExprKind::Range { start, end } => {
                let ends: Vec<ExprId> = [*start, *end].into_iter().flatten().collect();
                self.list("range", &ends)
            }
            ExprKind::TempScope(inner) => self.temp_scope(*inner),
            ExprKind::Select { arms, otherwise } => self.select(arms, *otherwise),
            ExprKind::Yield(value) => match value {
                Some(value) => self.eval(*value),
                None => self.arena.unit(),
            },
        }
    }

    fn literal(&mut self, lit: &Lit) -> ValueId {
        let text = literal_text(lit);
        match text {
            Some(text) => self.arena.add(Value::Lit(text)),
            None => self.arena.fresh(),
        }
    }

    fn local(&mut self, local: LocalId) -> ValueId {
        if let Some(&value) = self.state.env.get(&local) {
            return value;
        }
        let value = self.arena.fresh();
        let ty = self.typed.local(local).clone();
        if ty != Ty::Unknown {
            self.arena.types.insert(value, ty);
        }
        self.state.env.insert(local, value);
        value
    }

    fn path(&mut self, id: ExprId) -> ValueId {
        let def = self.typed.defs.get(&id).copied().unwrap_or(Def::Unknown);
        match def {
            Def::Fn(function) => self.arena.add(Value::Function(function)),
            Def::Static(of) => match self.consts.get(&of) {
                Some(lit) => self.literal(lit),
                None => self.arena.add(Value::Static(of)),
            },
            Def::Variant(adt, name) => {
                let value = self
                    .database_name(adt, name)
                    .unwrap_or_else(|| Value::Const(Symbol::new(&format!("{}::{name}", self.program.adt(adt).path))));
                self.arena.add(value)
            }
            Def::Ext(path) if super::cond::last_segment(path) == "None" => self.arena.none(),
            Def::Ext(path) => self.library_constant(path),
            Def::Adt(adt) => {
                let path = Symbol::new(&self.program.adt(adt).path);
                self.arena.add(Value::Const(path))
            }
            Def::Table(table) => {
                let name = self.program.table(table).name;
                self.arena.add(Value::Table(name))
            }
            Def::Column(table, column) => {
                let table = self.program.table(table);
                let column =
                    table.columns.iter().find(|(rust, _, _)| *rust == column).map_or(column, |(_, name, _)| *name);
                self.arena.add(Value::Column(Some(table.name), column))
            }
            Def::Unknown => self.written_path(id),
        }
    }

    /// A constant of a library: a setting that the models know, or the same as itself.
    fn library_constant(&mut self, path: Symbol) -> ValueId {
        let models = self.models;
        let rows = models.calls_by_path(path.as_str()).iter().map(|row| &models.calls[*row as usize]);
        match rows.into_iter().find(|row| row.does == Does::Setting) {
            Some(row) => {
                let flags = super::model::settings_of(row);
                self.arena.add(Value::Flags(flags))
            }
            None => self.arena.add(Value::Const(path)),
        }
    }

    /// A path that nothing is known of is at least the same as itself.
    fn written_path(&mut self, id: ExprId) -> ValueId {
        let ExprKind::Path(path) = &self.body.expr(id).kind else { return self.arena.fresh() };
        let text = self.path_text(*path);
        if text == "None" {
            return self.arena.none();
        }
        self.arena.add(Value::Const(Symbol::new(&text)))
    }

    pub fn path_text(&self, path: ir::PathRef) -> String {
        let path = &self.file.paths[path.0 as usize];
        path.segments.iter().map(|segment| segment.name.as_str()).collect::<Vec<_>>().join("::")
    }

    fn field_of(&mut self, base: ExprId, name: Symbol) -> ValueId {
        let value = self.eval(base);
        let value = self.behind_guard(value, base);
        // What was assigned through a reference is what its fields are read of.
        let value = self.read_place(value);
        let place = self.arena.field(value, name);
        self.read_place(place)
    }

    /// What stands in a place, if it was assigned to on the way here.
    pub fn read_place(&self, place: ValueId) -> ValueId {
        self.state.places.get(&place).copied().unwrap_or(place)
    }

    /// The guarded value, where the expression is a guard.
    pub fn behind_guard(&mut self, value: ValueId, of: ExprId) -> ValueId {
        let guard = matches!(self.arena.get(value), Value::Guard(_)) || self.role_of(of) == Some(TypeRole::Guard);
        if guard { self.content(value) } else { value }
    }

    pub fn content(&mut self, guard: ValueId) -> ValueId {
        match self.arena.get(guard) {
            Value::Content(_) => guard,
            _ => {
                let place = self.arena.add(Value::Content(guard));
                self.read_place(place)
            }
        }
    }

    /// The role that the models give to the type of an expression, references looked through.
    pub fn role_of(&self, id: ExprId) -> Option<TypeRole> {
        self.role(self.typed.expr(id))
    }

    pub fn role(&self, ty: &Ty) -> Option<TypeRole> {
        match ty {
            Ty::Ref(_, inner) | Ty::Future(inner) => self.role(inner),
            Ty::Ext(path, _) => self.models.type_role(path.as_str()),
            Ty::Bound { bounds, .. } => bounds.iter().find_map(|bound| match bound {
                crate::resolve::BoundTy::Ext(path, _) => self.models.type_role(path.as_str()),
                _ => None,
            }),
            _ => None,
        }
    }

    pub fn value_role(&self, value: ValueId) -> Option<TypeRole> {
        self.arena.types.get(&value).and_then(|ty| self.role(ty))
    }

    fn struct_value(&mut self, id: ExprId, fields: &[(Symbol, ExprId)], base: Option<ExprId>) -> ValueId {
        let fields = fields.iter().map(|(name, value)| (*name, self.eval(*value))).collect();
        let base = base.map(|base| self.eval(base));
        let name = match self.typed.defs.get(&id) {
            Some(Def::Variant(adt, variant)) => {
                Some(Symbol::new(&format!("{}::{variant}", self.program.adt(*adt).path)))
            }
            Some(Def::Adt(adt)) => Some(Symbol::new(&self.program.adt(*adt).path)),
            _ => None,
        };
        self.arena.add(Value::Record { name, fields, base })
    }

    fn tuple(&mut self, parts: &[ExprId]) -> ValueId {
        let fields =
            parts.iter().enumerate().map(|(i, part)| (Symbol::new(&i.to_string()), self.eval(*part))).collect();
        self.arena.add(Value::Record { name: None, fields, base: None })
    }

    pub fn list(&mut self, name: &str, parts: &[ExprId]) -> ValueId {
        let parts = parts.iter().map(|part| self.eval(*part)).collect();
        self.arena.op(name, parts)
    }

    fn unary(&mut self, op: UnOp, operand: ExprId) -> ValueId {
        let value = self.eval(operand);
        match op {
            UnOp::Deref => self.behind_guard(value, operand),
            UnOp::Not => self.arena.op("!", vec![value]),
            UnOp::Neg => match self.arena.as_lit(value) {
                Some(text) => self.arena.lit(&format!("-{text}")),
                None => self.arena.op("-", vec![value]),
            },
        }
    }

    /// A condition as a value: true where it holds.
    fn condition_value(&mut self, id: ExprId) -> ValueId {
        let cond = self.condition(id);
        self.bool_of(cond)
    }

    pub fn bool_of(&mut self, cond: CondId) -> ValueId {
        let otherwise = self.arena.not(cond);
        let (yes, no) = (self.arena.lit("true"), self.arena.lit("false"));
        self.arena.phi(vec![(cond, yes), (otherwise, no)])
    }

    fn macro_call(&mut self, id: ExprId, call: &ir::MacroCall) -> ValueId {
        if self.typed.targets.get(&id).is_some_and(|target| target.row.is_some()) {
            return self.model_macro(id, call);
        }
        let args: Vec<ValueId> = call.args.iter().map(|arg| self.eval(*arg)).collect();
        match call.kind {
            MacroKind::Format => {
                let text = match call.text {
                    Some(text) => self.arena.add(Value::Lit(text)),
                    None => self.arena.fresh(),
                };
                if args.is_empty() {
                    return text;
                }
                let parts = std::iter::once(text).chain(args).collect();
                self.arena.op("format", parts)
            }
            MacroKind::Log => self.arena.unit(),
            MacroKind::Vec => self.arena.op("list", args),
            MacroKind::Json => self.arena.op("json", args),
            MacroKind::Join | MacroKind::TryJoin => {
                self.push(EventKind::Concurrent, self.body.expr(id).span, Evidence::Declared);
                let fields = args.into_iter().enumerate().map(|(i, v)| (Symbol::new(&i.to_string()), v)).collect();
                self.arena.add(Value::Record { name: None, fields, base: None })
            }
            MacroKind::Wrapper => args.last().copied().unwrap_or_else(|| self.arena.fresh()),
            MacroKind::Include => self.arena.op("include", args),
            MacroKind::Other => self.sql_or_op(id, call, args),
        }
    }

    /// A macro of which nothing is known: what an SQL literal in it does, else computed from what it mentions.
    fn sql_or_op(&mut self, id: ExprId, call: &ir::MacroCall, args: Vec<ValueId>) -> ValueId {
        if let Some(value) = self.sql_literal_call(id, call.text, &args) {
            return value;
        }
        match args[..] {
            [] => self.arena.fresh(),
            // A macro around one expression passes its value on, as those that add context to an error do.
            [only] => only,
            _ => self.arena.op("macro", args),
        }
    }

    pub fn block(&mut self, block: &ir::Block) -> ValueId {
        if block.kind == BlockKind::Async || block.kind == BlockKind::Try {
            return self.framed(|walker| walker.plain_block(block));
        }
        if block.label.is_some() {
            return self.labelled_block(block);
        }
        self.plain_block(block)
    }

    pub fn plain_block(&mut self, block: &ir::Block) -> ValueId {
        self.scopes.push(Vec::new());
        for stmt in &block.stmts {
            if self.state.dead {
                break;
            }
            self.statement(stmt);
        }
        let value = match block.tail {
            Some(tail) if !self.state.dead => self.eval(tail),
            _ => self.arena.unit(),
        };
        self.end_scope(value);
        value
    }

    fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Expr(id) => {
                let value = self.eval(*id);
                self.let_go(value);
            }
            Stmt::Let { pat, init, otherwise, .. } => {
                let Some(init) = init else { return };
                let value = self.eval(*init);
                if self.state.dead {
                    return;
                }
                let before = self.state.path;
                let matched = self.bind(*pat, value);
                self.own_bound(*pat, value, Some(*init));
                if let Some(otherwise) = otherwise {
                    self.let_else(before, matched, *otherwise);
                }
            }
        }
    }

    /// Guards in a value that nothing keeps are dropped at once.
    pub fn let_go(&mut self, value: ValueId) {
        let depth = self.depth;
        let arena = &self.arena;
        self.state
            .held
            .retain(|held| !(matches!(held.owner, Owner::Temp(d) if d >= depth) && held.is_in(arena, value)));
    }

    /// A binding keeps the guards that stand in its value; a pattern that binds nothing lets them go.
    pub fn own_bound(&mut self, pat: ir::PatId, value: ValueId, init: Option<ExprId>) {
        let bound = self.bound_locals(pat);
        let depth = self.depth;
        let extended = init.is_some_and(|init| matches!(self.body.expr(init).kind, ExprKind::Ref { .. }));
        for index in (0..self.state.held.len()).rev() {
            let held = self.state.held[index];
            let owned = held.is_in(&self.arena, value);
            let temporary = matches!(held.owner, Owner::Temp(d) if d >= depth);
            if !(owned && held.owner != Owner::Elsewhere || temporary && extended) {
                continue;
            }
            let keeper =
                bound.iter().find(|local| self.state.env.get(local).is_some_and(|v| held.is_in(&self.arena, *v)));
            match keeper.or(if extended { bound.first() } else { None }) {
                Some(&local) => self.state.held[index].owner = Owner::Local(local),
                None if temporary => {
                    self.state.held.remove(index);
                }
                None => {}
            }
        }
    }

    fn temp_scope(&mut self, inner: ExprId) -> ValueId {
        self.depth += 1;
        let value = self.eval(inner);
        self.end_temps(value);
        value
    }

    pub fn end_temps(&mut self, value: ValueId) {
        let depth = self.depth;
        self.depth -= 1;
        let arena = &self.arena;
        self.state.held.retain_mut(|held| match held.owner {
            Owner::Temp(d) if d >= depth => {
                held.owner = Owner::Temp(depth - 1);
                held.is_in(arena, value)
            }
            _ => true,
        });
    }

    /// Locals of the innermost scope are dropped; what they guard goes with them, unless it is part of the scope's value.
    pub fn end_scope(&mut self, value: ValueId) {
        let locals = self.scopes.pop().unwrap_or_default();
        let (arena, depth) = (&self.arena, self.depth);
        self.state.held.retain_mut(|held| match held.owner {
            Owner::Local(local) if locals.contains(&local) => {
                held.owner = Owner::Temp(depth);
                held.is_in(arena, value)
            }
            _ => true,
        });
    }

    /// Runs `inside` as something that `return` and `?` leave.
    pub fn framed(&mut self, inside: impl FnOnce(&mut Self) -> ValueId) -> ValueId {
        let base = self.state.path;
        self.frames.push(Frame { base, exits: Vec::new() });
        let loops = std::mem::take(&mut self.loops);
        let held = self.state.held.clone();
        let value = inside(self);
        self.loops = loops;
        let dead = self.state.dead;
        let mut frame = self.frames.pop().expect("the frame pushed above");
        if !dead {
            let path = self.arena.since(base, self.state.path);
            frame.exits.push((path, value));
        } else {
            self.state.held = held;
        }
        self.state.dead = frame.exits.is_empty();
        self.state.path = base;
        self.exits_value(frame.exits)
    }

    /// One value for all ways out; ways that fail are folded together when there are many.
    pub fn exits_value(&mut self, exits: Vec<(CondId, ValueId)>) -> ValueId {
        let is_err = |arena: &Arena, value| matches!(arena.get(value), Value::Wrap(name, _) if *name == "Err");
        let (errors, mut others): (Vec<_>, Vec<_>) = exits.into_iter().partition(|(_, v)| is_err(&self.arena, *v));
        if errors.len() > 3 {
            let conds = errors.iter().map(|(cond, _)| *cond).collect();
            let cond = self.arena.or(conds);
            let parts = errors.iter().map(|(_, value)| *value).collect();
            let any = self.arena.op("one of", parts);
            others.push((cond, self.arena.wrap("Err", any)));
        } else {
            others.extend(errors);
        }
        self.arena.phi(others)
    }

    /// Control does not go on from here.
    pub fn stop(&mut self) -> ValueId {
        self.state.dead = true;
        self.arena.fresh()
    }

    /// Adds an event of this body.
    pub fn push(&mut self, kind: EventKind, span: Span, evidence: Evidence) -> EventId {
        let event = Event {
            kind,
            span,
            path: self.through.clone(),
            origin: (self.id, span.start),
            cond: self.state.path,
            levels: self.through.iter().map(|_| self.state.path).collect(),
            held: self.state.held.iter().map(|held| held.event).collect(),
            loops: self.loop_ids.iter().copied().collect(),
            context: self.context,
            evidence,
            choice: None,
        };
        self.push_event(event)
    }

    pub fn push_event(&mut self, mut event: Event) -> EventId {
        if let Some(last) = self.events.last() {
            share(&mut event.path, &last.path);
            share(&mut event.held, &last.held);
            share(&mut event.loops, &last.loops);
        }
        self.events.push(event);
        EventId(self.events.len() as u32 - 1)
    }

    /// A guard or transaction now held by a temporary; a lock on a file, by whoever has the file.
    pub fn hold(&mut self, event: EventId) {
        let file = self.file_locked_by(event);
        let owner = match file {
            Some(file) => self.keeper_of(file),
            None if self.locks_file(event) => Owner::Elsewhere,
            None => Owner::Temp(self.depth),
        };
        self.state.held.push(Held { event, owner, file });
    }

    /// The event that opened the file that a lock is on.
    pub fn file_locked_by(&self, event: EventId) -> Option<EventId> {
        let EventKind::Acquire(acquire) = &self.events[event.0 as usize].kind else { return None };
        let opened = |of: &EventId| match &self.events[of.0 as usize].kind {
            EventKind::Access(access) => access.domain == Domain::File,
            _ => false,
        };
        match self.arena.get(acquire.lock) {
            Value::Outcome(of) => Some(*of).filter(opened),
            _ => None,
        }
    }

    fn locks_file(&self, event: EventId) -> bool {
        matches!(&self.events[event.0 as usize].kind, EventKind::Acquire(acquire) if acquire.role == Some(TypeRole::File))
    }

    /// A lock on a file that the caller gave goes on after the call.
    pub fn leaves_locked(&self, event: EventId) -> bool {
        let held = self.state.held.iter().find(|held| held.event == event);
        self.locks_file(event) && held.is_some_and(|held| held.owner == Owner::Elsewhere)
    }

    fn keeper_of(&self, file: EventId) -> Owner {
        let locals = self.scopes.iter().rev().flatten();
        let keeps = |local: &&LocalId| self.state.env.get(local).is_some_and(|value| owns(&self.arena, *value, file));
        locals.into_iter().find(keeps).map_or(Owner::Temp(self.depth), |local| Owner::Local(*local))
    }

    pub fn release(&mut self, value: ValueId) {
        let arena = &self.arena;
        self.state.held.retain(|held| !held.is_in(arena, value));
    }

    /// Adds what was learnt to the path.
    pub fn learn(&mut self, cond: CondId) {
        self.state.path = self.arena.then(self.state.path, cond);
        if self.arena.cond(cond) == &super::cond::Cond::False {
            self.state.dead = true;
        }
    }

    pub fn is_option(&self, id: ExprId) -> bool {
        self.role_of(id) == Some(TypeRole::Option)
    }

    pub fn present(&mut self, value: ValueId, option: bool) -> CondId {
        self.arena.test(value, if option { Test::Some } else { Test::Ok })
    }
}

/// What neighbours have in common is kept once.
fn share<T: PartialEq>(own: &mut Arc<[T]>, last: &Arc<[T]>) {
    if own[..] == last[..] {
        *own = last.clone();
    }
}

pub fn literal_text(lit: &Lit) -> Option<Symbol> {
    Some(match lit {
        Lit::Str(text) => *text,
        Lit::Int(n) => Symbol::new(&n.to_string()),
        Lit::Bool(b) => Symbol::new(&b.to_string()),
        Lit::Char(c) => Symbol::new(&c.to_string()),
        Lit::Bytes | Lit::Float => return None,
    })
}

pub fn op_name(op: BinOp) -> &'static str {
    match op {
        BinOp::Add => "+",
        BinOp::Sub => "-",
        BinOp::Mul => "*",
        BinOp::Div => "/",
        BinOp::Rem => "%",
        BinOp::And => "&&",
        BinOp::Or => "||",
        BinOp::BitAnd => "&",
        BinOp::BitOr => "|",
        BinOp::BitXor => "^",
        BinOp::Shl => "<<",
        BinOp::Shr => ">>",
        BinOp::Eq => "==",
        BinOp::Ne => "!=",
        BinOp::Lt => "<",
        BinOp::Le => "<=",
        BinOp::Gt => ">",
        BinOp::Ge => ">=",
    }
}
