//! Items: what a file declares.

use super::*;
use crate::ir::{Container, StaticKind, Visibility};

fn lines(text: &str) -> Vec<String> {
    dump(&file(text)).lines().map(str::to_owned).collect()
}

#[test]
fn use_trees_give_their_leaves() {
    assert_eq!(
        lines("pub use a::{self, b::{c as d, e::*}, self as f}; use ::g; use h as _; extern crate i as j;"),
        ["use a as a", "use a::b::c as d", "use a::b::e as *", "use a as f", "use g as g", "use h as _", "use i as j",]
    );
    let file = file("fn f() { use a::b; fn g() { use c::d; } }");
    let places: Vec<_> = file.uses.iter().map(|leaf| leaf.function).collect();
    assert_eq!(places, [Some(0), Some(1)]);
}

#[test]
fn conditional_attributes_stand_as_if_their_condition_held() {
    let attrs = |text: &str| -> Vec<_> {
        let file = file(text);
        file.structs[0].attrs.iter().map(|attr| format!("{}: {}", attr.path.as_str(), attr.tokens.as_str())).collect()
    };
    assert_eq!(
        attrs("#[cfg_attr(feature = \"full\", derive(Queryable), diesel(table_name = a), doc(hidden))] struct A;"),
        ["derive: Queryable", "diesel: table_name = a"]
    );
    assert_eq!(attrs("#[cfg_attr(test, derive(Debug))] struct A;"), ["cfg_attr: test, derive(Debug)"]);
}

#[test]
fn modules_name_their_parent() {
    let file = file("#[cfg(test)] mod a { #![allow(x)] mod b; fn f() {} } #[path = \"d.rs\"] mod c;");
    let parents: Vec<_> =
        file.modules.iter().map(|module| (module.name.as_str(), module.parent, module.inline)).collect();
    assert_eq!(parents, [("", 0, true), ("a", 0, true), ("b", 1, false), ("c", 0, false)]);
    assert_eq!(file.functions[0].module, 1);
    assert_eq!(file.modules[3].path_attr, Some("d.rs".into()));
    let attrs: Vec<_> = file.modules[1].attrs.iter().map(|attr| (attr.path.as_str(), attr.tokens.as_str())).collect();
    assert_eq!(attrs, [("cfg", "test"), ("allow", "x")]);
}

#[test]
fn generics_carry_the_bounds_of_the_where_clause() {
    assert_eq!(
        lines(
            "fn f<'a, T: A + ?Sized, F, const N: usize>(x: T) where F: Fn(&T) -> B + Send, T: for<'b> C<'b, u8, D = E>, Vec<T>: G {}"
        ),
        ["fn f<T: A + Sized + C<u8, D = E>, F: fn(&T) -> B + Send, N>(x#0: T) {}",]
    );
    assert_eq!(
        lines("impl<T> S<T> { fn f(&self) where T: A; }".replace(';', " {}").as_str())[1],
        "impl 0 fn f<T: A>(&self) {}"
    );
}

#[test]
fn types_of_every_kind() {
    assert_eq!(
        lines(
            "fn f(a: &mut [u8], b: *const [u8; 3], c: (A, !), d: Box<dyn Fn(u8) -> B + Send + 'static>, e: impl Into<C>, g: fn(u8) -> D, h: <E as F<G>>::H, i: Vec<_>, j: K<3, 'a, Item: L>) -> m::N<'_> {}"
        ),
        [
            "fn f(a#0: &mut [u8], b#1: *[u8; _], c#2: (A, !), d#3: Box<dyn fn(u8) -> B + Send>, e#4: impl Into<C>, g#5: fn(u8) -> D, h#6: <E as F<G>>::H, i#7: Vec<_>, j#8: K<_, Item = impl L>) -> m::N {}"
        ]
    );
}

