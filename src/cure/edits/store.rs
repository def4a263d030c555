//! Stores: the command that asks and the command that writes, or writes and then limits, become one.

use super::Mechanical;
use crate::cure::Case;
use crate::cure::code::{Code, Guard};
use crate::finding::Applicability;
use crate::flow::event::{AccessOp, EventKind};
use crate::flow::value::EventId;
use crate::ir::{ExprId, ExprKind};
use crate::models::row::Effect;
use crate::window::key::Relation;

/// The library whose commands these edits write.
const CLIENT: &str = "redis";

/// `SET` after a look becomes `SET … NX`, whose answer leaves as the look does.
pub fn claim(case: &Case, check: EventId, act: EventId) -> Option<Mechanical> {
    let code = Code::of_pair(case, check, act)?;
    let at = code.place(case.view.event(act).span)?;
    let Guard::Leaves { leave, .. } = code.guard(case.view.event(check).span, at)? else { return None };
    let id = code.call_at(case.view.event(act).span).filter(|id| is_client(case, &code, *id))?;
    let call = code.method(id)?;
    let (key, value, expiry) = match (call.name, call.args) {
        ("set", [key, value]) => (*key, *value, None),
        ("set_ex", [key, value, seconds]) => (*key, *value, Some(code.text(*seconds))),
        _ => return None,
    };
    let whole = code.ignored(at).filter(|whole| code.awaited(*whole) == id)?;
    let after = &code.text(whole)[code.text(id).len()..];
    let is_new = code.free_name("is_new")?;
    let indent = code.indent(code.span(whole));
    let text = format!(
        "let {is_new}: bool = {}.set_options({}, {}, {}){after};\n{indent}if !{is_new} {}",
        code.text(call.receiver),
        code.text(key),
        code.text(value),
        options(expiry),
        code.text(leave)
    );
    let title = "one command in the place of two: `SET … NX`, and refuse where it set nothing".to_owned();
    let edits = vec![code.replace(code.span_of(at)?, text)];
    Some(Mechanical { title, applicability: Applicability::Safe, edits })
}

/// `SET … NX`, then `EXPIRE`: one command that does both.
pub fn expiry(case: &Case, act: EventId) -> Option<Mechanical> {
    let expire = case.view.access(act).filter(|access| access.effect == Some(Effect::Expire))?;
    let key = expire.key?;
    let (set, _) = case.view.events().take(act.0 as usize).filter(|(_, event)| is_claim(event)).find(|(id, _)| {
        let other = case.view.access(*id).and_then(|access| access.key);
        other.is_some_and(|other| case.view.same_value(other, key) == Relation::Same)
    })?;
    let code = Code::of_pair(case, set, act)?;
    let at = code.place(case.view.event(act).span)?;
    let late = code.call_at(case.view.event(act).span)?;
    let seconds = code.method(late).filter(|call| call.name == "expire")?.args.get(1)?;
    let gone = code.ignored(at).filter(|whole| code.awaited(*whole) == late).and(code.span_of(at))?;
    let id = code.call_at(case.view.event(set).span).filter(|id| is_client(case, &code, *id))?;
    let ExprKind::MethodCall { receiver, name, generics, args, .. } = &code.expr(id).kind else { return None };
    let [key, value] = args[..] else { return None };
    if name.as_str() != "set_nx" {
        return None;
    }
    let fish = if generics.is_empty() { "" } else { "::<_, _, bool>" };
    let text = format!(
        "{}.set_options{fish}({}, {}, {})",
        code.text(*receiver),
        code.text(key),
        code.text(value),
        options(Some(code.text(*seconds)))
    );
    let title = "one command in the place of two: `SET … NX EX`".to_owned();
    let edits = vec![code.replace(code.span(id), text), code.delete(gone)];
    Some(Mechanical { title, applicability: Applicability::Safe, edits })
}

fn is_claim(event: &crate::flow::event::Event) -> bool {
    matches!(&event.kind, EventKind::Access(set) if set.conditional && set.op == AccessOp::Atomic && !set.expires)
}

/// The command is one of the client whose options are known.
fn is_client(case: &Case, code: &Code, id: ExprId) -> bool {
    let row = code.typed.targets.get(&id).and_then(|target| target.row);
    let on = row.map(|row| case.view.models.on(row)).unwrap_or_default();
    on.iter().any(|on| on.as_str().split("::").next() == Some(CLIENT))
}

fn options(seconds: Option<&str>) -> String {
    let nx = "redis::SetOptions::default().conditional_set(redis::ExistenceCheck::NX)";
    match seconds {
        Some(seconds) => format!("{nx}.with_expiration(redis::SetExpiry::EX({seconds}))"),
        None => nx.to_owned(),
    }
}
