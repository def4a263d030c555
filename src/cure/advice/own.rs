//! The cures of rules whose fault lies not in a pair of a read and a write, or whose cure does not follow from it.

use crate::cure::{Case, ddl, resource};
use crate::finding::Role;
use crate::flow::event::EventKind;
use crate::flow::value::EventId;
use crate::rule::Rule;
use crate::rules;
use crate::sql::{Assign, Dialect, Op, Operand, Predicate};

type Cures = fn(&Case) -> Vec<String>;

const OWN: &[(&Rule, Cures)] = &[
    (&rules::tx_escaped_statement::RULE, escaped),
    (&rules::lock_outside_transaction::RULE, |_| {
        vec!["begin a transaction first, take the lock in it and commit after the work that the lock is for".to_owned()]
    }),
    (&rules::isolation_set_too_late::RULE, |_| {
        vec!["set the level in the statement that begins the transaction (`BEGIN ISOLATION LEVEL …`), or as its very first statement".to_owned()]
    }),
    (&rules::conflict_ignored::RULE, ignored),
    (&rules::conflict_swallowed::RULE, |case| {
        let resource = &case.resource;
        vec![format!(
            "match the error of the write to {resource}: a violation means that another was first, everything else goes to the caller"
        )]
    }),
    (&rules::serializable_without_retry::RULE, |_| {
        vec!["run the whole transaction again, from its BEGIN, when it fails with a serialization failure (40001) or deadlock (40P01): a few times, waiting longer each time".to_owned()]
    }),
    (&rules::unbounded_retry::RULE, |_| {
        vec!["bound the attempts and wait longer before each, with some chance in it; then give the conflict to the caller: `for attempt in 0..5 { … sleep(base * 2u32.pow(attempt) + jitter).await; } Err(Conflict)`".to_owned()]
    }),
    (&rules::dependent_writes_split::RULE, |case| {
        let resource = &case.resource;
        vec![
            format!("begin one transaction before the first of the two writes, run the write to {resource} in it too, and commit once"),
            "where they cannot share one, write what is still to do beside the first (an outbox row), and let a job do it until it is done".to_owned(),
        ]
    }),
    (&rules::external_call_in_transaction::RULE, outside),
    (&rules::coarse_lock::RULE, |_| {
        vec!["lock the one row (`… WHERE id = $1 FOR UPDATE`) or the key of the one entity (`pg_advisory_xact_lock(<its id>)`, one lock an entry) that the work is about".to_owned()]
    }),
    (&rules::kv_check_guards_database::RULE, guarded_by_store),
    (&rules::kv_lock_release_unchecked::RULE, |case| {
        let key = &case.resource;
        vec![format!(
            "store a token of your own in {key} when it is taken, and release with one script: `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0`"
        )]
    }),
    (&rules::handler_without_idempotency::RULE, once),
    (&rules::effect_before_claim::RULE, |case| {
        let call = &case.resource;
        vec![
            format!(
                "claim first: write the row that allows only one (conditional UPDATE, or INSERT under its constraint), look at the outcome, and call {call} only if it was won"
            ),
            format!("hand {call} an idempotency key made from that row, so that a second call is the same one"),
        ]
    }),
    (&rules::in_memory_expiry::RULE, |_| {
        vec!["store the deadline with what expires (`expires_at`, or a TTL in the store), treat it as gone once it has passed, and let a job release it: `UPDATE … WHERE expires_at < now() AND <still held>`".to_owned()]
    }),
    (&rules::revives_expired::RULE, |case| {
        let resource = &case.resource;
        vec![format!(
            "require the state that the event follows (`… AND {resource} = '<pending>'`), and where that changes no row undo what the event brought: it came too late"
        )]
    }),
    (&rules::db_next_number::RULE, next_number),
    (&rules::db_upsert_by_hand::RULE, upsert),
    (&rules::db_claim_without_skip_locked::RULE, batch),
    (&rules::cache_stampede::RULE, |case| {
        let resource = &case.resource;
        vec![format!(
            "let one caller compute and the others wait for it: `get_with(key, …)`, or a `OnceCell` a key in {resource}"
        )]
    }),
    (&rules::state_check_across_await::RULE, |case| {
        let resource = &case.resource;
        vec![format!(
            "look at {resource} again after the last `.await` before it is changed; or hold an async lock on it from the check to the change"
        )]
    }),
    (&rules::fs_create_then_chmod::RULE, |case| {
        let resource = &case.resource;
        vec![format!(
            "give {resource} its mode when it is made: `OpenOptions::new().write(true).create_new(true).mode(0o600).open(…)`, for a directory `DirBuilder::new().mode(0o700).create(…)` (std::os::unix::fs)"
        )]
    }),
    (&rules::fs_permission_then_use::RULE, |case| {
        let resource = &case.resource;
        vec![format!(
            "open {resource} first and ask the open file (`file.metadata()`), with O_NOFOLLOW where a link must not be followed; below a folder that others can write, open relative to its handle (`openat`, cap-std)"
        )]
    }),
    (&rules::fs_read_modify_write::RULE, |case| {
        let resource = &case.resource;
        vec![format!(
            "take a lock (`File::lock`, on a file beside {resource}) before it is read and hold it until it is written; write a new file and rename it over, so that nobody reads half"
        )]
    }),
    (&rules::missing_check_constraint::RULE, bound),
    (&rules::missing_foreign_key::RULE, reference),
    (&rules::no_concurrency_test::RULE, |_| {
        vec!["write a test that starts many callers at once (a `Barrier`, then `join_all`) against one row or key, and asserts afterwards what must hold; `racelint scaffold FILE:LINE` writes one to start from".to_owned()]
    }),
    (&rules::sequential_race_test::RULE, |_| {
        vec!["start all the calls before the first is awaited: `join_all(calls)`, or spawn them and let a `Barrier` release them together".to_owned()]
    }),
    (&rules::race_test_without_invariant::RULE, |_| {
        vec!["when all have been joined, read the state and assert what must hold: how many won, that nothing fell below zero, that there is one row".to_owned()]
    }),
];

