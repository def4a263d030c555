//! Assignments: to locals, to parts of them, and to places that others may see.

use super::event::{Access, AccessOp, Domain, EventKind};
use super::value::{Value, ValueId};
use super::walk::{Walker, op_name};
use crate::intern::Symbol;
use crate::ir::{BinOp, ExprId, ExprKind, LocalId, UnOp};
use crate::models::row::Effect;
use crate::resolve::{Evidence, Ty};

impl Walker<'_> {
    pub fn assign(&mut self, id: ExprId, op: Option<BinOp>, place: ExprId, value: ExprId) -> ValueId {
        let new = self.eval(value);
        if self.state.dead {
            return new;
        }
        let new = match op {
            Some(op) => {
                let old = self.eval(place);
                self.arena.op(op_name(op), vec![old, new])
            }
            None => new,
        };
        let effect = if op.is_some() { Effect::Increment } else { Effect::Update };
        self.assign_place(place, new, effect, id);
        self.let_go_others(place, new);
        self.arena.unit()
    }

    fn assign_place(&mut self, place: ExprId, new: ValueId, effect: Effect, at: ExprId) {
        match &self.body.expr(place).kind {
            ExprKind::Local(local) => self.assign_local(*local, new),
            ExprKind::TempScope(inner) | ExprKind::Ref { operand: inner, .. } => {
                self.assign_place(*inner, new, effect, at)
            }
            ExprKind::Field { base, name } => self.assign_field(*base, *name, new, effect, at),
            ExprKind::Unary { op: UnOp::Deref, operand } => {
                let target = self.eval(*operand);
                let target = self.behind_guard(target, *operand);
                if let ExprKind::Local(local) = self.body.expr(*operand).kind
                    && !self.reachable(target)
                {
                    self.state.env.insert(local, new);
                    return;
                }
                self.write_place(target, None, new, effect, at);
            }
            ExprKind::Index { base, index } => {
                let key = self.eval(*index);
                if self.local_root(*base).is_some_and(|local| self.owns_local(local)) {
                    let old = self.eval(*base);
                    let changed = self.arena.op("changed", vec![old, key, new]);
                    self.change_own(*base, changed);
                    return;
                }
                let target = self.eval(*base);
                let target = self.behind_guard(target, *base);
                self.write_place(target, Some(key), new, effect, at);
            }
            ExprKind::Tuple(parts) => {
                for (index, part) in parts.clone().into_iter().enumerate() {
                    let value = self.arena.field(new, Symbol::new(&index.to_string()));
                    self.assign_place(part, value, effect, at);
                }
            }
            _ => {
                let target = self.eval(place);
                self.write_place(target, None, new, effect, at);
            }
        }
    }

    fn assign_local(&mut self, local: LocalId, new: ValueId) {
        let arena = &self.arena;
        // What the old value guarded is dropped; what the new one guards is kept by the local.
        self.state.held.retain(|held| held.owner != super::state::Owner::Local(local) || held.is_in(arena, new));
        for held in &mut self.state.held {
            if matches!(held.owner, super::state::Owner::Temp(_)) && held.is_in(arena, new) {
                held.owner = super::state::Owner::Local(local);
            }
        }
        self.state.env.insert(local, new);
    }

    /// Temporaries of an assignment that did not go into the place end with it.
    fn let_go_others(&mut self, _place: ExprId, new: ValueId) {
        self.let_go(new);
    }

    fn assign_field(&mut self, base: ExprId, name: Symbol, new: ValueId, effect: Effect, at: ExprId) {
        if let Some(local) = self.local_root(base)
            && self.owns_local(local)
        {
            let old = self.eval(base);
            let changed = self.arena.with_field(old, name, new);
            self.change_own(base, changed);
            return;
        }
        let target = self.eval(base);
        let target = self.behind_guard(target, base);
        let place = self.arena.add(Value::Field(target, name));
        self.write_place(place, None, new, effect, at);
    }

    /// Writes where others may look.
    fn write_place(&mut self, place: ValueId, key: Option<ValueId>, new: ValueId, effect: Effect, at: ExprId) {
        if self.reachable(place) {
            let access = Access {
                domain: Domain::Plain,
                op: AccessOp::Write,
                place,
                key,
                value: Some(new),
                target: None,
                effect: Some(effect),
                mode: None,
                result: None,
                conditional: false,
                asserted: false,
                expires: false,
                attempt: false,
                name: Symbol::new("="),
            };
            self.push(EventKind::Access(access), self.body.expr(at).span, Evidence::Declared);
        }
        if key.is_none() {
            self.state.places.insert(place, new);
        }
    }

    /// The local that a place expression starts from.
    pub fn local_root(&self, id: ExprId) -> Option<LocalId> {
        let mut at = id;
        loop {
            match &self.body.expr(at).kind {
                ExprKind::Local(local) => return Some(*local),
                ExprKind::Field { base, .. } | ExprKind::Index { base, .. } => {
                    if matches!(self.typed.expr(*base), Ty::Ref(..)) {
                        return None;
                    }
                    at = *base;
                }
                ExprKind::TempScope(inner) | ExprKind::Ref { operand: inner, .. } => at = *inner,
                _ => return None,
            }
        }
    }

    /// Replaces the value of a local, or of a part of one.
    pub fn change_own(&mut self, place: ExprId, changed: ValueId) {
        match &self.body.expr(place).kind {
            ExprKind::Local(local) => {
                self.state.env.insert(*local, changed);
            }
            ExprKind::Field { base, name } => {
                let (base, name) = (*base, *name);
                let old = self.eval(base);
                let outer = self.arena.with_field(old, name, changed);
                self.change_own(base, outer);
            }
            ExprKind::Index { base, .. } => {
                let base = *base;
                let old = self.eval(base);
                let outer = self.arena.op("changed", vec![old, changed]);
                self.change_own(base, outer);
            }
            ExprKind::TempScope(inner) | ExprKind::Ref { operand: inner, .. } => self.change_own(*inner, changed),
            _ => {}
        }
    }

    pub fn index(&mut self, id: ExprId, base: ExprId, index: ExprId) -> ValueId {
        let value = self.eval(base);
        let value = self.behind_guard(value, base);
        let key = self.eval(index);
        match self.arena.as_lit(key) {
            Some(key) => self.arena.field(value, key),
            None => {
                let _ = id;
                self.arena.op("index", vec![value, key])
            }
        }
    }
}
