//! Sources that trip a parser up, or shift what it says of places.

use super::*;

const CALL: fn(&ExprKind) -> bool = |kind| matches!(kind, ExprKind::Call { .. });

#[test]
fn bytes_count_from_the_byte_order_mark() {
    let text = "\u{feff}fn f() { g(\"é\"); }";
    let file = file(text);
    assert_eq!(texts(text, &file, CALL), ["g(\"é\")"]);
    assert_eq!(under(text, file.functions[0].whole), "fn f() { g(\"é\"); }");
    assert_eq!(under(text, file.modules[0].span), text);
}

#[test]
fn a_shebang_and_frontmatter_shift_nothing() {
    let text = "#!/usr/bin/env -S cargo +nightly -Zscript\n---\n[dependencies]\nserde = { version = \"1\" } # \u{1F980} }{\n---\n// racelint: x\nfn f() { g(1); }\n";
    let file = file(text);
    assert_eq!(texts(text, &file, CALL), ["g(1)"]);
    assert_eq!(under(text, file.comments[0].span), "// racelint: x");
    let both = format!("\u{feff}{text}");
    assert_eq!(texts(&both, &self::file(&both), CALL), ["g(1)"]);
}

#[test]
fn an_inner_attribute_is_no_shebang() {
    assert_eq!(file("#![cfg(test)] fn f() {}").attrs.len(), 1);
}

#[test]
fn carriage_returns_and_wide_characters_keep_their_bytes() {
    let text =
        "// \u{1F980}\r\nfn f() {\r\n    // ß\r\n    let ä = \"日本\u{1F980}\r\n語\"; g(ä, 'é'); /* ü */ h(ä)\r\n}\r\n";
    let file = file(text);
    assert_eq!(texts(text, &file, CALL), ["g(ä, 'é')", "h(ä)"]);
    let comments: Vec<_> = file.comments.iter().map(|comment| under(text, comment.span)).collect();
    assert_eq!(comments, ["// \u{1F980}", "// ß", "/* ü */"]);
    // The value of the literal has what Rust makes of its line break.
    assert!(dump(&file).contains("日本\u{1F980}\\n語"), "{}", dump(&file));
}

