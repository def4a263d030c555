//! Macro calls in bodies.

use super::*;
use crate::ir::MacroCall;

/// The macro calls of a body, in the order in which they were made.
fn calls(code: &str) -> Vec<MacroCall> {
    let file = file(&format!("fn f() {{ {code} }}"));
    body(&file)
        .exprs
        .iter()
        .filter_map(|expr| match &expr.kind {
            ExprKind::Macro(call) => Some(call.clone()),
            _ => None,
        })
        .collect()
}

#[test]
fn asserts_branch_to_a_panic() {
    assert_eq!(stmts("assert!(a > 1);"), "if !(a Gt 1) { panic() };");
    assert_eq!(stmts("assert_eq!(a, b, \"{c} {}\", d);"), "if (a Ne b) { panic(d, c) };");
    assert_eq!(stmts("debug_assert_ne!(a, b);"), "if (a Eq b) { panic() };");
    assert_eq!(stmts("assert_matches!(a, Ok(_) | Err(3));"), "if !let Ok(_) | Err(3) = a { panic() };");
    assert_eq!(
        stmts("panic!(\"{a}\"); todo!(); unreachable!(\"{}\", b); unimplemented!()"),
        "panic(a); panic(); panic(b); panic()"
    );
}

#[test]
fn ensure_and_bail_return_an_error() {
    assert_eq!(
        stmts("anyhow::ensure!(a.b, \"no {c}\");"),
        "if !a.b temps({ return Err(anyhow::ensure!/Format \"no {c}\"(c)) });"
    );
    assert_eq!(stmts("ensure!(a, Gone { id });"), "if !a temps({ return Err(Gone { id: id }) });");
    assert_eq!(stmts("bail!(Error::Full);"), "temps(return Err(Error::Full));");
    assert_eq!(stmts("bail!(\"no {}\", a);"), "temps(return Err(bail!/Format \"no {}\"(a)));");
}

#[test]
fn a_macro_of_the_file_is_not_taken_for_a_known_one() {
    let text = "macro_rules! bail { ($e:expr) => { return Err($e) }; } macro_rules! note { () => { 1 } } fn f() { bail!(x); crate::bail!(y); note!(); }";
    let whole = dump(&file(text));
    assert!(whole.contains("temps(bail!/Other exits (x));"), "{whole}");
    assert!(whole.contains("macro bail exits\nmacro note\n"), "{whole}");
    assert!(whole.contains("temps(note!/Other ());"), "{whole}");
}

#[test]
fn exits_come_from_any_depth_and_hold_inside_bodies() {
    let whole =
        dump(&file("fn f() { macro_rules! quit { () => { if a { { return; } } } } quit!(); other::quit!(b); }"));
    assert!(whole.contains("quit!/Other exits ()") && whole.contains("other::quit!/Other exits (b)"), "{whole}");
}

#[test]
fn matches_is_a_let_with_its_guard() {
    assert_eq!(
        stmts("let y = matches!(x, A(n) | B(n) if n.m());"),
        "let y#1 = (let A(n#0) | B(n#0) = x And temps(n#0.m()));"
    );
    assert_eq!(stmts("matches!(x, | A,); n;"), "let A = x; n;");
}

#[test]
fn format_takes_inline_and_named_arguments() {
    assert_eq!(
        stmts("let (a, w) = b; format!(\"{a:?} {0} {c} {:w$} {D}\", x, c = y);"),
        "let (a#0, w#1) = b; temps(format!/Format \"{a:?} {0} {c} {:w$} {D}\"(x, y, a#0, w#1, D));"
    );
    assert_eq!(
        stmts("write!(out, \"{a}\", a = b); println!(); anyhow!(e)").replace("temps", ""),
        "(write!/Log \"{a}\"(out, b)); (println!/Log ()); anyhow!/Format (e)"
    );
    assert_eq!(stmts("concat!(\"a\", 1, 'c', true)"), "concat!/Format \"a1ctrue\"()");
}

