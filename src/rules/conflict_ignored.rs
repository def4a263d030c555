//! `conflict-ignored`: nothing looks at whether a conditional write found its row.

use super::{Candidate, Scope};
use crate::flow::cond::{Atom, CondId};
use crate::flow::event::{AccessOp, Domain, EventKind, SqlEvent};
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::models::row::{Effect, Outcome};
use crate::rule::{Group, Item, Rule, Severity};
use crate::schema::UniquePart;
use crate::sql::{ConflictAction, Kind, Op, Operand, Predicate};
use crate::window::View;
use crate::window::decision::Question;
use crate::window::protect::predicate_columns;

pub static RULE: Rule = Rule {
    name: "conflict-ignored",
    group: Group::Transaction,
    severity: Severity::Error,
    item: Some(Item::C4),
    advisory: false,
    summary: "nothing looks at whether a conditional write found its row",
    page: include_str!("../../rules/conflict-ignored.md"),
};

/// Conditional writes of which nobody asks whether they found their row, though something relies on it.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = Vec::new();
    for view in scope.views() {
        for (id, event) in view.events() {
            let Some(claim) = claim(view, id) else { continue };
            if event.path.len() > 2 || event.context.later || event.context.unsure || view.trace.truncated {
                continue;
            }
            if view.is_looked_at(id)
                || scope.told_deeper(view, id, &|inner, at| !view_looks(inner, at) || refuses(inner, at))
            {
                continue;
            }
            if claim == Claim::State && marks_many(scope, view, id) {
                continue;
            }
            if !relied_on(scope, view, id, claim)
                || event.context.spawned != 0 && event.path.is_empty() && !works_after(view, id)
            {
                continue;
            }
            let mut candidate = Candidate::new(&RULE, view, view.seen_at(id));
            candidate.act = Some(id);
            out.push(candidate);
        }
    }
    out.extend(scope.at_events(&RULE, |view, id| loses_as_missing(scope, view, id)));
    out
}

/// `DO NOTHING … RETURNING` is read as the one row that must be there: losing is an error that speaks of a missing row, and nobody tells it from others.
fn loses_as_missing(scope: &Scope, view: &View, id: EventId) -> bool {
    let Some(sql) = view.sql(id).filter(|sql| sql.statement.kind == Kind::Insert && sql.result == Outcome::Row) else {
        return false;
    };
    let nothing = sql.statement.conflict.as_ref().is_some_and(|conflict| conflict.action == ConflictAction::Nothing);
    let passes_on = || view.trace.ret.is_some_and(|ret| hands_error_on(view, ret, id, 6));
    let contexts = || scope.contexts(view.function, view.event(id).origin);
    nothing
        && passes_on()
        && !view.asks_which_error(id)
        && !contexts().iter().any(|(context, at)| context.asks_which_error(*at))
}

/// The error of an event is, or is part of, what a function fails with.
fn hands_error_on(view: &View, value: ValueId, id: EventId, depth: u32) -> bool {
    match view.trace.arena.get(value) {
        Value::Outcome(of) => *of == id,
        Value::Wrap(name, error) if *name == "Err" => view.touches(*error).iter().any(|touch| touch.event == id),
        Value::Phi(arms) if depth > 0 => arms.iter().any(|(_, arm)| hands_error_on(view, *arm, id, depth - 1)),
        _ => false,
    }
}

/// Losing is turned into an error: some way out fails by the answer, and another succeeds by its opposite.
fn refuses(view: &View, id: EventId) -> bool {
    let mut ways = Vec::new();
    if let Some(ret) = view.trace.ret {
        ways_out(view, ret, Vec::new(), 6, &mut ways);
    }
    let asked = |failed: bool| -> Vec<Atom> {
        let conds = ways.iter().filter(|way| way.failed == failed).flat_map(|way| way.conds.iter().copied());
        let atoms = view.trace.arena.atoms_of(&conds.collect::<Vec<CondId>>());
        let asks = |atom: &Atom| {
            let mut touches = view.touches_of_atom(atom).into_iter();
            touches.any(|touch| touch.event == id && view.question_of(atom, &touch) != Question::Failure)
        };
        atoms.into_iter().filter(asks).collect()
    };
    let (wins, losses) = (asked(false), asked(true));
    let opposite = |a: &Atom, b: &Atom| a.value == b.value && a.test == b.test && a.negated != b.negated;
    wins.iter()
        .any(|won| losses.iter().any(|lost| opposite(won, lost)) && !wins.iter().any(|other| opposite(won, other)))
}

/// One way out of a function: whether it fails, and what holds on it.
struct WayOut {
    failed: bool,
    conds: Vec<CondId>,
}

fn ways_out(view: &View, value: ValueId, conds: Vec<CondId>, depth: u32, out: &mut Vec<WayOut>) {
    match view.trace.arena.get(value) {
        Value::Phi(arms) if depth > 0 => {
            for (cond, arm) in arms {
                let conds = conds.iter().chain([cond]).copied().collect();
                ways_out(view, *arm, conds, depth - 1, out);
            }
        }
        Value::Wrap(name, _) => out.push(WayOut { failed: *name == "Err", conds }),
        _ => out.push(WayOut { failed: false, conds }),
    }
}

fn view_looks(view: &View, id: EventId) -> bool {
    view.is_looked_at(id)
}

/// What a conditional write claims.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim {
    /// An amount is taken, or a version moved on: losing loses a write.
    Amount,
    /// A state is set, or a key is made first.
    State,
    /// A row is made first: whether by this request, only what is outside the database cares.
    First,
}

/// A write carries its own condition on the row that it is for.
pub fn is_claim(view: &View, id: EventId) -> bool {
    claim(view, id).is_some()
}

