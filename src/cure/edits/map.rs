//! Maps: the look-up and the insert, or remove, become one call under the map's own lock.

use super::Mechanical;
use crate::cure::Case;
use crate::cure::code::{Code, Guard, Method, Place, within};
use crate::finding::{Applicability, Edit};
use crate::flow::event::Domain;
use crate::flow::value::EventId;
use crate::intern::Symbol;
use crate::ir::{BinOp, ExprId, ExprKind, Lit};
use crate::models::typeexpr::TypeExpr;
use crate::source::Span;
use crate::window::decision::Question;

/// The call that changes the map, as a statement of its own.
struct Change<'k, 'c> {
    code: &'k Code<'c>,
    at: Place<'c>,
    map: &'c str,
    id: ExprId,
    call: Method<'c>,
    check: Span,
}

pub fn edit(case: &Case, check: EventId, act: EventId) -> Option<Mechanical> {
    let code = Code::of_pair(case, check, act)?;
    let at = code.place(case.view.event(act).span)?;
    let id = code.awaited(code.ignored(at)?);
    let call = code.method(id)?;
    let shared = case.view.access(act).is_some_and(|access| access.domain == Domain::Map);
    let map = code.text(call.receiver);
    let quiet = call.args.get(1).is_none_or(|value| is_quiet(case, &code, *value));
    let change = Change { code: &code, at, map, id, call, check: case.view.event(check).span };
    let has_entries = change.entry_type(case).is_some();
    let (method, edits) = match call.name {
        "insert" if call.args.len() == 2 && has_entries => {
            let counted = change.counted().or_else(|| change.inserted(case, shared));
            counted.or_else(|| only_absence(case, act).then(|| change.first_stays()).flatten())?
        }
        "remove" if call.args.len() == 1 && shared => change.removed()?,
        _ => return None,
    };
    let title = format!("one call under the map's own lock: `{map}.{method}(…)`");
    // A value that is made under the map's lock must touch nothing that is shared.
    let applicability = if quiet { Applicability::Safe } else { Applicability::Unsafe };
    Some(Mechanical { title, applicability, edits })
}

/// No event of the trace stands in the expression, and it calls nothing but what the models know.
fn is_quiet(case: &Case, code: &Code, value: ExprId) -> bool {
    let span = code.span(value);
    let touches = case.view.events().any(|(_, event)| within(event.span, span));
    !touches && !code.calls_unknown(span)
}

/// Nothing but the absence of the key leads to the act: no age, no other state of what is there.
fn only_absence(case: &Case, act: EventId) -> bool {
    let deciders = case.view.deciders(act);
    let mut asked = deciders.iter().map(|decider| decider.question).peekable();
    asked.peek().is_some() && asked.all(|question| question == Question::Presence { absent: true })
}