/// The cures of the rule of a case, where it has its own.
pub fn of(case: &Case) -> Option<Vec<String>> {
    let own = OWN.iter().find(|(rule, _)| std::ptr::eq(*rule, case.candidate.rule))?;
    Some(own.1(case))
}

fn escaped(case: &Case) -> Vec<String> {
    let mut out = vec!["give the statement the open transaction (`&mut *tx`, `&txn`), not the pool that it came from; a helper takes it as a parameter".to_owned()];
    if let Some(window) = resource::window(case) {
        out.push(format!("then lock the row of {} where it is read, or repeat the check in the write", window.table));
    }
    out
}

fn ignored(case: &Case) -> Vec<String> {
    let resource = &case.resource;
    match case.candidate.act.map(|act| &case.view.event(act).kind) {
        Some(EventKind::Sql(_)) => vec![format!(
            "look at the number of rows that the write to {resource} changed, before anything relies on it: `if done.rows_affected() == 0 {{ return Err(Conflict) }}`"
        )],
        _ => vec![format!("look at the answer for {resource}, and go no further where the key was there")],
    }
}

fn outside(case: &Case) -> Vec<String> {
    let call = match case.resource.as_str() {
        "" => "the wait".to_owned(),
        call => format!("the call of `{call}`"),
    };
    vec![
        format!(
            "commit before {call}: write a row that says what is under way (with a deadline), call, and finish in a second transaction, with a conditional UPDATE"
        ),
        "write an outbox row in the transaction, and let a job make the call after the commit".to_owned(),
    ]
}

fn guarded_by_store(case: &Case) -> Vec<String> {
    let resource = &case.resource;
    vec![format!(
        "let the database decide: put what the store said into the WHERE of the write to {resource} and look at the row count; what the store holds may spare a query, no more"
    )]
}

fn once(case: &Case) -> Vec<String> {
    let dialects = case.view.events().map(|(id, _)| case.view.dialect(id));
    let dialect = dialects.into_iter().find(|dialect| *dialect != Dialect::Unknown).unwrap_or_default();
    vec![format!(
        "take a key from the request (an `Idempotency-Key` header, the id of the event), insert it under a UNIQUE constraint (`{}`) in the transaction that does the work, and where it is there already give back the answer stored with it",
        ddl::keys(dialect)
    )]
}

fn bound(case: &Case) -> Vec<String> {
    let Some((table, column)) = case.candidate.resource.split_once('.') else { return Vec::new() };
    let act = labelled(case, Role::Act);
    let dialect = act.map(|act| case.view.dialect(act)).unwrap_or_default();
    let condition = act
        .and_then(|act| upper_bound(case, act, column))
        .map_or_else(|| format!("{column} >= 0"), |bound| format!("{column} <= {bound}"));
    let how = match ddl::check(dialect, table, column, &condition) {
        Some(ddl) => format!("`{ddl}`"),
        None => rebuilt(&format!("CHECK ({condition})")),
    };
    vec![format!("{how}, with the bound that the code keeps: no write can then get past it")]
}

/// What a statement that adds to the column keeps it below.
fn upper_bound(case: &Case, act: EventId, column: &str) -> Option<String> {
    let statements = || case.view.sql(act).into_iter().flat_map(|sql| sql.statement.walk());
    let rises = |set: &Assign| matches!(&set.value, Operand::Expr { text, .. } if text.as_str().contains('+'));
    if !statements().flat_map(|part| &part.sets).any(|set| set.column.as_str() == column && rises(set)) {
        return None;
    }
    statements().flat_map(|part| &part.filters).find_map(|filter| match filter {
        Predicate::Compare { column: bounded, op: Op::Lt | Op::Le, right } if bounded.name.as_str() == column => {
            Some(match right {
                Operand::Column(other) => other.name.to_string(),
                Operand::Literal(text) => text.to_string(),
                _ => "<limit>".to_owned(),
            })
        }
        _ => None,
    })
}

