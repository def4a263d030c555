//! Cures for rows of a database, by what the write is, what lies between, and what the dialect has.

use super::advice;
use crate::cure::{Case, ddl, edits, predicate};
use crate::finding::{Applicability, Fix};
use crate::flow::value::Value;
use crate::sql::{Dialect, Kind, Operand};
use crate::window::database::{Enclosure, RowWindow};
use crate::window::decision::Question;

/// The cures of a window; `mended` where an edit does the first of them.
pub fn of(case: &Case, window: &RowWindow, mended: bool) -> Vec<Fix> {
    let Some(act) = case.view.sql(window.act) else { return Vec::new() };
    let statement = act.statement.effective();
    let table = window.table;
    let waits = case.view.waits_outside(window.check, window.act);
    match statement.kind {
        Kind::Insert if statement.conflict.is_some() && window.decides(|question| question == Question::Amount) => {
            inserts(case, window, mended, waits)
        }
        Kind::Insert if statement.conflict.is_some() && window.absent() => {
            let keeps = format!(
                "insert into {table} with ON CONFLICT DO NOTHING (MySQL: INSERT IGNORE), and where it inserted no row treat it as the check does"
            );
            if mended { Vec::new() } else { vec![advice(keeps)] }
        }
        Kind::Insert if statement.conflict.is_none() => inserts(case, window, mended, waits),
        Kind::Delete => {
            let mut out = if mended { Vec::new() } else { vec![deletes(case, window)] };
            if !waits {
                out.extend(row_lock(case, window));
            }
            out
        }
        _ => {
            let mut out: Vec<Fix> = Vec::new();
            if window.whole || statement.kind == Kind::Insert {
                out.push(changes_alone(case, window));
            } else if !mended {
                out.extend(in_place(case, window).or_else(|| conditional(case, window)));
            }
            if !waits {
                out.extend(row_lock(case, window));
            }
            let version = format!(
                "give {table} a version column: `SET …, version = version + 1 WHERE id = … AND version = <the one read>`, and retry or refuse on zero rows"
            );
            out.push(advice(version));
            out
        }
    }
}

/// The database computes the new value from the old one.
fn in_place(case: &Case, window: &RowWindow) -> Option<Fix> {
    let (column, _) = window.computed.first().filter(|_| !window.whole)?;
    let act = case.view.sql(window.act)?;
    let set = act.statement.effective().sets.iter().find(|set| set.column == *column)?;
    let Operand::Param(place) = set.value else { return None };
    let Value::Op(op, args) = case.view.trace.arena.get(act.args.get(place as usize).copied().flatten()?) else {
        return None;
    };
    let [old, by] = args[..] else { return None };
    let own = |value| case.view.touches(value).iter().any(|touch| touch.event == window.check);
    if !matches!(op.as_str(), "+" | "-") || !own(old) || own(by) {
        return None;
    }
    let by = case.view.trace.arena.as_lit(by).map_or_else(|| predicate::placeholder(case, by), |text| text.to_string());
    let guard =
        predicate::of(case, window).filter(|text| !text.contains("<the ")).map(|text| format!(" WHERE … AND {text}"));
    let guard = guard.unwrap_or_default();
    Some(advice(format!(
        "let the database compute it from the value of that moment, and refuse when it changed no row: `UPDATE {} SET {column} = {column} {op} {by}{guard}`",
        window.table
    )))
}

/// A row that was read is written back whole: what others changed in it goes with that.
fn changes_alone(case: &Case, window: &RowWindow) -> Fix {
    let table = window.table;
    let held = predicate::of(case, window).filter(|text| !text.contains("<the "));
    let held = held.map(|text| format!(" AND {text}")).unwrap_or_default();
    advice(format!(
        "write only the columns that this request changes, not the whole row as it was read, and let the write repeat what was checked: `UPDATE {table} SET <what changes> WHERE <its key>{held}`, and refuse when it changed no row"
    ))
}

/// The row that goes tells who was first.
fn deletes(case: &Case, window: &RowWindow) -> Fix {
    let table = window.table;
    let held =
        predicate::of(case, window).map_or_else(|| "<its key>".to_owned(), |text| format!("<its key> AND {text}"));
    advice(match case.view.dialect(window.act) {
        Dialect::Mysql => format!(
            "let the delete decide: `DELETE FROM {table} WHERE {held}`, look at the row count, and go on only if it deleted a row"
        ),
        _ => format!(
            "let the delete decide: `DELETE FROM {table} WHERE {held} RETURNING …` (or its row count), and go on only if it deleted a row"
        ),
    })
}

