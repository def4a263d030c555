//! Where things are.

use super::*;

fn is_call(kind: &ExprKind) -> bool {
    matches!(kind, ExprKind::MethodCall { .. } | ExprKind::Call { .. })
}

#[test]
fn a_chain_starts_at_its_first_token_and_ends_with_each_link() {
    let text = "async fn f() { sqlx::query(\"x\")\n  .bind(a.b[0])\n  .execute(&mut *tx).await?; }";
    let file = file(text);
    assert_eq!(
        texts(text, &file, is_call),
        [
            "sqlx::query(\"x\")",
            "sqlx::query(\"x\")\n  .bind(a.b[0])",
            "sqlx::query(\"x\")\n  .bind(a.b[0])\n  .execute(&mut *tx)",
        ]
    );
    let tries = texts(text, &file, |kind| matches!(kind, ExprKind::Try(_)));
    assert_eq!(tries, ["sqlx::query(\"x\")\n  .bind(a.b[0])\n  .execute(&mut *tx).await?"]);
}

#[test]
fn heads_of_chains_of_every_kind() {
    let text = "fn f() { self.a.m(); (x + y).m(); <T as U>::n().m(); ::a::b().m(); vec![1].m(); m!{ a }.m(); \"s\".m();
        if a { b } else { c }.m(); { a }.m(); (a)(b); &x.m(); -x.m(); *x.m(); a::<T>(); b::<T>; [1][0].m(); S { a: 1 }.m(); }";
    let file = file(text);
    let calls = texts(text, &file, is_call);
    for wanted in [
        "self.a.m()",
        "(x + y).m()",
        "<T as U>::n().m()",
        "::a::b().m()",
        "vec![1].m()",
        "m!{ a }.m()",
        "\"s\".m()",
        "{ a }.m()",
        "(a)(b)",
        "x.m()",
        "a::<T>()",
        "[1][0].m()",
        "S { a: 1 }.m()",
    ] {
        assert!(calls.contains(&wanted), "{wanted} in {calls:?}");
    }
    assert!(texts(text, &file, |kind| matches!(kind, ExprKind::Path(_))).contains(&"b::<T>"));
    let unary = texts(text, &file, |kind| matches!(kind, ExprKind::Unary { .. } | ExprKind::Ref { .. }));
    assert_eq!(unary, ["&x.m()", "-x.m()", "*x.m()"]);
}

#[test]
fn macro_calls_span_from_path_to_delimiter() {
    let text = "fn f() { tracing::info!(a, \"b\"); let x = sqlx::query!(\"SELECT 1\", y).fetch_one(p); assert!(z); return bail!(\"no\"); }";
    let file = file(text);
    assert_eq!(
        texts(text, &file, |kind| matches!(kind, ExprKind::Macro(call) if call.text != Some("no".into()))),
        ["tracing::info!(a, \"b\")", "sqlx::query!(\"SELECT 1\", y)",]
    );
    assert_eq!(texts(text, &file, is_call)[0], "sqlx::query!(\"SELECT 1\", y).fetch_one(p)");
    assert_eq!(texts(text, &file, |kind| matches!(kind, ExprKind::If { .. })), ["assert!(z)"]);
}

#[test]
fn expressions_inside_macro_tokens_are_where_they_stand() {
    let text = "fn f() { select! { r = a.recv() => { b.send(r) } _ = sleep(d), if on.get() => {} } json!({\"k\": [c.len()]}); log::warn!(x = y.z(); \"t\"); }";
    let file = file(text);
    assert_eq!(texts(text, &file, is_call), ["a.recv()", "b.send(r)", "on.get()", "sleep(d)", "c.len()", "y.z()"]);
}

#[test]
fn branches_loops_jumps_and_closures() {
    let text = "fn f() { 'a: loop { break 'a x; } if a { b } else if c { d } while e {} for g in h {} async move |x| y; return z; match m { n => o, } continue 'a; 1..2; ..3; 4..; x as u8; }";
    let file = file(text);
    let all = texts(text, &file, |_| true);
    for wanted in [
        "'a: loop { break 'a x; }",
        "break 'a x",
        "if a { b } else if c { d }",
        "if c { d }",
        "while e {}",
        "for g in h {}",
        "async move |x| y",
        "return z",
        "match m { n => o, }",
        "continue 'a",
        "1..2",
        "..3",
        "4..",
        "x as u8",
    ] {
        assert!(all.contains(&wanted), "{wanted} in {all:?}");
    }
}

#[test]
fn functions_have_signature_name_and_whole() {
    let text = "/// Says.\n#[a]\npub(crate) async unsafe fn go<T>(x: T) -> Vec<T> where T: Into<u8> + 'static { x }\ntrait T { #[b] fn h(&self); }";
    let file = file(text);
    let go = &file.functions[0];
    assert_eq!(under(text, go.span), "pub(crate) async unsafe fn go<T>(x: T) -> Vec<T> where T: Into<u8> + 'static");
    assert_eq!(under(text, go.name_span), "go");
    assert_eq!(under(text, go.whole), text.split("\ntrait").next().unwrap());
    assert_eq!(under(text, file.functions[1].span), "fn h(&self)");
    assert_eq!(under(text, file.functions[1].whole), "#[b] fn h(&self);");
}

#[test]
fn statements_patterns_and_locals() {
    let text = "fn f(p: u8) { let (a, ref mut b): (u8, u8) = c else { return }; if let Some(S { d, .. }) | Some(T(d)) = e {} }";
    let file = file(text);
    let body = body(&file);
    let names: Vec<&str> = body.locals.iter().map(|local| under(text, local.span)).collect();
    assert_eq!(names, ["p", "a", "b", "d"]);
    let pats: Vec<&str> = body.pats.iter().map(|pat| under(text, pat.span)).collect();
    assert_eq!(
        pats,
        [
            "p",
            "a",
            "ref mut b",
            "(a, ref mut b)",
            "d",
            "S { d, .. }",
            "Some(S { d, .. })",
            "d",
            "T(d)",
            "Some(T(d))",
            "Some(S { d, .. }) | Some(T(d))",
        ]
    );
    let ExprKind::Block(block) = &body.exprs.last().unwrap().kind else { panic!("the last expression is the body") };
    let crate::ir::Stmt::Let { span, .. } = block.stmts[0] else { panic!("a let comes first") };
    assert_eq!(under(text, span), "let (a, ref mut b): (u8, u8) = c else { return };");
}
