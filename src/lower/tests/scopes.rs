//! Where temporaries end: what rustc does, written out.

use super::*;

#[test]
fn statements_and_initialisers_end_theirs() {
    assert_eq!(stmts("m.lock().go(); x = 1; let a = b.c();"), "temps(m.lock().go()); x = 1; let a#0 = temps(b.c());");
}

#[test]
fn a_tail_outlives_the_locals_before_2024_and_not_since() {
    assert_eq!(dump(&at("fn f() { m.lock().get() }", 2021).file), "fn f() temps({\n  m.lock().get()\n})\n");
    assert_eq!(dump(&at("fn f() { m.lock().get() }", 2024).file), "fn f() {\n  temps(m.lock().get())\n}\n");
    assert_eq!(stmts_at("let a = { m.lock().get() };", 2021), "let a#0 = temps({ m.lock().get() });");
    assert_eq!(stmts_at("let a = { m.lock().get() };", 2024), "let a#0 = { temps(m.lock().get()) };");
}

#[test]
fn a_condition_without_let_ends_before_the_branch() {
    assert_eq!(stmts("if m.lock().ok() { a }"), "if temps(m.lock().ok()) { a }");
    assert_eq!(stmts("while m.lock().ok() { a() }"), "while temps(m.lock().ok()) temps({ a() })");
}

#[test]
fn a_let_in_a_condition_keeps_its_own_through_the_branch() {
    assert_eq!(
        stmts_at("if let Some(x) = m.lock().pop() { x } else { b };", 2021),
        "temps(if let Some(x#0) = m.lock().pop() { x#0 } else { b });"
    );
    assert_eq!(
        stmts_at("if let Some(x) = m.lock().pop() { x } else { b };", 2024),
        "temps(if/early let Some(x#0) = m.lock().pop() { x#0 } else { b });"
    );
    assert_eq!(
        stmts_at("if let Some(x) = m.lock().pop() { x }", 2024),
        "temps(if/early let Some(x#0) = m.lock().pop() { x#0 })"
    );
    assert_eq!(
        stmts_at("let y = if let Some(x) = m.pop() { x };", 2024),
        "let y#1 = temps(if/early let Some(x#0) = m.pop() { x#0 });"
    );
    assert_eq!(stmts("while let Some(x) = m.lock().pop() { x; }"), "while let Some(x#0) = m.lock().pop() { x#0; }");
}

#[test]
fn operands_of_lazy_operators_end_theirs() {
    assert_eq!(stmts("if a.b() && c.d() || !e.f() {}"), "if ((temps(a.b()) And temps(c.d())) Or temps(!e.f())) {}");
    assert_eq!(
        stmts("if a() && let Some(x) = b() && x.c() {};"),
        "temps(if ((temps(a()) And let Some(x#0) = b()) And temps(x#0.c())) {});"
    );
}

#[test]
fn a_scrutinee_lives_through_the_match_and_arms_end_theirs() {
    assert_eq!(
        stmts("match m.lock().get() { A if g.h() => i.j(), _ => {} }"),
        "match m.lock().get() { A if temps(g.h()) => temps(i.j()) _ => {} }"
    );
    assert_eq!(stmts("match x { A => {} }; for a in b.iter() {}"), "match x { A => {} }; for a#0 in b.iter() {}");
    assert_eq!(stmts("for a in b.lock().iter() {}; c;"), "temps(for a#0 in b.lock().iter() {}); c;");
}

#[test]
fn branches_and_bodies_end_theirs() {
    assert_eq!(stmts("if a { b.c() } else { d.e() };"), "if a temps({ b.c() }) else temps({ d.e() });");
    assert_eq!(stmts("loop { a.b() }"), "loop temps({ a.b() })");
    assert_eq!(
        stmts("|x| x.y(); async { a.b() }; const { c() };"),
        "|x#0| temps(x#0.y()); async { temps(a.b()) }; const { temps(c()) };"
    );
}

#[test]
fn what_a_let_extends_is_bound_before_it() {
    assert_eq!(
        stmts("let c = &mut *m.lock(); d"),
        "let <temporary>#0 = temps(m.lock()); let c#1 = &mut *<temporary>#0; d"
    );
    assert_eq!(
        stmts("let c = S { a: &b().c, d: (&e(), [&f()?]) };"),
        "let <temporary>#0 = temps(b()); let <temporary>#1 = temps(e()); let <temporary>#2 = temps(f()?); \
         let c#3 = S { a: &<temporary>#0.c, d: (&<temporary>#1, [&<temporary>#2]) };"
    );
    assert_eq!(
        stmts("let c = &m.lock().remove(k);"),
        "let <temporary>#0 = temps(m.lock().remove(k)); let c#1 = &<temporary>#0;"
    );
    assert_eq!(
        stmts("let Some(c) = &a() else { return };"),
        "let <temporary>#0 = temps(a()); let Some(c#1) = &<temporary>#0 else { return };"
    );
    assert_eq!(
        stmts("let ref a = b(); let ref c = d;"),
        "let <temporary>#0 = temps(b()); let ref a#1 = <temporary>#0; let ref c#2 = d;"
    );
    assert_eq!(stmts("let a = Some(&b());"), "let <temporary>#0 = temps(b()); let a#1 = temps(Some(&<temporary>#0));");
}

#[test]
fn what_a_let_does_not_extend_stays() {
    assert_eq!(
        stmts("let a = &b; let c = f(&g()); let d = (&h()).i();"),
        "let a#0 = &b; let c#1 = temps(f(&g())); let d#2 = temps(&h().i());"
    );
    assert_eq!(stmts("let a = &mut S { b: 1 };"), "let a#0 = &mut S { b: 1 };");
}

#[test]
fn an_inner_let_extends_in_its_own_block() {
    assert_eq!(
        stmts("let a = &b({ let c = &d(); c });"),
        "let <temporary>#2 = temps(b({ let <temporary>#0 = temps(d()); let c#1 = &<temporary>#0; c#1 })); let a#3 = &<temporary>#2;"
    );
}

#[test]
fn matches_and_asserts_in_conditions_end_theirs() {
    assert_eq!(stmts("if matches!(m.lock().get(), Some(_)) {}"), "if temps(let Some(_) = m.lock().get()) {}");
    assert_eq!(stmts("assert!(m.lock().ok(), \"no {x}\");"), "if temps(!m.lock().ok()) { panic(x) };");
}