/// The statement carries the check itself.
fn conditional(case: &Case, window: &RowWindow) -> Option<Fix> {
    let predicate = predicate::of(case, window)?;
    let title = format!(
        "repeat the check in the write to {}: `… WHERE … AND {predicate}`, look at the row count, and refuse when it changed no row",
        window.table
    );
    Some(advice(title))
}

/// The read takes the row's lock, in the transaction of the write.
fn row_lock(case: &Case, window: &RowWindow) -> Option<Fix> {
    let dialect = case.view.dialect(window.act);
    if dialect == Dialect::Sqlite {
        return Some(advice(
            "begin with BEGIN IMMEDIATE, so that the transaction has the write lock before it reads".to_owned(),
        ));
    }
    let statement = case.view.sql(window.check)?.statement.effective();
    let plain = statement.kind == Kind::Select && statement.lock.is_none() && !statement.grouped && !statement.distinct;
    let whole = statement.projections.iter().all(|projection| projection.aggregate.is_none());
    let alone = statement.inner.is_empty() && statement.reads.len() <= 1;
    if window.enclosure == Enclosure::Same && plain && whole && alone {
        // Workers that take a batch pass by the rows that another has, instead of waiting for them.
        let clause = if window.each { " FOR UPDATE SKIP LOCKED" } else { " FOR UPDATE" };
        let edits: Vec<_> = edits::append(case, window.check, clause).into_iter().collect();
        let title = format!("lock the row of {} where it is read: append{clause}", window.table);
        // A helper may be called where no transaction is open.
        let own = case.view.event(window.check).path.is_empty();
        let applicability = match (edits.is_empty(), dialect) {
            (true, _) => Applicability::Advice,
            (false, Dialect::Unknown) => Applicability::Unsafe,
            (false, _) if window.each || !own => Applicability::Unsafe,
            (false, _) => Applicability::Safe,
        };
        return Some(Fix { title, applicability, edits });
    }
    Some(advice(format!(
        "read {} with FOR UPDATE in the transaction that writes it, so that a second request waits",
        window.table
    )))
}

fn inserts(case: &Case, window: &RowWindow, mended: bool, waits: bool) -> Vec<Fix> {
    let table = window.table;
    let keys = case.view.sql(window.check).map(|sql| sql.statement.effective().key_columns()).unwrap_or_default();
    let names: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
    let columns = names.join(", ");
    if columns.is_empty() && window.absent() {
        return vec![advice(format!(
            "give the one row of {table} a key that is always the same (`id = 1`, or a unique column that holds a constant), insert with ON CONFLICT DO NOTHING (MySQL: INSERT IGNORE), and take whoever inserted no row for the second"
        ))];
    }
    if columns.is_empty() || window.decides(|question| question == Question::Amount) {
        let parent =
            if columns.is_empty() { "the parent row".to_owned() } else { format!("the parent row (by {columns})") };
        let mut out = vec![advice(format!(
            "keep the number in a column of {parent} and take a place there before inserting into {table}: `UPDATE … SET taken = taken + 1 WHERE … AND taken < <limit>`, and refuse when it changed no row"
        ))];
        if !waits {
            out.push(advice(match case.view.dialect(window.act) {
                Dialect::Sqlite => format!("begin with BEGIN IMMEDIATE before counting the rows of {table}, and insert in that transaction"),
                _ => format!("lock {parent} with FOR UPDATE before counting the rows of {table}, and insert in the same transaction"),
            }));
        }
        return out;
    }
    let ddl = ddl::unique(case.view.dialect(window.act), table.as_str(), &names);
    let nothing = match case.view.dialect(window.act) {
        Dialect::Mysql => "INSERT IGNORE".to_owned(),
        _ => format!("ON CONFLICT ({columns}) DO NOTHING"),
    };
    let mut out = vec![advice(format!(
        "let the database hold it: `{ddl}` (duplicates that are there must go first), and treat its violation as the check treats a row that is there"
    ))];
    if !mended {
        out.push(advice(format!(
            "with that constraint, insert with {nothing}, and when it inserted no row read the one that is there"
        )));
    }
    out
}
