//! What a model row must and may say, by its meaning; and whether the names it uses exist.

use std::collections::HashSet;

use super::load::{LoadError, Loaded, closest};
use super::row::{CallRow, Does, TypeRow};
use super::typeexpr;

/// Keys that any meaning may have.
const COMMON: &[&str] = &["returns", "is_async", "closure", "otherwise", "runs", "gives", "params", "op", "options"];

/// The keys that a meaning needs, and those it may have besides [`COMMON`].
fn keys_of(does: Does) -> (&'static [&'static str], &'static [&'static str]) {
    const TOUCH: &[&str] = &[
        "resource",
        "key",
        "value",
        "target",
        "executor",
        "table",
        "column",
        "sql",
        "binds",
        "effect",
        "mode",
        "result",
        "attempt",
        "conditional",
        "expires",
        "skip_locked",
        "nowait",
    ];
    const STATEMENT: &[&str] = &[
        "resource",
        "key",
        "value",
        "target",
        "executor",
        "table",
        "column",
        "sql",
        "binds",
        "effect",
        "mode",
        "result",
        "step",
        "command",
        "isolation",
        "conditional",
        "expires",
        "skip_locked",
        "nowait",
    ];
    match does {
        Does::Query => (&["step"], STATEMENT),
        Does::Run => (&[], STATEMENT),
        Does::Predicate | Does::Operator => (&["op"], &["column", "value", "resource", "result"]),
        Does::Begin => (&[], &["resource", "executor", "isolation", "mode", "value", "sql", "attempt", "key"]),
        Does::Commit | Does::Rollback | Does::Release | Does::Drop => (&[], &["resource", "key", "value", "executor"]),
        Does::Transaction => (&["closure"], &["resource", "executor", "isolation", "mode", "value", "key"]),
        Does::Isolation => (&[], &["resource", "value", "isolation"]),
        Does::Setting => (
            &[],
            &[
                "resource",
                "value",
                "key",
                "isolation",
                "mode",
                "conditional",
                "expires",
                "skip_locked",
                "nowait",
                "effect",
                "result",
            ],
        ),
        Does::Connect => (&[], &["resource", "value", "attempt"]),
        Does::Acquire => (&[], &["resource", "key", "mode", "attempt", "value", "executor", "expires", "conditional"]),
        Does::Read | Does::Use => (&[], TOUCH),
        Does::Write | Does::Atomic => (&["effect"], TOUCH),
        Does::Probe => (&["mode"], TOUCH),
        Does::External => (&[], &["resource", "value", "key", "effect"]),
        Does::Sleep | Does::Compute | Does::Unwrap | Does::Concurrent => (&[], &["value", "resource"]),
        Does::Spawn => (&[], &["value", "resource"]),
        Does::Retry => (&["closure"], &["resource", "value"]),
        Does::Same => (&[], &["value", "resource", "key", "table", "result"]),
        Does::Combinator => (&[], &["value", "resource"]),
        Does::Error => (&["op"], &["value", "resource"]),
        Does::Wrap | Does::Option => (&["op"], &["value", "resource"]),
        Does::Column => (&[], &["column", "value"]),
        Does::AtomicGroup => (&[], &["resource", "value", "key", "sql", "binds", "executor"]),
        Does::Entry => (&[], &["value", "resource", "key"]),
        Does::Model => (&[], &["value"]),
        Does::Nothing => (&[], &[]),
    }
}

/// The words that `op` may be, where a meaning has a closed set of them.
fn ops_of(does: Does) -> Option<&'static [&'static str]> {
    Some(match does {
        Does::Wrap => &["Some", "Ok", "Err", "Unchanged"],
        Does::Acquire => &["upgrade", "downgrade"],
        Does::External => &["http", "mail", "payment", "queue", "process", "cloud", "network"],
        Does::Entry => &["get", "post", "put", "delete"],
        Does::Combinator | Does::Unwrap => &[
            "map",
            "map_err",
            "and_then",
            "or_else",
            "ok_or",
            "ok_or_else",
            "unwrap",
            "unwrap_or",
            "unwrap_or_else",
            "filter",
            "filter_map",
            "flat_map",
            "inspect",
            "fold",
            "for_each",
            "any",
            "all",
            "find",
            "then",
            "ok",
            "err",
        ],
        Does::Predicate => &[
            "eq",
            "ne",
            "lt",
            "le",
            "gt",
            "ge",
            "in",
            "not_in",
            "is_null",
            "is_not_null",
            "like",
            "between",
            "other",
            "and",
            "or",
            "not",
            "member",
        ],
        _ => return None,
    })
}

