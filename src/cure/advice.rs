//! Cures, best first: by what the act is, what lies between, and what the database at hand can do.

use super::{Case, edits, predicate, resource};
use crate::finding::{Applicability, Fix};
use crate::flow::event::{Domain, EventKind};
use crate::flow::value::{EventId, Value};
use crate::models::row::Effect;
use crate::rule::Group;
use crate::sql::{Dialect, Kind, Operand};
use crate::window::database::{Enclosure, RowWindow};

/// The cures of a case.
pub fn of(case: &Case) -> Vec<Fix> {
    if let Some(window) = resource::window(case) {
        return rows(case, window);
    }
    let Some(act) = case.candidate.act else { return Vec::new() };
    match (&case.view.event(act).kind, case.candidate.rule.group) {
        (EventKind::Access(access), _) => match by_rule(case) {
            Some(title) => vec![advice(title)],
            None => place(case, access.domain, access.effect),
        },
        (_, Group::Transaction) => transaction(case, act),
        _ => Vec::new(),
    }
}

fn advice(title: String) -> Fix {
    Fix { title, applicability: Applicability::Advice, edits: Vec::new() }
}

fn rows(case: &Case, window: &RowWindow) -> Vec<Fix> {
    let Some(act) = case.view.sql(window.act) else { return Vec::new() };
    let statement = act.statement.effective();
    let table = window.table;
    let waits = case.view.waits_outside(window.check, window.act);
    match statement.kind {
        Kind::Insert if statement.conflict.is_some() => vec![advice(format!(
            "insert into {table} with ON CONFLICT DO NOTHING and treat zero rows as `it is there already`"
        ))],
        Kind::Insert => inserts(case, window),
        _ => {
            let mut out: Vec<Fix> = in_place(case, window).into_iter().chain(conditional(case, window)).collect();
            if !waits {
                out.extend(row_lock(case, window));
            }
            let version =
                format!("give {table} a version column, write `WHERE version = <the one read>` and retry on zero rows");
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
    let by = case.view.trace.arena.as_lit(by).map_or_else(|| "$n".to_owned(), |text| text.to_string());
    let guard =
        predicate::of(case, window).filter(|text| !text.contains("<the ")).map(|text| format!(" WHERE … AND {text}"));
    let guard = guard.unwrap_or_default();
    Some(advice(format!(
        "let the database compute it from the value of that moment: `SET {column} = {column} {op} {by}{guard}`"
    )))
}

/// The statement carries the check itself.
fn conditional(case: &Case, window: &RowWindow) -> Option<Fix> {
    let predicate = predicate::of(case, window)?;
    let title = format!(
        "repeat the check in the write and look at the row count: `… WHERE … AND {predicate}`, then refuse when it changed no row"
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
    if window.enclosure == Enclosure::Same && plain && whole && statement.inner.is_empty() {
        let edits: Vec<_> = edits::append(case, window.check, " FOR UPDATE").into_iter().collect();
        let title = format!("lock the row of {} where it is read: append FOR UPDATE", window.table);
        let applicability = match (edits.is_empty(), dialect) {
            (true, _) => Applicability::Advice,
            (false, Dialect::Unknown) => Applicability::Unsafe,
            (false, _) => Applicability::Safe,
        };
        return Some(Fix { title, applicability, edits });
    }
    Some(advice(format!(
        "read {} with FOR UPDATE in the transaction that writes it, so that a second request waits",
        window.table
    )))
}

fn inserts(case: &Case, window: &RowWindow) -> Vec<Fix> {
    let table = window.table;
    let keys = case.view.sql(window.check).map(|sql| sql.statement.effective().key_columns()).unwrap_or_default();
    let names: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
    let columns = names.join(", ");
    if columns.is_empty() || window.decides(|question| question == crate::window::decision::Question::Amount) {
        return vec![
            advice(format!(
                "keep the number in a counter column and take from it with a conditional UPDATE before inserting into {table}"
            )),
            advice(format!(
                "lock the parent row with FOR UPDATE before counting the rows of {table}, in the same transaction"
            )),
        ];
    }
    let name = format!("{table}_{}_key", names.join("_"));
    let ddl = match case.view.dialect(window.act) {
        Dialect::Postgres | Dialect::Unknown => {
            format!("CREATE UNIQUE INDEX CONCURRENTLY {name} ON {table} ({columns})")
        }
        Dialect::Mysql => format!("ALTER TABLE {table} ADD UNIQUE KEY {name} ({columns})"),
        Dialect::Sqlite => format!("CREATE UNIQUE INDEX {name} ON {table} ({columns})"),
    };
    let nothing = match case.view.dialect(window.act) {
        Dialect::Mysql => "INSERT IGNORE".to_owned(),
        _ => format!("ON CONFLICT ({columns}) DO NOTHING"),
    };
    vec![
        advice(format!(
            "let the database hold it: `{ddl}` (duplicates that are there must go first), and treat the violation as `it is there already`"
        )),
        advice(format!(
            "with that constraint, insert with {nothing} and read the row that is there when it inserted none"
        )),
    ]
}

/// The cure where the rule says more of the fault than the place does.
fn by_rule(case: &Case) -> Option<String> {
    let resource = &case.resource;
    Some(match case.candidate.rule.name {
        "kv-get-modify-set" => format!(
            "change {resource} where it lies: a counter with INCR or HINCRBY, anything else in a script or under WATCH with a bounded retry"
        ),
        "atomic-load-then-store" => {
            format!("change {resource} in one step with `fetch_add`, `fetch_update` or the like")
        }
        "fs-read-modify-write" => format!(
            "take a file lock for {resource} before it is read, write the new content to a temporary file beside it and rename that over it"
        ),
        "cache-stampede" => format!(
            "let one caller fill {resource} while the others wait for it (`get_with`, `get_or_init` with the computation inside, a lock per key)"
        ),
        "fs-permission-then-use" => {
            format!("open {resource} first, then ask the open handle (`file.metadata()`), and use that handle")
        }
        "fs-create-then-chmod" => {
            format!("give {resource} its mode where it is made (`OpenOptionsExt::mode`, `DirBuilderExt::mode`)")
        }
        "state-check-across-await" => format!("look at {resource} again after the await, before it is written"),
        _ => return None,
    })
}

fn place(case: &Case, domain: Domain, effect: Option<Effect>) -> Vec<Fix> {
    let resource = &case.resource;
    let title = match (domain, effect) {
        (Domain::Map, _) => format!(
            "use the entry of {resource} (`entry(key).or_insert_with(…)`, `remove_if`): one step under the map's own lock"
        ),
        (Domain::Atomic, _) => format!(
            "decide and write in one step: `compare_exchange`, `swap` or `fetch_update` on {resource}, and look at its result"
        ),
        (Domain::Slot, _) => {
            format!("change {resource} with `rcu`, `send_if_modified` or `get_or_init`, which see the newest value")
        }
        (Domain::Store | Domain::EmbeddedStore, Some(Effect::Remove)) => {
            format!("delete {resource} only if it is still yours, in one script (compare, then delete)")
        }
        (Domain::Store | Domain::EmbeddedStore, Some(Effect::Expire)) => {
            format!("give {resource} its time to live in the command that writes it (`SET key value NX EX seconds`)")
        }
        (Domain::Store | Domain::EmbeddedStore, _) => {
            format!(
                "use the store's own atomic command on {resource} (SET NX, INCR, a script, compare and swap), and look at its answer"
            )
        }
        (Domain::File, Some(Effect::Put | Effect::Create)) => {
            format!("open {resource} with `create_new(true)` and handle `AlreadyExists`, without asking first")
        }
        (Domain::File, Some(Effect::CreateDir)) => {
            format!("call `create_dir_all`, or handle `AlreadyExists` of `create_dir`, for {resource}")
        }
        (Domain::File, _) => format!("do it to {resource} without asking first and handle `ErrorKind::NotFound`"),
        (Domain::Plain, _) => {
            format!("hold one guard on {resource} from the check to the write, or look again under the second one")
        }
        _ => format!("use the `try_` form on {resource} and handle its refusal"),
    };
    vec![advice(title)]
}

fn transaction(case: &Case, act: EventId) -> Vec<Fix> {
    let title = match case.candidate.rule.name {
        "external-call-in-transaction" => {
            "commit a row that says what is going on before the call, and finish it in a second transaction after the answer (or use an outbox)".to_owned()
        }
        "tx-escaped-statement" => "run the statement on the open transaction, not on the pool that it came from".to_owned(),
        "lock-outside-transaction" => "begin a transaction first, take the lock in it and commit after the work that the lock is for".to_owned(),
        "conflict-ignored" => match case.view.event(act).kind {
            EventKind::Sql(_) => format!("look at the row count of the write to {} and refuse when it is zero", case.resource),
            _ => format!("look at the answer for {} and refuse when the key was there", case.resource),
        },
        "conflict-swallowed" => format!("match the error of the write to {}: a violation is an answer, everything else goes to the caller", case.resource),
        "serializable-without-retry" => "run the whole transaction again, a bounded number of times, on a serialization failure (40001)".to_owned(),
        "coarse-lock" => "lock the one row or key that the work is about instead".to_owned(),
        "isolation-set-too-late" => "set the level in the statement that begins the transaction".to_owned(),
        _ => return Vec::new(),
    };
    vec![advice(title)]
}
