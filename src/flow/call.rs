//! Calls: constructors, closures, functions of the program, and calls that only their arguments tell something of.

use super::cond::Test;
use super::event::{CallSite, EventKind};
use super::state::Owner;
use super::value::{Value, ValueId};
use super::walk::{Frame, Walker};
use crate::intern::Symbol;
use crate::ir::{ExprId, ExprKind};
use crate::resolve::{Def, Evidence, FnContainer, FnId, Target, Ty};

/// An argument: the expression and its value.
pub type Given = (ExprId, ValueId);

/// How many implementations of one trait method are followed.
const MANY_TARGETS: usize = 4;

impl Walker<'_> {
    pub fn call(&mut self, id: ExprId, callee: ExprId, args: &[ExprId]) -> ValueId {
        let target = self.typed.targets.get(&id).cloned().unwrap_or_default();
        let callee_value = match &self.body.expr(callee).kind {
            ExprKind::Path(_) => None,
            _ => Some(self.eval(callee)),
        };
        let given = self.arguments(args, &target, 0);
        if self.state.dead {
            return self.arena.fresh();
        }
        let value = self.called(id, callee, callee_value, &given, &target);
        self.end_moved(&given, value);
        value
    }

    fn called(
        &mut self,
        id: ExprId,
        callee: ExprId,
        callee_value: Option<ValueId>,
        given: &[Given],
        target: &Target,
    ) -> ValueId {
        if target.row.is_some() {
            return self.model_call(id, None, given, target);
        }
        if !target.functions.is_empty() {
            return self.functions(id, target, given);
        }
        if let Some(closure) = target.closure {
            return self.run_closure(closure, given.iter().map(|(_, v)| *v).collect());
        }
        if let Some(value) = callee_value {
            return self.call_value(id, value, given.iter().map(|(_, v)| *v).collect());
        }
        if let Some(value) = self.constructor(callee, given) {
            return value;
        }
        self.unknown_call(id, self.callee_name(callee), None, given)
    }

    fn callee_name(&self, callee: ExprId) -> Symbol {
        match &self.body.expr(callee).kind {
            ExprKind::Path(path) => Symbol::new(&self.path_text(*path)),
            _ => Symbol::new("call"),
        }
    }

    /// `Some(x)`, `Err(e)`, tuple structs and variants.
    fn constructor(&mut self, callee: ExprId, given: &[Given]) -> Option<ValueId> {
        let ExprKind::Path(path) = &self.body.expr(callee).kind else { return None };
        let def = self.typed.defs.get(&callee).copied().unwrap_or(Def::Unknown);
        let name = match def {
            Def::Variant(adt, variant) => Symbol::new(&format!("{}::{variant}", self.program.adt(adt).path)),
            Def::Adt(adt) => Symbol::new(&self.program.adt(adt).path),
            Def::Ext(_) | Def::Unknown => {
                let text = self.path_text(*path);
                let last = text.rsplit("::").next().unwrap_or_default();
                let value = given.first()?.1;
                return match last {
                    "Some" | "Ok" | "Err" => Some(self.arena.wrap(last, value)),
                    _ => None,
                };
            }
            _ => return None,
        };
        let fields = given.iter().enumerate().map(|(i, (_, v))| (Symbol::new(&i.to_string()), *v)).collect();
        Some(self.arena.add(Value::Record { name: Some(name), fields, base: None }))
    }

    pub fn method_call(&mut self, id: ExprId, receiver: ExprId, name: Symbol, args: &[ExprId]) -> ValueId {
        let value = self.eval(receiver);
        let target = self.typed.targets.get(&id).cloned().unwrap_or_default();
        let given = self.arguments(args, &target, 1);
        if self.state.dead {
            return self.arena.fresh();
        }
        let result = self.method_called(id, (receiver, value), name, &given, &target);
        self.end_moved(&given, result);
        result
    }

    fn method_called(
        &mut self,
        id: ExprId,
        receiver: Given,
        name: Symbol,
        given: &[Given],
        target: &Target,
    ) -> ValueId {
        if target.row.is_some() {
            return self.model_call(id, Some(receiver), given, target);
        }
        if !target.functions.is_empty() {
            let first = self.receiver_for(receiver, target);
            let all: Vec<Given> = std::iter::once((receiver.0, first)).chain(given.iter().copied()).collect();
            return self.functions(id, target, &all);
        }
        if given.is_empty() && matches!(name.as_str(), "deref" | "deref_mut") {
            return self.behind_guard(receiver.1, receiver.0);
        }
        if let Some(value) = self.combinator(id, receiver, name, given, None) {
            return value;
        }
        self.unknown_call(id, name, Some(receiver), given)
    }

    /// The receiver as the method sees it: what a guard guards, unless the method is one of the guard's own type.
    fn receiver_for(&mut self, receiver: Given, target: &Target) -> ValueId {
        let own = target.functions.iter().any(|f| self.role(&self.program.function(*f).self_ty).is_some());
        if own { receiver.1 } else { self.behind_guard(receiver.1, receiver.0) }
    }

    /// Guards given away by value end with the call, unless they come back in its value.
    fn end_moved(&mut self, given: &[Given], result: ValueId) {
        for &(expr, value) in given {
            let ExprKind::Local(local) = self.body.expr(expr).kind else { continue };
            if matches!(self.typed.expr(expr), Ty::Ref(..)) {
                continue;
            }
            let (arena, depth) = (&self.arena, self.depth);
            self.state.held.retain_mut(|held| {
                if held.owner != Owner::Local(local) || !held.is_in(arena, value) {
                    return true;
                }
                held.owner = Owner::Temp(depth);
                held.is_in(arena, result)
            });
        }
    }

    /// Calls a value: a closure of this body, a function, or something that the caller gave.
    pub fn call_value(&mut self, id: ExprId, callee: ValueId, args: Vec<ValueId>) -> ValueId {
        match self.arena.get(callee).clone() {
            Value::Closure(closure) => self.run_closure(closure, args),
            Value::Function(function) => {
                let target = Target { functions: vec![function], evidence: Evidence::Declared, ..Target::default() };
                let given: Vec<Given> = args.into_iter().map(|arg| (id, arg)).collect();
                self.functions(id, &target, &given)
            }
            _ => {
                let event = self.push(EventKind::Invoke { callee, args }, self.body.expr(id).span, Evidence::Inferred);
                self.arena.add(Value::Outcome(event))
            }
        }
    }

    /// Runs a closure of this body where it stands now.
    pub fn run_closure(&mut self, id: ExprId, args: Vec<ValueId>) -> ValueId {
        let ExprKind::Closure(closure) = &self.body.expr(id).kind else {
            return if self.running.contains(&id) { self.arena.fresh() } else { self.eval(id) };
        };
        if self.running.contains(&id) || self.running.len() > 12 {
            return self.arena.fresh();
        }
        self.running.push(id);
        self.scopes.push(Vec::new());
        for (index, pat) in closure.params.iter().enumerate() {
            let value = args.get(index).copied().unwrap_or_else(|| self.arena.fresh());
            self.bind(*pat, value);
        }
        let body = closure.body;
        let value = self.framed(|walker| walker.eval(body));
        self.end_scope(value);
        self.running.pop();
        value
    }

    /// Calls functions of the program: one, or each implementation of a trait method.
    pub fn functions(&mut self, id: ExprId, target: &Target, given: &[Given]) -> ValueId {
        if let [only] = target.functions[..] {
            return self.function(only, id, given, target.evidence, false);
        }
        let chosen: Vec<FnId> = target.functions.iter().copied().take(MANY_TARGETS).collect();
        let before = self.state.held.clone();
        let mut values = Vec::new();
        for function in chosen {
            let value = self.function(function, id, given, target.evidence, true);
            let pick = self.arena.fresh();
            let cond = self.arena.test(pick, Test::Pattern);
            values.push((cond, value));
        }
        // What one implementation lets go of, the others hold: keep what was held before and what each took.
        for held in before {
            if !self.state.held.iter().any(|h| h.event == held.event) && held.owner == Owner::Elsewhere {
                self.state.held.push(held);
            }
        }
        self.arena.phi(values)
    }

    fn function(&mut self, function: FnId, id: ExprId, given: &[Given], evidence: Evidence, choice: bool) -> ValueId {
        let site = CallSite { caller: self.id, callee: function, span: self.body.expr(id).span };
        let choice = if choice { self.implementation(function) } else { None };
        let args: Vec<ValueId> = given.iter().map(|(_, value)| *value).collect();
        match self.summaries.get(function) {
            Some(summary) => {
                for value in summary.tasks.iter().filter_map(|task| args.get(*task as usize)) {
                    self.note_task(*value);
                }
                let value = self.replay(&summary, &args, site, evidence, choice);
                if !summary.out.is_empty() {
                    self.take_changes(given);
                }
                value
            }
            None => {
                // Declared here and implemented out of sight: an SQL text says what it does.
                if let Some(value) = self.sql_literal_call(id, None, &args) {
                    return value;
                }
                let name = Symbol::new(&self.program.function(function).path);
                if args.is_empty() { self.arena.fresh() } else { self.arena.add(Value::Op(name, args)) }
            }
        }
    }

    /// What a callee changed through `&mut` is what the local holds now.
    fn take_changes(&mut self, given: &[Given]) {
        for &(expr, value) in given {
            let inner = match &self.body.expr(expr).kind {
                ExprKind::Ref { mutable: true, operand } => *operand,
                ExprKind::Local(_) => expr,
                _ => continue,
            };
            if !self.local_root(inner).is_some_and(|local| self.owns_local(local)) {
                continue;
            }
            let mut parts: Vec<(Symbol, ValueId)> = Vec::new();
            for (place, new) in self.state.places.iter() {
                if let Value::Field(base, name) = self.arena.get(*place)
                    && *base == value
                {
                    parts.push((*name, *new));
                }
            }
            parts.sort_by_key(|(name, _)| name.as_str());
            let mut changed = self.read_place(value);
            for (name, new) in parts {
                changed = self.arena.with_field(changed, name, new);
            }
            if changed != value {
                self.change_own(inner, changed);
            }
        }
    }

    /// The trait and the implementing type of a trait method.
    fn implementation(&self, function: FnId) -> Option<(crate::resolve::TraitId, crate::resolve::AdtId)> {
        let def = self.program.function(function);
        match (&def.container, &def.self_ty) {
            (FnContainer::TraitImpl(Some(of)), Ty::Adt(adt, _)) => Some((*of, *adt)),
            _ => None,
        }
    }

    /// A call that nothing is known of: closures are run where it stands, an SQL text is a statement, the value is computed from what it was given.
    pub fn unknown_call(&mut self, id: ExprId, name: Symbol, receiver: Option<Given>, given: &[Given]) -> ValueId {
        let mut values: Vec<ValueId> = receiver.iter().map(|(_, v)| *v).collect();
        for &(_, value) in given {
            if let Value::Closure(closure) = *self.arena.get(value) {
                let unsure = std::mem::replace(&mut self.context.unsure, true);
                let result = self.run_closure(closure, Vec::new());
                self.context.unsure = unsure;
                values.push(result);
            } else {
                values.push(value);
            }
        }
        if let Some(value) = self.sql_literal_call(id, None, &values) {
            return value;
        }
        if values.is_empty() {
            return self.arena.fresh();
        }
        self.arena.add(Value::Op(name, values))
    }

    /// Starts a frame for a function body.
    pub fn root_frame(&mut self) {
        let base = self.state.path;
        self.frames.push(Frame { base, exits: Vec::new() });
    }
}
