//! What calls run.

use super::super::Evidence;
use super::super::testing::app;

const REPO: &str = "
    pub trait Repo { fn save(&self, id: u8) -> bool; fn twice(&self, id: u8) -> bool { self.save(id) } }
    pub struct Pg; pub struct Lite; pub struct MockRepo;
    impl Repo for Pg { fn save(&self, id: u8) -> bool { true } }
    impl Repo for Lite { fn save(&self, id: u8) -> bool { true } fn twice(&self, id: u8) -> bool { false } }
    impl Repo for MockRepo { fn save(&self, id: u8) -> bool { true } }
    impl<T: Repo + ?Sized> Repo for Box<T> { fn save(&self, id: u8) -> bool { (**self).save(id) } }
";

#[test]
fn a_trait_call_reaches_every_real_implementation() {
    let s = app(&[(
        "src/lib.rs",
        &format!(
            "use std::sync::Arc; {REPO}
             struct App {{ repo: Arc<dyn Repo> }}
             fn dynamic(app: &App) {{ app.repo.save(1); app.repo.twice(2); }}
             fn generic<R: Repo>(repo: R) {{ repo.save(1); }}
             fn anonymous(repo: &impl Repo) {{ repo.save(1); }}
             fn concrete(repo: &Pg) {{ repo.save(1); repo.twice(1); }}
             fn by_path(a: &Lite, b: &dyn Repo) {{ Repo::save(a, 1); Repo::save(b, 2); <Pg as Repo>::save(&Pg, 3); }}"
        ),
    )]);
    let both = ["app::Pg::save", "app::Lite::save"];
    assert_eq!(s.calls("dynamic", "app.repo.save(1)"), both);
    assert_eq!(s.calls("dynamic", "app.repo.twice(2)"), ["app::Lite::twice", "app::Repo::twice"]);
    assert_eq!(s.calls("generic", "repo.save(1)"), both);
    assert_eq!(s.calls("anonymous", "repo.save(1)"), both);
    assert_eq!(s.calls("concrete", "repo.save(1)"), ["app::Pg::save"]);
    assert_eq!(s.calls("concrete", "repo.twice(1)"), ["app::Repo::twice"]);
    assert_eq!(s.calls("by_path", "Repo::save(a, 1)"), ["app::Lite::save"]);
    assert_eq!(s.calls("by_path", "Repo::save(b, 2)"), both);
    assert_eq!(s.calls("by_path", "<Pg as Repo>::save(&Pg, 3)"), ["app::Pg::save"]);
    assert_eq!(s.target("dynamic", "app.repo.save(1)").evidence, Evidence::Declared);
}

#[test]
fn doubles_stay_where_nothing_else_is() {
    let s = app(&[(
        "src/lib.rs",
        "trait Clock { fn now(&self) -> u8; } struct FakeClock; impl Clock for FakeClock { fn now(&self) -> u8 { 1 } }
         fn run(c: &dyn Clock) { c.now(); }",
    )]);
    assert_eq!(s.calls("run", "c.now()"), ["app::FakeClock::now"]);
}

#[test]
fn a_method_is_looked_for_along_the_derefs() {
    let s = app(&[(
        "src/lib.rs",
        "use std::sync::Arc; use std::ops::Deref; struct Inner; impl Inner { fn work(&self) -> u8 { 1 } }
         struct Outer(Arc<Inner>); impl Deref for Outer { type Target = Inner; fn deref(&self) -> &Inner { &self.0 } }
         fn run(a: Arc<Inner>, b: &Outer, c: Box<Outer>) { a.work(); b.work(); c.work(); }",
    )]);
    for call in ["a.work()", "b.work()", "c.work()"] {
        assert_eq!(s.calls("run", call), ["app::Inner::work"]);
    }
}

#[test]
fn extension_traits_and_blanket_impls_are_found() {
    let s = app(&[(
        "src/lib.rs",
        "trait Ext { fn on_pool(&self) -> u8; } impl Ext for sqlx::PgPool { fn on_pool(&self) -> u8 { 1 } }
         trait Base { fn base(&self); } trait More { fn more(&self); } impl<T: Base> More for T { fn more(&self) { self.base() } }
         struct A; impl Base for A { fn base(&self) {} } struct B;
         fn run(pool: &sqlx::PgPool, a: A, b: B) { pool.on_pool(); a.more(); b.more(); }",
    )]);
    assert_eq!(s.calls("run", "pool.on_pool()"), ["app::Pool::on_pool"]);
    assert_eq!(s.calls("run", "a.more()").len(), 1);
    assert!(s.calls("run", "b.more()").is_empty());
    assert_eq!(s.calls("T::more", "self.base()"), ["app::A::base"]);
}

