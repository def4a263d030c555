//! The name of what is raced for: `tickets.quantity`, `self.sessions`, a key, a path.

use super::code::{Code, within};
use super::{Case, predicate};
use crate::flow::event::{Access, Domain, EventKind};
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::ir;
use crate::window::View;
use crate::window::database::RowWindow;
use crate::window::key::Relation;

/// The resource of a case; empty where nothing has a name.
pub fn of(case: &Case) -> String {
    if let Some(window) = window(case) {
        return match column(case, window) {
            Some(column) => format!("{}.{column}", window.table),
            None => window.table.to_string(),
        };
    }
    let Some(act) = case.candidate.act else { return case.candidate.resource.clone() };
    match &case.view.event(act).kind {
        EventKind::Sql(sql) => {
            let statement = sql.statement.effective();
            let table = statement.table.map(|table| table.to_string()).unwrap_or_default();
            match statement.sets.first().filter(|_| statement.kind == crate::sql::Kind::Update) {
                Some(set) => format!("{table}.{}", set.column),
                None => table,
            }
        }
        EventKind::Access(access) => {
            let named = match access.domain {
                Domain::Store => access.key.unwrap_or(access.place),
                _ => checked_target(case, access).unwrap_or(access.place),
            };
            path_in_code(case, act, access, named).unwrap_or_else(|| name(case.view, named))
        }
        EventKind::External { what, .. } => what.to_string(),
        _ => case.candidate.resource.clone(),
    }
}

/// A path that is computed (`dir.join("lock")`) is called what the code calls it where it acts on it.
fn path_in_code(case: &Case, act: EventId, access: &Access, named: ValueId) -> Option<String> {
    let mut value = named;
    while let Value::Content(inner) | Value::Wrap(_, inner) = case.view.trace.arena.get(value) {
        value = *inner;
    }
    if access.domain != Domain::File || !matches!(case.view.trace.arena.get(value), Value::Op(..)) {
        return None;
    }
    let event = case.view.event(act);
    let code = Code::of(case, event.origin.0)?;
    let call = code.call_at(event.span).or_else(|| {
        let inside = |expr: &ir::Expr| matches!(expr.kind, ir::ExprKind::Call { .. }) && within(expr.span, event.span);
        code.body.exprs.iter().position(inside).map(|index| ir::ExprId(index as u32))
    })?;
    let ir::ExprKind::Call { args, .. } = &code.expr(call).kind else { return None };
    let local = code.local(code.referred(*args.first()?))?;
    Some(code.body.local(local).name.to_string()).filter(|name| !name.starts_with('<'))
}

/// The second path of a copy or rename, where that is the one that was looked at.
fn checked_target(case: &Case, access: &Access) -> Option<ValueId> {
    let checked = case.view.access(case.candidate.check?)?.place;
    access.target.filter(|target| case.view.same_value(checked, *target) == Relation::Same)
}

/// The row window of a case.
pub fn window<'c>(case: &'c Case) -> Option<&'c RowWindow> {
    let (check, act) = (case.candidate.check?, case.candidate.act?);
    case.scope.rows(case.view).iter().find(|window| window.check == check && window.act == act)
}

/// The column that the race is about: one that is looked at and written, else one that is looked at, else one that is written.
pub fn column(case: &Case, window: &RowWindow) -> Option<Symbol> {
    let act = case.view.sql(window.act)?.statement.effective();
    let decisive: Vec<Symbol> =
        case.view.decisive_columns(window).into_iter().filter(|column| predicate::is_column(*column)).collect();
    let written = || act.sets.iter().map(|set| set.column);
    if act.kind == crate::sql::Kind::Insert {
        if let Some((column, _)) = window.computed.first() {
            return Some(*column);
        }
        let check = case.view.sql(window.check)?.statement.effective();
        return check.key_columns().into_iter().find(|column| written().any(|set| set == *column));
    }
    written()
        .find(|column| decisive.contains(column))
        .or_else(|| window.computed.first().map(|(column, _)| *column))
        .or_else(|| written().next().filter(|_| !window.whole))
        .or_else(|| decisive.first().copied())
}

/// A value in the words of the code.
pub fn name(view: &View, value: ValueId) -> String {
    name_at(view, value, 8).unwrap_or_default()
}

fn name_at(view: &View, value: ValueId, depth: u32) -> Option<String> {
    if depth == 0 {
        return None;
    }
    let function = view.program.source(view.function);
    match view.trace.arena.get(value) {
        Value::Param(0) if function.receiver.is_some() => Some("self".to_owned()),
        Value::Param(n) => {
            let index = *n as usize - usize::from(function.receiver.is_some());
            function.params.get(index)?.name.map(|name| name.to_string())
        }
        Value::Static(of) => view.program.static_(*of).path.rsplit("::").next().map(str::to_owned),
        Value::Field(base, field) => {
            let base = name_at(view, *base, depth - 1);
            // `session.0.data` is `session.data` to whoever reads it.
            if field.as_str().parse::<u32>().is_ok() && base.is_some() {
                return base;
            }
            Some(base.map_or_else(|| field.to_string(), |base| format!("{base}.{field}")))
        }
        Value::Content(inner) | Value::Element(inner) | Value::Wrap(_, inner) => name_at(view, *inner, depth - 1),
        Value::Guard(event) => match &view.event(*event).kind {
            EventKind::Acquire(acquire) => name_at(view, acquire.lock, depth - 1),
            _ => None,
        },
        Value::Outcome(event) => match &view.event(*event).kind {
            EventKind::Access(access) => name_at(view, access.place, depth - 1),
            _ => None,
        },
        Value::Lit(text) => Some(text.to_string()),
        Value::Op(op, args) if op == "format" => name_at(view, *args.first()?, depth - 1),
        Value::Op(_, args) => args.iter().find_map(|arg| name_at(view, *arg, depth - 1)),
        Value::Entry(place, _) => name_at(view, *place, depth - 1),
        _ => None,
    }
}
