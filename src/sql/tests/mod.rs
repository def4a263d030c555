//! Statements as services write them, against the facts they must give. Each fact is compared as one line of text.

mod evidence;
mod locks;
mod reads;
mod scan;
mod writes;

use super::*;

/// The statement as a line: kind, table, then what it has of conditions, sets, conflict, results and marks.
fn line(statement: &Statement) -> String {
    let mut parts = vec![format!("{:?} {}", statement.kind, statement.table.map_or("-", Symbol::as_str))];
    let mut add = |label: &str, items: Vec<String>| {
        if !items.is_empty() {
            parts.push(format!("{label} {}", items.join(", ")));
        }
    };
    add("sets", sets(&statement.sets));
    add("where", statement.filters.iter().map(predicate).collect());
    add("conflict", statement.conflict.iter().map(conflict).collect());
    add("gives", statement.projections.iter().map(projection).collect());
    let mut marks = Vec::new();
    if let Some(lock) = statement.lock {
        let names =
            [(true, if lock.shared { "share" } else { "update" }), (lock.skip_locked, "skip"), (lock.nowait, "nowait")];
        marks.extend(names.into_iter().filter(|(set, _)| *set).map(|(_, name)| name.to_owned()));
    }
    marks.extend(statement.lock_of.iter().map(|table| format!("of {table}")));
    marks.extend(statement.limit.map(|limit| format!("limit {limit}")));
    let flags = [(statement.returning, "returning"), (statement.grouped, "grouped"), (statement.distinct, "distinct")];
    marks.extend(flags.into_iter().filter(|(set, _)| *set).map(|(_, name)| name.to_owned()));
    add("with", marks);
    parts.join(" | ")
}

fn column(column: &Column) -> String {
    column.table.map_or(column.name.to_string(), |table| format!("{table}.{}", column.name))
}

fn operand(operand: &Operand) -> String {
    match operand {
        Operand::Param(index) => format!("${}", index + 1),
        Operand::Literal(text) => format!("'{text}'"),
        Operand::Column(of) => column(of),
        Operand::Expr { columns, params, subselect, .. } => {
            let mut parts: Vec<String> = columns.iter().map(column).collect();
            parts.extend(params.iter().map(|index| format!("${}", index + 1)));
            format!("{}({})", if *subselect { "select" } else { "f" }, parts.join(" "))
        }
        Operand::Excluded(name) => format!("new.{name}"),
        Operand::Generated(text) => format!("made({text})"),
    }
}

fn predicate(of: &Predicate) -> String {
    match of {
        Predicate::Compare { column: left, op: op @ (Op::IsNull | Op::IsNotNull), .. } => {
            format!("{} {op:?}", column(left))
        }
        Predicate::Compare { column: left, op, right } => format!("{} {op:?} {}", column(left), operand(right)),
        Predicate::Or(members) => format!("({})", members.iter().map(predicate).collect::<Vec<_>>().join(" or ")),
        Predicate::And(members) => format!("({})", members.iter().map(predicate).collect::<Vec<_>>().join(" and ")),
        Predicate::Exists { negated, inner } => format!("{}exists #{inner}", if *negated { "not " } else { "" }),
        Predicate::Other { columns, params } => {
            let mut parts: Vec<String> = columns.iter().map(column).collect();
            parts.extend(params.iter().map(|index| format!("${}", index + 1)));
            format!("other({})", parts.join(" "))
        }
    }
}

fn sets(sets: &[Assign]) -> Vec<String> {
    let set = |set: &Assign| format!("{} {} {}", set.column, if set.relative { "~" } else { "=" }, operand(&set.value));
    sets.iter().map(set).collect()
}

fn conflict(conflict: &Conflict) -> String {
    let columns = conflict.columns.iter().map(|column| column.as_str()).collect::<Vec<_>>().join(" ");
    let action = match &conflict.action {
        ConflictAction::Nothing => "nothing".to_owned(),
        ConflictAction::Replace => "replace".to_owned(),
        ConflictAction::Update { sets: update, filter } => {
            let filter: Vec<String> = filter.iter().map(predicate).collect();
            format!("update {} if [{}]", sets(update).join(" "), filter.join(", "))
        }
    };
    format!("({columns}) {action}")
}

fn projection(of: &Projection) -> String {
    let columns = of.columns.iter().map(column).collect::<Vec<_>>().join(" ");
    let computed = of.aggregate.map_or(columns.clone(), |aggregate| format!("{aggregate:?}({columns})"));
    match of.name {
        Some(name) if columns.ends_with(&format!(".{name}")) || columns == name.as_str() => computed,
        Some(name) => format!("{computed} as {name}"),
        None => computed,
    }
}

fn parsed(text: &str) -> Statement {
    let statement = parse(text, Dialect::Unknown);
    assert!(matches!(statement.evidence, Evidence::Parsed | Evidence::Partial), "{:?}: {text}", statement.evidence);
    statement
}

/// The line of the statement, and one for each inner statement.
fn lines(text: &str) -> Vec<String> {
    parsed(text).walk().map(line).collect()
}

fn names(of: &[Symbol]) -> Vec<&'static str> {
    of.iter().map(|name| name.as_str()).collect()
}