#[test]
fn impls_for_different_arguments_are_told_apart() {
    let s = app(&[(
        "src/lib.rs",
        "struct Id<T>(T); struct User; struct Order; impl Id<User> { fn load(&self) -> User { User } } impl Id<Order> { fn load(&self) -> Order { Order } }
         trait Handle<C> { fn handle(&self, c: C); } struct H; impl Handle<User> for H { fn handle(&self, c: User) {} }
         struct G; impl Handle<Order> for G { fn handle(&self, c: Order) {} }
         fn run(id: Id<Order>, h: &dyn Handle<User>) { let x = id.load(); h.handle(User); }",
    )]);
    assert_eq!(s.local("run", "x"), "Order");
    assert_eq!(s.calls("run", "h.handle(User)"), ["app::H::handle"]);
}

#[test]
fn supertraits_lend_their_methods() {
    let s = app(&[(
        "src/lib.rs",
        "trait Read { fn get(&self) -> u8; } trait Store: Read { fn put(&self); } struct S; impl Read for S { fn get(&self) -> u8 { 1 } } impl Store for S { fn put(&self) {} }
         fn run(s: &dyn Store) { s.get(); s.put(); }",
    )]);
    assert_eq!(s.calls("run", "s.get()"), ["app::S::get"]);
}

#[test]
fn an_unknown_receiver_goes_by_a_unique_name_only() {
    let s = app(&[(
        "src/lib.rs",
        "struct A; impl A { fn settle_invoice(&self, x: u8) -> A { A } fn insert(&self) {} } struct B; impl B { fn shared(&self) {} } impl A { fn shared(&self) {} }
         fn run(x: outer::Thing) { let y = x.thing(); y.settle_invoice(1).settle_invoice(2); y.insert(); y.shared(); y.settle_invoice(); }",
    )]);
    let target = s.target("run", "y.settle_invoice(1)");
    assert_eq!((target.functions.len(), target.evidence), (1, Evidence::UniqueName));
    assert_eq!(s.calls("run", "y.settle_invoice(1).settle_invoice(2)").len(), 1);
    for call in ["y.insert()", "y.shared()", "y.settle_invoice()"] {
        assert!(s.calls("run", call).is_empty(), "{call}");
    }
}

#[test]
fn closures_and_functions_in_variables_are_called() {
    let s = app(&[(
        "src/lib.rs",
        "fn load(id: u8) -> u16 { 1 } struct S { f: fn(u8) -> char }
         fn run(s: S) { let call = |x: u8| load(x); let a = call(1); let f = load; let b = f(2); let c = (s.f)(3); }",
    )]);
    assert!(s.target("run", "call(1)").closure.is_some());
    assert_eq!(s.local("run", "a"), "u16");
    assert_eq!(s.calls("run", "f(2)"), ["app::load"]);
    assert_eq!(s.local("run", "c"), "char");
}