#[test]
fn log_macros_give_their_fields() {
    assert_eq!(
        stmts("let w = 1; info!(target: \"t\", %x.y, ?z, a = b, c.d = %e.f(), \"g h\" = 1, \"text {w} {}\", i);"),
        "let w#0 = 1; temps(info!/Log \"text {w} {}\"(\"t\", x.y, z, b, e.f(), 1, i, w#0));"
    );
    assert_eq!(stmts("log::warn!(a:% = b, c:? = d; \"t {e}\");"), "temps(log::warn!/Log \"t {e}\"(b, d, e));");
    assert_eq!(
        stmts("debug!({ a = b, c }, \"t\"); error!(x); event!(Level::INFO, { NAME } = 1);").replace("temps", ""),
        "(debug!/Log \"t\"(b, c)); (error!/Log (x)); (event!/Log (Level::INFO, 1));"
    );
    assert_eq!(
        stmts("let span = info_span!(\"name\", id = %a.id);"),
        "let span#0 = temps(info_span!/Log \"name\"(a.id));"
    );
}

#[test]
fn vec_is_a_call_or_a_repetition() {
    assert_eq!(
        stmts("vec![a, b()]; vec![0u8; n]; vec![];").replace("temps", ""),
        "(vec!/Vec (a, b())); [0; n]; (vec!/Vec ());"
    );
}

#[test]
fn sql_macros_keep_the_places_of_their_arguments() {
    assert_eq!(
        stmts("sqlx::query!(\"UPDATE t \" + \"SET a = $1\", a, b.c as _)"),
        "sqlx::query!/Other \"UPDATE t SET a = $1\"(\"UPDATE t SET a = $1\", a, (b.c as _))"
    );
    assert_eq!(stmts("query_as!(Row, r#\"SELECT 1\"#, id)"), "query_as!/Other \"SELECT 1\"(Row, \"SELECT 1\", id)");
    assert_eq!(
        stmts("query_as!(m::Row<'_, u8>, \"SELECT 1\")"),
        "query_as!/Other \"SELECT 1\"(m::Row<u8>, \"SELECT 1\")"
    );
    assert_eq!(stmts("params![a, &b]"), "params!/Other (a, &b)");
    assert_eq!(
        stmts("named_params! { \":id\": id, \":n\": n + 1 }"),
        "named_params!/Other ((\":id\", id), (\":n\", (n Add 1)))"
    );
    assert_eq!(stmts("query_file!(\"q.sql\", a)"), "query_file!/Other \"q.sql\"(\"q.sql\", a)");
}

#[test]
fn select_has_arms_guards_and_a_rest() {
    assert_eq!(
        stmts(
            "tokio::select! { biased; Some(x) = rx.recv(), if open => { x.go(); } _ = &mut t => a(x), v = b => break, else => return }"
        ),
        "select { Some(x#0) = rx.recv(), if open => { temps(x#0.go()); } _ = &mut t => temps(a(x)) v#1 = b => break else => return }"
    );
    assert_eq!(
        stmts("futures::select! { a = b.fuse() => c, complete => d, default => e }"),
        "select { a#0 = b.fuse() => c else => d }"
    );
    assert_eq!(
        stmts("select! { recv(r) -> m => m.unwrap(), send(s, 1) -> _ => {} default(wait) => {} }"),
        "select { m#0 = recv(r) => temps(m#0.unwrap()) _ = send(s, 1) => {} else => {} }"
    );
}

#[test]
fn joins_run_their_arguments() {
    assert_eq!(stmts("tokio::try_join!(a(), b())"), "tokio::try_join!/TryJoin (a(), b())");
    assert_eq!(stmts("join!(biased; a(), b(),)"), "join!/Join (a(), b())");
}

