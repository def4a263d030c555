//! The interleaving of two requests that breaks the code, with the values that the code itself compares with.

use super::{Case, predicate, resource};
use crate::finding::Step;
use crate::flow::cond::Test;
use crate::flow::event::{Access, AccessOp, Domain, EventKind};
use crate::flow::value::EventId;
use crate::intern::Symbol;
use crate::ir::BinOp;
use crate::models::row::Effect;
use crate::sql::Kind;
use crate::window::database::RowWindow;
use crate::window::decision::Question;

/// The steps; none where no second request is needed to see what is wrong.
pub fn of(case: &Case) -> Vec<Step> {
    let (Some(check), Some(act)) = (case.candidate.check, case.candidate.act) else { return Vec::new() };
    if matches!(case.view.event(check).kind, EventKind::Begin { .. }) {
        return Vec::new();
    }
    let seen = seen(case, check);
    let (does, again, end) = outcome(case, act);
    vec![
        step(case, "A", format!("reads {seen}"), Some(check)),
        step(case, "B", format!("reads {seen} as well: nothing has changed yet"), Some(check)),
        step(case, "A", does, Some(act)),
        step(case, "B", again, Some(act)),
        step(case, "", end, None),
    ]
}

fn step(case: &Case, actor: &'static str, text: String, at: Option<EventId>) -> Step {
    Step { actor, text, span: at.map(|at| case.view.event(at).span) }
}

/// What both requests see, in values under which both go on.
fn seen(case: &Case, check: EventId) -> String {
    let resource = &case.resource;
    let deciders = case.candidate.act.map(|act| case.view.deciders(act));
    let mine: Vec<_> = deciders.iter().flat_map(|all| all.of(check)).collect();
    if mine.iter().any(|d| d.question == Question::Presence { absent: true }) {
        return match resource::window(case) {
            Some(window) => format!("no row of {}{}", window.table, keyed(case, window)),
            None => format!("that {resource} is not there"),
        };
    }
    for decider in &mine {
        let Test::Compare(op, other) = decider.atom.test else { continue };
        let Some(limit) = case.view.trace.arena.as_lit(other) else { continue };
        let name = decider.part.map_or_else(|| resource.clone(), |part| part.to_string());
        return format!("{name} = {}", passing(op, limit, decider.atom.negated));
    }
    if let Some(window) = resource::window(case)
        && let Some(column) = resource::column(case, window)
    {
        return match predicate::of(case, window) {
            Some(holds) if !is_counted(case, window, column) && !holds.contains("<the ") => {
                format!("a row with {holds}")
            }
            _ => format!("{column} = {}", sample(case, window, column)),
        };
    }
    format!("{resource} as it is")
}

fn keyed(case: &Case, window: &RowWindow) -> String {
    let keys = case.view.sql(window.check).map(|sql| sql.statement.effective().key_columns()).unwrap_or_default();
    let names: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
    if names.is_empty() { String::new() } else { format!(" with this {}", names.join(" and ")) }
}

/// A value that passes the comparison, as close to its limit as can be.
fn passing(op: BinOp, limit: Symbol, negated: bool) -> String {
    let Ok(number) = limit.as_str().parse::<i64>() else {
        return if (op == BinOp::Eq) != negated {
            format!("'{limit}'")
        } else {
            format!("something other than '{limit}'")
        };
    };
    let value = match (op, negated) {
        (BinOp::Gt, false) | (BinOp::Le, true) => number.saturating_add(1),
        (BinOp::Lt, false) | (BinOp::Ge, true) => number.saturating_sub(1),
        (BinOp::Eq, true) => number.saturating_add(1),
        _ => number,
    };
    value.to_string()
}

fn sample(case: &Case, window: &RowWindow, column: Symbol) -> &'static str {
    if is_counted(case, window, column) { "1" } else { "the old value" }
}

/// The column is counted up or down, by the database or from what was read.
fn is_counted(case: &Case, window: &RowWindow, column: Symbol) -> bool {
    let relative = case
        .view
        .sql(window.act)
        .is_some_and(|sql| sql.statement.effective().sets.iter().any(|set| set.column == column && set.relative));
    relative || window.computed.iter().any(|(computed, _)| *computed == column)
}

/// What the first request does, what the second does after it, and how it ends.
fn outcome(case: &Case, act: EventId) -> (String, String, String) {
    let resource = &case.resource;
    match &case.view.event(act).kind {
        EventKind::Sql(sql) => {
            let statement = sql.statement.effective();
            let table = statement.table.map(|table| table.to_string()).unwrap_or_default();
            match statement.kind {
                Kind::Insert if statement.conflict.is_some() => (
                    format!("writes its row to {table}"),
                    format!("writes its own over it: the conflict clause of {table} does not mind"),
                    format!("the row of A in {table} is gone, and A was told that it stands"),
                ),
                Kind::Insert => (
                    format!("inserts its row into {table}"),
                    "inserts a second one: what it checked was true when it looked".to_owned(),
                    format!("two rows in {table} where the check allows one"),
                ),
                Kind::Delete => (
                    format!("deletes the row of {table} and goes on"),
                    "deletes nothing and goes on as well".to_owned(),
                    format!("both requests act on what only one row of {table} stood for"),
                ),
                _ if statement.sets.iter().any(|set| set.relative) => (
                    format!("changes {resource}"),
                    format!("changes {resource} again, past the limit that it checked"),
                    format!("both requests succeed, and {resource} is beyond what the check allows"),
                ),
                _ => (
                    format!("writes {resource}"),
                    format!("writes {resource} from what it read before, over the write of A"),
                    format!("both requests succeed, and one of the two changes to {resource} is lost"),
                ),
            }
        }
        EventKind::Access(access) => touched(case, access),
        _ => (
            "goes on".to_owned(),
            "goes on as well".to_owned(),
            format!("both went on as if each had {resource} to itself"),
        ),
    }
}

/// The same for what is not a row: a key, a place in memory, a path.
fn touched(case: &Case, access: &Access) -> (String, String, String) {
    let resource = &case.resource;
    let computed = access.value.is_some_and(|value| {
        case.view.touches(value).iter().any(|touch| Some(touch.event) == case.candidate.check && !touch.control)
    });
    let puts = matches!(access.effect, Some(Effect::Put | Effect::Create));
    if computed && access.op == AccessOp::Write {
        return (
            format!("writes {resource}, computed from what it read"),
            format!("writes {resource}, computed from what it read before, over the write of A"),
            format!("both requests succeed, and one of the two changes to {resource} is lost"),
        );
    }
    if access.op == AccessOp::Atomic {
        return (
            format!("changes {resource}"),
            format!("changes {resource} again, past what it checked"),
            format!("both went on, and {resource} is beyond what the check allows"),
        );
    }
    if puts && access.domain != Domain::Atomic {
        return (
            format!("writes its own to {resource}"),
            "writes its own over it: what it checked was true when it looked".to_owned(),
            format!("both go on as the first one, and what A wrote to {resource} is gone"),
        );
    }
    let verb = match access.effect {
        Some(Effect::Remove | Effect::RemoveDir) => "removes",
        Some(Effect::Create | Effect::CreateDir) => "creates",
        _ if access.op == AccessOp::Use => "uses",
        _ => "writes",
    };
    (
        format!("{verb} {resource}"),
        format!("{verb} {resource} too, although what it saw no longer holds"),
        format!("both went on as if each had {resource} to itself"),
    )
}
