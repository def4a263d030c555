//! What tests do: whether several callers run at once, what they reach, and whether something is asserted.

use std::collections::HashSet;

use super::Scope;
use crate::facts::is_test;
use crate::flow::solve::reaching;
use crate::ir::{Body, Expr, ExprId, ExprKind, MacroKind};
use crate::models::row::Does;
use crate::resolve::{Def, FnId, Ty};
use crate::source::Span;

/// How many things run at the same time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum AtOnce {
    #[default]
    One,
    /// One task beside the function itself.
    Beside,
    Several,
}

/// The functions that are tests themselves.
pub fn tests<'s>(scope: &'s Scope) -> impl Iterator<Item = FnId> + 's {
    let functions = scope.program.functions.iter().enumerate();
    functions.filter(|(_, def)| def.test_entry).map(|(index, _)| FnId(index as u32))
}

/// What a function and those that it calls run at once. A single task that a called function starts is a server or the like, no second caller.
pub fn at_once(scope: &Scope, function: FnId, follow: impl Fn(FnId) -> bool) -> AtOnce {
    let own = in_body(scope, function);
    let called = reached(scope, [function], follow).into_iter().map(|callee| in_body(scope, callee));
    let several = called.into_iter().any(|runs| runs == AtOnce::Several);
    if several { AtOnce::Several } else { own }
}

/// For each function whether it runs something for its callers: it takes what is to be run, or it calls, over any number of steps, the program itself.
pub fn run_callers(scope: &Scope) -> Vec<bool> {
    let ids = || (0..scope.program.functions.len() as u32).map(FnId);
    let reach_program = reaching(scope.program, ids().filter(|id| !is_test(scope.program, *id)));
    ids().zip(reach_program).map(|(id, reaches)| reaches || takes_work(scope, id)).collect()
}

/// A parameter is a closure, a future, or of a type that the caller chooses.
fn takes_work(scope: &Scope, function: FnId) -> bool {
    let params = &scope.program.function(function).params;
    params.iter().any(|ty| matches!(ty, Ty::Bound { .. } | Ty::Future(_)))
}

fn in_body(scope: &Scope, function: FnId) -> AtOnce {
    let Some(body) = scope.program.source(function).body.as_ref() else { return AtOnce::One };
    let mut spawned = 0;
    for (index, expr) in body.exprs.iter().enumerate() {
        let id = ExprId(index as u32);
        if matches!(&expr.kind, ExprKind::Macro(call) if matches!(call.kind, MacroKind::Join | MacroKind::TryJoin)) {
            return AtOnce::Several;
        }
        match starts(scope, function, id, expr) {
            Some(Does::Concurrent) => return AtOnce::Several,
            Some(_) if is_repeated(body, expr.span) => return AtOnce::Several,
            Some(_) if !is_awaited(body, id) => spawned += 1,
            _ => {}
        }
    }
    match spawned {
        0 => AtOnce::One,
        1 => AtOnce::Beside,
        _ => AtOnce::Several,
    }
}

/// The call starts something, by its model, or by its name where the library is not known.
fn starts(scope: &Scope, function: FnId, id: ExprId, expr: &Expr) -> Option<Does> {
    let typed = scope.program.typed(function);
    let target = typed.targets.get(&id);
    if let Some(row) = target.and_then(|target| target.row) {
        let does = scope.models.calls[row as usize].does;
        return matches!(does, Does::Spawn | Does::Concurrent).then_some(does);
    }
    match &expr.kind {
        ExprKind::MethodCall { name, .. } if name.as_str().starts_with("spawn") => {
            target.is_none_or(|target| target.functions.is_empty()).then_some(Does::Spawn)
        }
        ExprKind::Call { callee, .. } => is_of_model_checker(typed.defs.get(callee)).then_some(Does::Concurrent),
        _ => None,
    }
}

fn is_of_model_checker(def: Option<&Def>) -> bool {
    matches!(def, Some(Def::Ext(path)) if path.as_str().starts_with("loom::") || path.as_str().starts_with("shuttle::"))
}