impl Change<'_, '_> {
    /// `map.insert(k, fresh.clone());` after a look that found nothing: whoever comes second goes on with what the first one made.
    fn first_stays(&self) -> Option<(&'static str, Vec<Edit>)> {
        let [key, value] = self.call.args else { return None };
        let cloned = match (&self.code.expr(self.code.peel(*value)).kind, self.code.method(*value)) {
            (_, Some(call)) if call.name == "clone" => call.receiver,
            (ExprKind::Call { callee, args }, _) if self.code.text(*callee).ends_with("::clone") => match args[..] {
                [arg] => match self.code.expr(self.code.peel(arg)).kind {
                    ExprKind::Ref { operand, .. } => operand,
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        let local = self.code.local(cloned).filter(|_| !self.code.leaves_or_waits(self.code.span(*key)))?;
        let local = self.code.body.local(local);
        let text = format!(
            "let {} = {}.entry({}).or_insert({}).clone();",
            local.name,
            self.map,
            self.code.text(*key),
            local.name
        );
        (!local.mutable).then(|| Some(("entry", vec![self.code.replace(self.code.span_of(self.at)?, text)])))?
    }

    /// `if !map.contains_key(&k) { map.insert(k, v); }`, or the same as a branch that leaves before.
    fn inserted(&self, case: &Case, shared: bool) -> Option<(&'static str, Vec<Edit>)> {
        let [key, value] = self.call.args else { return None };
        let span = self.code.span(*value);
        if self.code.leaves_or_waits(span) || self.code.leaves_or_waits(self.code.span(*key)) {
            return None;
        }
        let (key, value) = (self.code.text(*key), self.code.text(*value));
        match self.code.guard(self.check, self.at)? {
            Guard::Enters { branch, condition, otherwise: None, .. } if self.code.alone(self.at) => {
                let whole = self.code.place(self.code.span(branch))?;
                let own =
                    self.code.whole(whole) == Some(branch) && self.asks_absence(condition)? && !self.bound(condition);
                let quiet_value =
                    matches!(self.code.expr(self.call.args[1]).kind, ExprKind::Lit(_) | ExprKind::Local(_));
                let made = match quiet_value {
                    true => format!("or_insert({value})"),
                    false => format!("or_insert_with(|| {value})"),
                };
                let text = format!("{}.entry({key}).{made};", self.map);
                own.then(|| ("entry", vec![self.code.replace(self.code.span_of(whole).unwrap_or(span), text)]))
            }
            Guard::Leaves { at, condition, leave, .. } if shared => {
                let adjacent = at + 1 == self.at.index && !self.asks_absence(condition)? && !self.bound(condition);
                let entry = self.entry_type(case).filter(|_| adjacent)?;
                let moved =
                    self.code.local(self.call.args[0]).is_some_and(|key| self.code.names(self.code.span(leave), key));
                let slot = self.code.free_name("vacant").filter(|_| !moved)?;
                let indent = self.code.indent(self.code.span(self.call.receiver));
                let text = format!(
                    "let {entry}::Vacant({slot}) = {}.entry({key}) else {};\n{indent}{slot}.insert({value});",
                    self.map,
                    self.code.text(leave)
                );
                let branch = self.code.statement_span(&self.at.block.stmts[at]);
                Some(("entry", vec![self.code.replace(branch, text), self.code.delete(self.code.span_of(self.at)?)]))
            }
            _ => None,
        }
    }

    /// The condition asks whether the key is absent; none where it asks something else.
    fn asks_absence(&self, condition: ExprId) -> Option<bool> {
        let asked = self.code.asked(condition);
        let call = self.code.method(asked.question)?;
        let absent = match (call.name, self.code.method(call.receiver).map(|inner| inner.name)) {
            ("contains_key", _) => false,
            ("is_some", Some("get")) => false,
            ("is_none", Some("get")) => true,
            _ => return None,
        };
        Some(absent != asked.negated)
    }

    /// The answer has a name, which something else may read.
    fn bound(&self, condition: ExprId) -> bool {
        self.code.asked(condition).through.is_some()
    }

    /// The type of the entry that the map gives, by its public path.
    fn entry_type(&self, case: &Case) -> Option<Symbol> {
        let models = case.view.models;
        let insert = self.code.call_at(self.code.span(self.id)).and_then(|id| self.code.typed.targets.get(&id)?.row)?;
        let same = |row: u32| {
            models.calls[row as usize].method.len() == 1
                && models.on(row).iter().any(|on| models.on(insert).contains(on))
        };
        let row = models.calls_by_method("entry").iter().copied().find(|row| same(*row))?;
        match models.returns(row)? {
            TypeExpr::Path(path, _) => {
                // Caches have entries of another form.
                let variants = &models.types.get(models.type_by_path(path.as_str())? as usize)?.variants;
                variants.contains_key("Vacant").then_some(*path)
            }
            _ => None,
        }
    }

    /// `if map.get(&k).is_some_and(|v| …) { map.remove(&k); }`
    fn removed(&self) -> Option<(&'static str, Vec<Edit>)> {
        let Guard::Enters { branch, condition, otherwise: None, .. } = self.code.guard(self.check, self.at)? else {
            return None;
        };
        let whole = self.code.place(self.code.span(branch))?;
        let asked = self.code.asked(condition);
        let test = self.code.method(asked.question).filter(|call| call.name == "is_some_and" && !asked.negated)?;
        let look = self.code.method(test.receiver).filter(|call| call.name == "get")?;
        let same = self.code.text(look.receiver) == self.map
            && self.code.text(*look.args.first()?) == self.code.text(self.call.args[0]);
        let closure = self.code.text(*test.args.first()?);
        // `Ref` has methods that a plain reference lacks.
        let plain = !closure.contains(".value()") && !closure.contains(".key()") && !closure.contains(".pair()");
        if !(same && plain && self.code.alone(self.at) && self.code.whole(whole) == Some(branch)) {
            return None;
        }
        let parameter = closure.strip_prefix('|')?;
        let text = format!("{}.remove_if({}, |_, {parameter})", self.map, self.code.text(self.call.args[0]));
        let edits = match asked.through {
            None => vec![self.code.replace(self.code.span_of(whole)?, format!("{text};"))],
            Some(_) => vec![
                self.code.replace(self.code.span(asked.question), format!("{text}.is_some()")),
                self.code.delete(self.code.span_of(whole)?),
            ],
        };
        Some(("remove_if", edits))
    }

    /// `let n = map.get(k).map(|n| *n).unwrap_or(0); map.insert(k, n + 1);`
    fn counted(&self) -> Option<(&'static str, Vec<Edit>)> {
        let before = self.at.block.stmts.get(self.at.index.checked_sub(1)?)?;
        let (local, init) = self.code.binding(before).filter(|(local, _)| self.code.uses(*local) == 1)?;
        let default = self.code.method(init).filter(|call| call.name == "unwrap_or")?;
        let zero = *default.args.first()?;
        let copied = self.code.method(default.receiver).filter(|call| matches!(call.name, "map" | "copied"))?;
        let copies = copied.args.first().is_none_or(|closure| self.code.text(*closure).contains(" *"));
        let look = self.code.method(copied.receiver).filter(|call| call.name == "get")?;
        let (op, left, right) = self.code.binary(self.call.args[1])?;
        let sign = match op {
            BinOp::Add => '+',
            BinOp::Sub => '-',
            _ => return None,
        };
        let literal = matches!(self.code.expr(zero).kind, ExprKind::Lit(Lit::Int(_)));
        let same = self.code.text(look.receiver) == self.map && self.code.local(left) == Some(local);
        if !(literal && same && copies && self.code.span(init) != self.code.span(right)) {
            return None;
        }
        let text = format!(
            "*{}.entry({}).or_insert({}) {sign}= {};",
            self.map,
            self.code.text(self.call.args[0]),
            self.code.text(zero),
            self.code.text(right)
        );
        let named = self.code.replace(self.code.statement_span(before), text);
        Some(("entry", vec![named, self.code.delete(self.code.span_of(self.at)?)]))
    }
}
