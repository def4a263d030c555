//! Types of expressions and locals.

use super::super::testing::{app, with_rows};

#[test]
fn fields_are_seen_through_references_pointers_and_own_derefs() {
    let s = app(&[(
        "src/lib.rs",
        "use std::sync::Arc; use std::ops::Deref;
         struct Inner { count: u32 } struct App { inner: Arc<Inner> } struct Handle(Arc<App>);
         impl Deref for Handle { type Target = App; fn deref(&self) -> &App { &self.0 } }
         fn run(h: &Handle) { let a = h.inner.count; let b = &h.0.inner; let c = (*h).inner.clone(); }",
    )]);
    assert_eq!(s.local("run", "a"), "u32");
    assert_eq!(s.local("run", "b"), "&Arc<Inner>");
    assert_eq!(s.ty("run", "(*h)"), "Handle");
}

#[test]
fn type_arguments_are_put_in() {
    let s = app(&[(
        "src/lib.rs",
        "struct Page<T> { items: Vec<T>, next: Option<T> } struct Row { id: i64 }
         impl<T> Page<T> { fn one(&self) -> Option<&T> { None } fn into(self) -> Vec<T> { self.items } }
         fn first<T>(items: Vec<T>) -> Option<T> { None } fn make<T>() -> Vec<T> { Vec::new() }
         fn run(page: Page<Row>) {
             let a = page.one().unwrap().id; let b = first(page.into()); let c = make::<Row>(); let d: Vec<Row> = make();
             let e = Page { items: vec![Row { id: 1 }], next: None };
         }",
    )]);
    assert_eq!(s.local("run", "a"), "i64");
    assert_eq!(s.local("run", "b"), "Option<Row>");
    assert_eq!(s.local("run", "c"), "Vec<Row>");
    assert_eq!(s.ty("run", "make()"), "Vec<Row>");
    assert_eq!(s.local("run", "e"), "Page<Row>");
}

#[test]
fn async_functions_are_awaited_and_tried() {
    let s = app(&[(
        "src/lib.rs",
        "use std::pin::Pin; use std::future::Future; use futures::future::BoxFuture;
         struct E; struct Row; async fn load() -> Result<Option<Row>, E> { Ok(None) }
         fn plain() -> impl Future<Output = Row> { async { Row } }
         fn boxed() -> Pin<Box<dyn Future<Output = Row> + Send>> { Box::pin(async { Row }) }
         fn short<'a>() -> BoxFuture<'a, Row> { Box::pin(async { Row }) }
         async fn run() -> Result<(), E> {
             let f = load(); let a = load().await?; let b = plain().await; let c = boxed().await; let d = short().await;
             let e = async { load().await }.await; let g = async move { load().await?; Ok::<u8, E>(1) };
             Ok(())
         }",
    )]);
    assert_eq!(s.local("run", "f"), "Future<Result<Option<Row>, E>>");
    assert_eq!(s.local("run", "a"), "Option<Row>");
    for local in ["b", "c", "d"] {
        assert_eq!(s.local("run", local), "Row");
    }
    assert_eq!(s.local("run", "e"), "Result<Option<Row>, E>");
}

