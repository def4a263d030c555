//! `effect-before-claim`: an outside effect happens before anything claims the right to it.

use super::{Candidate, Scope};
use crate::flow::cond::last_segment;
use crate::flow::event::EventKind;
use crate::flow::value::{EventId, Value, ValueId};
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::Kind;
use crate::window::View;
use crate::window::database::RowWindow;
use crate::window::decision::{Decider, Question};
use crate::window::key::Relation;
use crate::window::protect::Protection;

pub static RULE: Rule = Rule {
    name: "effect-before-claim",
    group: Group::Request,
    severity: Severity::Warning,
    item: Some(Item::C3),
    advisory: false,
    summary: "an outside effect happens before anything claims the right to it",
    page: include_str!("../../rules/effect-before-claim.md"),
};

/// Effects outside that an unlocked check decides, though only a later write is protected.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    scope.at_events(&RULE, |view, id| is_effect(view, id) && !is_claimed(view, id) && record_follows(scope, view, id))
}

/// Something outside is changed, not only asked, and no idempotency key goes along.
pub fn is_effect(view: &View, id: EventId) -> bool {
    let EventKind::External { what, args } = &view.event(id).kind else { return false };
    let asks = is_question(what.as_str()) || args.iter().any(|request| only_asks(view, *request));
    !asks && !args.iter().any(|arg| says_key(view, *arg, 12))
}

fn is_question(name: &str) -> bool {
    matches!(name.rsplit("::").next(), Some("get" | "head" | "connect" | "create_channel" | "get_async"))
}

/// `client.request(Method::GET, url)`.
fn names_question(view: &View, args: &[ValueId]) -> bool {
    args.iter().any(
        |arg| matches!(view.trace.arena.get(*arg), Value::Const(path) if matches!(last_segment(*path), "GET" | "HEAD")),
    )
}

/// `client.get(url).header(…)`, or a part of what became of it: the method that the chain begins with.
fn only_asks(view: &View, request: ValueId) -> bool {
    let mut at = request;
    loop {
        at = match view.trace.arena.get(at) {
            Value::Op(name, args) if is_question(name.as_str()) || names_question(view, args) => return true,
            Value::Op(_, args) => match args.first() {
                Some(receiver) => *receiver,
                None => return false,
            },
            Value::Field(base, _) | Value::Wrap(_, base) | Value::Content(base) => *base,
            _ => return false,
        };
    }
}

/// The request says a key by which the other side tells repeats.
fn says_key(view: &View, value: ValueId, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    let key = |name: &str| name.to_ascii_lowercase().contains("idempotency");
    match view.trace.arena.get(value) {
        Value::Op(_, args) => args.iter().any(|arg| says_key(view, *arg, depth - 1)),
        Value::Lit(text) => key(text.as_str()),
        Value::Wrap(_, inner) => says_key(view, *inner, depth - 1),
        Value::Record { fields, .. } => {
            fields.iter().any(|(name, field)| key(name.as_str()) || says_key(view, *field, depth - 1))
        }
        _ => false,
    }
}

/// The outcome of an earlier write decides the effect.
fn is_claimed(view: &View, id: EventId) -> bool {
    let writes = |event: EventId| view.sql(event).is_some_and(|sql| sql.statement.effective().is_write());
    view.deciders(id).among(writes).any(|decider| decider.question != Question::Failure)
}

/// The check that decides the effect also decides a later write, which a constraint or its own condition protects.
fn record_follows(scope: &Scope, view: &View, id: EventId) -> bool {
    let deciders = view.deciders(id);
    scope.rows(view).iter().any(|window| {
        let check = view.sql(window.check).map(|sql| sql.statement.effective());
        let unlocked = check.is_some_and(|check| check.kind == Kind::Select && check.lock.is_none());
        let decides = deciders.of(window.check).any(|decider| is_claimable(view, window, &decider));
        let protected = || {
            matches!(
                view.protection(window, &scope.surroundings(view)),
                Some(Protection::Conditional | Protection::Constraint(_))
            )
        };
        let between = window.check < id && id < window.act;
        between && unlocked && decides && is_record(view, window) && view.compatible(id, window.act) && protected()
    })
}

/// The effect hangs on this test of the check, whatever the way to it, and so does the write.
fn is_claimable(view: &View, window: &RowWindow, decider: &Decider) -> bool {
    decider.atom.strong
        && decider.question != Question::Failure
        && view.deciders(window.act).of(window.check).any(|d| d.atom == decider.atom)
}

/// After the write, the check answers otherwise: what was missing is there, what was there is gone, the state that was looked at has changed.
fn is_record(view: &View, window: &RowWindow) -> bool {
    let Some(act) = view.sql(window.act) else { return false };
    let statement = act.statement.effective();
    match statement.kind {
        Kind::Insert => window.absent(),
        Kind::Delete => {
            let told = view.decides_later(window.act, |question| question != Question::Failure);
            told && window.relation == Relation::Same && !is_replaced(view, window)
        }
        _ => {
            let decisive = view.decisive_columns(window);
            statement.sets.iter().any(|set| decisive.contains(&set.column))
        }
    }
}

/// The row that is deleted is put back at once, changed.
fn is_replaced(view: &View, window: &RowWindow) -> bool {
    let act = view.event(window.act);
    view.events().skip(window.act.0 as usize + 1).any(|(id, event)| {
        let inserts = view
            .sql(id)
            .map(|sql| sql.statement.effective())
            .is_some_and(|statement| statement.kind == Kind::Insert && statement.table == Some(window.table));
        inserts && event.path == act.path
    })
}
