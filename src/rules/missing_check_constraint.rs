//! `missing-check-constraint`: a column that code bounds has no CHECK.

use super::{Candidate, Scope};
use crate::finding::{Label, Role};
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Assign, Kind, Op, Operand, Predicate, Statement};

pub static RULE: Rule = Rule {
    name: "missing-check-constraint",
    group: Group::Schema,
    severity: Severity::Note,
    item: Some(Item::C2),
    advisory: true,
    summary: "a column that code bounds has no CHECK",
    page: include_str!("../../rules/missing-check-constraint.md"),
};

/// Columns of the known schema that a statement decrements or bounds, and that nothing else bounds.
pub fn candidates(scope: &Scope) -> Vec<Candidate> {
    let mut out: Vec<Candidate> = Vec::new();
    for view in scope.views() {
        let schema = scope.schema_of(view.function);
        for (id, event) in view.events().filter(|(_, event)| event.path.is_empty()) {
            let Some(sql) = view.sql(id) else { continue };
            for part in sql.statement.walk().filter(|part| part.kind == Kind::Update) {
                let Some(table) = part.table.and_then(|name| schema.table(name)).filter(|table| table.is_complete())
                else {
                    continue;
                };
                for set in part.sets.iter().filter(|set| set.relative) {
                    let falls = falls(set) && !table.is_bounded_below(set.column);
                    let open = falls || rises_to_bound(part, set) && !table.is_bounded_above(set.column);
                    let Some(column) = table.column(set.column).filter(|_| open) else { continue };
                    if out.iter().any(|other| other.span == column.span) {
                        continue;
                    }
                    let mut candidate = Candidate::new(&RULE, view, column.span);
                    candidate.resource = format!("{}.{}", table.name, column.name);
                    let bounds = if falls { "taken from here" } else { "kept below a bound here alone" };
                    candidate.labels = vec![
                        Label { role: Role::Act, span: event.span, message: bounds.to_owned() },
                        table.label(format!("no CHECK of {} bounds {}", table.name, column.name)),
                    ];
                    out.push(candidate);
                }
            }
        }
    }
    out
}

/// `column - x`
fn falls(set: &Assign) -> bool {
    matches!(&set.value, Operand::Expr { text, .. } if text.as_str().contains('-'))
}

/// `column + x` where the statement asks that the column be below something.
fn rises_to_bound(statement: &Statement, set: &Assign) -> bool {
    let rises = matches!(&set.value, Operand::Expr { text, .. } if text.as_str().contains('+'));
    rises
        && statement.filters.iter().any(|filter| {
            matches!(filter, Predicate::Compare { column, op: Op::Lt | Op::Le, .. } if column.name == set.column)
        })
}