#[test]
fn patterns_bind_what_they_take_apart() {
    let s = app(&[(
        "src/lib.rs",
        "struct P { x: u8, y: Option<i64> } enum Shape { Dot(P), Line { from: P, to: P }, None }
         fn run(p: P, shape: &Shape, pair: (P, [u16; 3]), r: Result<P, String>) {
             let P { x, y: Some(y) } = p else { return };
             match shape { Shape::Dot(dot) => {} Shape::Line { from, .. } => {} Shape::None => {} }
             let (first, [head, rest @ ..]) = pair;
             if let Ok(good) = &r { good; } else if let Err(bad) = r { bad; }
             let (.., last) = (1u8, 'c', \"s\");
         }",
    )]);
    assert_eq!(s.local("run", "x"), "u8");
    assert_eq!(s.local("run", "y"), "i64");
    assert_eq!(s.local("run", "dot"), "&P");
    assert_eq!(s.local("run", "from"), "&P");
    assert_eq!(s.local("run", "first"), "P");
    assert_eq!(s.local("run", "head"), "u16");
    assert_eq!(s.local("run", "rest"), "[u16]");
    assert_eq!(s.local("run", "good"), "&P");
    assert_eq!(s.local("run", "bad"), "String");
    assert_eq!(s.local("run", "last"), "&str");
}

#[test]
fn loops_and_closures_get_elements() {
    let s = app(&[(
        "src/lib.rs",
        "struct Row { id: i64 }
         fn run(rows: Vec<Row>, found: Option<Row>) {
             for row in &rows { row; }
             for (at, each) in rows.iter().enumerate() { each; at; }
             let ids: Vec<i64> = rows.iter().map(|item| item.id).collect();
             let id = found.map(|inner| inner.id);
             let mut made = Vec::new(); made.push(Row { id: 1 }); let again = made;
         }",
    )]);
    assert_eq!(s.local("run", "row"), "&Row");
    assert_eq!(s.local("run", "each"), "&Row");
    assert_eq!(s.local("run", "item"), "&Row");
    assert_eq!(s.local("run", "inner"), "Row");
    assert_eq!(s.local("run", "id"), "Option<i64>");
    assert_eq!(s.local("run", "again"), "Vec<Row>");
}

#[test]
fn branches_give_what_is_known() {
    let s = app(&[(
        "src/lib.rs",
        "struct Row; fn find() -> Option<Row> { None } struct E;
         fn run(flag: bool) -> Result<Row, E> {
             let a = match find() { None => return Err(E), Some(row) => row };
             let b = if flag { None } else { find() };
             let c = loop { if flag { break find(); } };
             let d = 'out: { if flag { break 'out 1u8; } 2 };
             let Some(e) = find() else { panic!() };
             Ok(a)
         }",
    )]);
    assert_eq!(s.local("run", "a"), "Row");
    assert_eq!(s.local("run", "b"), "Option<Row>");
    assert_eq!(s.local("run", "c"), "Option<Row>");
    assert_eq!(s.local("run", "e"), "Row");
}

#[test]
fn closures_of_the_programs_own_functions_are_typed_by_their_bounds() {
    let s = app(&[(
        "src/lib.rs",
        "use std::future::Future; struct Tx; struct Row { id: u8 } struct E; struct Db;
         impl Db { async fn with_tx<T, F, Fut>(&self, work: F) -> Result<T, E> where F: FnOnce(Tx) -> Fut, Fut: Future<Output = Result<T, E>> {
             let made = work(Tx).await; made } }
         fn each(rows: &[Row], f: impl Fn(&Row) -> bool) {}
         fn boxed(f: Box<dyn FnOnce(Row) -> u8>) {}
         async fn run(db: Db) -> Result<(), E> {
             let row = db.with_tx(|tx| async move { tx; Ok(Row { id: 1 }) }).await?;
             each(&[], |r| r.id == 1); boxed(Box::new(|b| b.id));
             Ok(())
         }",
    )]);
    assert_eq!(s.local("run", "tx"), "Tx");
    assert_eq!(s.local("run", "row"), "Row");
    assert_eq!(s.local("run", "r"), "&Row");
    assert_eq!(s.local("run", "b"), "Row");
    assert_eq!(s.local("with_tx", "made"), "Result<T, E>");
}

