//! Module trees, imports, crates.

use std::path::PathBuf;

use super::super::layout::{Dependency, DependsOn, Package};
use super::super::testing::{app, packages, root};
use super::super::{CrateRole, Def};
use crate::intern::Symbol;
use crate::source::SourceId;

#[test]
fn modules_are_followed_through_files() {
    let s = app(&[
        (
            "src/lib.rs",
            "mod store; #[path = \"odd/place.rs\"] mod placed; mod inline { mod deep; } fn f() { store::rows::load(); placed::near(); inline::deep::dig(); }",
        ),
        ("src/store/mod.rs", "pub mod rows;"),
        ("src/store/rows.rs", "pub fn load() { super::super::placed::near() }"),
        ("src/odd/place.rs", "mod child; pub fn near() { child::nearer() }"),
        ("src/odd/child.rs", "pub fn nearer() { crate::store::rows::load() }"),
        ("src/inline/deep.rs", "pub fn dig() {}"),
    ]);
    assert_eq!(s.calls("f", "store::rows::load()"), ["app::store::rows::load"]);
    assert_eq!(s.calls("f", "placed::near()"), ["app::placed::near"]);
    assert_eq!(s.calls("f", "inline::deep::dig()"), ["app::inline::deep::dig"]);
    assert_eq!(s.calls("load", "super::super::placed::near()"), ["app::placed::near"]);
    assert_eq!(s.calls("near", "child::nearer()"), ["app::placed::child::nearer"]);
    assert_eq!(s.calls("nearer", "crate::store::rows::load()"), ["app::store::rows::load"]);
}

#[test]
fn included_items_stand_where_they_are_included() {
    let s = app(&[
        ("src/lib.rs", "mod api; include!(\"rows.rs\"); mod inner { fn near() {} include!(\"parts/deep.rs\"); }"),
        ("src/api/mod.rs", "include!(concat!(env!(\"OUT_DIR\"), \"/made.rs\")); fn serve() { crate::load(); }"),
        ("src/rows.rs", "struct Row; fn load() { crate::inner::dig(Row) }"),
        ("src/parts/deep.rs", "fn dig(row: super::Row) { near() }"),
    ]);
    assert_eq!(s.calls("serve", "crate::load()"), ["app::load"]);
    assert_eq!(s.calls("load", "crate::inner::dig(Row)"), ["app::inner::dig"]);
    assert_eq!(s.calls("dig", "near()"), ["app::inner::near"]);
    assert_eq!(s.local("dig", "row"), "Row");
}

#[test]
fn imports_rename_and_re_export() {
    let s = app(&[(
        "src/lib.rs",
        "mod a { pub mod b { pub fn f() {} pub struct S; impl S { pub fn new() -> S { S } } } pub use b::f as g; pub use self::b::*; }
         mod c { pub use super::a::g as h; pub use crate::a::S as T; }
         use c::{h, T as U};
         fn run() { h(); U::new(); a::f(); }
         fn local() { use c::h as k; k(); }",
    )]);
    assert_eq!(s.calls("run", "h()"), ["app::a::b::f"]);
    assert_eq!(s.calls("run", "U::new()"), ["app::a::b::S::new"]);
    assert_eq!(s.ty("run", "U::new()"), "S");
    assert_eq!(s.calls("run", "a::f()"), ["app::a::b::f"]);
    assert_eq!(s.calls("local", "k()"), ["app::a::b::f"]);
}

#[test]
fn a_cycle_of_globs_ends() {
    let s = app(&[(
        "src/lib.rs",
        "mod a { pub use super::b::*; pub fn one() {} } mod b { pub use super::a::*; } use b::*; fn run() { one(); two(); }",
    )]);
    assert_eq!(s.calls("run", "one()"), ["app::a::one"]);
    assert!(s.calls("run", "two()").is_empty());
}

