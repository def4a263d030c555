//! Atomics: the load and the store become one operation.

use super::Mechanical;
use crate::cure::Case;
use crate::cure::code::{Asked, Code, Guard, Place, compared, mirrored, opposite};
use crate::finding::{Applicability, Edit};
use crate::flow::value::EventId;
use crate::ir::{BinOp, ExprId, ExprKind, LocalId, UnOp};
use crate::source::Span;

/// A load, or a write, of an atomic: its place, its value and its ordering as written.
struct Call<'c> {
    span: Span,
    place: &'c str,
    name: &'static str,
    value: Option<ExprId>,
    order: &'c str,
}

/// The two calls, and the statement that the write is.
struct Pair<'k, 'c> {
    code: &'k Code<'c>,
    load: Call<'c>,
    write: Call<'c>,
    at: Place<'c>,
}

pub fn edit(case: &Case, check: EventId, act: EventId) -> Option<Mechanical> {
    let code = Code::of_pair(case, check, act)?;
    let load = call(&code, case.view.event(check).span).filter(|load| load.name == "load")?;
    let write = call(&code, case.view.event(act).span).filter(|write| write.place == load.place)?;
    let at = code.place(write.span)?;
    let whole = code.whole(at).is_some_and(|whole| code.span(whole) == write.span);
    let pair = Pair { code: &code, load, write, at };
    let (method, edits) = whole.then(|| pair.computed().or_else(|| pair.decided()))??;
    let title = format!("one step in the place of two: `{}.{method}(…)`", pair.load.place);
    Some(Mechanical { title, applicability: Applicability::Safe, edits })
}

fn call<'c>(code: &Code<'c>, span: Span) -> Option<Call<'c>> {
    let method = code.method(code.call_at(span)?)?;
    let (value, order) = match method.args {
        [order] => (None, *order),
        [value, order] => (Some(code.peel(*value)), *order),
        _ => return None,
    };
    Some(Call { span, place: code.text(method.receiver), name: method.name, value, order: code.text(order) })
}

