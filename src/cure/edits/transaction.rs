//! Transactions: a statement that ran beside one is moved into it.

use super::Mechanical;
use crate::cure::Case;
use crate::cure::code::Code;
use crate::finding::Applicability;
use crate::flow::value::EventId;
use crate::ir::{ExprId, ExprKind, LocalId};
use crate::resolve::{FnId, Ty};
use crate::rules::tx_escaped_statement;
use crate::source::Span;
use crate::window::handle::Tx;

/// The pool, as it is given to a statement or to a function that runs it, becomes the transaction that is open.
pub fn edit(case: &Case) -> Option<Mechanical> {
    let code = Code::of(case, case.candidate.function)?;
    let mut edits = Vec::new();
    let mut title = String::new();
    for event in [case.candidate.check, case.candidate.act].into_iter().flatten() {
        let Some(begin) = tx_escaped_statement::escapes(case.view, event) else { continue };
        let (given, handle) = moved(case, &code, event, begin)?;
        title = format!("run it in the transaction: `{handle}` in the place of `{}`", code.text(given));
        edits.push(code.replace(code.span(given), handle));
    }
    // What ran on the pool stood when the transaction was rolled back, and did not see what it had written.
    (!edits.is_empty()).then_some(Mechanical { title, applicability: Applicability::Unsafe, edits })
}

/// The argument that is the pool, and the transaction as it would be written there.
fn moved(case: &Case, code: &Code, event: EventId, begin: EventId) -> Option<(ExprId, String)> {
    if !case.view.event(begin).path.is_empty() {
        return None;
    }
    let begun = code.call_at(case.view.event(begin).span)?;
    let pool = code.text(code.method(begun)?.receiver);
    let local = bound(code, begun)?;
    let (index, given) = given(code, code.call_at(case.view.seen_at(event))?, pool)?;
    let handle = handed_over(case, code, begin, local)?;
    takes_any_handle(case, event, index).then_some((given, handle))
}

/// The local that a call's answer is bound to.
fn bound(code: &Code, call: ExprId) -> Option<LocalId> {
    let place = code.place(code.span(call))?;
    let (local, init) = code.binding(place.block.stmts.get(place.index)?)?;
    (code.awaited(init) == call).then_some(local)
}

/// The argument of a call that is the pool.
fn given(code: &Code, call: ExprId, pool: &str) -> Option<(usize, ExprId)> {
    let mut found = arguments(code, call).into_iter().enumerate().filter(|(_, arg)| {
        let text = code.text(*arg);
        text.strip_prefix("&mut ").or_else(|| text.strip_prefix('&')).unwrap_or(text) == pool
    });
    let first = found.next()?;
    found.next().is_none().then_some(first)
}

fn arguments(code: &Code, call: ExprId) -> Vec<ExprId> {
    match &code.expr(call).kind {
        ExprKind::MethodCall { args, .. } | ExprKind::Call { args, .. } => args.clone(),
        _ => Vec::new(),
    }
}

/// A statement takes whatever can run it; a function of the program must not ask for a pool.
fn takes_any_handle(case: &Case, act: EventId, index: usize) -> bool {
    let Some(site) = case.view.event(act).path.first() else { return true };
    let parameter = case.scope.program.function(site.callee).params.get(index);
    matches!(parameter, Some(Ty::Bound { .. }))
}

/// The transaction, as the code hands it to another statement.
fn handed_over(case: &Case, code: &Code, begin: EventId, local: LocalId) -> Option<String> {
    let inside =
        case.view.events().filter(|(id, _)| case.view.sql(*id).is_some() && case.view.tx(*id) == Tx::Begun(begin));
    let spans: Vec<(Span, Option<FnId>)> =
        inside.map(|(id, event)| (case.view.seen_at(id), event.path.first().map(|site| site.callee))).collect();
    let mut handed = spans.iter().filter_map(|(span, callee)| {
        let arguments = arguments(code, code.call_at(*span)?);
        let index = arguments.iter().position(|arg| code.names(code.span(*arg), local))?;
        let any = callee.is_none_or(|callee| {
            matches!(case.scope.program.function(callee).params.get(index), Some(Ty::Bound { .. }))
        });
        any.then(|| code.text(arguments[index]).to_owned())
    });
    handed.next()
}
