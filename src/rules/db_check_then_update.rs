//! `db-check-then-update`: a value that was read decides an UPDATE or DELETE of the same rows.

use super::rows::RowCase;
use crate::flow::value::Value;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Kind, Operand};
use crate::window::decision::Question;

pub static RULE: Rule = Rule {
    name: "db-check-then-update",
    group: Group::Database,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "a value that was read decides an UPDATE or DELETE of the same rows",
    page: include_str!("../../rules/db-check-then-update.md"),
};

/// What was read decides the write. A write of nothing but the time of day loses nothing.
pub fn applies(case: &RowCase) -> bool {
    let Some(act) = case.view.sql(case.window.act) else { return false };
    let statement = act.statement.effective();
    let writes = matches!(statement.kind, Kind::Update | Kind::Delete) || case.window.replaces;
    writes && case.window.decides(|question| question != Question::Failure) && !only_stamps(case)
}

/// All columns that are set get values made from no input (a time), and none of them was looked at.
fn only_stamps(case: &RowCase) -> bool {
    let Some(act) = case.view.sql(case.window.act) else { return false };
    let sets = &act.statement.effective().sets;
    let decisive = case.view.decisive_columns(case.window);
    !sets.is_empty()
        && !case.window.whole
        && sets.iter().all(|set| {
            let stamp = match &set.value {
                Operand::Generated(_) => true,
                Operand::Param(n) => act.args.get(*n as usize).copied().flatten().is_some_and(|value| {
                    let constant = matches!(case.view.trace.arena.get(value), Value::Lit(_) | Value::Const(_));
                    !constant && case.view.inputs(value).is_empty()
                }),
                _ => false,
            };
            stamp && !set.relative && !decisive.contains(&set.column)
        })
}
