//! `db-claim-without-skip-locked`: a batch of rows to work on is selected, and each is then marked by its key alone.

use super::rows::RowCase;
use crate::intern::Symbol;
use crate::models::row::Outcome;
use crate::rule::{Group, Item, Rule, Severity};
use crate::sql::{Kind, Op, Operand, Predicate};
use crate::window::database::Enclosure;
use crate::window::protect::predicate_columns;

pub static RULE: Rule = Rule {
    name: "db-claim-without-skip-locked",
    group: Group::Database,
    severity: Severity::Warning,
    item: Some(Item::C1),
    advisory: false,
    summary: "a batch of rows to work on is selected, and each is then marked by its key alone",
    page: include_str!("../../rules/db-claim-without-skip-locked.md"),
};

/// Rows that were selected together are each written by their key, and the write makes them no longer selected.
pub fn applies(case: &RowCase) -> bool {
    let (Some(check), Some(act)) = (case.view.sql(case.window.check), case.view.sql(case.window.act)) else {
        return false;
    };
    let (read, write) = (check.statement.effective(), act.statement.effective());
    if check.result != Outcome::Rows
        || read.limit == Some(1)
        || read.lock.is_some_and(|lock| lock.skip_locked) && case.window.enclosure == Enclosure::Same
        || !matches!(write.kind, Kind::Update | Kind::Delete)
    {
        return false;
    }
    // Rows that wait for something: their state or time was compared, not only whose they are.
    let waiting: Vec<Symbol> =
        read.filters.iter().filter(|filter| is_state(filter)).flat_map(predicate_columns).collect();
    case.window.each
        && !waiting.is_empty()
        && (write.kind == Kind::Delete || write.sets.iter().any(|set| waiting.contains(&set.column)))
}

fn is_state(filter: &Predicate) -> bool {
    match filter {
        Predicate::Compare { op: Op::Eq | Op::In, right: Operand::Param(_), .. } => false,
        Predicate::Compare { .. } => true,
        Predicate::And(parts) | Predicate::Or(parts) => parts.iter().any(is_state),
        _ => false,
    }
}
