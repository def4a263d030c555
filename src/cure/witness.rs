//! The interleaving of two requests that breaks the code, with the values that the code itself compares with and writes.

use super::amount::{self, Story};
use super::{Case, predicate, resource};
use crate::finding::Step;
use crate::flow::cond::Test;
use crate::flow::event::{Access, AccessOp, Domain, EventKind, SqlEvent};
use crate::flow::value::{EventId, ValueId};
use crate::intern::Symbol;
use crate::models::row::Effect;
use crate::resolve::Ty;
use crate::rules::cache_stampede;
use crate::sql::{Kind, Operand, Statement};
use crate::window::database::RowWindow;
use crate::window::decision::{Decider, Question};

/// The steps; none where no second request is needed to see what is wrong.
pub fn of(case: &Case) -> Vec<Step> {
    let (Some(check), Some(act)) = (case.candidate.check, case.candidate.act) else { return Vec::new() };
    if matches!(case.view.event(check).kind, EventKind::Begin { .. }) {
        return Vec::new();
    }
    let story = amount::story(case, check, act);
    let reads = reads(case, check, story.as_ref());
    let Ending { first, second, end } = ending(case, check, act, story.as_ref());
    vec![
        step(case, "A", reads.clone(), Some(check)),
        step(case, "B", format!("{reads} as well: A has not written yet"), Some(check)),
        step(case, "A", first, Some(act)),
        step(case, "B", second, Some(act)),
        step(case, "", end, None),
    ]
}

fn step(case: &Case, actor: &'static str, text: String, at: Option<EventId>) -> Step {
    Step { actor, text, span: at.map(|at| case.view.event(at).span) }
}

/// What the first request does, what the second does after it, and how it ends.
struct Ending {
    first: String,
    second: String,
    end: String,
}

fn end(first: impl Into<String>, second: impl Into<String>, end: impl Into<String>) -> Ending {
    Ending { first: first.into(), second: second.into(), end: end.into() }
}

/// The tests on what the check answered.
fn deciders(case: &Case, check: EventId) -> Vec<Decider> {
    let all = case.candidate.act.map(|act| case.view.deciders(act));
    all.iter().flat_map(|all| all.of(check)).collect()
}

/// `with seats = 1 reads places = 1`: what each request does first.
pub fn reads(case: &Case, check: EventId, story: Option<&Story>) -> String {
    let asks = story.and_then(|story| story.wanted.as_ref()).map(|wanted| format!("with {wanted} = 1 "));
    format!("{}reads {}", asks.unwrap_or_default(), seen(case, check, story))
}

/// What both requests see, in values under which both go on.
fn seen(case: &Case, check: EventId, story: Option<&Story>) -> String {
    let mine = deciders(case, check);
    if is_absent(case, &mine, story) {
        return match resource::window(case) {
            Some(window) => format!("no row of {}{}", window.table, keyed(case)),
            None => format!("that {} is not there", case.resource),
        };
    }
    if let Some(story) = story {
        return match mine.iter().any(|decider| decider.question == Question::Amount) {
            true => format!("a count of {}", story.seen),
            false => format!("{} = {}", subject(case, &mine), story.seen),
        };
    }
    let state = match resource::window(case) {
        Some(window) => held(case, window).map(|holds| format!("a row with {holds}")),
        None => mine.iter().find_map(|decider| state(case, decider)),
    };
    state.unwrap_or_else(|| match resource::window(case).and_then(|window| resource::column(case, window)) {
        Some(column) => format!("the {column} that is there"),
        None if matches!(case.view.event(check).kind, EventKind::Acquire(_)) => {
            format!("{} under the lock", case.resource)
        }
        None if resource::window(case).is_some() => format!("a row of {}", case.resource),
        None => format!("{} as it is", case.resource),
    })
}

/// Both go on because nothing was there. What is not there is neither updated nor deleted, and a number stands for it where one is compared or changed.
fn is_absent(case: &Case, deciders: &[Decider], story: Option<&Story>) -> bool {
    let act = case.candidate.act.map(|act| &case.view.event(act).kind);
    let creates = match act {
        Some(EventKind::Sql(sql)) => sql.statement.effective().kind == Kind::Insert,
        _ => true,
    };
    let counted = story.is_some_and(|story| story.change.is_some());
    creates && !counted && deciders.iter().any(|decider| decider.question == Question::Presence { absent: true })
}