#[test]
fn streams_are_async_blocks_and_pins_declare() {
    assert_eq!(
        stmts("try_stream! { for await x in y { yield x? ; } }"),
        "try_stream!/Wrapper (async { for x#0 in y { yield x#0?; } })"
    );
    assert_eq!(
        stmts("pin!(a); tokio::pin! { let b = c(); } b.d();").replace("temps", ""),
        "(pin!/Wrapper (a)); let b#0 = (c()); (b#0.d());"
    );
}

#[test]
fn json_keeps_its_keys() {
    assert_eq!(
        stmts("json!({ \"a\": b.c(), d: [1, { \"e\": f }], (g): { h } })"),
        "json!/Json ((\"a\", b.c()), (d, [1, json!/Json ((\"e\", f))]), (g, { h }))"
    );
    assert_eq!(
        stmts("doc! { \"$set\": { \"n\": n - 1 }, \"_id\": id }"),
        "doc!/Json ((\"$set\", doc!/Json ((\"n\", (n Sub 1)))), (\"_id\", id))"
    );
    assert_eq!(stmts("json!(a.b)"), "json!/Json (a.b)");
}

#[test]
fn included_text_is_named() {
    assert_eq!(stmts("include_str!(\"../q.sql\")"), "include_str!/Include \"../q.sql\"()");
    assert_eq!(stmts("include_str!(concat!(\"a\", \"/b\"))"), "include_str!/Include \"a/b\"()");
    assert_eq!(stmts("include_str!(env!(\"X\"))"), "include_str!/Include (env!/Other ())");
}

#[test]
fn unknown_macros_are_tried_as_expressions_pairs_statements_and_groups() {
    assert_eq!(stmts("m!(a, b.c()?)"), "m!/Other (a, b.c()?)");
    assert_eq!(stmts("hashmap! { a => b(), c => d }"), "hashmap!/Other ((a, b()), (c, d))");
    assert_eq!(stmts("ctx! { let a = b; a.go(); }"), "ctx!/Other ({ let a#0 = b; temps(a#0.go()); })");
    assert_eq!(
        stmts("db_run! { conn: mysql { a.b(conn) } postgresql, sqlite { c(conn) } }"),
        "db_run!/Other ({ a.b(conn) }, { c(conn) })"
    );
    assert_eq!(
        stmts("say!(user = id, n); snap!(a.b(), @\"c\")"),
        "temps(say!/Other (id, n)); snap!/Other (a.b(), \"c\")"
    );
    assert_eq!(stmts("own_log!(a, ?b, c.type = %d, \"t {e}\")"), "own_log!/Log \"t {e}\"(a, b, d, e)");
    assert_eq!(stmts("own_json!({ \"a\": b() })"), "own_json!/Json ((\"a\", b()))");
    let file = at("fn f() { odd!(a b c) }", 2021).file;
    assert_eq!(file.not_understood.iter().map(|one| one.what.as_str()).collect::<Vec<_>>(), ["macro odd!"]);
}

#[test]
fn an_argument_that_leaves_may_not_run() {
    assert_eq!(stmts("some_or!(a, return None)"), "some_or!/Other (a, if <missing> return None)");
    assert_eq!(stmts("or!(a => continue)"), "or!/Other ((a, if <missing> continue))");
}

#[test]
fn tokens_that_are_no_code_are_left_alone() {
    assert!(
        calls("env!(\"A\"); stringify!(a b c); quote! { #x => 1 }; cfg!(a); line!();")
            .iter()
            .all(|call| call.args.is_empty())
    );
}

#[test]
fn macros_nest_and_stop_somewhere() {
    assert_eq!(stmts("m!(n!({ o!(a) }))"), "m!/Other (n!/Other ({ o!/Other (a) }))");
    let deep = format!("fn f() {{ {}a{} }}", "m!(".repeat(200), ")".repeat(200));
    let file = at(&deep, 2021).file;
    assert_eq!(file.not_understood[0].what, "macro nested too deeply");
}