/// The keys that a row has, apart from those that say which call it is about.
fn keys_in(row: &CallRow) -> Vec<&'static str> {
    let all = [
        ("resource", row.resource.is_some()),
        ("key", row.key.is_some()),
        ("value", row.value.is_some()),
        ("target", row.target.is_some()),
        ("executor", row.executor.is_some()),
        ("sql", row.sql.is_some()),
        ("binds", row.binds.is_some()),
        ("table", row.table.is_some()),
        ("column", row.column.is_some()),
        ("closure", row.closure.is_some()),
        ("otherwise", row.otherwise.is_some()),
        ("options", row.options.is_some()),
        ("step", row.step.is_some()),
        ("command", row.command.is_some()),
        ("op", row.op.is_some()),
        ("effect", row.effect.is_some()),
        ("mode", row.mode.is_some()),
        ("result", row.result.is_some()),
        ("attempt", row.attempt),
        ("runs", row.runs.is_some()),
        ("gives", !row.gives.is_empty()),
        ("params", !row.params.is_empty()),
        ("isolation", row.isolation.is_some()),
        ("conditional", row.conditional),
        ("expires", row.expires),
        ("skip_locked", row.skip_locked),
        ("nowait", row.nowait),
        ("returns", row.returns.is_some()),
        ("is_async", row.is_async),
    ];
    all.into_iter().filter(|(_, set)| *set).map(|(key, _)| key).collect()
}

/// Checks each row of a file by itself.
pub(super) fn rows(loaded: &Loaded) -> Vec<LoadError> {
    let mut errors = Vec::new();
    for (row, &line) in loaded.library.types.iter().zip(&loaded.type_lines) {
        errors.extend(type_faults(row).into_iter().map(|message| error(loaded, line, message)));
    }
    for (row, &line) in loaded.library.calls.iter().zip(&loaded.call_lines) {
        errors.extend(call_faults(row).into_iter().map(|message| error(loaded, line, message)));
    }
    errors
}

fn error(loaded: &Loaded, line: usize, message: String) -> LoadError {
    LoadError { file: loaded.file.clone(), line, message, suggestion: None }
}

fn type_faults(row: &TypeRow) -> Vec<String> {
    let mut faults = Vec::new();
    if row.path.is_empty() {
        faults.push("a type needs a `path`".to_owned());
    }
    let fields = row.variants.values().flatten();
    let written = [&row.alias, &row.deref, &row.awaits, &row.item, &row.index].into_iter().flatten();
    faults.extend(written.chain(fields).filter_map(|text| typeexpr::parse(text).err()));
    faults
}

fn call_faults(row: &CallRow) -> Vec<String> {
    let mut faults = target_faults(row);
    let (needed, allowed) = keys_of(row.does);
    let present = keys_in(row);
    for key in needed.iter().filter(|key| !present.contains(key)) {
        faults.push(format!("a row that does `{}` needs `{key}`", name_of(row.does)));
    }
    for key in &present {
        if !COMMON.contains(key) && !needed.contains(key) && !allowed.contains(key) {
            faults.push(format!("`{key}` says nothing in a row that does `{}`", name_of(row.does)));
        }
    }
    if let (Some(op), Some(known)) = (&row.op, ops_of(row.does))
        && !known.contains(&op.as_str())
    {
        faults.push(format!(
            "`{op}` is no `op` of a row that does `{}`: there are {}",
            name_of(row.does),
            known.join(", ")
        ));
    }
    if (row.runs.is_some() || !row.gives.is_empty() || !row.params.is_empty()) && row.closure.is_none() {
        faults.push(
            "`runs`, `gives` and `params` speak of a closure: say with `closure` which argument it is".to_owned(),
        );
    }
    faults.extend(row.returns.iter().chain(&row.params).filter_map(|text| typeexpr::parse(text).err()));
    faults
}

