//! `db-next-number`: a number computed from the rows that are there is inserted as the next one.

use super::rows::RowCase;
use crate::flow::value::{Value, ValueId};
use crate::intern::Symbol;
use crate::models::row::Outcome;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Aggregate, Kind, Operand};
use crate::window::decision::aggregates;

pub static RULE: Rule = Rule {
    name: "db-next-number",
    group: Group::Database,
    severity: Severity::Error,
    item: Some(Item::C2),
    advisory: false,
    summary: "a number computed from the rows that are there is inserted as the next one",
    page: include_str!("../../rules/db-next-number.md"),
};

/// The INSERT writes one more than what a MAX, a COUNT or the last row said.
pub fn applies(case: &RowCase) -> bool {
    let Some(act) = case.view.sql(case.window.act) else { return false };
    if act.statement.effective().kind != Kind::Insert || case.window.computed.is_empty() {
        return false;
    }
    let Some(check) = case.view.sql(case.window.check) else { return false };
    let counted = aggregates(&check.statement).iter().any(|kind| matches!(kind, Aggregate::Max | Aggregate::Count));
    let last = check.statement.effective().limit == Some(1);
    let listed = check.result == Outcome::Rows;
    let sum = |column| is_sum(case, column);
    (counted || last || listed) && case.window.computed.iter().any(|(column, _)| sum(*column))
}

/// The value of a column is an addition.
fn is_sum(case: &RowCase, column: Symbol) -> bool {
    let Some(act) = case.view.sql(case.window.act) else { return false };
    act.statement.effective().sets.iter().filter(|set| set.column == column).any(|set| match &set.value {
        Operand::Param(n) => act.args.get(*n as usize).copied().flatten().is_some_and(|value| adds(case, value, 4)),
        _ => false,
    })
}

fn adds(case: &RowCase, value: ValueId, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    match case.view.trace.arena.get(value) {
        Value::Op(name, args) => name == "+" || args.iter().any(|arg| adds(case, *arg, depth - 1)),
        Value::Phi(arms) => arms.iter().any(|(_, arm)| adds(case, *arm, depth - 1)),
        Value::Wrap(_, inner) => adds(case, *inner, depth - 1),
        Value::Outcome(event) => case.view.sql(*event).is_some_and(|sql| {
            sql.statement.effective().projections.iter().any(|p| p.aggregate == Some(Aggregate::Max))
        }),
        _ => false,
    }
}