/// What holds of the row when both go on, as SQL.
fn held(case: &Case, window: &RowWindow) -> Option<String> {
    predicate::of(case, window).filter(|holds| !holds.contains("<the "))
}

/// What an amount is of: the column that is looked at, or the place.
fn subject(case: &Case, deciders: &[Decider]) -> String {
    let part = deciders.iter().find_map(|decider| decider.part.filter(|part| part.as_str().parse::<u32>().is_err()));
    let column = resource::window(case).and_then(|window| resource::column(case, window));
    part.or(column).map_or_else(|| case.resource.clone(), |name| name.to_string())
}

/// `self.open = false`, `state is Idle`: a test that leads on, as the state under which it does.
fn state(case: &Case, decider: &Decider) -> Option<String> {
    let name = &case.resource;
    let negated = decider.atom.negated;
    match decider.atom.test {
        Test::True if asks_of_path(case) => Some(format!("that {name} is {}there", if negated { "not " } else { "" })),
        Test::True => Some(format!("{name} = {}", !negated)),
        Test::Some => Some(format!("that {name} {}", if negated { "is not set" } else { "is set" })),
        Test::Variant(variant) => {
            let variant = crate::flow::cond::last_segment(variant);
            Some(format!("that {name} {} {variant}", if negated { "is not" } else { "is" }))
        }
        Test::Compare(op, other) => {
            let equal = (op == crate::ir::BinOp::Eq) != negated;
            let sign = if equal { "=" } else { "other than" };
            let comparable = matches!(op, crate::ir::BinOp::Eq | crate::ir::BinOp::Ne);
            comparable.then(|| Some(format!("{name} {sign} {}", value(case, other)?)))?
        }
        _ => None,
    }
}

/// `path.exists()`, `path.is_dir()`: what is asked is not what the path holds.
fn asks_of_path(case: &Case) -> bool {
    let check = case.candidate.check.and_then(|check| case.view.access(check));
    check.is_some_and(|check| check.domain == Domain::File)
}

/// A value as SQL or the code writes it.
fn value(case: &Case, id: ValueId) -> Option<String> {
    match case.view.trace.arena.as_lit(id) {
        Some(text) => Some(quoted(text)),
        None => Some(resource::name(case.view, id)).filter(|name| !name.is_empty()),
    }
}

fn quoted(text: Symbol) -> String {
    let bare = text.as_str().parse::<f64>().is_ok() || matches!(text.as_str(), "true" | "false" | "null");
    if bare { text.to_string() } else { format!("'{text}'") }
}

fn keyed(case: &Case) -> String {
    let keys = keys(case);
    if keys.is_empty() { String::new() } else { format!(" with this {keys}") }
}

/// The columns by which the check looks.
fn keys(case: &Case) -> String {
    let check = case.candidate.check.and_then(|check| case.view.sql(check));
    let keys = check.map(|sql| sql.statement.effective().key_columns()).unwrap_or_default();
    keys.iter().map(|key| key.as_str()).collect::<Vec<_>>().join(" and ")
}

fn ending(case: &Case, check: EventId, act: EventId, story: Option<&Story>) -> Ending {
    match &case.view.event(act).kind {
        EventKind::Sql(sql) => row(case, check, sql, story),
        EventKind::Access(access) => place(case, access, story),
        _ => both_go_on(case),
    }
}

fn both_go_on(case: &Case) -> Ending {
    let resource = &case.resource;
    end(
        format!("goes on and changes {resource}"),
        format!("changes {resource} too, although what it saw no longer holds"),
        format!("both went on as if each had {resource} to itself"),
    )
}

