//! The files that come with racelint, and how rows of users stand beside them.

use std::collections::HashMap;

use super::*;

#[test]
fn every_file_that_comes_with_racelint_loads() {
    for (name, text) in FILES {
        let loaded = load::load(name, text).unwrap_or_else(|errors| panic!("{}", lines(&errors)));
        assert_eq!(format!("{}.toml", loaded.library.library), *name, "a file is named after its library");
    }
}

#[test]
fn every_file_of_the_folder_is_in_the_list() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/models");
    let mut found: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    found.sort();
    let mut listed: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
    listed.sort_unstable();
    assert_eq!(found, listed);
}

#[test]
fn every_receiver_is_the_canonical_path_of_a_type() {
    let files = builtin_files().unwrap();
    let canonical: HashSet<&str> = files.iter().flat_map(|f| &f.library.types).map(|t| t.path[0].as_str()).collect();
    let errors: Vec<_> = files.iter().flat_map(|file| check::names(file, &canonical)).collect();
    assert!(errors.is_empty(), "{}", lines(&errors));
}

#[test]
fn no_two_rows_are_about_one_call() {
    let mut seen: HashMap<String, String> = HashMap::new();
    let mut doubled = Vec::new();
    for file in builtin_files().unwrap() {
        for (row, line) in file.library.calls.iter().zip(&file.call_lines) {
            let place = format!("{}:{line}", file.file);
            for name in calls_of(row) {
                if let Some(other) = seen.insert(name.clone(), place.clone()) {
                    doubled.push(format!("{name}: {other} and {place}"));
                }
            }
        }
    }
    assert!(doubled.is_empty(), "{}", doubled.join("\n"));
}

#[test]
fn no_two_types_have_one_path() {
    let mut seen = HashSet::new();
    for file in builtin_files().unwrap() {
        for path in file.library.types.iter().flat_map(|row| &row.path) {
            assert!(seen.insert(path.clone()), "{path} in {}", file.file);
        }
    }
}

/// Every call that a row is about.
fn calls_of(row: &CallRow) -> Vec<String> {
    let arity = row.arity.map_or(String::new(), |n| format!("/{n}"));
    let mut names: Vec<String> = row.path.iter().map(|path| format!("{path}{arity}")).collect();
    names.extend(row.macros.iter().map(|path| format!("{path}!")));
    for on in &row.on {
        names.extend(row.method.iter().map(|method| format!("{on}.{method}{arity}")));
    }
    names
}

fn lines(errors: &[LoadError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn user(text: &str) -> Vec<(String, String)> {
    vec![("ours.toml".to_owned(), format!("library = \"ours\"\n{text}"))]
}

#[test]
fn rows_of_users_come_first() {
    let text = "[[call]]\nmethod = [\"unwrap\"]\non = [\"std::option::Option\"]\ndoes = \"nothing\"\n";
    let models = Models::with_user(&user(text)).unwrap();
    let first = models.calls_by_method("unwrap")[0];
    assert_eq!(models.calls[first as usize].does, row::Does::Nothing);
    assert!(models.calls_by_method("unwrap").len() > 1, "the builtin row is still there");
}

#[test]
fn a_receiver_without_a_type_row_is_refused() {
    let text = "[[call]]\nmethod = [\"unwrap\"]\non = [\"std::option::Optoin\"]\ndoes = \"nothing\"\n";
    let errors = Models::with_user(&user(text)).unwrap_err();
    assert_eq!(errors.len(), 1);
    assert_eq!(errors[0].line, 2);
    assert_eq!(errors[0].suggestion.as_deref(), Some("std::option::Option"));
}

#[test]
fn associated_functions_are_found_by_any_path_of_their_type() {
    let text = r#"
[[type]]
path = ["ours::pool::Pool", "ours::Pool"]
[[type]]
path = ["ours::PgPool"]
alias = "ours::Pool<ours::Postgres>"
[[call]]
path = ["ours::Pool::open"]
does = "compute"
"#;
    let models = Models::with_user(&user(text)).unwrap();
    for path in ["ours::pool::Pool::open", "ours::Pool::open", "ours::PgPool::open"] {
        assert_eq!(models.calls_by_path(path).len(), 1, "{path}");
    }
    assert_eq!(models.canonical("ours::PgPool::open"), "ours::pool::Pool::open");
    assert_eq!(models.canonical("core::option::Option"), "std::option::Option");
    assert!(models.calls_by_path("ours::pool::open").is_empty());
}

#[test]
fn roles_are_seen_through_aliases() {
    let text = "[[type]]\npath = [\"ours::Lock\"]\nrole = \"lock\"\n[[type]]\npath = [\"ours::Shelf\"]\nalias = \"ours::Lock<u8>\"\n";
    let models = Models::with_user(&user(text)).unwrap();
    assert_eq!(models.type_role("ours::Shelf"), Some(row::TypeRole::Lock));
    assert_eq!(models.type_role("ours::Shelves"), None);
}

/// A name alone must lead to one row: nothing could choose between two.
#[test]
fn unknown_receivers_have_one_row_a_name() {
    let mut seen: HashMap<String, String> = HashMap::new();
    for file in builtin_files().unwrap() {
        for (row, line) in file.library.calls.iter().zip(&file.call_lines).filter(|(row, _)| row.unknown_receiver) {
            for name in &row.method {
                let place = format!("{}:{line}", file.file);
                let name = format!("{name}/{:?}/{:?}", row.arity, row.given);
                if let Some(other) = seen.insert(name.clone(), place.clone()) {
                    panic!("{name}: {other} and {place}");
                }
            }
        }
    }
}

/// The file that `rules/README.md` shows is one that users may begin with.
#[test]
fn the_file_of_the_guide_loads() {
    let guide = include_str!("../../rules/README.md");
    let (_, rest) = guide.split_once("```toml\n").unwrap();
    let (text, _) = rest.split_once("```").unwrap();
    let models = Models::with_user(&[("racelint-models.toml".to_owned(), text.to_owned())]);
    let models = models.unwrap_or_else(|errors| panic!("{}", lines(&errors)));
    let begin = models.calls_by_method("begin_serializable")[0];
    assert_eq!(models.calls[begin as usize].isolation, Some(crate::sql::Isolation::Serializable));
    assert_eq!(
        models.calls[models.calls_by_macro("query")[0] as usize].macros,
        ["ledger_db::query"],
        "users come first"
    );
}
