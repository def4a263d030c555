//! Control: conditions, branches, loops, early exits.

use super::cond::{Cond, CondId, Test};
use super::event::{EventKind, LoopId};
use super::state::{Branch, State, join};
use super::value::{GivenKind, Value, ValueId};
use super::walk::{LoopFrame, Walker};
use crate::intern::Symbol;
use crate::ir::{self, Arm, BinOp, ExprId, ExprKind, PatId, SelectArm, UnOp};
use crate::resolve::{Evidence, Ty};

/// What happens on one of several ways.
type Way<'w, W> = Box<dyn FnOnce(&mut W) -> ValueId + 'w>;

impl Walker<'_> {
    /// The condition that an expression is true, with the bindings of its `let`s in force.
    pub fn condition(&mut self, id: ExprId) -> CondId {
        match &self.body.expr(id).kind {
            ExprKind::Binary { op: BinOp::And, left, right } => {
                let first = self.condition(*left);
                let second = self.under(first, |walker| walker.condition(*right));
                self.arena.and(vec![first, second])
            }
            ExprKind::Binary { op: BinOp::Or, left, right } => {
                let first = self.condition(*left);
                let otherwise = self.arena.not(first);
                let second = self.under(otherwise, |walker| walker.condition(*right));
                self.arena.or(vec![first, second])
            }
            ExprKind::Unary { op: UnOp::Not, operand } => {
                let inner = self.condition(*operand);
                self.arena.not(inner)
            }
            ExprKind::Let { pat, scrutinee } => {
                let value = self.eval(*scrutinee);
                let matched = self.bind(*pat, value);
                self.own_bound(*pat, value, Some(*scrutinee));
                matched
            }
            ExprKind::TempScope(inner) => {
                self.depth += 1;
                let cond = self.condition(*inner);
                let nothing = self.arena.unit();
                self.end_temps(nothing);
                cond
            }
            _ => {
                let value = self.eval(id);
                self.arena.truth(value)
            }
        }
    }

    /// Runs `inside` where `cond` holds, and forgets it afterwards.
    fn under<R>(&mut self, cond: CondId, inside: impl FnOnce(&mut Self) -> R) -> R {
        let path = self.state.path;
        self.state.path = self.arena.then(path, cond);
        let result = inside(self);
        if !self.state.dead {
            self.state.path = path;
        }
        result
    }

    pub fn if_(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: Option<ExprId>,
        end_before_else: bool,
    ) -> ValueId {
        self.scopes.push(Vec::new());
        let held_before = self.state.held.clone();
        let cond = self.condition(condition);
        if self.state.dead {
            self.scopes.pop();
            return self.arena.fresh();
        }
        let not = self.arena.not(cond);
        let value = self.branches(vec![
            (cond, Box::new(move |walker: &mut Self| walker.eval(then))),
            (
                not,
                Box::new(move |walker: &mut Self| {
                    if end_before_else {
                        // What the `let`s of the condition hold is gone before `else` begins.
                        walker.state.held.retain(|held| held_before.iter().any(|old| old.event == held.event));
                    }
                    match otherwise {
                        Some(otherwise) => walker.eval(otherwise),
                        None => walker.arena.unit(),
                    }
                }),
            ),
        ]);
        self.end_scope(value);
        value
    }

    /// Runs each branch from the state at hand and joins what comes of them.
    #[allow(clippy::type_complexity)]
    pub fn branches<'w>(&mut self, arms: Vec<(CondId, Way<'w, Self>)>) -> ValueId {
        let before = self.state.clone();
        let mut ends: Vec<Branch> = Vec::new();
        let mut values = Vec::new();
        for (cond, arm) in arms {
            if self.arena.cond(cond) == &Cond::False {
                continue;
            }
            self.state = before.clone();
            self.state.path = self.arena.then(before.path, cond);
            let value = arm(self);
            if !self.state.dead {
                values.push((cond, value));
            }
            let state = std::mem::replace(&mut self.state, before.clone());
            ends.push(Branch { cond, state });
        }
        if ends.is_empty() {
            return self.stop();
        }
        self.state = join(&mut self.arena, before.path, ends);
        self.arena.phi(values)
    }

    pub fn match_(&mut self, scrutinee: ExprId, arms: &[Arm]) -> ValueId {
        let value = self.eval(scrutinee);
        if self.state.dead {
            return value;
        }
        let mut missed: Vec<CondId> = Vec::new();
        let mut guarded: Vec<CondId> = Vec::new();
        let before = self.state.clone();
        let mut ends = Vec::new();
        let mut values = Vec::new();
        for arm in arms {
            self.state = before.clone();
            let missed_here = if self.is_catch_all(arm.pat) { &missed } else { &guarded };
            let Some((cond, result)) = self.arm(arm, value, missed_here) else { continue };
            let not = self.arena.not(cond);
            missed.push(not);
            if arm.guard.is_some() {
                guarded.push(not);
            }
            if !self.state.dead {
                values.push((cond, result));
            }
            let state = std::mem::replace(&mut self.state, before.clone());
            ends.push(Branch { cond, state });
        }
        if ends.is_empty() {
            return self.stop();
        }
        self.state = join(&mut self.arena, before.path, ends);
        self.arena.phi(values)
    }

    /// One arm: the condition under which it is taken, and its value. A catch-all is taken where those before it were not; any arm, where guards before it
    /// did not hold.
    fn arm(&mut self, arm: &Arm, value: ValueId, missed: &[CondId]) -> Option<(CondId, ValueId)> {
        self.scopes.push(Vec::new());
        let mut cond = self.bind(arm.pat, value);
        self.own_bound(arm.pat, value, None);
        if let Some(guard) = arm.guard {
            let guarded = self.under(cond, |walker| walker.condition(guard));
            cond = self.arena.and(vec![cond, guarded]);
        }
        if missed.len() <= 16 {
            let mut parts = missed.to_vec();
            parts.push(cond);
            cond = self.arena.and(parts);
        }
        if self.arena.cond(cond) == &Cond::False || self.state.dead {
            self.scopes.pop();
            return None;
        }
        self.state.path = self.arena.then(self.state.path, cond);
        let result = self.eval(arm.body);
        self.end_scope(result);
        Some((cond, result))
    }

    pub fn let_else(&mut self, before: CondId, matched: CondId, otherwise: ExprId) {
        let not = self.arena.not(matched);
        let alive = self.state.clone();
        if self.arena.cond(not) != &Cond::False {
            self.state.path = self.arena.then(before, not);
            self.eval(otherwise);
        }
        self.state = alive;
        self.state.path = before;
        self.learn(matched);
    }

    pub fn loop_(&mut self, label: Option<Symbol>, body: ExprId) -> ValueId {
        self.enter_loop(label, false);
        self.eval(body);
        let dead_end = self.state.clone();
        let value = self.leave_loop(None);
        if self.state.dead {
            self.state.held = dead_end.held;
        }
        value
    }

    pub fn while_(&mut self, label: Option<Symbol>, condition: ExprId, body: ExprId) -> ValueId {
        self.scopes.push(Vec::new());
        self.enter_loop(label, true);
        let before = self.state.clone();
        let outer = std::mem::replace(&mut self.context.condition_of, self.loop_count);
        let cond = self.condition(condition);
        self.context.condition_of = outer;
        if self.state.dead {
            self.scopes.pop();
            return self.leave_loop(None);
        }
        let path = self.state.path;
        self.state.path = self.arena.then(path, cond);
        self.eval(body);
        let not = self.arena.not(cond);
        let mut after = if self.state.dead { before } else { self.state.clone() };
        after.dead = false;
        let stayed = self.stayed();
        let ended = self.arena.and(vec![not, stayed]);
        after.path = self.arena.then(path, ended);
        let value = self.leave_loop(Some(after));
        self.end_scope(value);
        value
    }

    pub fn for_(&mut self, label: Option<Symbol>, pat: PatId, iter: ExprId, body: ExprId) -> ValueId {
        let over = self.eval(iter);
        if self.state.dead {
            return over;
        }
        self.scopes.push(Vec::new());
        let before = self.state.clone();
        self.enter_loop(label, true);
        let (element, cond) = self.element(over);
        self.state.path = self.arena.then(self.state.path, cond);
        self.bind(pat, element);
        self.own_bound(pat, element, None);
        self.eval(body);
        let mut after = self.after_rounds(before);
        let stayed = self.stayed();
        after.path = self.arena.then(after.path, stayed);
        let value = self.leave_loop(Some(after));
        self.end_scope(value);
        value
    }

    /// The state after a loop that may run any number of times: what its body did may or may not have happened.
    pub fn after_rounds(&mut self, before: State) -> State {
        if self.state.dead {
            return before;
        }
        let ran = self.arena.fresh();
        let cond = self.arena.test(ran, Test::Pattern);
        let not = self.arena.not(cond);
        let path = before.path;
        let mut end = self.state.clone();
        end.path = self.arena.then(path, cond);
        let mut start = before;
        start.path = self.arena.then(path, not);
        let mut after =
            join(&mut self.arena, path, vec![Branch { cond, state: end }, Branch { cond: not, state: start }]);
        after.path = path;
        after
    }

    /// The condition that no round of the innermost loop left the function.
    fn stayed(&mut self) -> CondId {
        let left = self.loops.last().map_or_else(Vec::new, |frame| frame.left.clone());
        let left = self.arena.or(left);
        self.arena.not(left)
    }

    fn enter_loop(&mut self, label: Option<Symbol>, bounded: bool) {
        let base = self.state.path;
        self.loops.push(LoopFrame { label, breaks: Vec::new(), values: Vec::new(), base, left: Vec::new() });
        self.loop_count += 1;
        self.loop_ids.push(LoopId { number: self.loop_count, bounded });
    }

    /// Joins the ways out of a loop: its breaks, and its end where it has one.
    fn leave_loop(&mut self, end: Option<State>) -> ValueId {
        self.loop_ids.pop();
        let frame = self.loops.pop().expect("a loop that was entered is left once");
        let ends = frame
            .breaks
            .into_iter()
            .chain(end)
            .map(|state| Branch { cond: self.arena.since(frame.base, state.path), state })
            .collect();
        self.state = join(&mut self.arena, frame.base, ends);
        if frame.values.is_empty() { self.arena.unit() } else { self.arena.phi(frame.values) }
    }

    pub fn break_(&mut self, label: Option<Symbol>, value: Option<ExprId>) -> ValueId {
        let value = value.map(|value| self.eval(value));
        let state = self.state.clone();
        let at = match label {
            Some(_) => self.loops.iter().rposition(|frame| frame.label == label),
            None => self
                .loops
                .iter()
                .rposition(|frame| !frame.label.is_some_and(|name| name.as_str().starts_with("block "))),
        };
        if let Some(at) = at {
            let cond = self.arena.since(self.loops[at].base, state.path);
            if let Some(value) = value {
                self.loops[at].values.push((cond, value));
            }
            self.loops[at].breaks.push(state);
        }
        self.stop()
    }

    /// `'a: { … break 'a value; … }`
    pub fn labelled_block(&mut self, block: &ir::Block) -> ValueId {
        let base = self.state.path;
        self.loops.push(LoopFrame {
            label: block.label,
            breaks: Vec::new(),
            values: Vec::new(),
            base,
            left: Vec::new(),
        });
        let value = self.plain_block(block);
        let mut frame = self.loops.pop().expect("the block entered above");
        if !self.state.dead {
            let cond = self.arena.since(base, self.state.path);
            frame.values.push((cond, value));
            frame.breaks.push(self.state.clone());
        }
        let ends =
            frame.breaks.into_iter().map(|state| Branch { cond: self.arena.since(base, state.path), state }).collect();
        self.state = join(&mut self.arena, base, ends);
        self.arena.phi(frame.values)
    }

    pub fn return_(&mut self, value: Option<ExprId>) -> ValueId {
        let value = match value {
            Some(value) => self.eval(value),
            None => self.arena.unit(),
        };
        if !self.state.dead {
            let path = self.state.path;
            self.exit(path, value);
        }
        self.stop()
    }

    pub fn exit(&mut self, path: CondId, value: ValueId) {
        let Some(base) = self.frames.last().map(|frame| frame.base) else { return };
        for at in 0..self.loops.len() {
            let left = self.arena.since(self.loops[at].base, path);
            self.loops[at].left.push(left);
        }
        let cond = self.arena.since(base, path);
        if let Some(frame) = self.frames.last_mut() {
            frame.exits.push((cond, value));
        }
    }

    pub fn try_(&mut self, inner: ExprId) -> ValueId {
        let value = self.eval(inner);
        if self.state.dead {
            return value;
        }
        let option = self.is_option(inner);
        let good = self.present(value, option);
        let bad = self.arena.not(good);
        if self.arena.cond(bad) != &Cond::False {
            let failure = if option {
                self.arena.none()
            } else {
                let error = self.error_of(value);
                self.arena.wrap("Err", error)
            };
            let path = self.arena.then(self.state.path, bad);
            self.exit(path, failure);
        }
        self.learn(good);
        self.unwrap(value)
    }

    /// The error inside a Result.
    pub fn error_of(&mut self, value: ValueId) -> ValueId {
        match self.arena.get(value).clone() {
            Value::Wrap(name, inner) if name == "Err" => inner,
            // A poisoned lock gives its guard all the same.
            Value::Guard(_) => value,
            Value::Phi(arms) => {
                let errors: Vec<(CondId, ValueId)> = arms
                    .into_iter()
                    .filter_map(|(cond, arm)| match self.arena.get(arm) {
                        Value::Wrap(name, inner) if *name == "Err" => Some((cond, *inner)),
                        Value::Wrap(..) | Value::Record { .. } | Value::Lit(_) => None,
                        _ => Some((cond, self.error_of(arm))),
                    })
                    .collect();
                if errors.is_empty() {
                    self.arena.add(Value::Given(value, GivenKind::Error))
                } else {
                    self.arena.phi(errors)
                }
            }
            _ => self.arena.add(Value::Given(value, GivenKind::Error)),
        }
    }

    /// What is inside an Option or Result that is there.
    pub fn unwrap(&mut self, value: ValueId) -> ValueId {
        match self.arena.get(value).clone() {
            Value::Wrap(name, inner) if name == "Some" || name == "Ok" => inner,
            Value::Phi(arms) => {
                let arms: Vec<_> = arms.into_iter().filter(|(_, arm)| !self.is_failure(*arm)).collect();
                let good: Vec<(CondId, ValueId)> =
                    arms.into_iter().map(|(cond, arm)| (cond, self.unwrap(arm))).collect();
                if good.is_empty() { self.arena.fresh() } else { self.arena.phi(good) }
            }
            _ => value,
        }
    }

    fn is_failure(&self, value: ValueId) -> bool {
        match self.arena.get(value) {
            Value::Wrap(name, _) => *name == "Err",
            Value::Const(path) => *path == "None",
            _ => false,
        }
    }

    pub fn await_(&mut self, inner: ExprId) -> ValueId {
        let value = self.eval(inner);
        match self.arena.get(value).clone() {
            Value::Closure(id) => self.run_closure(id, Vec::new()),
            Value::Op(..) if self.calls_unknown(inner) => {
                self.push(EventKind::Wait(value), self.body.expr(inner).span, Evidence::Inferred);
                value
            }
            _ => {
                if self.context.spawned != 0 {
                    self.note_task(value);
                }
                value
            }
        }
    }

    /// A call of something whose body is not here: another crate's function, a trait method that nothing implements.
    fn calls_unknown(&self, call: ExprId) -> bool {
        if !matches!(self.body.expr(call).kind, ExprKind::Call { .. } | ExprKind::MethodCall { .. }) {
            return false;
        }
        self.typed.targets.get(&call).is_none_or(|target| {
            target.row.is_none() && target.functions.iter().all(|f| self.program.source(*f).body.is_none())
        })
    }

    pub fn select(&mut self, arms: &[SelectArm], otherwise: Option<ExprId>) -> ValueId {
        let futures: Vec<ValueId> = arms.iter().map(|arm| self.eval(arm.future)).collect();
        if self.state.dead {
            return self.arena.fresh();
        }
        let mut ways: Vec<(CondId, Way<'_, Self>)> = Vec::new();
        for (arm, future) in arms.iter().zip(futures) {
            let chosen = self.arena.fresh();
            let cond = self.arena.test(chosen, Test::Pattern);
            let (pat, body) = (arm.pat, arm.body);
            ways.push((
                cond,
                Box::new(move |walker: &mut Self| {
                    walker.scopes.push(Vec::new());
                    walker.bind(pat, future);
                    let value = walker.eval(body);
                    walker.end_scope(value);
                    value
                }),
            ));
        }
        if let Some(otherwise) = otherwise {
            let chosen = self.arena.fresh();
            let cond = self.arena.test(chosen, Test::Pattern);
            ways.push((cond, Box::new(move |walker: &mut Self| walker.eval(otherwise))));
        }
        self.branches(ways)
    }

    /// An element of something iterated over, and the condition that its filters put on it.
    pub fn element(&mut self, over: ValueId) -> (ValueId, CondId) {
        let always = self.arena.always();
        match self.arena.get(over).clone() {
            Value::Op(name, args) if name == "each" => {
                let (_, cond) = self.element(args[0]);
                (args[1], cond)
            }
            Value::Op(name, args) if name == "filtered" => {
                let (element, outer) = self.element(args[0]);
                let cond = self.arena.truth(args[1]);
                (element, self.arena.and(vec![outer, cond]))
            }
            Value::Op(name, args) if name == "list" && args.len() == 1 => (args[0], always),
            Value::Op(name, args) if args.len() == 1 && matches!(name.as_str(), "collect" | "iter" | "into_iter") => {
                self.element(args[0])
            }
            // Those of one set that the other has not.
            Value::Op(name, args) if args.len() == 2 && name == "difference" => {
                let (element, outer) = self.element(args[0]);
                let there = self.arena.op("contains", vec![args[1], element]);
                let there = self.arena.truth(there);
                let cond = self.arena.not(there);
                (element, self.arena.and(vec![outer, cond]))
            }
            _ => {
                let element = self.arena.add(Value::Element(over));
                if !self.arena.types.contains_key(&element)
                    && let Some(Ty::Slice(inner)) = self.arena.types.get(&over)
                {
                    let inner = (**inner).clone();
                    self.arena.types.insert(element, inner);
                }
                (element, always)
            }
        }
    }
}