#[test]
fn row_closures_are_typed_by_the_row() {
    let rows = "
        [[type]]
        path = [\"kv::Store\"]
        [[type]]
        path = [\"kv::Tx\"]
        [[call]]
        method = [\"within\"]
        on = [\"kv::Store\"]
        does = \"transaction\"
        closure = 0
        gives = [\"handle\"]
        params = [\"&mut kv::Tx\"]
        returns = \"Result<$ret>\"
        is_async = true
    ";
    let s = with_rows(
        &[(
            "src/lib.rs",
            "use kv::Store; struct Row;
             async fn run(store: &Store) { let got = store.within(|tx| async move { tx; Row }).await; let other = store.within(async |t| { t; 1u8 }).await; }",
        )],
        rows,
    );
    assert_eq!(s.local("run", "tx"), "&mut Tx");
    assert_eq!(s.local("run", "got"), "Result<Row>");
    assert_eq!(s.local("run", "t"), "&mut Tx");
}

#[test]
fn associated_types_are_projected() {
    let s = app(&[(
        "src/lib.rs",
        "trait Db { type Tx: Tx; fn begin(&self) -> Self::Tx; } trait Tx { fn commit(self) -> u8; }
         struct Pg; struct PgTx; impl Tx for PgTx { fn commit(self) -> u8 { 1 } }
         impl Db for Pg { type Tx = PgTx; fn begin(&self) -> Self::Tx { PgTx } }
         fn generic<D: Db>(db: &D) { let tx = db.begin(); let done = tx.commit(); }
         fn concrete(db: &Pg) { let tx = db.begin(); }",
    )]);
    assert_eq!(s.local("generic", "done"), "u8");
    assert_eq!(s.calls("generic", "tx.commit()"), ["app::PgTx::commit"]);
    assert_eq!(s.local("concrete", "tx"), "PgTx");
}

#[test]
fn long_chains_do_not_overflow() {
    let chain = format!("fn run(s: u64) {{ let a = s{}; let b = s{}; }}", ".min(1)".repeat(3000), " + s".repeat(3000));
    let s = app(&[("src/lib.rs", &chain)]);
    assert_eq!(s.local("run", "b"), "u64");
}

#[test]
fn an_alias_that_names_itself_ends() {
    let s = app(&[("src/lib.rs", "type A = Vec<B>; type B = Option<A>; fn run(a: A) { let x = a; }")]);
    assert!(s.local("run", "x").starts_with("Vec<Option<"));
}

#[test]
fn derives_and_library_wrappers_hand_out_what_they_hold() {
    let s = app(&[(
        "src/lib.rs",
        "use std::sync::Arc; use derive_more::Deref; struct App; impl App { fn load(&self) -> u8 { 1 } }
         #[derive(Clone, Deref)] struct State(Arc<App>);
         #[derive(Deref)] struct Named { other: u8, #[deref] app: App }
         fn run(a: State, b: &Named, c: federation::Data<App>) { let x = a.load(); let y = b.load(); let z = c.load(); }",
    )]);
    for local in ["x", "y", "z"] {
        assert_eq!(s.local("run", local), "u8");
    }
}

#[test]
fn an_unwritten_value_comes_from_the_body() {
    let s = app(&[(
        "src/lib.rs",
        "struct Row; fn inner() -> Option<Row> { None } fn outer() -> _ { let x = inner(); x } fn run() { let row = outer(); }",
    )]);
    assert_eq!(s.local("run", "row"), "Option<Row>");
}

#[test]
fn what_does_not_come_back_says_nothing() {
    let s = app(&[(
        "src/lib.rs",
        "fn run(x: other::Thing) { let a = match x.kind() { 1 => x.one(), _ => panic!() }; let b = if true { return } else { x.two() }; let c = panic!(); }",
    )]);
    assert_eq!(s.local("run", "a"), "_");
    assert_eq!(s.local("run", "b"), "_");
    assert_eq!(s.ty("run", "panic!()"), "!");
    let s = app(&[(
        "src/lib.rs",
        "fn run() { let a = loop { step(); }; let b = loop { break; }; let c = async { return 'x'; }; }",
    )]);
    assert_eq!(s.ty("run", "loop { step(); }"), "!");
    assert_eq!(s.local("run", "b"), "()");
    assert_eq!(s.local("run", "c"), "Future<char>");
}

#[test]
fn a_trait_of_std_gives_what_is_waited_for() {
    let s = app(&[(
        "src/lib.rs",
        "#[derive(Default)] struct Config { limit: u8 } struct Row; impl From<Config> for Row { fn from(c: Config) -> Row { Row } }
         fn take(c: Config) {}
         fn run(c: &Config) { let a: Config = Default::default(); take(Default::default()); let b = Config::default(); let r: Row = From::from(a); let q = Row::from(b); let d = Clone::clone(c); }",
    )]);
    assert_eq!(s.local("run", "a"), "Config");
    assert_eq!(s.ty("run", "Default::default()"), "Config");
    assert_eq!(s.local("run", "b"), "Config");
    assert_eq!(s.local("run", "q"), "Row");
    assert_eq!(s.local("run", "d"), "Config");
}

#[test]
fn a_clone_is_of_the_pointer_or_of_what_is_guarded() {
    let s = app(&[(
        "src/lib.rs",
        "use std::sync::{Arc, Mutex}; struct Row; impl Clone for Row { fn clone(&self) -> Row { Row } }
         fn run(a: &Arc<Row>, m: &Mutex<Row>, list: &Mutex<Vec<Row>>) {
             let x = a.clone(); let y = m.lock().unwrap().clone(); let z = list.lock().unwrap().clone(); let w = Arc::clone(a); let v = (**a).clone();
         }",
    )]);
    assert_eq!(s.local("run", "x"), "Arc<Row>");
    assert!(s.calls("run", "a.clone()").is_empty());
    assert_eq!(s.local("run", "y"), "Row");
    assert_eq!(s.calls("run", "m.lock().unwrap().clone()"), ["app::Row::clone"]);
    assert_eq!(s.local("run", "z"), "Vec<Row>");
    assert_eq!(s.local("run", "w"), "Arc<Row>");
    assert!(s.target("run", "Arc::clone(a)").row.is_some());
    assert_eq!(s.calls("run", "(**a).clone()"), ["app::Row::clone"]);
}

#[test]
fn a_collection_is_made_of_what_the_iterator_gives() {
    let s = app(&[(
        "src/lib.rs",
        "use std::collections::HashMap; struct Row { id: u8 } struct E; fn check(r: &Row) -> Result<u8, E> { Ok(1) }
         fn run(rows: &[Row]) -> Result<(), E> {
             let a: Vec<_> = rows.iter().map(|r| r.id).collect(); let b = rows.iter().collect::<Vec<_>>();
             let c: HashMap<_, _> = rows.iter().map(|r| (r.id, r)).collect(); let d = rows.iter().map(|r| check(r)).collect::<Result<Vec<_>, _>>()?;
             Ok(())
         }",
    )]);
    assert_eq!(s.local("run", "a"), "Vec<u8>");
    assert_eq!(s.local("run", "b"), "Vec<&Row>");
    assert_eq!(s.local("run", "c"), "HashMap<u8, &Row>");
    assert_eq!(s.local("run", "d"), "Vec<u8>");
}

#[test]
fn own_macros_around_one_expression_hand_it_on() {
    let s = app(&[(
        "src/lib.rs",
        "macro_rules! ctx { ($e:expr) => { $e.map_err(wrap) } } macro_rules! some { ($e:expr) => { match $e { Some(v) => v, None => return } } }
         struct Row; fn find() -> Option<Row> { None } fn run() { let a = ctx!(find()); let b = some!(find()); let c = other!(find()); }",
    )]);
    assert_eq!(s.local("run", "a"), "Option<Row>");
    assert_eq!(s.local("run", "b"), "Row");
    assert_eq!(s.local("run", "c"), "_");
}

#[test]
fn associated_types_of_known_arguments_are_looked_up() {
    let s = app(&[(
        "src/lib.rs",
        "trait Actor { type Reply; } struct Ping; struct Pong(u8); impl Actor for Ping { type Reply = Pong; }
         struct Mailbox<A: Actor>(A); impl<A: Actor> Mailbox<A> { fn ask(&self) -> Option<A::Reply> { None } }
         fn ask<A: Actor>(a: A) -> A::Reply { panic!() } fn open<A: Actor>() -> Option<A::Reply> { None }
         fn run(m: &Mailbox<Ping>) { let x = m.ask(); let y = ask(Ping); let z = open(); }",
    )]);
    assert_eq!(s.local("run", "x"), "Option<Pong>");
    assert_eq!(s.local("run", "y"), "Pong");
    assert_eq!(s.local("run", "z"), "Option<_>");
}

#[test]
fn streams_of_the_program_give_their_items() {
    let s = app(&[(
        "src/lib.rs",
        "struct Feed<T>(T); impl<T> futures::Stream for Feed<T> { type Item = T; } struct Row;
         async fn run(feed: Feed<Row>) { let next = feed.next().await; }",
    )]);
    assert_eq!(s.local("run", "next"), "Option<Row>");
}