#[test]
fn structs_enums_and_unions() {
    let text = "#[derive(Debug, sqlx::FromRow)] pub struct A<T> { #[sqlx(rename = \"x\")] pub a: T, r#type: u8 } struct B(u8, C); struct D; union E { f: u8 }
        enum G { H, I(u8), J { k: u8 } = 3 }";
    let file = file(text);
    assert_eq!(
        lines(text),
        [
            "struct A<T> { a: T, type: u8 }",
            "struct B { 0: u8, 1: C }",
            "struct D {  }",
            "struct E { f: u8 }",
            "enum G { H/0, I/1, J/1 }",
        ]
    );
    assert_eq!(file.structs[0].attrs[0].tokens, "Debug, sqlx::FromRow");
    assert_eq!(file.structs[0].fields[0].attrs[0].tokens, "rename = \"x\"");
    assert!(file.structs[1].tuple && !file.structs[0].tuple && file.enums[0].variants[1].tuple);
    assert_eq!(under(text, file.structs[1].span), "struct B(u8, C);");
    assert_eq!(under(text, file.structs[0].fields[1].span), "r#type: u8");
}

#[test]
fn traits_and_impls_hold_their_members() {
    let text = "pub trait T: A + Send { type B: C; const D: u8 = 1; fn e(&self); async fn f(self: Arc<Self>) -> u8 { self.e() } }
        impl<X> T for Foreign<X> where X: Y { type B = u8; const D: u8 = 2; fn e(&self) { g() } } impl dyn T { pub(crate) fn h() {} pub(self) fn i() {} }";
    let file = file(text);
    let containers: Vec<_> =
        file.functions.iter().map(|function| (function.name.as_str(), function.container)).collect();
    assert_eq!(
        containers,
        [
            ("e", Container::Trait(0)),
            ("f", Container::Trait(0)),
            ("e", Container::Impl(0)),
            ("h", Container::Impl(1)),
            ("i", Container::Impl(1)),
        ]
    );
    assert!(file.functions[0].body.is_none() && file.functions[1].body.is_some());
    assert_eq!(file.functions[3].visibility, Visibility::Crate);
    assert_eq!(file.functions[4].visibility, Visibility::Private);
    assert_eq!(file.traits[0].assoc_types[0].name, "B");
    assert_eq!(file.impls[0].assoc_types[0].0, "B");
    assert_eq!(
        file.statics.iter().map(|item| item.container).collect::<Vec<_>>(),
        [Container::Trait(0), Container::Impl(0)]
    );
    assert!(lines(text).contains(&"impl<X: Y> T for Foreign<X>".to_owned()));
    assert!(lines(text).contains(&"trait 0 async fn f(self: Arc<Self>) -> u8 temps({".to_owned()));
}

#[test]
fn items_in_bodies_are_hoisted() {
    let text =
        "fn f() { struct S; impl S { fn m(&self) { fn deep() {} } } fn g() {} static X: u8 = 1; mod n { fn o() {} } }";
    let file = file(text);
    let containers: Vec<_> =
        file.functions.iter().map(|function| (function.name.as_str(), function.container)).collect();
    assert_eq!(
        containers,
        [
            ("f", Container::Module),
            ("m", Container::Impl(0)),
            ("deep", Container::Function(1)),
            ("g", Container::Function(0)),
            ("o", Container::Module),
        ]
    );
    assert_eq!(file.statics[0].container, Container::Function(0));
}

#[test]
fn foreign_items_have_no_body_and_statics_an_initialiser() {
    let file = file(
        "extern \"C\" { fn c(x: u8) -> u8; static mut N: u8; type Opaque; } pub static M: Mutex<u8> = Mutex::new(0); type A<T> = B<T>; trait Both = X + Y;",
    );
    assert!(file.functions[0].body.is_none());
    assert_eq!(file.functions[0].params[0].name, Some("x".into()));
    assert!(file.functions[0].params[0].pat.is_none());
    assert!(file.statics[0].init.is_none() && file.statics[1].init.is_some());
    assert_eq!((file.aliases[0].name.as_str(), file.traits[0].supertraits.len()), ("A", 2));
}