/// Twenty modules that all see each other through one that imports them all.
#[test]
fn a_module_of_many_globs_offers_what_each_of_them_names() {
    let part = |n: usize| {
        let kind = if n == 7 { "pub enum Kind { Last } pub use self::Kind::*;" } else { "" };
        format!("mod m{n} {{ use super::*; pub fn f{n}() {{ f{}() }} pub fn same() {{}} {kind} }}\n", 19 - n)
    };
    let modules: String = (0..20).map(part).collect();
    let globs: String = (0..20).map(|n| format!("pub use m{n}::*;")).collect();
    let hub = format!("{modules}{globs}");
    let s = app(&[
        ("src/lib.rs", "mod hub; mod user { use crate::hub::*; fn run() { f3(); same(); nobody(); Last } }"),
        ("src/hub.rs", &hub),
    ]);
    assert_eq!(s.calls("run", "f3()"), ["app::hub::m3::f3"]);
    assert_eq!(s.calls("f19", "f0()"), ["app::hub::m0::f0"]);
    assert_eq!(s.calls("run", "same()"), ["app::hub::m0::same"]);
    assert!(s.calls("run", "nobody()").is_empty());
    assert!(matches!(s.def("run", "Last"), Def::Variant(..)));
}

#[test]
fn variants_come_through_globs_and_aliases() {
    let s = app(&[(
        "src/lib.rs",
        "enum State { Open, Closed(u8) } type Alias = State; use State::*;
         fn run() -> bool { let a = Closed(1); let b = Alias::Open; matches!(a, Open) }",
    )]);
    assert_eq!(s.local("run", "a"), "State");
    assert_eq!(s.local("run", "b"), "State");
}

#[test]
fn library_paths_are_canonical() {
    let s = app(&[(
        "src/lib.rs",
        "use core::option::Option as Maybe; use sqlx::postgres::PgPool; use sqlx as db;
         fn run(a: Maybe<u8>, b: &PgPool, c: db::SqlitePool, d: ::sqlx::MySqlPool) { a; b; c; d; }",
    )]);
    assert_eq!(s.local("run", "a"), "Option<u8>");
    assert_eq!(s.local("run", "b"), "&Pool<Postgres>");
    assert_eq!(s.local("run", "c"), "Pool<Sqlite>");
    assert_eq!(s.local("run", "d"), "Pool<MySql>");
}

#[test]
fn a_local_module_hides_a_library() {
    let s = app(&[("src/lib.rs", "mod sqlx { pub fn query() {} } fn run() { sqlx::query(); }")]);
    assert_eq!(s.calls("run", "sqlx::query()"), ["app::sqlx::query"]);
}

#[test]
fn crates_of_a_workspace_see_each_other() {
    let member = |name: &str, dir: &str, at: u32, role, dependencies| Package {
        name: Symbol::new(name),
        edition: 2021,
        dir: PathBuf::from(dir),
        dependencies,
        targets: vec![super::super::layout::TargetRoot {
            name: Symbol::new(&name.replace('-', "_")),
            role,
            root: SourceId(at),
        }],
    };
    let depends = |name: &str, to| Dependency { name: Symbol::new(name), to };
    let s = packages(
        &[
            ("core/src/lib.rs", "pub mod users { pub fn load() {} }"),
            (
                "web/src/main.rs",
                "use my_core::users; use pg::Client; fn run(client: &Client) { users::load(); data::users::load(); client; }",
            ),
        ],
        vec![
            member("my-core", "core", 0, CrateRole::Library, vec![]),
            member(
                "web",
                "web",
                1,
                CrateRole::Binary,
                vec![
                    depends("my_core", DependsOn::Member(0)),
                    depends("data", DependsOn::Member(0)),
                    depends("pg", DependsOn::External(Symbol::new("tokio_postgres"))),
                ],
            ),
        ],
    );
    assert_eq!(s.calls("run", "users::load()"), ["my_core::users::load"]);
    assert_eq!(s.calls("run", "data::users::load()"), ["my_core::users::load"]);
    assert_eq!(s.local("run", "client"), "&Client");
}

