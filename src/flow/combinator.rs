//! Combinators of Option, Result, bool and iterators: which closure runs under which condition, and what comes of it.
//!
//! These are semantics of the language's own types, so they are told here by their names; the models say which receivers they hold for.

use super::call::Given;
use super::cond::{CondId, Test};
use super::event::EventKind;
use super::value::{Value, ValueId};
use super::walk::Walker;
use crate::intern::Symbol;
use crate::ir::ExprId;
use crate::models::row::{CallRow, Runs, TypeRole};

impl Walker<'_> {
    /// The value of a combinator; `None` where the name is none, or its receiver cannot have it.
    pub fn combinator(
        &mut self,
        id: ExprId,
        receiver: Given,
        name: Symbol,
        given: &[Given],
        row: Option<&CallRow>,
    ) -> Option<ValueId> {
        let role = self.role_of(receiver.0).or_else(|| self.value_role(receiver.1));
        let args: Vec<ValueId> = given.iter().map(|(_, v)| *v).collect();
        let each = matches!(row.and_then(|row| row.runs), Some(Runs::Each | Runs::Test));
        match role {
            Some(TypeRole::Iterator | TypeRole::Collection) => self.iterator(id, receiver.1, name, &args, row),
            Some(TypeRole::Option | TypeRole::Result) => {
                self.optional(id, receiver.1, name, &args, role == Some(TypeRole::Option))
            }
            Some(_) => None,
            None if each => self.iterator(id, receiver.1, name, &args, row),
            None => {
                let distinctive = matches!(
                    name.as_str(),
                    "context"
                        | "with_context"
                        | "wrap_err"
                        | "wrap_err_with"
                        | "change_context"
                        | "and_then"
                        | "map_err"
                        | "ok_or"
                        | "ok_or_else"
                        | "or_else"
                        | "unwrap"
                        | "expect"
                        | "unwrap_or"
                        | "unwrap_or_else"
                        | "unwrap_or_default"
                        | "is_some_and"
                        | "is_none_or"
                        | "is_ok_and"
                        | "is_err_and"
                        | "map_or"
                        | "map_or_else"
                        | "then"
                        | "then_some"
                );
                if row.is_none() && !distinctive {
                    return None;
                }
                let option = matches!(name.as_str(), "ok_or" | "ok_or_else" | "is_some_and" | "is_none_or");
                self.optional(id, receiver.1, name, &args, option)
            }
        }
    }

    fn apply(&mut self, id: ExprId, path: CondId, closure: ValueId, args: Vec<ValueId>) -> ValueId {
        let before = self.state.clone();
        self.state.path = self.arena.then(before.path, path);
        let value = match self.arena.get(closure).clone() {
            Value::Closure(_) | Value::Function(_) => self.call_value(id, closure, args),
            // `map(Some)`, `map_err(Error::from)`: a constructor or function by its path.
            Value::Const(name) => match (super::cond::last_segment(name), args.first()) {
                ("Some" | "Ok" | "Err", Some(&arg)) => {
                    self.arena.add(Value::Wrap(Symbol::new(super::cond::last_segment(name)), arg))
                }
                _ => self.arena.add(Value::Op(name, args)),
            },
            _ => self.arena.op("applied", std::iter::once(closure).chain(args).collect()),
        };
        let after = self.after_branch(before);
        self.state = after;
        value
    }

    /// What a closure that ran under a condition leaves behind: changed locals are what they may now be.
    fn after_branch(&mut self, before: super::state::State) -> super::state::State {
        if self.state.dead {
            return before;
        }
        let mut after = self.after_rounds(before.clone());
        after.path = before.path;
        after.held = before.held;
        after
    }

    /// The answer of an access is unwrapped.
    fn assert_won(&mut self, value: ValueId) {
        let (Value::Outcome(event) | Value::Guard(event)) = self.arena.get(value) else { return };
        match &mut self.events[event.0 as usize].kind {
            EventKind::Access(access) => access.asserted = true,
            EventKind::Acquire(acquire) => acquire.asserted = true,
            _ => {}
        }
    }

    fn optional(
        &mut self,
        id: ExprId,
        value: ValueId,
        name: Symbol,
        args: &[ValueId],
        option: bool,
    ) -> Option<ValueId> {
        let there = self.present(value, option);
        let gone = self.arena.not(there);
        let good = if option { "Some" } else { "Ok" };
        let inner = self.unwrap(value);
        let missing = |walker: &mut Self| {
            if option {
                walker.arena.none()
            } else {
                let error = walker.error_of(value);
                walker.arena.wrap("Err", error)
            }
        };
        let first = args.first().copied();
        let arms = match (name.as_str(), first) {
            ("map" | "map_ok" | "map_async", Some(f)) => {
                let mapped = self.apply(id, there, f, vec![inner]);
                vec![(there, self.arena.wrap(good, mapped)), (gone, missing(self))]
            }
            ("and_then" | "and_then_async", Some(f)) => {
                vec![(there, self.apply(id, there, f, vec![inner])), (gone, missing(self))]
            }
            ("map_err", Some(f)) => {
                let error = self.error_of(value);
                let mapped = self.apply(id, gone, f, vec![error]);
                let kept = self.arena.wrap("Ok", inner);
                vec![(there, kept), (gone, self.arena.wrap("Err", mapped))]
            }
            // What libraries of errors add to a failure changes neither whether it failed nor the value.
            ("context" | "with_context" | "wrap_err" | "wrap_err_with" | "change_context", Some(context)) => {
                let error = if option { context } else { self.error_of(value) };
                let error = self.arena.op("context", vec![error, context]);
                vec![(there, self.arena.wrap("Ok", inner)), (gone, self.arena.wrap("Err", error))]
            }
            ("ok_or", Some(error)) => {
                vec![(there, self.arena.wrap("Ok", inner)), (gone, self.arena.wrap("Err", error))]
            }
            ("ok_or_else", Some(f)) => {
                let error = self.apply(id, gone, f, Vec::new());
                vec![(there, self.arena.wrap("Ok", inner)), (gone, self.arena.wrap("Err", error))]
            }
            ("or", Some(other)) => vec![(there, value), (gone, other)],
            ("or_else", Some(f)) => {
                let given = if option { Vec::new() } else { vec![self.error_of(value)] };
                let other = self.apply(id, gone, f, given);
                vec![(there, self.arena.wrap(good, inner)), (gone, other)]
            }
            ("unwrap_or", Some(other)) => vec![(there, inner), (gone, other)],
            ("unwrap_or_default", None) => vec![(there, inner), (gone, self.arena.lit("0"))],
            ("unwrap_or_else", Some(f)) => {
                let given = if option { Vec::new() } else { vec![self.error_of(value)] };
                let other = self.apply(id, gone, f, given);
                vec![(there, inner), (gone, other)]
            }
            ("map_or", Some(default)) => {
                let mapped = args.get(1).map(|f| self.apply(id, there, *f, vec![inner]))?;
                vec![(there, mapped), (gone, default)]
            }
            ("map_or_else", Some(default)) => {
                let given = if option { Vec::new() } else { vec![self.error_of(value)] };
                let other = self.apply(id, gone, default, given);
                let mapped = args.get(1).map(|f| self.apply(id, there, *f, vec![inner]))?;
                vec![(there, mapped), (gone, other)]
            }
            ("is_some_and" | "is_ok_and", Some(f)) => {
                vec![(there, self.apply(id, there, f, vec![inner])), (gone, self.arena.lit("false"))]
            }
            ("is_none_or", Some(f)) => {
                vec![(there, self.apply(id, there, f, vec![inner])), (gone, self.arena.lit("true"))]
            }
            ("is_err_and", Some(f)) => {
                let error = self.error_of(value);
                vec![(there, self.arena.lit("false")), (gone, self.apply(id, gone, f, vec![error]))]
            }
            ("filter", Some(f)) => {
                let kept = self.apply(id, there, f, vec![inner]);
                let truth = self.arena.truth(kept);
                let yes = self.arena.and(vec![there, truth]);
                let no = self.arena.not(yes);
                vec![(yes, value), (no, self.arena.none())]
            }
            ("then", Some(f)) => return Some(self.when(id, value, f, true)),
            ("then_some", Some(other)) => return Some(self.when(id, value, other, false)),
            ("ok", None) => vec![(there, self.arena.wrap("Some", inner)), (gone, self.arena.none())],
            ("err", None) => {
                let error = self.error_of(value);
                vec![(gone, self.arena.wrap("Some", error)), (there, self.arena.none())]
            }
            ("unwrap" | "expect", _) => {
                self.assert_won(value);
                return Some(inner);
            }
            ("unwrap_err" | "expect_err", _) => return Some(self.error_of(value)),
            ("is_some" | "is_none" | "is_ok" | "is_err", None) => {
                return Some(self.arena.op(name.as_str(), vec![value]));
            }
            ("inspect" | "inspect_err", Some(f)) => {
                let (cond, arg) = if name == "inspect" { (there, inner) } else { (gone, self.error_of(value)) };
                self.apply(id, cond, f, vec![arg]);
                return Some(value);
            }
            (
                "transpose" | "flatten" | "cloned" | "copied" | "as_ref" | "as_mut" | "as_deref" | "as_deref_mut",
                None,
            ) => return Some(value),
            _ => return None,
        };
        let arms = arms.into_iter().filter(|(cond, _)| self.arena.cond(*cond) != &super::cond::Cond::False).collect();
        Some(self.arena.phi(arms))
    }

    /// `cond.then(f)`, `cond.then_some(v)`
    fn when(&mut self, id: ExprId, value: ValueId, then: ValueId, call: bool) -> ValueId {
        let cond = self.arena.truth(value);
        let not = self.arena.not(cond);
        let inner = if call { self.apply(id, cond, then, Vec::new()) } else { then };
        let (some, none) = (self.arena.wrap("Some", inner), self.arena.none());
        self.arena.phi(vec![(cond, some), (not, none)])
    }

    /// Iterator adapters, by what their closures see: each element under the filters before it.
    fn iterator(
        &mut self,
        id: ExprId,
        value: ValueId,
        name: Symbol,
        args: &[ValueId],
        row: Option<&CallRow>,
    ) -> Option<ValueId> {
        let (element, cond) = self.element(value);
        let first = args.first().copied();
        let each = matches!(row.and_then(|row| row.runs), Some(Runs::Each));
        Some(match (name.as_str(), first) {
            ("map" | "flat_map" | "map_while" | "then", Some(f)) => {
                let mapped = self.each_time(id, cond, f, vec![element]);
                self.arena.op("each", vec![value, mapped])
            }
            ("filter" | "take_while" | "skip_while", Some(f)) => {
                let kept = self.each_time(id, cond, f, vec![element]);
                self.arena.op("filtered", vec![value, kept])
            }
            ("filter_map" | "and_then", Some(f)) => {
                let mapped = self.each_time(id, cond, f, vec![element]);
                let there = self.arena.test(mapped, Test::Some);
                let kept = self.bool_of(there);
                let filtered = self.arena.op("filtered", vec![value, kept]);
                let inner = self.unwrap(mapped);
                self.arena.op("each", vec![filtered, inner])
            }
            ("any" | "all" | "position" | "rposition" | "is_sorted_by", Some(f)) => {
                let passed = self.each_time(id, cond, f, vec![element]);
                self.arena.op(name.as_str(), vec![value, passed])
            }
            ("find" | "find_map" | "max_by_key" | "min_by_key" | "max_by" | "min_by", Some(f)) => {
                let passed = self.each_time(id, cond, f, vec![element, element]);
                let found = self.arena.op(name.as_str(), vec![value, passed]);
                let some = self.arena.test(found, Test::Some);
                let none_cond = self.arena.not(some);
                let inner = if name == "find_map" { self.unwrap(passed) } else { element };
                let (wrapped, none) = (self.arena.wrap("Some", inner), self.arena.none());
                self.arena.phi(vec![(some, wrapped), (none_cond, none)])
            }
            ("for_each" | "try_for_each" | "for_each_concurrent" | "try_for_each_concurrent", _) => {
                let f = *args.last()?;
                self.each_time(id, cond, f, vec![element])
            }
            ("fold" | "try_fold", Some(init)) => {
                let f = *args.get(1)?;
                let folded = self.each_time(id, cond, f, vec![init, element]);
                self.arena.op("fold", vec![value, folded])
            }
            ("reduce", Some(f)) => {
                let folded = self.each_time(id, cond, f, vec![element, element]);
                self.arena.op("fold", vec![value, folded])
            }
            (_, Some(f)) if each => {
                let seen = self.each_time(id, cond, f, vec![element]);
                self.arena.op("each", vec![value, seen])
            }
            ("next" | "first" | "last" | "next_back" | "pop" | "peek" | "nth", _) if row.is_none() => element,
            (
                "collect" | "iter" | "into_iter" | "rev" | "cloned" | "copied" | "by_ref" | "peekable" | "fuse"
                | "skip" | "take" | "inspect",
                _,
            ) => value,
            _ => return None,
        })
    }

    /// Runs a closure as often as there are elements: as in a loop.
    fn each_time(&mut self, id: ExprId, cond: CondId, closure: ValueId, args: Vec<ValueId>) -> ValueId {
        self.loop_count += 1;
        self.loop_ids.push(super::event::LoopId { number: self.loop_count, bounded: true });
        let value = self.apply(id, cond, closure, args);
        self.loop_ids.pop();
        value
    }
}