fn reference(case: &Case) -> Vec<String> {
    let Some((table, column)) = case.candidate.resource.split_once('.') else { return Vec::new() };
    let check =
        labelled(case, Role::Check).and_then(|check| Some((check, case.view.sql(check)?.statement.effective())));
    let Some((check, statement)) = check else { return Vec::new() };
    let (parent, keys) = (statement.table, statement.key_columns());
    let (Some(parent), Some(key)) = (parent, keys.first()) else { return Vec::new() };
    let dialect = case.view.dialect(check);
    match ddl::reference(dialect, table, column, parent.as_str(), key.as_str()) {
        Some(ddl) => vec![format!("`{ddl}`; or lock the row of {parent} (FOR SHARE) in the transaction of the insert")],
        None => vec![format!(
            "{}, and set `PRAGMA foreign_keys = ON` on each connection; or look and insert in one transaction that begins with BEGIN IMMEDIATE",
            rebuilt(&format!("REFERENCES {parent} ({key})"))
        )],
    }
}

/// SQLite adds no constraint to a table that is there.
fn rebuilt(constraint: &str) -> String {
    format!("make a new table whose column says `{constraint}`, copy the rows over and rename it")
}

/// The event that a finding without an act of its own points at.
fn labelled(case: &Case, role: Role) -> Option<EventId> {
    let label = case.candidate.labels.iter().find(|label| label.role == role)?;
    case.view.events().find(|(_, event)| event.span == label.span).map(|(id, _)| id)
}

fn next_number(case: &Case) -> Vec<String> {
    let Some(window) = resource::window(case) else { return Vec::new() };
    let table = window.table;
    let number = window.computed.first().map_or_else(|| "number".to_owned(), |(column, _)| column.to_string());
    let check = case.view.sql(window.check).map(|sql| sql.statement.effective().key_columns()).unwrap_or_default();
    let parents: Vec<&str> = check.iter().map(|key| key.as_str()).filter(|key| *key != number).collect();
    let own = if parents.is_empty() { number.clone() } else { format!("{}, {number}", parents.join(", ")) };
    let unique = format!("`UNIQUE ({own})` on {table}, and try again with a new number when the insert violates it");
    if parents.is_empty() {
        return vec![
            format!("let the database count: {table}.{number} from a sequence or identity column (gaps may come)"),
            unique,
        ];
    }
    vec![
        format!(
            "keep the last {number} beside its {}, and take the next in one statement, in the transaction of the insert: `UPDATE … SET last = last + 1 WHERE … RETURNING last`",
            parents.join(", ")
        ),
        unique,
    ]
}

fn upsert(case: &Case) -> Vec<String> {
    let Some(window) = resource::window(case) else { return Vec::new() };
    let table = window.table;
    let keys = case.view.sql(window.check).map(|sql| sql.statement.effective().key_columns()).unwrap_or_default();
    let names: Vec<&str> = keys.iter().map(|key| key.as_str()).collect();
    let dialect = case.view.dialect(window.act);
    let clause = match dialect {
        Dialect::Mysql => "ON DUPLICATE KEY UPDATE …".to_owned(),
        _ => format!("ON CONFLICT ({}) DO UPDATE SET …", names.join(", ")),
    };
    let statement = format!("one statement: `INSERT INTO {table} (…) VALUES (…) {clause}`");
    if names.is_empty() || case.scope.schema_of(case.view.function).covering_unique(table, &keys).is_some() {
        return vec![statement];
    }
    let constraint = ddl::unique(dialect, table.as_str(), &names);
    vec![format!("{statement}, over `{constraint}` (duplicates that are there must go first)")]
}

fn batch(case: &Case) -> Vec<String> {
    let Some(window) = resource::window(case) else { return Vec::new() };
    let table = window.table;
    let claim = match case.view.dialect(window.act) {
        Dialect::Mysql => format!(
            "in one transaction: `SELECT id FROM {table} WHERE … LIMIT n FOR UPDATE SKIP LOCKED`, then `UPDATE {table} SET <claimed> WHERE id IN (…)`, and commit before the work"
        ),
        Dialect::Sqlite => format!(
            "claim and read in one statement: `UPDATE {table} SET <claimed> WHERE id IN (SELECT id FROM {table} WHERE … LIMIT n) RETURNING *`"
        ),
        _ => format!(
            "claim and read in one statement: `UPDATE {table} SET <claimed> WHERE id IN (SELECT id FROM {table} WHERE … LIMIT n FOR UPDATE SKIP LOCKED) RETURNING *`"
        ),
    };
    vec![
        claim,
        format!(
            "claim each row of {table} before its work with a write that repeats what it was selected by, and pass by those that changed no row"
        ),
    ]
}