fn row(case: &Case, check: EventId, sql: &SqlEvent, story: Option<&Story>) -> Ending {
    let statement = sql.statement.effective();
    let table = statement.table.map(|table| table.to_string()).unwrap_or_default();
    match statement.kind {
        Kind::Insert if statement.conflict.is_some() && !case.absent() => overwritten(case, &table),
        Kind::Insert if statement.conflict.is_some() => end(
            format!("writes its row to {table}"),
            "writes its own over it: this INSERT replaces or updates a row that is there".to_owned(),
            format!("the row of A in {table} is gone, and A was told that it stands"),
        ),
        Kind::Insert => inserted(case, check, &table, story),
        Kind::Delete => end(
            format!("deletes the row of {table} and goes on"),
            "deletes nothing, is not told so, and goes on as well".to_owned(),
            format!("both requests act on what only one row of {table} stood for"),
        ),
        _ => updated(case, sql, statement, &table, story),
    }
}

/// A row that was there is written back whole, or over what another made of it.
fn overwritten(case: &Case, table: &str) -> Ending {
    let resource = &case.resource;
    end(
        format!("writes the row of {table}, with what it changed"),
        "writes the row as it read it before, with what it changed itself, over the write of A".to_owned(),
        format!("both requests succeed, and what A changed in {resource} is lost, or done twice"),
    )
}

fn inserted(case: &Case, check: EventId, table: &str, story: Option<&Story>) -> Ending {
    if let Some(Story { seen, change: Some(change), .. }) = story {
        let number = seen.plus(change.by);
        return end(
            format!("inserts {number} into {table}"),
            format!("inserts {number} as well"),
            format!("two rows of {table} have the number {number}, or B fails where a constraint forbids it"),
        );
    }
    let counts = deciders(case, check).iter().any(|decider| decider.question == Question::Amount);
    if let Some(story) = story.filter(|_| counts) {
        let (full, over) = (story.seen.plus(1), story.seen.plus(2));
        return end(
            format!("inserts a row: {full}"),
            format!("inserts one more: {over}"),
            format!("{over} rows of {table}, where the check lets in {full} at most"),
        );
    }
    let keys = keys(case);
    let same = if keys.is_empty() { "where the check allows one".to_owned() } else { format!("with the same {keys}") };
    end(
        format!("inserts its row into {table}"),
        "inserts a second one: what it checked was true when it looked",
        format!("two rows of {table} {same}"),
    )
}

fn updated(case: &Case, sql: &SqlEvent, statement: &Statement, table: &str, story: Option<&Story>) -> Ending {
    let resource = &case.resource;
    if let Some(Story { seen, change: Some(change), .. }) = story {
        let (once, twice) = (seen.plus(change.by), seen.plus(change.by).plus(change.by));
        return match change.relative {
            true => end(
                format!("makes it {once}"),
                format!("makes it {twice}: the write does not look again"),
                format!("both requests succeed, and {resource} = {twice}"),
            ),
            false => end(
                format!("writes {once}"),
                format!("writes {once} too, computed from what it read, over the write of A"),
                format!(
                    "both requests succeed, and one of the two changes to {resource} is lost: {once} where both make {twice}"
                ),
            ),
        };
    }
    let state = resource::window(case).and_then(|window| held(case, window));
    let written = written(case, sql, statement);
    match (state, written) {
        (Some(state), Some(written)) => end(
            format!("sets {written}"),
            format!("sets {written} again: the write does not ask for {state}"),
            format!("both requests go on from {state}: what follows is done twice for one row of {table}"),
        ),
        _ => end(
            format!("writes {resource}"),
            format!("writes {resource} from what it read before, over the write of A"),
            format!("both requests succeed, and one of the two changes to {resource} is lost"),
        ),
    }
}

/// `status = 'done'`: what the act sets in the column that the race is about.
fn written(case: &Case, sql: &SqlEvent, statement: &Statement) -> Option<String> {
    let column = resource::window(case).and_then(|window| resource::column(case, window))?;
    let set = statement.sets.iter().find(|set| set.column == column)?;
    let text = match &set.value {
        Operand::Literal(text) => quoted(*text),
        Operand::Param(index) => value(case, sql.args.get(*index as usize).copied().flatten()?)?,
        Operand::Generated(text) => text.to_string(),
        _ => return None,
    };
    Some(format!("{column} = {text}"))
}

