//! `db-unguarded-transition`: a state is compared, then set by a write that does not repeat the comparison.

use super::rows::RowCase;
use crate::flow::cond::Test;
use crate::flow::value::Value;
use crate::intern::Symbol;
use crate::ir::BinOp;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Kind, Operand};
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "db-unguarded-transition",
    group: Group::Database,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a state is compared, then set by a write that does not repeat the comparison",
    page: include_str!("../../rules/db-unguarded-transition.md"),
};

/// The write sets a column that the decision looked at as a state, to a fixed value; or it deletes the row that was judged.
pub fn applies(case: &RowCase) -> bool {
    let Some(act) = case.view.sql(case.window.act) else { return false };
    let statement = act.statement.effective();
    let decisive = case.view.decisive_columns(case.window);
    let content = case.window.decides(|question| question != Question::Amount && question != Question::Failure);
    if !content || case.window.is_data() {
        return false;
    }
    match statement.kind {
        Kind::Update => statement.sets.iter().any(|set| {
            !set.relative && decisive.contains(&set.column) && !ordered(case, set.column) && is_fixed(case, &set.value)
        }),
        // Deleted because it was there: what is used up, by whoever comes first.
        Kind::Delete => true,
        _ => false,
    }
}

/// The column is compared by size with something that came in: an amount or a number, not a state.
fn ordered(case: &RowCase, column: Symbol) -> bool {
    case.window.deciders.iter().any(|decider| {
        let ordering = matches!(decider.atom.test, Test::Compare(op, _) if !matches!(op, BinOp::Eq | BinOp::Ne));
        ordering && case.view.columns_of_part(decider.event, decider.part).iter().any(|c| c.name == column)
    })
}

/// A literal, a constant, a time, something made here: no value that came in for this column.
fn is_fixed(case: &RowCase, value: &Operand) -> bool {
    let Operand::Param(n) = value else { return true };
    let Some(act) = case.view.sql(case.window.act) else { return false };
    let value = act.args.get(*n as usize).copied().flatten();
    value.is_none_or(
        |value| !matches!(case.view.trace.arena.get(value), Value::Op(name, _) if name == "+" || name == "-"),
    )
}