type Mended = Option<(&'static str, Vec<Edit>)>;

impl Pair<'_, '_> {
    /// `x.store(x.load(o) + n, o)`, in one expression or through a name for the load or the sum.
    fn computed(&self) -> Mended {
        let value = self.write.value.filter(|_| self.write.name == "store")?;
        if let Some((method, operand)) = self.modification(value, None) {
            let end = if self.at.index == self.at.block.stmts.len() { ";" } else { "" };
            let text = format!("{}{end}", self.operation(method, operand)?);
            return Some((method, vec![self.code.replace(self.write.span, text)]));
        }
        let before = self.at.block.stmts.get(self.at.index.checked_sub(1)?)?;
        let (local, init) = self.code.binding(before)?;
        let (method, operand, used_up) = match self.code.local(value) {
            // `let next = x.load(o) + 1; x.store(next, o);`
            Some(of) if of == local => {
                self.modification(init, None).map(|(m, o)| (m, o, self.code.uses(local) == 1))?
            }
            // `let n = x.load(o); x.store(n + 1, o);`
            _ if self.code.span(init) == self.load.span => {
                self.modification(value, Some(local)).map(|(m, o)| (m, o, self.code.uses(local) == 1))?
            }
            _ => return None,
        };
        let operation = self.operation(method, operand)?;
        let named = match used_up {
            true => self.code.replace(self.code.statement_span(before), format!("{operation};")),
            false => self.code.replace(self.load.span, operation),
        };
        Some((method, vec![named, self.code.delete(self.code.span_of(self.at)?)]))
    }

    /// The read-modify-write that an expression of the loaded value is, with its operand; the value goes by its load or by a local.
    fn modification(&self, id: ExprId, local: Option<LocalId>) -> Option<(&'static str, &str)> {
        let loaded = |id: ExprId| match local {
            Some(local) => self.code.local(id) == Some(local),
            None => self.code.span(self.code.peel(id)) == self.load.span,
        };
        let other = |id: ExprId| {
            let free = local.is_none_or(|local| !self.code.names(self.code.span(id), local));
            free.then(|| self.code.text(id))
        };
        if let ExprKind::Unary { op: UnOp::Not, operand } = &self.code.expr(id).kind {
            let flag = self.code.ty(*operand);
            let bool = matches!(flag, crate::resolve::Ty::Ext(path, _) if *path == "bool");
            return (loaded(*operand) && bool).then_some(("fetch_xor", "true"));
        }
        if let Some((op, left, right)) = self.code.binary(id) {
            let method = match op {
                BinOp::Add => "fetch_add",
                BinOp::Sub => "fetch_sub",
                BinOp::BitOr => "fetch_or",
                BinOp::BitAnd => "fetch_and",
                BinOp::BitXor => "fetch_xor",
                _ => return None,
            };
            return match (loaded(left), loaded(right)) {
                (true, false) => Some((method, other(right)?)),
                (false, true) if op != BinOp::Sub => Some((method, other(left)?)),
                _ => None,
            };
        }
        let call = self.code.method(id).filter(|call| loaded(call.receiver))?;
        let method = match call.name {
            "max" => "fetch_max",
            "min" => "fetch_min",
            "wrapping_add" => "fetch_add",
            "wrapping_sub" => "fetch_sub",
            _ => return None,
        };
        Some((method, other(*call.args.first()?)?))
    }

    fn operation(&self, method: &str, operand: &str) -> Option<String> {
        Some(format!("{}.{method}({operand}, {})", self.load.place, self.both_orders()?))
    }

    /// A branch on the loaded value, then the write: first in the branch, or right after one that leaves.
    fn decided(&self) -> Mended {
        match self.code.guard(self.load.span, self.at)? {
            Guard::Leaves { at, condition, leave } => {
                let asked = self.code.asked(condition);
                // What leads on is the opposite of what leaves.
                let asked = Asked { negated: !asked.negated, ..asked };
                let adjacent = at + 1 == self.at.index;
                adjacent
                    .then(|| self.asked_and_written(asked, condition, true))
                    .flatten()
                    .or_else(|| self.unchanged(leave))
            }
            Guard::Enters { condition, branch, otherwise, .. } if self.at.index == 0 => {
                let asked = self.code.asked(condition);
                let more = !self.code.alone(self.at) || otherwise.is_some();
                let own = || more.then(|| self.asked_and_written(asked, condition, false)).flatten();
                self.extreme(asked, branch, otherwise).or_else(own)
            }
            _ => None,
        }
    }

    /// `if v > x.load(o) { x.store(v, o); }` keeps the largest.
    fn extreme(&self, asked: Asked, branch: ExprId, otherwise: Option<ExprId>) -> Mended {
        let value = self.write.value.filter(|_| self.write.name == "store")?;
        let whole = self.code.place(self.code.span(branch))?;
        let own = self.code.whole(whole) == Some(branch) && self.code.alone(self.at) && otherwise.is_none();
        let (op, left, right) = self.code.binary(asked.question).filter(|_| own && asked.through.is_none())?;
        let same = |id: ExprId| self.code.text(id) == self.code.text(value);
        let loaded = |id: ExprId| self.code.span(id) == self.load.span;
        let method = match (op, asked.negated) {
            (BinOp::Gt | BinOp::Ge, false) if same(left) && loaded(right) => "fetch_max",
            (BinOp::Lt | BinOp::Le, false) if loaded(left) && same(right) => "fetch_max",
            (BinOp::Lt | BinOp::Le, false) if same(left) && loaded(right) => "fetch_min",
            (BinOp::Gt | BinOp::Ge, false) if loaded(left) && same(right) => "fetch_min",
            _ => return None,
        };
        let text = format!("{};", self.operation(method, self.code.text(value))?);
        let semicolon = self.code.span_of(whole)?;
        Some((method, vec![self.code.replace(semicolon, text)]))
    }

    /// The condition becomes the operation, and the write goes. `leaves` where the branch is taken by those who lost.
    fn asked_and_written(&self, asked: Asked, condition: ExprId, leaves: bool) -> Mended {
        let (method, operation) = self.operation_if(asked)?;
        let answer = match (method, leaves) {
            ("swap", _) if asked.negated != leaves => format!("!{operation}"),
            ("swap", _) => operation,
            (_, true) => format!("{operation}.is_err()"),
            (_, false) => format!("{operation}.is_ok()"),
        };
        let written = self.code.delete(self.code.span_of(self.at)?);
        let Some(local) = asked.through else {
            return Some((method, vec![self.code.replace(self.code.span(condition), answer), written]));
        };
        // `let busy = x.load(o); if busy { … }`: the name goes with the load, unless something else reads it.
        let (bound, _) = self.code.bound(local).filter(|_| self.code.uses(local) == 1)?;
        let bound = self.code.delete(self.code.span_of(bound)?);
        Some((method, vec![bound, self.code.replace(self.code.span(condition), answer), written]))
    }

    /// The write happens only if the atomic still holds what was loaded; else the code leaves as the branch does.
    fn unchanged(&self, leave: ExprId) -> Mended {
        let new = self.code.text(self.write.value.filter(|_| matches!(self.write.name, "store" | "swap"))?);
        let loaded =
            |local: &LocalId| self.code.bound(*local).is_some_and(|(_, init)| self.code.span(init) == self.load.span);
        let local = (0..self.code.body.locals.len() as u32).map(LocalId).find(loaded)?;
        let (local, place) = (self.code.body.local(local), self.load.place);
        let (order, load) = (self.both_orders().filter(|_| !local.mutable)?, self.load.order);
        let text = format!(
            "if {place}.compare_exchange({}, {new}, {order}, {load}).is_err() {}",
            local.name,
            self.code.text(leave)
        );
        Some(("compare_exchange", vec![self.code.replace(self.code.span_of(self.at)?, text)]))
    }

    /// The operation that writes only where what was asked holds.
    fn operation_if(&self, asked: Asked) -> Option<(&'static str, String)> {
        let (place, order, load) = (self.load.place, self.both_orders()?, self.load.order);
        let value = self.write.value?;
        let new = self.code.text(value);
        let stores = matches!(self.write.name, "store" | "swap");
        if self.code.span(asked.question) == self.load.span {
            // Whoever finds the flag in its old state is the one; to write what is there already changes nothing for the others.
            let flips = self.code.flag(value) == Some(asked.negated);
            return (stores && flips).then(|| ("swap", format!("{place}.swap({new}, {order})")));
        }
        let (op, left, right) = self.code.binary(asked.question)?;
        let loaded = |id: ExprId| self.code.span(id) == self.load.span;
        let (op, limit) = match (loaded(left), loaded(right)) {
            (true, false) => (op, right),
            (false, true) => (mirrored(op), left),
            _ => return None,
        };
        let op = if asked.negated { opposite(op)? } else { op };
        let limit = (!self.code.leaves_or_waits(self.code.span(limit))).then(|| self.code.text(limit))?;
        match self.write.name {
            _ if stores && op == BinOp::Eq => {
                Some(("compare_exchange", format!("{place}.compare_exchange({limit}, {new}, {order}, {load})")))
            }
            "fetch_add" | "fetch_sub" => {
                let sign = if self.write.name == "fetch_add" { '+' } else { '-' };
                let update = format!("|n| (n {} {limit}).then(|| n {sign} {new})", compared(op)?);
                Some(("fetch_update", format!("{place}.fetch_update({order}, {load}, {update})")))
            }
            _ => None,
        }
    }

    /// The ordering of an operation that is both: as strong as the load and the write were.
    fn both_orders(&self) -> Option<String> {
        let (load, write) = (self.load.order, self.write.order);
        let name = |order: &str| order.rsplit("::").next().unwrap_or(order).trim().to_owned();
        let both = match (name(load).as_str(), name(write).as_str()) {
            ("SeqCst", _) | (_, "SeqCst") => "SeqCst",
            ("Acquire", "Release" | "AcqRel") | (_, "AcqRel") => "AcqRel",
            ("Acquire", "Relaxed" | "Acquire") | ("Relaxed", "Acquire") => "Acquire",
            ("Relaxed", "Release") => "Release",
            ("Relaxed", "Relaxed") => "Relaxed",
            _ => return None,
        };
        if let Some(known) = [load, write].into_iter().find(|order| name(order) == both) {
            return Some(known.to_owned());
        }
        write.rsplit_once("::").map(|(path, _)| format!("{path}::{both}"))
    }
}
