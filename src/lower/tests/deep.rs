//! Nesting and length that would overflow a stack, here with the one that [`with_stack`] gives, in a build without optimisation.

use super::*;

/// As many pieces as stay just below the bound, wrapped up to be a function.
fn deepest(open: &str, middle: &str, close: &str) -> String {
    let build = |n: usize| format!("fn f() {{ let x = {}{middle}{}; }}", open.repeat(n), close.repeat(n));
    let nesting = |n: usize| scan::scan(SourceId(0), 0, &build(n)).nesting;
    let (mut low, mut high) = (1, nesting::MOST as usize);
    while low + 1 < high {
        let half = low.midpoint(high);
        if nesting(half) <= nesting::MOST { low = half } else { high = half }
    }
    build(low)
}

/// Lowers, prints and drops; a file that does not parse need only fail without harm.
fn survives(text: &str) {
    with_stack(|| {
        if let Ok(lowered) = lower(SourceId(0), text, 2021) {
            dump(&lowered.file);
        }
    });
}

#[test]
fn what_nests_to_the_bound_is_lowered() {
    for (open, middle, close) in [
        ("!", "a", ""),
        ("-", "a", ""),
        ("*", "a", ""),
        ("&", "a", ""),
        ("&mut ", "a", ""),
        ("(", "a", ")"),
        ("[", "a", "]"),
        ("{", "a", "}"),
        ("f(", "a", ")"),
        ("a.f(", "a", ")"),
        ("a[", "a", "]"),
        ("(a, ", "a", ")"),
        ("S { a: ", "a", "}"),
        ("return ", "a", ""),
        ("break ", "a", ""),
        ("|a| ", "a", ""),
        ("|a, b| ", "a", ""),
        ("move |a| ", "a", ""),
        ("async {", "a", "}"),
        ("unsafe {", "a", "}"),
        ("a = ", "a", ""),
        ("a += ", "a", ""),
        ("if a {", "a", "}"),
        ("if a { b } else {", "a", "}"),
        ("match a { b => ", "a", "}"),
        ("match ", "a", "{}"),
        ("loop {", "a", "}"),
        ("if ", "a", "{}"),
        ("while a {", "a", "}"),
        ("for a in b {", "a", "}"),
        ("a + (", "a", ")"),
        ("a as V<", "b", ">"),
        ("a as &", "b", ""),
        ("V::<", "b", ">"),
        ("a as (", "b", ")"),
        ("a as fn(", "b", ")"),
        ("a as Box<dyn Fn(", "b", ")>"),
        ("..", "a", ""),
        ("a..", "a", ""),
        ("a && ", "a", ""),
        ("a < b == (", "a", ")"),
    ] {
        survives(&deepest(open, middle, close));
    }
}

#[test]
fn what_chains_to_the_bound_is_lowered() {
    for (head, link) in [
        ("a", " + a"),
        ("a", " && a"),
        ("a", ".b"),
        ("a", ".b()"),
        ("a", ".await"),
        ("a", "?"),
        ("a", "()"),
        ("a", "[0]"),
        ("a", " as u8"),
        ("a", " | a"),
        ("if a {}", " else if a {}"),
        ("if let A = b {}", " else if let A = b {}"),
        ("a", "::a"),
        ("a", ".b(|x| x)"),
        ("a", " = a"),
        ("a", ".0.0"),
    ] {
        let text = deepest("", head, "");
        let text = text.replacen(head, &format!("{head}{}", link.repeat(1_500)), 1);
        assert!(with_stack(|| lower(SourceId(0), &text, 2024)).is_ok(), "{head}{link}");
        survives(&deepest("", head, link));
    }
}

#[test]
fn patterns_types_items_and_uses_nest_to_the_bound() {
    let wrap = |before: &str, open: &str, middle: &str, close: &str, after: &str| {
        let text = deepest(open, middle, close);
        let inner = &text["fn f() { let x = ".len()..text.len() - "; }".len()];
        survives(&format!("{before}{inner}{after}"));
    };
    for (open, close) in [("&", ""), ("(", ")"), ("[", "]"), ("A(", ")"), ("S { a: ", "}"), ("a @ ", "")] {
        wrap("fn f() { match x { ", open, "b", close, " => {} } }");
    }
    for (open, close) in [
        ("&'a ", ""),
        ("V<", ">"),
        ("(", ",)"),
        ("[", "]"),
        ("fn(", ")"),
        ("impl Fn(", ")"),
        ("<", " as T>::U"),
        ("V<u8, ", ">"),
        ("*const ", ""),
    ] {
        wrap("type A = ", open, "b", close, ";");
    }
    wrap("", "mod a { ", "", "}", "");
    wrap("", "fn a() { ", "", "}", "");
    wrap("", "impl A { fn a() { ", "", "} }", "");
    wrap("use ", "a::{", "b", "}", ";");
    wrap("#[a", "(", "b", ")", "] fn f() {}");
    wrap("m! ", "{", "b", "}", "");
    wrap("fn f() { json!(", "[", "b", "]", ") }");
    wrap("fn f() { json!(", "{ \"a\": ", "b", "}", ") }");
    wrap("fn f() { info!(", "{", "b", "}", ") }");
    wrap("fn f() { select! { ", "{", "b", "}", " } }");
    wrap("fn f() { m!(", "x!(", "b", ")", ") }");
    wrap("fn f(); gen fn g() ", "mod a { gen fn g() {} ", "", "}", "");
}

#[test]
fn past_the_bound_a_file_is_refused() {
    for piece in ["!", "(", "a + ", "a.b()", "V<a, ", "|a, b| ", "if a {} else ", "return ", "[", "{"] {
        let text = format!("fn f() {{ {} }}", piece.repeat(104_000));
        let skip = lower(SourceId(0), &text, 2021).unwrap_err();
        assert!(skip.reason.starts_with("nested too deeply"), "{piece}: {}", skip.reason);
    }
}

#[test]
fn length_alone_is_no_depth() {
    let text = format!(
        "fn f() {{ {} }}",
        "if a.b() { c(); } else { d() } let e = [1, 2, 3].f(|g, h| g + h);\n".repeat(10_000)
    );
    let lowered = at(&text, 2024);
    assert!(body(&lowered.file).exprs.len() > 100_000);
}