#[test]
fn a_binary_and_tests_see_the_library() {
    let s = app(&[
        ("src/lib.rs", "pub fn load() {}"),
        ("src/main.rs", "fn main() { app::load() }"),
        ("tests/api.rs", "#[test] fn check() { app::load() }"),
    ]);
    assert_eq!(s.calls("main", "app::load()"), ["app::load"]);
    assert_eq!(s.calls("check", "app::load()"), ["app::load"]);
    let check = s.program.function(s.function("check"));
    assert!(check.test && check.test_entry);
    assert!(!s.program.function(s.function("load")).test);
    assert!(root("src/other.rs", SourceId(0)).is_none());
}

#[test]
fn files_that_nothing_reaches_are_placed_too() {
    let s = app(&[("src/lib.rs", "pub fn load() {}"), ("src/apart.rs", "fn run() { crate::load() }")]);
    assert_eq!(s.calls("run", "crate::load()"), ["app::load"]);
    let s = app(&[("fragment.rs", "mod child; fn run() { child::go() }"), ("fragment/child.rs", "pub fn go() {}")]);
    assert_eq!(s.calls("run", "child::go()"), ["fragment::child::go"]);
}

#[test]
fn test_code_is_marked() {
    let s = app(&[(
        "src/lib.rs",
        "fn plain() {} #[cfg(test)] mod tests { fn aid() {} #[tokio::test] async fn entry() {} }
         struct S; #[cfg(test)] impl S { fn inside(&self) { fn nested() {} } }",
    )]);
    let test = |path: &str| {
        let def = s.program.function(s.function(path));
        (def.test, def.test_entry)
    };
    assert_eq!(test("plain"), (false, false));
    assert_eq!(test("aid"), (true, false));
    assert_eq!(test("entry"), (true, true));
    assert_eq!(test("S::inside"), (true, false));
    assert_eq!(test("inside::nested"), (true, false));
}

#[test]
fn twins_under_cfg_are_joined() {
    let s = app(&[(
        "src/lib.rs",
        "#[cfg(unix)] fn open() {} #[cfg(windows)] fn open() {}
         #[cfg(unix)] mod sys { pub fn a() {} } #[cfg(not(unix))] mod sys { pub fn a() {} pub fn b() {} }
         fn run() { open(); sys::a(); sys::b(); }",
    )]);
    assert_eq!(s.calls("run", "open()").len(), 2);
    assert_eq!(s.calls("run", "sys::b()"), ["app::sys::b"]);
}

#[test]
fn statics_and_constants_are_found() {
    let s = app(&[(
        "src/lib.rs",
        "struct S; impl S { const LIMIT: u32 = 3; } static COUNT: u8 = 1; mod m { pub const NAME: &str = \"x\"; }
         fn run() { let a = S::LIMIT; let b = COUNT; let c = m::NAME; }",
    )]);
    assert_eq!(s.local("run", "a"), "u32");
    assert_eq!(s.local("run", "b"), "u8");
    assert_eq!(s.local("run", "c"), "&str");
    assert!(matches!(s.def("run", "S::LIMIT"), Def::Static(_)));
}

#[test]
fn crates_that_others_hand_on_keep_their_rows() {
    let s = app(&[(
        "src/lib.rs",
        "use deadpool_redis::redis::{cmd, Script}; fn run(s: Script) { cmd(\"GET\"); s; bb8_redis::redis::cmd(\"SET\"); }",
    )]);
    assert!(s.target("run", "cmd(\"GET\")").row.is_some());
    // A path of std that looks like one of a crate stays std's.
    let s = app(&[("src/lib.rs", "use std::sync::atomic::Ordering; fn run() { let o = Ordering::Relaxed; }")]);
    assert!(
        matches!(s.def("run", "Ordering::Relaxed"), Def::Ext(path) if path == "std::sync::atomic::Ordering::Relaxed")
    );
    let s = app(&[("src/lib.rs", "fn run() { deadpool_redis::redis::cmd(\"GET\"); bb8_redis::redis::cmd(\"SET\"); }")]);
    assert!(s.target("run", "bb8_redis::redis::cmd(\"SET\")").row.is_some());
}
