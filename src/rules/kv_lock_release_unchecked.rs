//! `kv-lock-release-unchecked`: a lock key is deleted without proof that it is still ours.

use std::collections::HashSet;

use super::kv_expiry_not_atomic::claims_key;
use super::places::PlaceCase;
use super::{Candidate, Scope};
use crate::flow::cond::Test;
use crate::flow::event::{Access, AccessOp, Domain};
use crate::flow::value::{EventId, Value, ValueId};
use crate::intern::Symbol;
use crate::models::row::Effect;
use crate::resolve::FnId;
use crate::rule::{Group, Item, Rule, Severity};
use crate::window::View;
use crate::window::decision::{Decider, Question};

pub static RULE: Rule = Rule {
    name: "kv-lock-release-unchecked",
    group: Group::Store,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a lock key is deleted without proof that it is still ours",
    page: include_str!("../../rules/kv-lock-release-unchecked.md"),
};

/// A key is deleted after a comparison that a second client may have made false.
pub fn applies(case: &PlaceCase) -> bool {
    let Some(act) = case.view.access(case.window.act) else { return false };
    removes_key(act) && case.window.deciders.iter().any(|d| d.question == Question::Content && compares(case.view, d))
}

/// What was read is compared with something of the caller's own: whether it could be parsed, or is a certain word, says nothing of an owner.
fn compares(view: &View, decider: &Decider) -> bool {
    let fixed = |value: ValueId| matches!(view.trace.arena.get(view.strip(value)), Value::Lit(_) | Value::Const(_));
    match decider.atom.test {
        Test::Compare(_, other) => !fixed(other) && !fixed(decider.atom.value),
        Test::True => true,
        _ => false,
    }
}

/// Lock keys that whoever comes last deletes, without asking whose they are.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let claimed = Claimed::collect(scope);
    let compared = compared_first(scope);
    let mut out = Vec::new();
    for view in scope.views() {
        for (id, event) in view.events().filter(|(_, event)| event.path.is_empty()) {
            let lock =
                !compared.contains(&event.origin) && deletes(view, id).is_some_and(|key| claimed.holds(view, key));
            if lock && !view.events().any(|(other, _)| other != id && writes_store(view, other)) {
                let mut candidate = Candidate::new(&RULE, view, event.span);
                candidate.act = Some(id);
                out.push(candidate);
            }
        }
    }
    out
}

/// The key that an event deletes without a comparison of its owner.
fn deletes(view: &View, id: EventId) -> Option<ValueId> {
    let delete = view.access(id)?;
    delete.key.filter(|_| removes_key(delete))
}

fn removes_key(access: &Access) -> bool {
    access.domain == Domain::Store && access.effect == Some(Effect::Remove) && access.op == AccessOp::Write
}

/// The deletes before which some caller compares the owner: they are told there.
fn compared_first(scope: &Scope) -> HashSet<(FnId, u32)> {
    let mut out = HashSet::new();
    for view in scope.views() {
        for (id, event) in view.events().filter(|(id, _)| view.access(*id).is_some_and(removes_key)) {
            if view.place_windows_at(id).iter().any(|window| applies(&PlaceCase { view, window })) {
                out.insert(event.origin);
            }
        }
    }
    out
}

/// The keys that are claimed somewhere in the program: by the text around what varies in them, and by the fields in which they are kept.
struct Claimed {
    shapes: HashSet<Symbol>,
    fields: HashSet<(Symbol, Symbol)>,
}

impl Claimed {
    fn collect(scope: &Scope) -> Claimed {
        let mut claimed = Claimed { shapes: HashSet::new(), fields: HashSet::new() };
        for view in scope.views() {
            let accesses = view.events().filter_map(|(id, _)| view.access(id));
            let keys: Vec<ValueId> =
                accesses.filter(|access| claims_key(access)).filter_map(|access| access.key).collect();
            claimed.shapes.extend(keys.iter().filter_map(|key| shape(view, *key)));
            if !keys.is_empty() {
                claimed.fields.extend(view.trace.arena.fields_that_hold(&keys));
            }
        }
        claimed
    }

    fn holds(&self, view: &View, key: ValueId) -> bool {
        shape(view, key).is_some_and(|shape| self.shapes.contains(&shape))
            || view.owner_of(key).is_some_and(|(owner, field)| {
                self.fields.contains(&(Symbol::new(&view.program.adt(owner).path), field))
            })
    }
}

/// The text around what varies in a key, constants put in; a key that is all variable has none.
fn shape(view: &View, key: ValueId) -> Option<Symbol> {
    let text = |value: &ValueId| view.trace.arena.as_lit(*value);
    let (first, args) = match view.trace.arena.get(view.strip(key)) {
        Value::Lit(text) => return Some(*text),
        Value::Op(name, args) if name == "format" => args.split_first()?,
        _ => return None,
    };
    let mut shape = text(first)?.to_string();
    for constant in args.iter().filter_map(text) {
        shape.push('\n');
        shape.push_str(constant.as_str());
    }
    shape.contains(|letter: char| !matches!(letter, '{' | '}')).then(|| Symbol::new(&shape))
}

/// A function that writes other keys as well clears up; it does not give a lock back.
fn writes_store(view: &View, id: EventId) -> bool {
    view.access(id).is_some_and(|access| {
        access.domain == Domain::Store
            && access.op == AccessOp::Write
            && !access.conditional
            && access.effect != Some(Effect::Expire)
    })
}
