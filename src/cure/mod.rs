//! What a finding says: its resource, message, labels, the interleaving that breaks the code, and what to write instead, in the code's own names.

mod advice;
mod amount;
mod code;
mod ddl;
mod edits;
mod identity;
mod invariant;
mod predicate;
mod resource;
mod witness;

pub use amount::Amount;
pub use invariant::{Claim, Invariant, of as invariant};
pub use resource::name as name_of;

use crate::finding::{Finding, Label, Role};
use crate::flow::event::EventKind;
use crate::flow::value::EventId;
use crate::rules::{Candidate, Scope};
use crate::source::{Sources, Span};
use crate::sql::Kind;
use crate::window::View;
use crate::window::database::RowWindow;

/// A race with the trace that shows it.
pub struct Case<'c, 'v> {
    pub scope: &'c Scope<'v>,
    pub view: &'c View<'v>,
    pub candidate: &'c Candidate,
    pub sources: &'c Sources,
    pub resource: String,
}

impl<'c, 'v> Case<'c, 'v> {
    /// None where nothing is known of the function.
    pub fn new(scope: &'c Scope<'v>, candidate: &'c Candidate) -> Option<Self> {
        let (view, sources) = (scope.try_view(candidate.function)?, scope.sources);
        let mut case = Case { scope, view, candidate, sources, resource: String::new() };
        case.resource = resource::of(&case);
        Some(case)
    }

    /// The act runs because nothing was there.
    fn absent(&self) -> bool {
        resource::window(self).is_some_and(RowWindow::absent)
    }
}

/// The finding of a candidate.
pub fn finding(scope: &Scope, candidate: Candidate) -> Finding {
    let mut found = Finding {
        rule: candidate.rule,
        severity: candidate.severity,
        confidence: candidate.confidence,
        message: candidate.message.clone(),
        resource: candidate.resource.clone(),
        span: candidate.span,
        labels: candidate.labels.clone(),
        witness: Vec::new(),
        fixes: Vec::new(),
        function: identity::of_owner(scope, &candidate),
        act: identity::of_act(scope, &candidate),
    };
    let Some(case) = Case::new(scope, &candidate) else { return found };
    if candidate.act.is_some() {
        found.labels = labels(&case);
    }
    if found.resource.is_empty() || candidate.act.is_some() {
        found.resource.clone_from(&case.resource);
    }
    found.act = format!("{}\n{}", identity::of_resource(&case), found.act);
    if found.message == candidate.rule.summary && !case.resource.is_empty() {
        found.message = format!("{}: {}", case.resource, candidate.rule.summary);
    }
    found.witness = witness::of(&case);
    found.fixes = advice::of(&case);
    found
}

fn labels(case: &Case) -> Vec<Label> {
    let mut out = Vec::new();
    let mut add = |role: Role, span: Span, message: String| {
        if !out.iter().any(|label: &Label| label.span == span && label.role == role) {
            out.push(Label { role, span, message });
        }
    };
    if let Some(check) = case.candidate.check {
        let (role, message) = match &case.view.event(check).kind {
            EventKind::Begin { .. } => (Role::Transaction, "the transaction is open from here".to_owned()),
            EventKind::Acquire(_) => (Role::Guard, format!("{} is seen under this guard", case.resource)),
            _ => (Role::Check, format!("{} is read here", case.resource)),
        };
        for site in case.view.event(check).path.iter() {
            add(Role::Call, site.span, "through this call".to_owned());
        }
        add(role, case.view.event(check).span, message);
    }
    if let Some(act) = case.candidate.act {
        let event = case.view.event(act);
        for site in event.path.iter().filter(|site| site.span != case.candidate.span) {
            add(Role::Call, site.span, "through this call".to_owned());
        }
        add(Role::Act, event.span, act_message(case, act));
    }
    if let Some(Label { role, span, message }) = definition(case) {
        add(role, span, message);
    }
    out
}

/// The table that a row goes into, where its definition was seen whole, and what that leaves to the check in the code.
fn definition(case: &Case) -> Option<Label> {
    let window = resource::window(case)?;
    let insert = case.view.sql(window.act).filter(|sql| sql.statement.effective().kind == Kind::Insert)?;
    let schema = case.scope.schema_of(case.view.function);
    let table = schema.table(window.table).filter(|table| table.is_complete())?;
    match case.view.unique_for(window, schema) {
        Some(unique) if insert.statement.effective().conflict.is_some() => {
            let message = "holds, but the write takes the place of the row that is there".to_owned();
            Some(Label { role: Role::Schema, span: unique.span, message })
        }
        Some(_) => None,
        None => Some(table.label(format!("no constraint of {} keeps a second such row out", table.name))),
    }
}

fn act_message(case: &Case, act: EventId) -> String {
    match &case.view.event(act).kind {
        EventKind::Sql(sql) if sql.statement.effective().is_write() => format!("{} is written here", case.resource),
        EventKind::Sql(_) => "this statement".to_owned(),
        EventKind::External { .. } => "waits for something outside".to_owned(),
        EventKind::Access(_) => format!("{} is acted on here", case.resource),
        EventKind::Spawn { .. } => "runs beside what started it".to_owned(),
        _ => "here".to_owned(),
    }
}