#[test]
fn attributes_are_kept_but_doc_comments() {
    let file = file(
        "#![cfg(test)]\n/// Doc.\n#[tokio::test(flavor=\"multi_thread\",worker_threads=2)] #[doc = \"x\"] async fn f() {}",
    );
    assert_eq!(file.attrs[0].tokens, "test");
    let attrs: Vec<_> = file.functions[0].attrs.iter().map(|attr| (attr.path.as_str(), attr.tokens.as_str())).collect();
    assert_eq!(attrs, [("tokio::test", "flavor = \"multi_thread\", worker_threads = 2")]);
}

#[test]
fn macros_that_declare_statics_and_tables() {
    let text = "lazy_static! { static ref A: Mutex<u8> = Mutex::new(b()); pub static ref C: u8 = 1; }
        thread_local! { static D: RefCell<u8> = const { RefCell::new(0) } } tokio::task_local! { static E: u8; }
        diesel::table! { use diesel::sql_types::*; #[sql_name = \"seat rows\"] shop.seats (id, row) { id -> Int4, #[sql_name = \"type\"] kind -> Nullable<Text>, } }
        table! { plain { id -> Integer } } diesel::joinable!(seats -> plain (id)); diesel::allow_tables_to_appear_in_same_query!(seats, plain,);
        fn f() { thread_local! { static G: u8 = 1; } }";
    let file = file(text);
    let kinds: Vec<_> = file.statics.iter().map(|item| (item.name.as_str(), item.kind, item.init.is_some())).collect();
    assert_eq!(
        kinds,
        [
            ("A", StaticKind::Static, true),
            ("C", StaticKind::Static, true),
            ("D", StaticKind::ThreadLocal, true),
            ("E", StaticKind::TaskLocal, false),
            ("G", StaticKind::ThreadLocal, true),
        ]
    );
    let tables: Vec<String> = dump(&file).lines().filter(|line| line.starts_with("table")).map(str::to_owned).collect();
    assert_eq!(
        tables,
        ["table seat rows (id, row) { id: Int4, type: Nullable<Text> }", "table plain (id) { id: Integer }"]
    );
    assert_eq!(file.tables[0].name, "seats");
}

#[test]
fn items_in_the_tokens_of_unknown_macros_are_lowered() {
    let file = file(
        "wrap! { fn a() {} struct B; } cfg_if! { if #[cfg(x)] { fn c() {} } else { fn d() {} } } impl E { gen_members! { fn g(&self) {} } }",
    );
    let names: Vec<_> = file.functions.iter().map(|function| (function.name.as_str(), function.container)).collect();
    assert_eq!(
        names,
        [("a", Container::Module), ("c", Container::Module), ("d", Container::Module), ("g", Container::Impl(0)),]
    );
    let declared = super::file("define_sql_function! { fn lower(x: Text) -> Text; }");
    assert!(declared.functions[0].name == "lower" && declared.functions[0].body.is_none());
    assert_eq!(super::file("define_sql_function!(fn random() -> Text);").functions.len(), 1);
    assert_eq!(super::file("fn f() { diesel::table! { t { id -> Int4, } } }").tables.len(), 1);
    let odd = at("odd! { not items at all } fine!();", 2021).file;
    assert_eq!(odd.not_understood.iter().map(|one| one.what.as_str()).collect::<Vec<_>>(), ["macro odd!"]);
}

#[test]
fn property_tests_are_functions() {
    let text = "proptest! { #![proptest_config(c())] #[test] fn holds(a in 0..9u8, (b, c) in pairs(1, 2), d: u8) { prop_assert!(a < b + c + d); } }";
    let file = file(text);
    assert_eq!(dump(&file).lines().nth(1), Some("fn holds(a#0: _, (b#1, c#2): _, d#3: u8) {"));
    assert_eq!(file.functions[0].attrs[0].path, "test");
}