fn target_faults(row: &CallRow) -> Vec<String> {
    let mut faults = Vec::new();
    if row.path.is_empty() && row.macros.is_empty() && row.method.is_empty() {
        faults.push("a call needs a `path`, a `macro`, or a `method` with `on`".to_owned());
    }
    if row.method.is_empty() != row.on.is_empty() {
        faults.push("`method` and `on` go together".to_owned());
    }
    if row.unknown_receiver && row.method.is_empty() {
        faults.push("`unknown_receiver` speaks of a method".to_owned());
    }
    if row.given.is_some() && !row.unknown_receiver {
        faults.push("`given` settles an `unknown_receiver`".to_owned());
    }
    if row.macros.iter().any(|path| path.ends_with('!')) {
        faults.push("macros are written without the `!`".to_owned());
    }
    faults
}

/// The word of the TOML files for a meaning.
fn name_of(does: Does) -> String {
    let mut name = String::new();
    for c in format!("{does:?}").chars() {
        if c.is_ascii_uppercase() && !name.is_empty() {
            name.push('_');
        }
        name.push(c.to_ascii_lowercase());
    }
    name
}

/// Checks that every `on` and `implements` names a type of some file; `known` holds all paths of all types.
pub(super) fn names(loaded: &Loaded, known: &HashSet<&str>) -> Vec<LoadError> {
    let implements =
        loaded.library.types.iter().zip(&loaded.type_lines).map(|(row, line)| ("implements", &row.implements, line));
    let on = loaded.library.calls.iter().zip(&loaded.call_lines).map(|(row, line)| ("on", &row.on, line));
    let mut errors = Vec::new();
    let derived = loaded.library.derives.iter().zip(&loaded.derive_lines);
    let derived = derived.map(|(row, line)| ("implements", &row.implements, line));
    for (key, paths, &line) in implements.chain(derived).chain(on) {
        for path in paths.iter().filter(|path| *path != "*" && !known.contains(path.as_str())) {
            let mut sorted: Vec<&str> = known.iter().copied().collect();
            sorted.sort_unstable();
            let message = format!("`{key}` names `{path}`, but no file has a type of that path");
            let suggestion = closest(path, sorted.into_iter()).map(str::to_owned);
            errors.push(LoadError { file: loaded.file.clone(), line, message, suggestion });
        }
    }
    errors
}

#[cfg(test)]
mod tests {
    use super::super::load::load;

    fn messages(text: &str) -> Vec<String> {
        let file = format!("library = \"ours\"\n{text}");
        load("ours.toml", &file).expect_err("the row is wrong").iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_row_must_say_which_call_it_is_about() {
        assert_eq!(
            messages("[[call]]\ndoes = \"nothing\"\n"),
            ["ours.toml:2: a call needs a `path`, a `macro`, or a `method` with `on`"]
        );
        assert_eq!(
            messages("[[call]]\nmethod = [\"get\"]\ndoes = \"read\"\n"),
            ["ours.toml:2: `method` and `on` go together"]
        );
    }

    #[test]
    fn a_meaning_has_its_own_keys() {
        assert_eq!(
            messages("\n[[call]]\npath = [\"ours::put\"]\ndoes = \"write\"\nisolation = \"serializable\"\n"),
            [
                "ours.toml:3: a row that does `write` needs `effect`",
                "ours.toml:3: `isolation` says nothing in a row that does `write`"
            ]
        );
        assert_eq!(
            messages("[[call]]\npath = [\"ours::each\"]\ndoes = \"spawn\"\nruns = \"each\"\n"),
            ["ours.toml:2: `runs`, `gives` and `params` speak of a closure: say with `closure` which argument it is"]
        );
    }

    #[test]
    fn an_op_is_one_of_a_closed_set() {
        let found = messages("[[call]]\nmacro = [\"ours::fetch\"]\ndoes = \"external\"\nop = \"htp\"\n");
        assert!(
            found[0].starts_with("ours.toml:2: `htp` is no `op` of a row that does `external`: there are http,"),
            "{found:?}"
        );
    }

    #[test]
    fn types_must_be_readable() {
        let found = messages("[[type]]\npath = [\"ours::Db\"]\nderef = \"Maybe<$0>\"\n");
        assert!(found[0].starts_with("ours.toml:2: `Maybe` is no path"), "{found:?}");
    }
}
