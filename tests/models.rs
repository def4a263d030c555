//! Every row of `rules/models/` is met by some fixture: a row that no code shows may name nothing that exists.

#[allow(dead_code)]
#[path = "support/cases.rs"]
mod cases;
#[allow(dead_code)]
#[path = "support/expect.rs"]
mod expect;
#[allow(dead_code)]
#[path = "support/run.rs"]
mod run;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

use racelint::discover::{Request, discover};
use racelint::ir::{ExprKind, File, Lit};
use racelint::models::row::CallRow;
use racelint::models::{FILES, Models, load};
use racelint::resolve::{BoundTy, Def, Program, Ty, Typed};

/// What code meets of the models: types and calls by their place in [`Models`], derives and words that may be commands by name.
struct Met<'a> {
    models: &'a Models,
    types: HashSet<u32>,
    calls: HashSet<u32>,
    attributes: HashSet<&'static str>,
    words: HashSet<String>,
}

impl<'a> Met<'a> {
    fn new(program: &Program, models: &'a Models) -> Met<'a> {
        let mut met = Met {
            models,
            types: HashSet::new(),
            calls: HashSet::new(),
            attributes: HashSet::new(),
            words: HashSet::new(),
        };
        program.typed.iter().chain(&program.typed_statics).for_each(|typed| met.body(typed));
        for function in &program.functions {
            function.params.iter().chain([&function.ret, &function.self_ty]).for_each(|ty| met.ty(ty));
        }
        for adt in &program.adts {
            let variants = adt.variants.iter().flat_map(|(_, fields)| fields);
            adt.fields.iter().chain(variants).for_each(|(_, ty)| met.ty(ty));
        }
        program.statics.iter().for_each(|item| met.ty(&item.ty));
        program.files.iter().for_each(|file| met.file(file));
        met.implied();
        met
    }

    fn body(&mut self, typed: &Typed) {
        for target in typed.targets.values() {
            self.calls.extend(target.row);
            target.self_ty.iter().chain(&target.fish).for_each(|ty| self.ty(ty));
        }
        typed.exprs.iter().chain(&typed.locals).for_each(|ty| self.ty(ty));
        for def in typed.defs.values().chain(typed.pat_defs.values()) {
            if let Def::Ext(path) = def {
                self.calls.extend(self.models.calls_by_path(path.as_str()));
            }
        }
    }

    fn ty(&mut self, ty: &Ty) {
        match ty {
            Ty::Ext(path, args) => {
                self.path(path.as_str());
                args.iter().for_each(|ty| self.ty(ty));
            }
            Ty::Adt(_, args) | Ty::Tuple(args) => args.iter().for_each(|ty| self.ty(ty)),
            Ty::Slice(ty) => {
                self.path("slice");
                self.ty(ty);
            }
            Ty::Closure(_) => self.path("closure"),
            Ty::Ref(_, ty) | Ty::Future(ty) => self.ty(ty),
            Ty::Bound { bounds, .. } => bounds.iter().for_each(|bound| {
                if let BoundTy::Ext(path, args) = bound {
                    self.path(path.as_str());
                    args.iter().for_each(|ty| self.ty(ty));
                }
            }),
            _ => {}
        }
    }

    fn path(&mut self, path: &str) {
        self.types.extend(self.models.type_by_path(path));
    }

    /// Aliases leave no trace in types: what a file imports or writes out counts too.
    fn file(&mut self, file: &File) {
        let imported = file.uses.iter().map(|item| item.path.iter().map(|name| name.as_str()).collect::<Vec<_>>());
        let written = file.paths.iter().map(|path| path.segments.iter().map(|part| part.name.as_str()).collect());
        imported.chain(written).for_each(|parts| self.path(&parts.join("::")));
        let structs = file.structs.iter().flat_map(|item| &item.attrs);
        let attributes = structs.chain(file.enums.iter().flat_map(|item| &item.attrs));
        self.attributes.extend(attributes.map(|attr| attr.tokens.as_str()));
        let bodies = file.functions.iter().filter_map(|function| function.body.as_ref());
        self.words.extend(bodies.flat_map(|body| &body.exprs).filter_map(|expr| match expr.kind {
            ExprKind::Lit(Lit::Str(text)) => Some(text.as_str().to_uppercase()),
            _ => None,
        }));
    }

    fn derives(&self, name: &str) -> bool {
        let words = |tokens: &'static str| tokens.split(|c: char| !c.is_alphanumeric() && c != '_');
        self.attributes.iter().any(|tokens| words(tokens).any(|word| word == name))
    }

    /// The only receiver that a row of a met call has, what met types and derives implement, and the commands that met calls are.
    fn implied(&mut self) {
        let calls = self.calls.iter().map(|row| (&self.models.calls[*row as usize], self.models.on(*row)));
        let (mut types, mut words) = (HashSet::new(), Vec::new());
        for (row, on) in calls {
            if let [only] = on {
                types.extend(self.models.type_by_path(only.as_str()));
            }
            words.extend(row.command.as_ref().map(|name| name.to_uppercase()));
        }
        let derived = self.models.derives.iter().filter(|row| self.derives(&row.derive));
        types.extend(derived.flat_map(|row| &row.implements).filter_map(|path| self.models.type_by_path(path)));
        self.types.extend(types);
        self.words.extend(words);
        let mut open: Vec<u32> = self.types.iter().copied().collect();
        while let Some(row) = open.pop() {
            for path in &self.models.types[row as usize].implements {
                let row = self.models.type_by_path(path);
                open.extend(row.filter(|row| self.types.insert(*row)));
            }
        }
    }
}

/// Every row by the name of its file and what it is about, and whether the fixtures meet it.
fn rows(met: &Met<'_>) -> BTreeMap<String, bool> {
    let mut rows = BTreeMap::new();
    let (mut types, mut calls) = (0.., 0..);
    for (name, text) in FILES {
        let library = load::load(name, text).expect("a test loads every file").library;
        let mut check = |met: bool, row: String| {
            // Two rows may begin with one name.
            *rows.entry(format!("{}: {row}", library.library)).or_insert(true) &= met;
        };
        for (row, place) in library.types.iter().zip(&mut types) {
            check(met.types.contains(&place), row.path[0].clone());
        }
        for (row, place) in library.calls.iter().zip(&mut calls) {
            check(met.calls.contains(&place), call(row));
        }
        for row in &library.derives {
            check(met.derives(&row.derive), format!("derive({})", row.derive));
        }
        for row in &library.commands {
            let said = row.name.iter().any(|name| met.words.contains(&name.to_uppercase()));
            check(said, row.name.join(" "));
        }
    }
    rows
}

fn call(row: &CallRow) -> String {
    let macros = row.macros.iter().map(|path| format!("{path}!"));
    let methods = row.method.iter().map(|name| format!("{}::{name}", row.on[0]));
    let first = row.path.iter().cloned().chain(macros).chain(methods).next().expect("a row is about some call");
    format!("{first}({})", row.arity.map_or(String::new(), |n| n.to_string()))
}

#[test]
fn every_row_is_met_by_a_fixture() {
    let folder = tempfile::tempdir().expect("a new folder");
    for case in cases::collect(&run::package().join("fixtures")).expect("folders of cases") {
        case.write_to(&folder.path().join(&case.name));
    }
    let inventory = discover(&Request::new(folder.path(), vec![PathBuf::from(".")])).expect("the folder is there");
    let models = Models::builtin();
    let understood = racelint::lower::with_stack(|| racelint::understand(&inventory, models, racelint::Walked::All, 2));
    let rows = rows(&Met::new(&understood.program, models));
    let listed = std::fs::read_to_string(run::package().join("fixtures/models/unmet.txt")).expect("the list is there");
    let listed: BTreeSet<_> = listed.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect();
    let unmet = rows.iter().filter(|(row, met)| !**met && !listed.contains(*row));
    let new = unmet.map(|(row, _)| format!("no fixture meets {row}"));
    let strange = listed.iter().filter(|row| !rows.contains_key(*row));
    let gone = strange.map(|row| format!("fixtures/models/unmet.txt lists {row}, which is no row"));
    let met = listed.iter().filter(|row| rows.get(*row) == Some(&true));
    let met = met.map(|row| format!("fixtures/models/unmet.txt lists {row}, which is met by now"));
    let wrong: Vec<_> = new.chain(gone).chain(met).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The libraries that services are made of, by what code writes of them. Cells have no case that is found: state-check-across-await tells why.
const LIBRARIES: &[&str] = &[
    "sqlx::",
    "sqlx::QueryBuilder",
    "diesel::",
    "diesel_async::",
    "sea_orm::",
    "sea_query::",
    "tokio_postgres::",
    "postgres::",
    "deadpool_postgres::",
    "bb8::",
    "r2d2::",
    "rusqlite::",
    "tokio_rusqlite::",
    "mysql::",
    "mysql_async::",
    "redis::",
    "deadpool_redis::",
    "bb8_redis::",
    "fred::",
    "mongodb::",
    "aws_sdk_dynamodb::",
    "etcd_client::",
    "sled::",
    "redb::",
    "rocksdb::",
    "heed::",
    "std::sync::Mutex",
    "std::sync::atomic::",
    "parking_lot::",
    "tokio::sync::",
    "async_lock::",
    "futures::",
    "dashmap::",
    "scc::",
    "papaya::",
    "flurry::",
    "moka::",
    "quick_cache::",
    "cached::",
    "arc_swap::",
    "once_cell::",
    "portable_atomic::",
    "crossbeam::",
    "crossbeam_channel::",
    "flume::",
    "async_channel::",
    "std::fs",
    "tokio::fs",
    "async_fs::",
    "fs_err::",
    "cap_std::",
    "tempfile::",
    "fs4::",
    "fd_lock::",
    "reqwest::",
    "hyper::",
    "ureq::",
    "tonic::",
    "lettre::",
    "stripe::",
    "aws_sdk_s3::",
    "lapin::",
    "rdkafka::",
    "axum::",
    "actix_web::",
    "rocket::",
    "warp::",
    "poem::",
    "salvo::",
    "async_graphql::",
    "lambda_runtime::",
    "tauri::",
    "apalis::",
    "tokio::spawn",
    "std::thread",
    "rayon::",
];

/// The other suite holds each fixture to what it expects: here, that no library lacks a race that is found and a good neighbour that is silent.
#[test]
fn every_library_has_a_race_that_is_found_and_a_good_case_that_is_silent() {
    let cases = cases::collect(&run::package().join("fixtures")).expect("folders of cases");
    let expected = |case: &cases::Case| {
        let lines = case.sources().flat_map(|(_, text)| text.lines());
        lines.filter_map(|line| line.split_once("//~")).any(|(_, mark)| !mark.starts_with(['?', '!']))
    };
    let silent =
        |case: &cases::Case| case.stem().starts_with("good_") && case.sources().all(|(_, text)| !text.contains("//~"));
    let mut wrong = Vec::new();
    for library in LIBRARIES {
        let of_library: Vec<_> =
            cases.iter().filter(|case| case.sources().any(|(_, text)| names(text, library))).collect();
        for (kind, found) in [
            ("bad", of_library.iter().any(|case| expected(case))),
            ("good", of_library.iter().any(|case| silent(case))),
        ] {
            if !found {
                wrong.push(format!("{library} has no {kind} fixture"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The text writes this path, or imports it out of a list: `use std::sync::{Arc, Mutex};`.
fn names(text: &str, path: &str) -> bool {
    let starts = |at: usize| !text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    if text.match_indices(path).any(|(at, _)| starts(at)) {
        return true;
    }
    let Some((module, name)) = path.rsplit_once("::").filter(|(_, name)| !name.is_empty()) else { return false };
    let start = format!("use {module}::{{");
    let lists = text.split(start.as_str()).skip(1);
    lists
        .filter_map(|rest| rest.split_once('}'))
        .any(|(list, _)| list.split(',').any(|part| part.trim().trim_start_matches("self::") == name))
}
