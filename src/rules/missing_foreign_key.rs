//! `missing-foreign-key`: a parent's existence is checked in code only.

use super::{Candidate, Scope};
use crate::finding::{Label, Role};
use crate::flow::value::EventId;
use crate::intern::Symbol;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::Kind;
use crate::window::View;
use crate::window::decision::Question;
use crate::window::key::{Relation, inserted, keys};

pub static RULE: Rule = Rule {
    name: "missing-foreign-key",
    group: Group::Schema,
    severity: Severity::Note,
    item: Some(Item::C2),
    advisory: true,
    summary: "a parent's existence is checked in code only",
    page: include_str!("../../rules/missing-foreign-key.md"),
};

/// Columns that hold the key of a row which code looks up before it inserts, and which no foreign key keeps.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = Vec::new();
    for view in scope.views() {
        for (id, _) in view.events() {
            let Some((check, child, column)) = orphan(scope, view, id) else { continue };
            let Some(table) = scope.schema_of(view.function).table(child).filter(|table| table.is_complete()) else {
                continue;
            };
            let Some(column) = table.column(column).filter(|column| table.foreign_key(column.name).is_none()) else {
                continue;
            };
            if out.iter().any(|other| other.span == column.span) {
                continue;
            }
            let mut candidate = Candidate::new(&RULE, view, column.span);
            candidate.resource = format!("{}.{}", table.name, column.name);
            candidate.labels = vec![
                Label { role: Role::Check, span: view.event(check).span, message: "looked up here".to_owned() },
                Label { role: Role::Act, span: view.event(id).span, message: "inserted here".to_owned() },
                table.label(format!("no foreign key of {} holds {}", table.name, column.name)),
            ];
            out.push(candidate);
        }
    }
    out
}

/// An insert that the presence of another table's row decides, where that row may be deleted meanwhile: the check, the child's table and its column.
fn orphan(scope: &Scope, view: &View, id: EventId) -> Option<(EventId, Symbol, Symbol)> {
    let child = view.sql(id).filter(|sql| sql.statement.effective().kind == Kind::Insert)?;
    let child_table = child.statement.effective().table?;
    let deciders = view.deciders(id);
    let rows = deciders.among(|event| view.sql(event).is_some());
    let present = rows.filter(|decider| decider.question == Question::Presence { absent: false });
    for check in present.map(|decider| decider.event) {
        let Some(parent) = view.sql(check) else { continue };
        let statement = parent.statement.effective();
        let Some(table) = statement.table.filter(|table| *table != child_table) else { continue };
        if statement.kind != Kind::Select || statement.lock.is_some() || !scope.facts.is_deleted(table) {
            continue;
        }
        let looked_up = keys(parent);
        let &[(_, key)] = looked_up.as_slice() else { continue };
        let column = inserted(child).into_iter().find(|(_, value)| view.same_key(key, *value) == Relation::Same);
        if let Some((column, _)) = column {
            return Some((check, child_table, column));
        }
    }
    None
}