#[test]
fn a_long_line_of_wide_characters_is_no_quadratic_walk() {
    let text = format!("fn f() {{ {} }}", "g(\"ß\");".repeat(20_000));
    let start = std::time::Instant::now();
    let file = file(&text);
    assert_eq!(under(&text, body(&file).exprs.last().unwrap().span).len(), text.len() - "fn f() ".len());
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn spans_of_one_file_do_not_leak_into_the_next() {
    with_stack(|| {
        for _ in 0..3 {
            let text = "\n\nfn f() { g(1); }";
            let lowered = lower(SourceId(0), text, 2021).unwrap();
            assert_eq!(texts(text, &lowered.file, CALL), ["g(1)"]);
            // A fresh token is the first of its table again: its file starts at line 1, and the table holds nothing else.
            let fresh: proc_macro2::TokenStream = "x".parse().unwrap();
            let span = fresh.into_iter().next().unwrap().span();
            assert_eq!(span.file(), "<parsed string 1>");
            proc_macro2::extra::invalidate_current_thread_spans();
        }
    });
}

#[test]
fn spans_are_forgotten_after_a_failure_too() {
    with_stack(|| {
        assert!(lower(SourceId(0), "fn f( {", 2021).is_err());
        assert!(lower(SourceId(0), "not rust at all", 2021).is_err());
        let fresh: proc_macro2::TokenStream = "x".parse().unwrap();
        assert_eq!(fresh.into_iter().next().unwrap().span().file(), "<parsed string 1>");
        proc_macro2::extra::invalidate_current_thread_spans();
    });
}

#[test]
fn a_huge_file_is_refused() {
    let text = " ".repeat((4 << 20) + 1);
    assert_eq!(lower(SourceId(0), &text, 2021).unwrap_err().reason, "larger than 4 MB");
}

#[test]
fn a_file_that_is_no_rust_is_refused_with_a_place() {
    let text = "\u{feff}\nfn f() { \"open }";
    let skip = with_stack(|| lower(SourceId(0), text, 2021)).unwrap_err();
    assert!(skip.reason.starts_with("does not parse: "), "{}", skip.reason);
    assert!(skip.span.unwrap().start >= 4);
    let skip = with_stack(|| lower(SourceId(0), "{{ template }}", 2021)).unwrap_err();
    assert_eq!(skip.span.unwrap().start, 0);
}

fn names(file: &File) -> Vec<&str> {
    file.functions.iter().map(|function| function.name.as_str()).collect()
}

#[test]
fn an_item_that_does_not_parse_costs_only_itself() {
    let text = "\u{feff}#![allow(x)]\nfn a() { g(1) }\n/// New.\n#[inline] pub gen fn ticks() -> u8 { yield 1; }\nfn b() {}\nstatic C: u8 = match gen { _ => 1 } + ;\nfn d() {}";
    let lowered = at(text, 2021);
    assert_eq!(names(&lowered.file), ["a", "b", "d"]);
    assert_eq!(lowered.file.attrs.len(), 1);
    let skipped: Vec<_> = lowered.skipped.iter().map(|skip| under(text, skip.span.unwrap())).collect();
    assert_eq!(
        skipped,
        ["/// New.\n#[inline] pub gen fn ticks() -> u8 { yield 1; }", "static C: u8 = match gen { _ => 1 } + ;"]
    );
    assert!(lowered.skipped.iter().all(|skip| skip.reason.starts_with("does not parse: expected")));
    assert_eq!(texts(text, &lowered.file, CALL), ["g(1)"]);
}

#[test]
fn members_of_impls_traits_and_modules_are_saved_one_by_one() {
    let text = "mod m { fn a() {} impl A { fn b(&self) {} gen fn c(&self) {} fn d(&self) {} } trait T { gen fn e(); fn f(); } } fn g() {}";
    let lowered = at(text, 2021);
    assert_eq!(names(&lowered.file), ["a", "b", "d", "f", "g"]);
    let skipped: Vec<_> = lowered.skipped.iter().map(|skip| under(text, skip.span.unwrap())).collect();
    assert_eq!(skipped, ["gen fn c(&self) {}", "gen fn e();"]);
    assert_eq!(under(text, lowered.file.impls[0].span), "impl A { fn b(&self) {} gen fn c(&self) {} fn d(&self) {} }");
}

#[test]
fn a_public_impl_is_an_impl() {
    let lowered =
        at("#[ext(Name)] pub impl A { fn b(&self) {} } #[ext] pub(crate) unsafe impl B for C { fn d(&self) {} }", 2021);
    assert_eq!((names(&lowered.file), lowered.skipped.len()), (vec!["b", "d"], 0));
    assert_eq!(lowered.file.impls[0].attrs[0].path, "ext");
}

#[test]
fn what_syn_keeps_as_tokens_is_counted() {
    let lowered = at("static A: u8; fn g() { let a = builtin # offset_of(A, b); ; } impl A { fn h(); }", 2021);
    let unknown: Vec<_> = lowered.file.not_understood.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(unknown, ["item", "expression", "impl item"]);
}

#[test]
fn the_representation_survives_its_serialisation() {
    let file = file(
        "struct S<T>(T); impl<T: A> S<T> { async fn f(&self, a: u8) -> Result<u8, E> { for b in 0..-3 { select! { x = y => {} } } assert!(a == 1); Ok(a) } }",
    );
    let json = serde_json::to_string(&file).unwrap();
    let back: File = serde_json::from_str(&json).unwrap();
    assert_eq!(dump(&back), dump(&file));
    assert_eq!(serde_json::to_string(&back).unwrap(), json);
}