#[test]
fn rows_are_found_by_type_bound_and_path() {
    let s = app(&[(
        "src/lib.rs",
        "use sqlx::{PgPool, Executor, Postgres, Transaction};
         async fn run(pool: &PgPool, mut tx: Transaction<'_, Postgres>) {
             let t = pool.begin().await.unwrap(); t.commit().await.unwrap();
             let rows = sqlx::query(\"SELECT 1\").bind(1).fetch_all(&mut *tx).await;
         }
         async fn generic<'e, E: Executor<'e, Database = Postgres>>(e: E) { sqlx::query(\"SELECT 1\").execute(e).await; }",
    )]);
    assert_eq!(s.row("run", "pool.begin()").as_deref(), Some("begin"));
    assert_eq!(s.row("run", "t.commit()").as_deref(), Some("commit"));
    assert!(s.target("run", "sqlx::query(\"SELECT 1\")").row.is_some());
    assert!(s.target("run", "sqlx::query(\"SELECT 1\").bind(1).fetch_all(&mut *tx)").row.is_some());
    assert_eq!(s.local("run", "t"), "Transaction<Postgres>");
}

#[test]
fn macros_are_found_by_path_or_import() {
    let s = app(&[(
        "src/lib.rs",
        "use sqlx::query_scalar; use sqlx as db; fn run() { sqlx::query!(\"SELECT 1\"); query_scalar!(\"SELECT 2\"); db::query!(\"SELECT 3\"); }",
    )]);
    for call in ["sqlx::query!(\"SELECT 1\")", "query_scalar!(\"SELECT 2\")", "db::query!(\"SELECT 3\")"] {
        assert!(s.target("run", call).row.is_some(), "{call}");
    }
}

#[test]
fn self_calls_stay_in_their_type() {
    let s = app(&[(
        "src/lib.rs",
        "struct S { n: u8 } impl S { fn new() -> Self { Self { n: 1 } } fn a(&self) -> u8 { self.b() } fn b(&self) -> u8 { Self::c() } fn c() -> u8 { Self::new().n } }",
    )]);
    assert_eq!(s.calls("S::a", "self.b()"), ["app::S::b"]);
    assert_eq!(s.calls("S::b", "Self::c()"), ["app::S::c"]);
    assert_eq!(s.ty("S::c", "Self::new().n"), "u8");
}

#[test]
fn overloaded_operators_are_calls() {
    let s = app(&[(
        "src/lib.rs",
        "use std::ops::Add; struct Money(u8); impl Add for Money { type Output = Money; fn add(self, o: Money) -> Money { self } }
         fn run(a: Money, b: Money) { let c = a + b; }",
    )]);
    assert_eq!(s.calls("run", "a + b"), ["app::Money::add"]);
    assert_eq!(s.local("run", "c"), "Money");
}

#[test]
fn exits_of_macros_are_known_in_every_file() {
    let s = app(&[
        ("src/lib.rs", "mod other; macro_rules! bail_out { () => { return } }"),
        ("src/other.rs", "fn run() { bail_out!(); }"),
    ]);
    let body = s.program.source(s.function("run")).body.as_ref().unwrap();
    assert!(body.exprs.iter().any(|e| matches!(&e.kind, crate::ir::ExprKind::Macro(call) if call.exits)));
}

#[test]
fn wrappers_that_hand_a_call_on_are_left_out() {
    let s = app(&[(
        "src/lib.rs",
        "use std::sync::Arc; trait Repo { fn save(&self, id: u8); fn count(&self) -> u8; } struct Pg; impl Repo for Pg { fn save(&self, id: u8) {} fn count(&self) -> u8 { 1 } }
         struct Logged { inner: Arc<dyn Repo> } impl Repo for Logged { fn save(&self, id: u8) { log(); self.inner.save(id) } fn count(&self) -> u8 { 7 } }
         struct Mapped<R>(R); impl<R: Repo> Repo for Mapped<R> { fn save(&self, id: u8) { self.0.save(id) } fn count(&self) -> u8 { self.0.count() } }
         mod mock { pub struct Memory; impl super::Repo for Memory { fn save(&self, id: u8) {} fn count(&self) -> u8 { 2 } } }
         fn run(r: &dyn Repo) { r.save(1); r.count(); }",
    )]);
    assert_eq!(s.calls("run", "r.save(1)"), ["app::Pg::save"]);
    assert_eq!(s.calls("run", "r.count()"), ["app::Pg::count", "app::Logged::count"]);
}

#[test]
fn calls_say_on_which_type_and_with_which_types_they_are() {
    let s = app(&[(
        "src/lib.rs",
        "struct S; impl S { fn get<T>(&self) -> Option<T> { None } fn make<T>() -> Option<T> { None } } fn run(s: std::sync::Arc<S>) { s.get::<u8>(); S::make::<u16>(); }",
    )]);
    for (call, fish) in [("s.get::<u8>()", "u8"), ("S::make::<u16>()", "u16")] {
        let target = s.target("run", call);
        assert_eq!(target.self_ty.map(|ty| s.show(&ty)).as_deref(), Some("S"), "{call}");
        assert_eq!(target.fish.iter().map(|ty| s.show(ty)).collect::<Vec<_>>(), [fish], "{call}");
    }
}

#[test]
fn an_argument_may_settle_whose_method_it_is() {
    let s = app(&[(
        "src/lib.rs",
        "use std::sync::atomic::Ordering; use std::sync::atomic::Ordering::*;
         fn run(x: outer::Thing) { let flag = x.flag(); flag.load(Ordering::SeqCst); flag.load(Relaxed); flag.load(1); }",
    )]);
    for (call, evidence) in
        [("flag.load(Ordering::SeqCst)", Evidence::Inferred), ("flag.load(Relaxed)", Evidence::Inferred)]
    {
        let target = s.target("run", call);
        assert!(target.row.is_some(), "{call}");
        assert_eq!(target.evidence, evidence, "{call}");
    }
    assert!(s.target("run", "flag.load(1)").row.is_none());
}

#[test]
fn results_of_guessed_constructors_are_unwrapped() {
    let s = app(&[(
        "src/lib.rs",
        "use regex::Regex; struct E; fn run() -> Result<(), E> { let a = Regex::new(\"x\").unwrap(); let b = Regex::new(\"y\")?; let n = std::num::NonZeroU32::new(1).unwrap(); Ok(()) }",
    )]);
    assert_eq!(s.local("run", "a"), "Regex");
    assert_eq!(s.local("run", "b"), "Regex");
    assert_eq!(s.local("run", "n"), "NonZeroU32");
    assert!(s.target("run", "Regex::new(\"x\").unwrap()").row.is_some());
}

#[test]
fn nested_calls_are_typed_once() {
    let call = format!("{}a{}", "Step::step(".repeat(60), ")".repeat(60));
    let text = format!(
        "trait Step {{ fn step(self) -> A; }} struct A; impl Step for A {{ fn step(self) -> A {{ A }} }} fn run(a: A) {{ let b = {call}; }}"
    );
    let s = app(&[("src/lib.rs", &text)]);
    assert_eq!(s.local("run", "b"), "A");
}
