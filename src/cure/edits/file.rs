//! Paths on disk: the operation refuses by itself what was asked for before it.

use super::Mechanical;
use crate::cure::Case;
use crate::cure::code::{Code, Guard, Place};
use crate::finding::{Applicability, Edit};
use crate::flow::value::EventId;
use crate::ir::{ExprId, ExprKind};
use crate::models::row::Effect;
use crate::resolve::Ty;
use crate::source::Span;

pub fn edit(case: &Case, check: EventId, act: EventId) -> Option<Mechanical> {
    let code = Code::of_pair(case, check, act)?;
    let (check, at) = (case.view.event(check).span, case.view.event(act).span);
    let place = code.place(at)?;
    let guard = code.guard(check, place)?;
    match case.view.access(act)?.effect? {
        Effect::Create | Effect::Put => created(case, &code, at),
        Effect::CreateDir => directory(&code, at),
        Effect::Remove | Effect::RemoveDir => removed(case, &code, at, place, guard),
        _ => None,
    }
}

/// `File::create(p)`, `OpenOptions::…create(true)…open(p)`, `fs::write(p, bytes)`: `create_new` fails where a file is.
fn created(case: &Case, code: &Code, at: Span) -> Option<Mechanical> {
    let id = code.call_at(at)?;
    let edits = match &code.expr(id).kind {
        ExprKind::MethodCall { receiver, .. } => vec![option(code, *receiver)?],
        ExprKind::Call { callee, args } => {
            let row = code.typed.targets.get(&id)?.row?;
            let path = case.view.models.calls[row as usize].path.first()?.as_str();
            let written = code.text(*callee);
            match (path.rsplit_once("::")?, &args[..]) {
                ((owner, "create"), [_]) if known(case, &format!("{owner}::create_new")) => {
                    let end = code.span(*callee).end;
                    written.ends_with("create").then(|| vec![code.insert(at, end, "_new")])?
                }
                (("std::fs", "write"), [file, bytes]) => vec![code.replace(at, write_new(code, *file, *bytes))],
                _ => return None,
            }
        }
        _ => return None,
    };
    let title =
        "create the file with `create_new`, which fails with `AlreadyExists` where another was faster".to_owned();
    Some(Mechanical { title, applicability: Applicability::Safe, edits })
}

fn known(case: &Case, path: &str) -> bool {
    !case.view.models.calls_by_path(path).is_empty()
}

fn write_new(code: &Code, file: ExprId, bytes: ExprId) -> String {
    let (file, bytes) = (code.text(file), code.text(bytes));
    let bytes = bytes.strip_prefix('&').unwrap_or(bytes);
    format!(
        "std::fs::File::create_new({file}).and_then(|mut file| std::io::Write::write_all(&mut file, {bytes}.as_ref()))"
    )
}

/// `.create(true)` in a chain of options becomes `.create_new(true)`.
fn option(code: &Code, mut id: ExprId) -> Option<Edit> {
    while let ExprKind::MethodCall { receiver, name, name_span, args, .. } = &code.expr(code.peel(id)).kind {
        if name.as_str() == "create" && args.first().and_then(|arg| code.flag(*arg)) == Some(true) {
            return Some(code.insert(*name_span, name_span.end, "_new"));
        }
        id = *receiver;
    }
    None
}

/// `create_dir` of what may be there by now: `create_dir_all` does not mind, nor does it mind a parent that is missing.
fn directory(code: &Code, at: Span) -> Option<Mechanical> {
    let ExprKind::Call { callee, .. } = &code.expr(code.call_at(at)?).kind else { return None };
    let edits =
        code.text(*callee).ends_with("create_dir").then(|| vec![code.insert(at, code.span(*callee).end, "_all")])?;
    let title = "call `create_dir_all`, which does not mind a directory that is there".to_owned();
    Some(Mechanical { title, applicability: Applicability::Unsafe, edits })
}

/// `if p.exists() { fs::remove_file(p)?; }`: remove it, and let a file that is gone be gone.
fn removed(case: &Case, code: &Code, at: Span, place: Place, guard: Guard) -> Option<Mechanical> {
    let Guard::Enters { .. } = guard else { return None };
    let whole = code.whole(place)?;
    let ExprKind::Try(tried) = code.expr(whole).kind else { return None };
    if place.index == place.block.stmts.len() || code.span(code.awaited(tried)) != at {
        return None;
    }
    let indent = code.indent(code.span(whole));
    let error = if gives_io_error(case) && !code.in_closure(at) { "err" } else { "err.into()" };
    let text = format!(
        "match {} {{\n{indent}    Err(err) if err.kind() != std::io::ErrorKind::NotFound => return Err({error}),\n{indent}    _ => {{}}\n{indent}}}",
        code.text(tried)
    );
    let title = "let `NotFound` of the removal be no error: another was faster".to_owned();
    let edits = vec![code.replace(code.span_of(place)?, text)];
    Some(Mechanical { title, applicability: Applicability::Safe, edits })
}

/// The error of the function is that of the operation: there is nothing to convert.
fn gives_io_error(case: &Case) -> bool {
    let Ty::Ext(_, args) = &case.scope.program.function(case.candidate.function).ret else { return false };
    matches!(args.get(1), Some(Ty::Ext(path, _)) if path.as_str() == "std::io::Error")
}