fn claim(view: &View, id: EventId) -> Option<Claim> {
    if let Some(access) = view.access(id) {
        let claims = access.domain == Domain::Store
            && access.conditional
            && !view.is_grouped(access)
            // Losing is an error of the call.
            && access.result != Some(Outcome::Won)
            && access.name != "invoke_async";
        return (claims && matches!(access.effect, Some(Effect::Put | Effect::Create))).then_some(Claim::State);
    }
    let sql = view.sql(id)?;
    let statement = sql.statement.effective();
    match statement.kind {
        Kind::Insert => match statement.conflict.as_ref()?.action {
            ConflictAction::Nothing if sql.result != Outcome::Row && sql.whole.is_none() => Some(Claim::First),
            _ => None,
        },
        Kind::Update => {
            let keyed = statement.filters.iter().any(|filter| match filter {
                Predicate::Compare { column, op: Op::Eq, right: Operand::Param(_) } => {
                    !statement.sets.iter().any(|set| set.column == column.name)
                }
                _ => false,
            });
            let compared =
                |column: Symbol| statement.filters.iter().any(|filter| predicate_columns(filter).contains(&column));
            let set = statement.sets.iter().find(|set| compared(set.column))?;
            if !keyed {
                return None;
            }
            Some(if set.relative || is_version(view, sql, set.column) { Claim::Amount } else { Claim::State })
        }
        _ => None,
    }
}

/// Fixed values are set in all rows that have a key in common: who comes second finds none left and need not know.
fn marks_many(scope: &Scope, view: &View, id: EventId) -> bool {
    let Some(sql) = view.sql(id).filter(|sql| sql.statement.effective().kind == Kind::Update) else { return false };
    let statement = sql.statement.effective();
    let table = statement.table.and_then(|table| scope.schema_of(view.function).table(table));
    let uniques = table.map(|table| table.uniques.as_slice()).unwrap_or_default();
    let keys = statement.key_columns();
    let compared = |part: &UniquePart| matches!(part, UniquePart::Column(column) if keys.contains(column));
    let one = uniques.iter().any(|unique| unique.columns.iter().all(compared));
    !uniques.is_empty() && !one && view.sets_fixed(sql)
}

/// Something happens afterwards as if the write had found its row; or an amount is taken and success reported.
fn relied_on(scope: &Scope, view: &View, id: EventId, claim: Claim) -> bool {
    if goes_on_with_row(view, id) {
        return false;
    }
    if claim == Claim::First {
        return counts_on_first(view, id);
    }
    if works_after(view, id) {
        return true;
    }
    let contexts = scope.contexts(view.function, view.event(id).origin);
    if contexts.iter().any(|(context, at)| goes_on_with_row(context, *at)) {
        return false;
    }
    if contexts.iter().any(|(context, at)| works_after(context, *at)) {
        return true;
    }
    claim == Claim::Amount || decided_before(view, id)
}

/// The key that is claimed was asked for before: whether it was free decides that it is taken.
fn decided_before(view: &View, id: EventId) -> bool {
    !view.place_windows_at(id).is_empty()
}

/// A later write, message or outside call on the way that the write is on.
pub fn works_after(view: &View, id: EventId) -> bool {
    let handled = |other: EventId| view.deciders(other).of(id).any(|d| d.question != Question::Failure);
    view.events().skip(id.0 as usize + 1).any(|(other, event)| {
        let works = match &event.kind {
            EventKind::Sql(sql) => sql.statement.effective().is_write(),
            EventKind::External { .. } => true,
            EventKind::Access(access) => {
                matches!(access.op, AccessOp::Write | AccessOp::Use) && !access.domain.in_memory()
                    || access.effect == Some(Effect::Send)
            }
            _ => false,
        };
        works && view.compatible(id, other) && !handled(other)
    })
}

/// The row was only to be there, by whomever: a later statement reads or writes it.
fn goes_on_with_row(view: &View, id: EventId) -> bool {
    let Some(sql) = view.sql(id).filter(|sql| sql.statement.effective().kind == Kind::Insert) else { return false };
    let table = sql.statement.effective().table;
    view.events().skip(id.0 as usize + 1).any(|(_, event)| match &event.kind {
        EventKind::Sql(later) => table.is_some_and(|table| {
            later.statement.effective().table == Some(table) && later.statement.effective().kind != Kind::Insert
                || later.statement.reads.contains(&table)
        }),
        _ => false,
    })
}

/// After a row was made, or was there, something is sent or an amount is changed as if it had been made.
fn counts_on_first(view: &View, id: EventId) -> bool {
    let event = view.event(id);
    event.loops.is_empty()
        && view.events().skip(id.0 as usize + 1).any(|(other, later)| {
            let counts = match &later.kind {
                EventKind::External { .. } => true,
                EventKind::Sql(sql) => {
                    let statement = sql.statement.effective();
                    statement.kind == Kind::Update && statement.sets.iter().any(|set| set.relative)
                }
                _ => false,
            };
            counts && later.path.len() <= 2 && view.compatible(id, other)
        })
}

/// The column is compared with what was read of it before: a version, or the old value.
fn is_version(view: &View, sql: &SqlEvent, column: Symbol) -> bool {
    sql.statement.effective().filters.iter().any(|filter| match filter {
        Predicate::Compare { column: of, op: Op::Eq, right: Operand::Param(n) } if of.name == column => {
            let value = sql.args.get(*n as usize).copied().flatten();
            value.is_some_and(|value| view.touches(value).iter().any(|touch| view.sql(touch.event).is_some()))
        }
        _ => false,
    })
}