/// A model checker runs the test: whatever its interleavings may deadlock, leak or overwrite fails without an assertion.
pub fn is_model_checked(scope: &Scope, test: FnId) -> bool {
    scope.program.typed(test).defs.values().any(|def| is_of_model_checker(Some(def)))
}

/// Inside the body of a loop, or in a closure that something else may run often.
pub fn is_repeated(body: &Body, span: Span) -> bool {
    body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::For { body: inner, .. }
        | ExprKind::While { body: inner, .. }
        | ExprKind::Loop { body: inner, .. } => body.expr(*inner).span.contains(span),
        ExprKind::Closure(closure) => body.expr(closure.body).span.contains(span),
        _ => false,
    })
}

/// `spawn(…).await` and `spawn(…).join()`: nothing runs beside it.
fn is_awaited(body: &Body, spawn: ExprId) -> bool {
    let is_spawn = |at: ExprId| body.expr(at).span == body.expr(spawn).span;
    body.exprs.iter().any(|expr| match &expr.kind {
        ExprKind::Await(inner) => is_spawn(*inner),
        ExprKind::MethodCall { receiver, name, .. } => *name == "join" && is_spawn(*receiver),
        _ => false,
    })
}

/// The functions that some functions call or name, and so on.
pub fn reached(scope: &Scope, from: impl IntoIterator<Item = FnId>, follow: impl Fn(FnId) -> bool) -> HashSet<FnId> {
    let mut out = HashSet::new();
    let mut todo: Vec<FnId> = from.into_iter().collect();
    while let Some(function) = todo.pop() {
        let typed = scope.program.typed(function);
        let called = typed.targets.values().flat_map(|target| target.functions.iter().copied());
        let named = typed.defs.values().filter_map(|def| match def {
            Def::Fn(function) => Some(*function),
            _ => None,
        });
        for callee in called.chain(named) {
            if follow(callee) && out.insert(callee) {
                todo.push(callee);
            }
        }
    }
    out
}

/// Something is asserted, here or in a function of the tests that is called, besides that a task came to its end.
pub fn asserts(scope: &Scope, test: FnId) -> bool {
    let helpers = reached(scope, [test], |callee| scope.program.function(callee).test);
    helpers.into_iter().chain([test]).any(|function| {
        let file = scope.program.file(function);
        let Some(body) = scope.program.source(function).body.as_ref() else { return false };
        let excused: Vec<Span> = body.exprs.iter().filter(|expr| asks_for_end(body, expr)).map(|e| e.span).collect();
        body.exprs.iter().any(|expr| match &expr.kind {
            ExprKind::Panic(_) => !excused.iter().any(|span| span.contains(expr.span)),
            ExprKind::MethodCall { name, .. } => is_assertion(name.as_str()),
            ExprKind::Macro(call) => {
                let path = &file.paths[call.path.0 as usize];
                path.segments.last().is_some_and(|segment| is_assertion(segment.name.as_str()))
            }
            ExprKind::Path(path) => {
                file.paths[path.0 as usize].segments.last().is_some_and(|segment| is_assertion(segment.name.as_str()))
            }
            _ => false,
        })
    })
}

/// Assertions of libraries, by what their names begin with: `assert_matches!`, `prop_assert!`, `mock.assert()`, `ensure!`.
fn is_assertion(name: &str) -> bool {
    ["assert", "prop_assert", "ensure", "verify"].iter().any(|start| name.starts_with(start))
}

/// `assert!(handle.join().is_ok())`
fn asks_for_end(body: &Body, expr: &Expr) -> bool {
    let ExprKind::If { condition, .. } = expr.kind else { return false };
    let mut at = condition;
    loop {
        at = match &body.expr(at).kind {
            ExprKind::Unary { operand, .. } => *operand,
            ExprKind::TempScope(inner) => *inner,
            ExprKind::MethodCall { receiver, name, .. } if *name == "is_ok" || *name == "is_err" => *receiver,
            ExprKind::MethodCall { name, .. } => return *name == "join",
            ExprKind::Await(inner) => return matches!(body.expr(*inner).kind, ExprKind::Local(_)),
            _ => return false,
        };
    }
}
