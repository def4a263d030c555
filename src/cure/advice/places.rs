//! Cures for places in memory, keys of stores and paths on disk: the one operation that does both.

use crate::cure::{Case, amount};
use crate::flow::event::{Access, Domain};
use crate::models::row::Effect;

/// What to write instead.
pub fn of(case: &Case, access: &Access) -> String {
    let place = &case.resource;
    match access.domain {
        Domain::Map => map(access, place),
        Domain::Atomic => atomic(case, place),
        Domain::Slot => format!(
            "change {place} with `rcu`, `send_if_modified`, `get_or_init` or `set` whose error is looked at: they see the newest value"
        ),
        Domain::Store => store(case, access, place),
        Domain::EmbeddedStore => format!(
            "compare and write {place} in one step: `compare_and_swap`, `fetch_and_update`, or both inside one write transaction"
        ),
        Domain::File => file(access, place),
        Domain::Plain => plain(case, place),
        _ => format!(
            "do it on {place} with its `try_` form (`try_recv`, `try_acquire`, `try_lock`, `into_inner`) and handle the refusal, without asking first"
        ),
    }
}

fn map(access: &Access, place: &str) -> String {
    match access.effect {
        Some(Effect::Remove) => {
            format!(
                "remove from {place} with `remove_if(&key, |_, value| …)` (a cache of moka: `entry(key).and_compute_with(…)`): it looks and removes under one lock"
            )
        }
        _ => format!(
            "use the entry of {place} (`entry(key).or_insert_with(…)`, or `match … {{ Occupied, Vacant }}`; of a cache `get_with`): one step under the map's own lock"
        ),
    }
}

fn atomic(case: &Case, place: &str) -> String {
    let story = case.candidate.check.zip(case.candidate.act).and_then(|(check, act)| amount::story(case, check, act));
    match story.and_then(|story| story.change) {
        Some(change) if !change.relative => format!(
            "one read-modify-write: `{place}.fetch_update(…, |old| Some(<the new value from old>))`, or `fetch_add`, `fetch_max` where that is all"
        ),
        Some(_) => format!(
            "count and check in one step: `{place}.fetch_update(…, |n| (n < <limit>).then(|| n + 1))`, and refuse on `Err`"
        ),
        None => format!(
            "decide and write in one step: `{place}.compare_exchange(<expected>, <new>, …)` or `swap`, and let its answer decide"
        ),
    }
}

fn store(case: &Case, access: &Access, key: &str) -> String {
    let story = case.candidate.check.zip(case.candidate.act).and_then(|(check, act)| amount::story(case, check, act));
    if story.is_some_and(|story| story.change.is_some()) {
        return format!(
            "let the store count: `INCRBY`/`DECRBY` (`HINCRBY`, `$inc`) on {key}, and check the number that it answers"
        );
    }
    match access.effect {
        Some(Effect::Remove) => {
            format!("delete {key} only if it still holds what was read, in one script (compare, then delete)")
        }
        Some(Effect::Expire) => format!(
            "give {key} its time to live in the command that writes it: `SET key value NX EX seconds`; of a counter, both in one script or MULTI"
        ),
        Some(Effect::Append) => {
            format!("let the answer of the command itself decide: `SADD` of {key} gives 1 to the one that added it")
        }
        _ => format!(
            "write {key} only if it is absent or unchanged, in one command (`SET … NX EX seconds`, `HSETNX`, a script that compares, a conditional put or unique index), and let its answer decide"
        ),
    }
}

fn file(access: &Access, path: &str) -> String {
    match access.effect {
        Some(Effect::Put | Effect::Create) => format!(
            "open {path} with `OpenOptions::new().write(true).create_new(true)` (`File::create_new`) without asking first, and handle `ErrorKind::AlreadyExists`"
        ),
        Some(Effect::CreateDir) => {
            format!("call `create_dir_all` for {path}, or `create_dir` and handle `ErrorKind::AlreadyExists`")
        }
        Some(Effect::Copy | Effect::Rename) => format!(
            "make {path} so that it never replaces: `hard_link` the source to it (fails where it exists), `persist_noclobber` of a temporary file, or `create_new` and copy into it"
        ),
        _ => format!("call `{}` on {path} without asking first, and handle `ErrorKind::NotFound`", access.name),
    }
}

fn plain(case: &Case, place: &str) -> String {
    let waits =
        case.candidate.check.zip(case.candidate.act).is_some_and(|(check, act)| case.view.waits_between(check, act));
    if waits {
        return format!(
            "look at {place} again under the guard that writes it, after the `.await`: nothing that was seen before holds there (of a map: `entry`)"
        );
    }
    format!(
        "hold one guard on {place} from the check to the write; or look again under the second one (of a map: `entry`)"
    )
}