fn place(case: &Case, access: &Access, story: Option<&Story>) -> Ending {
    let resource = &case.resource;
    if let Some(Story { seen, change: Some(change), .. }) = story {
        let (once, twice) = (seen.plus(change.by), seen.plus(change.by).plus(change.by));
        return match change.relative {
            true if twice.is_negative() && is_unsigned(case, access) => end(
                format!("makes it {once}"),
                format!("takes {} more, which an unsigned number has not: it wraps", -change.by),
                format!("both went on, and {resource} is close to the largest number of its type"),
            ),
            true => end(
                format!("makes it {once}"),
                format!("makes it {twice}"),
                format!("both went on, and {resource} = {twice}, beyond what the check allows"),
            ),
            false => end(
                format!("writes {once}"),
                format!("writes {once} too, over the write of A"),
                format!("both have {once}, and one of the two changes to {resource} is lost: both make {twice}"),
            ),
        };
    }
    if std::ptr::eq(case.candidate.rule, &cache_stampede::RULE) {
        return end(
            format!("computes the value and puts it into {resource}"),
            "computes the same once more".to_owned(),
            format!("every caller that misses in {resource} pays for the computation, all at the same time"),
        );
    }
    if access.op == AccessOp::Write && is_computed(case, access) {
        return end(
            format!("writes {resource}, computed from what it read"),
            format!("writes {resource}, computed from what it read before, over the write of A"),
            format!("both requests succeed, and one of the two changes to {resource} is lost"),
        );
    }
    match (access.domain, access.effect) {
        (Domain::File, Some(Effect::Put | Effect::Create | Effect::CreateDir)) => end(
            format!("creates {resource}"),
            format!("finds nothing that keeps it out, and makes {resource} its own"),
            format!("both believe that they made {resource}, and what A wrote may be gone"),
        ),
        (Domain::File, _) => end(
            format!("does what it wanted with {resource}, which is no longer what it was"),
            format!("does the same to whatever {resource} is by now, or fails"),
            format!("whatever {resource} was when B looked, it acts on another"),
        ),
        (_, Some(Effect::Remove | Effect::RemoveDir)) => end(
            format!("removes it from {resource}, and others may put something new there"),
            "removes what is there by now".to_owned(),
            format!("something is gone from {resource} that nobody looked at"),
        ),
        (Domain::Map | Domain::Store | Domain::EmbeddedStore, _) | (Domain::Plain, Some(Effect::Put)) => end(
            format!("writes its value to {resource}"),
            "writes its own over it".to_owned(),
            format!("{resource} holds what B wrote, and A goes on as if its value stood"),
        ),
        _ if access.op == AccessOp::Use => end(
            format!("uses {resource}"),
            format!("uses {resource} too, although what it saw no longer holds"),
            "what B had made sure of does not hold, and it waits or fails",
        ),
        (Domain::Atomic, _) => end(
            format!("writes {resource}"),
            format!("writes {resource} too, and is not told that A was first"),
            format!("both go on as the one that changed {resource}"),
        ),
        _ => both_go_on(case),
    }
}

/// `AtomicU32`, `Mutex<u32>`: a number without a sign.
fn is_unsigned(case: &Case, access: &Access) -> bool {
    let mut ty = case.view.trace.arena.types.get(&access.place);
    loop {
        ty = match ty {
            Some(Ty::Ref(_, inner)) => Some(inner),
            Some(Ty::Ext(path, args)) => {
                let name = path.as_str().rsplit("::").next().unwrap_or_default();
                let number = name.strip_prefix("Atomic").unwrap_or(name).to_ascii_lowercase();
                match number.strip_prefix('u') {
                    Some("size" | "8" | "16" | "32" | "64" | "128") => return true,
                    _ => args.first(),
                }
            }
            _ => return false,
        };
    }
}

/// What is written was computed from what the check read.
fn is_computed(case: &Case, access: &Access) -> bool {
    let touches = access.value.map(|value| case.view.touches(value));
    let from_check = |touch: &crate::window::touch::Touch| Some(touch.event) == case.candidate.check && !touch.control;
    touches.is_some_and(|touches| touches.iter().any(from_check))
}
