//! `unbounded-retry`: a conflict is retried without a bound or without waiting.

use super::{Candidate, Scope};
use crate::flow::cond::CondId;
use crate::flow::event::EventKind;
use crate::flow::value::{EventId, Value, ValueId};
use crate::ir::{self, BinOp, Body, ExprId, ExprKind, Lit};
use crate::rule::{Group, Item, Rule, Severity};
use crate::source::Span;
use crate::sql::{Isolation, Kind, Op, Operand, Predicate};
use crate::window::View;
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "unbounded-retry",
    group: Group::Transaction,
    severity: Severity::Warning,
    item: Some(Item::C4),
    advisory: false,
    summary: "a conflict is retried without a bound or without waiting",
    page: include_str!("../../rules/unbounded-retry.md"),
};

/// Loops without a bound that try a write again which lost.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = Vec::new();
    for view in scope.views() {
        let source = view.program.source(view.function);
        let Some(body) = source.body.as_ref() else { continue };
        let file = view.program.file(view.function);
        for (id, event) in view.events() {
            let asked = matches!(event.kind, EventKind::Sql(_) | EventKind::Begin { .. });
            if !asked || event.loops.is_empty() {
                continue;
            }
            let Some(around) = loop_around(body, view.seen_at(id)) else { continue };
            let lost = match &event.kind {
                EventKind::Sql(_) => is_optimistic(view, id) && turns_until_won(view, body, id, around),
                EventKind::Begin { isolation: Isolation::Serializable, .. } => asks_for_failure(file, body, around),
                _ => false,
            };
            let span = body.expr(around).span;
            if lost && !is_bounded(body, span) && !out.iter().any(|other| other.span == span) {
                let mut candidate = Candidate::new(&RULE, view, span);
                candidate.act = Some(id);
                out.push(candidate);
            }
        }
    }
    out
}

/// The innermost loop around a place, where it is no `for`.
fn loop_around(body: &Body, span: Span) -> Option<ExprId> {
    let loops = body.exprs.iter().enumerate().filter(|(_, expr)| {
        matches!(expr.kind, ExprKind::Loop { .. } | ExprKind::While { .. } | ExprKind::For { .. })
            && expr.span.contains(span)
    });
    let (index, innermost) = loops.min_by_key(|(_, expr)| expr.span.end - expr.span.start)?;
    (!matches!(innermost.kind, ExprKind::For { .. })).then_some(ExprId(index as u32))
}

/// An UPDATE that finds its row only while what was read still stands.
fn is_optimistic(view: &View, id: EventId) -> bool {
    let Some(sql) = view.sql(id).filter(|sql| sql.statement.effective().kind == Kind::Update) else { return false };
    sql.statement.effective().filters.iter().any(|filter| match filter {
        Predicate::Compare { column, op: Op::Eq, right: Operand::Param(n) } => {
            let compared = sql.args.get(usize::from(*n)).copied().flatten();
            let read = |value| view.touches(value).iter().any(|touch| touch.event < id && !touch.control);
            compared.is_some_and(read) && sql.statement.effective().sets.iter().any(|set| set.column == column.name)
        }
        _ => false,
    })
}

/// Winning ends the loop, and losing does not.
fn turns_until_won(view: &View, body: &Body, id: EventId, around: ExprId) -> bool {
    if let ExprKind::While { condition, .. } = body.expr(around).kind {
        return asks_for_answer(body, condition, view.seen_at(id));
    }
    let mut exits = Vec::new();
    ways_out(view, view.trace.ret, 6, &mut exits);
    let mut signs = exits.iter().flat_map(|cond| view.trace.arena.atoms(*cond)).filter_map(|atom| {
        let touches = view.touches_of_atom(&atom);
        let touch = touches.iter().find(|touch| touch.event == id)?;
        (view.question_of(&atom, touch) != Question::Failure).then_some((atom.value, atom.test, atom.negated))
    });
    let Some(first) = signs.next() else { return false };
    signs.all(|sign| sign == first)
}

/// The condition looks at a local to which the loop assigns the answer.
fn asks_for_answer(body: &Body, condition: ExprId, answer: Span) -> bool {
    let asked = body.expr(condition).span;
    body.exprs.iter().any(|expr| {
        let ExprKind::Assign { op: None, place, value } = expr.kind else { return false };
        let ExprKind::Local(local) = body.expr(place).kind else { return false };
        body.expr(value).span.contains(answer)
            && body.exprs.iter().any(|e| matches!(e.kind, ExprKind::Local(of) if of == local) && asked.contains(e.span))
    })
}

fn ways_out(view: &View, value: Option<ValueId>, depth: u32, out: &mut Vec<CondId>) {
    let Some(value) = value.filter(|_| depth > 0) else { return };
    if let Value::Phi(arms) = view.trace.arena.get(value) {
        for (cond, arm) in arms {
            out.push(*cond);
            ways_out(view, Some(*arm), depth - 1, out);
        }
    }
}

/// The loop tells a serialization failure or a deadlock from other errors.
fn asks_for_failure(file: &ir::File, body: &Body, around: ExprId) -> bool {
    let span = body.expr(around).span;
    body.exprs.iter().filter(|expr| span.contains(expr.span)).any(|expr| match &expr.kind {
        ExprKind::Path(path) => file.paths[path.0 as usize].segments.last().is_some_and(|last| {
            matches!(last.name.as_str(), "T_R_SERIALIZATION_FAILURE" | "T_R_DEADLOCK_DETECTED" | "SerializationFailure")
        }),
        ExprKind::Lit(Lit::Str(text)) => matches!(text.as_str(), "40001" | "40P01"),
        _ => false,
    })
}

/// Something in the loop is compared by size: attempts with a number, or the time with a deadline.
fn is_bounded(body: &Body, around: Span) -> bool {
    let inside = body.exprs.iter().filter(|expr| around.contains(expr.span));
    let mut asked = inside.filter_map(|expr| match expr.kind {
        ExprKind::Binary { op: BinOp::Lt | BinOp::Le | BinOp::Gt | BinOp::Ge, left, .. } => Some(left),
        _ => None,
    });
    let counted = |local| {
        body.exprs.iter().any(|expr| match expr.kind {
            ExprKind::Assign { op: Some(_), place, .. } => {
                around.contains(expr.span) && matches!(body.expr(place).kind, ExprKind::Local(of) if of == local)
            }
            _ => false,
        })
    };
    asked.any(|left| match &body.expr(left).kind {
        ExprKind::Local(local) => counted(*local),
        ExprKind::Call { .. } | ExprKind::MethodCall { .. } => true,
        _ => false,
    })
}
