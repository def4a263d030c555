//! `handler-without-idempotency`: a request that moves money or stock carries no idempotency key.

use std::collections::BTreeSet;

use super::effect_before_claim::is_effect;
use super::revives_expired::words_in;
use super::{Candidate, Scope};
use crate::finding::Label;
use crate::flow::event::EventKind;
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::ir::{ExprId, ExprKind};
use crate::resolve::{Def, FnId, Ty};
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Kind, Op, Operand, Predicate};
use crate::window::View;

pub static RULE: Rule = Rule {
    name: "handler-without-idempotency",
    group: Group::Request,
    severity: Severity::Note,
    item: Some(Item::C3),
    advisory: true,
    summary: "a request that moves money or stock carries no idempotency key",
    page: include_str!("../../rules/handler-without-idempotency.md"),
};

const KEYS: &[&str] = &["idempotency", "event", "request", "delivery", "message"];
const MONEY: &[&str] = &["payment", "payments", "charge", "charges", "transfer", "transfers", "refund", "refunds"];

/// POST handlers that do again what they did when a request comes twice.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let repeated = moving(scope).into_iter().filter(|view| known_again(scope, view).is_none());
    repeated
        .map(|view| {
            let mut candidate = Candidate::of_function(&RULE, scope, view.function);
            candidate.labels.extend(unkeyed(scope, view));
            candidate
        })
        .collect()
}

/// The first table that changes twice when the request comes twice, where its definition was seen whole.
fn unkeyed(scope: &Scope, view: &View) -> Option<Label> {
    let schema = scope.schema_of(view.function);
    let moved = view.events().map(|(id, _)| id).filter(|id| moves(view, *id));
    let mut tables = moved.filter_map(|id| schema.table(view.sql(id)?.statement.effective().table?));
    let table = tables.find(|table| table.is_complete())?;
    Some(table.label(format!("nothing of {} tells the second request from the first", table.name)))
}

/// The handlers that move money or stock, as far as a second request must not do so again.
pub fn moving<'s, 'v>(scope: &'s Scope<'v>) -> Vec<&'s View<'v>> {
    let handlers = handlers(scope);
    let views = scope.views().iter().filter(|view| handlers.contains(&view.function));
    views.filter(|view| view.events().any(|(id, _)| moves(view, id))).collect()
}

/// Where a handler finds that its request came before.
pub fn known_again(scope: &Scope, view: &View) -> Option<EventId> {
    view.events().map(|(id, _)| id).find(|id| is_once(scope, view, *id))
}

/// Functions with a `#[post]`, and those given to `post(…)`.
fn handlers(scope: &Scope) -> BTreeSet<FnId> {
    let mut out = BTreeSet::new();
    let program = scope.program;
    for index in 0..program.functions.len() {
        let id = FnId(index as u32);
        if program.function(id).test {
            continue;
        }
        let source = program.source(id);
        if source.attrs.iter().any(|attr| attr.path.as_str().rsplit("::").next() == Some("post")) {
            out.insert(id);
        }
        let Some(body) = source.body.as_ref() else { continue };
        let defs = &program.typed(id).defs;
        let function = |arg: Option<&ExprId>| match arg.and_then(|arg| defs.get(arg)) {
            Some(Def::Fn(function)) => Some(*function),
            _ => None,
        };
        for expr in &body.exprs {
            let handler = match &expr.kind {
                ExprKind::Call { callee, args } => {
                    let posts = matches!(defs.get(callee), Some(Def::Ext(path)) if path.as_str().ends_with("::post"));
                    function(args.first()).filter(|_| posts)
                }
                ExprKind::MethodCall { name, args, .. } if *name == "post" => function(args.first()),
                _ => None,
            };
            out.extend(handler);
        }
    }
    out
}

/// An amount changes in place, a payment is recorded, or something outside is told to do its part.
fn moves(view: &View, id: EventId) -> bool {
    if matches!(view.event(id).kind, EventKind::External { .. }) {
        return is_effect(view, id);
    }
    let Some(sql) = view.sql(id) else { return false };
    let statement = sql.statement.effective();
    match statement.kind {
        Kind::Update => statement.sets.iter().any(|set| set.relative),
        Kind::Insert => statement.table.is_some_and(|table| has_word(table, MONEY)),
        _ => false,
    }
}

/// A second request finds that there was a first: a key is stored, a state is required, or a unique constraint is in the way.
fn is_once(scope: &Scope, view: &View, id: EventId) -> bool {
    if let Some(access) = view.access(id) {
        return !access.domain.in_memory() && access.conditional || access.key.is_some_and(|key| is_key(view, key, 8));
    }
    if let EventKind::External { args, .. } = &view.event(id).kind {
        return args.iter().any(|arg| is_key(view, *arg, 12));
    }
    let Some(sql) = view.sql(id) else { return false };
    let keyed = sql.args.iter().flatten().any(|arg| is_key(view, *arg, 8));
    keyed
        || sql.statement.walk().any(|part| match part.kind {
            Kind::Update => part.filters.iter().any(|filter| !is_key_or_bound(filter)),
            Kind::Insert => {
                let columns: Vec<Symbol> = part.sets.iter().map(|set| set.column).collect();
                let schema = scope.schema_of(view.function);
                part.conflict.is_some()
                    || columns.iter().any(|column| has_word(*column, KEYS))
                    || part.table.is_some_and(|table| schema.covering_unique(table, &columns).is_some())
            }
            _ => false,
        })
}

/// The row is picked by its key, or an amount is asked for: neither fails the second time.
fn is_key_or_bound(filter: &Predicate) -> bool {
    matches!(
        filter,
        Predicate::Compare { op: Op::Eq, right: Operand::Param(_), .. }
            | Predicate::Compare { op: Op::Ge | Op::Gt | Op::Le | Op::Lt, .. }
    )
}

fn has_word(name: Symbol, words: &[&str]) -> bool {
    words_in(name.as_str()).iter().any(|word| words.contains(&word.as_str()))
}

/// A header, a field or a parameter that tells one request from another.
fn is_key(view: &View, value: ValueId, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    match view.trace.arena.get(value) {
        Value::Field(base, name) if *name == "id" => has_key_name(view, *base),
        Value::Field(_, name) => has_word(*name, KEYS),
        Value::Lit(text) => has_word(*text, &KEYS[..1]),
        Value::Param(_) => has_key_name(view, value),
        Value::Op(_, args) => args.iter().any(|arg| is_key(view, *arg, depth - 1)),
        Value::Wrap(_, inner) | Value::Element(inner) | Value::Given(inner, _) => is_key(view, *inner, depth - 1),
        _ => false,
    }
}

/// The parameter's type is called a key, an event or a message.
fn has_key_name(view: &View, value: ValueId) -> bool {
    match view.trace.arena.types.get(&value) {
        Some(Ty::Adt(id, _)) => has_word(view.program.adt(*id).name, KEYS),
        _ => false,
    }
}
