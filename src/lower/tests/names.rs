//! Locals, shadowing, patterns.

use super::*;

#[test]
fn shadowing_makes_a_new_local_and_its_initialiser_sees_the_old() {
    assert_eq!(
        stmts("let x = 1; let x = x; { let x = x; x; } x;"),
        "let x#0 = 1; let x#1 = x#0; { let x#2 = x#1; x#2; }; x#1;"
    );
}

#[test]
fn parameters_receivers_and_closures_share_the_arena() {
    let file = file(
        "impl A { async fn m(&mut self, (a, b): (u8, u8), Json(c): Json<u8>) { spawn(async move { self.d(a, |e: u8, self_| e + b + c) }); } }",
    );
    assert_eq!(
        dump(&file).lines().skip(1).collect::<Vec<_>>().join(" ").split_whitespace().collect::<Vec<_>>().join(" "),
        "impl 0 async fn m(&mut self, (a#1, b#2): (u8, u8), Json(c#3): Json<u8>) { temps(spawn(async { \
         temps(self#0.d(a#1, |e#4, self_#5| ((e#4 Add b#2) Add c#3))) })); }"
    );
    let body = body(&file);
    assert_eq!(body.locals[0].name, "self");
    assert!(body.locals[4].ty.is_some() && body.locals[1].ty.is_none() && body.locals[3].ty.is_none());
}

#[test]
fn written_types_belong_to_single_names() {
    let file = file("fn f(a: u8) { let b: u16 = 1; let (c, d): (u8, u8) = e; let mut g = 2; }");
    let locals = &body(&file).locals;
    let typed: Vec<bool> = locals.iter().map(|local| local.ty.is_some()).collect();
    assert_eq!(typed, [true, true, false, false, false]);
    assert!(locals[4].mutable && !locals[1].mutable);
}

#[test]
fn a_lone_name_binds_unless_it_names_a_value() {
    let file = file("const low: u8 = 1; static other: u8 = 2; struct unit; mod m { pub const inner: u8 = 3; }
        fn f() { match x { low => 1, other => 2, unit => 3, inner => 4, MAX => 5, None => 6, name => name, mut low => low, n @ 1..=2 => n } }");
    let text = dump(&file);
    let arms: Vec<&str> =
        text.lines().skip_while(|line| !line.contains("match")).skip(1).map(str::trim).take(9).collect();
    assert_eq!(
        arms,
        [
            "low => 1",
            "other => 2",
            "unit => 3",
            "inner => 4",
            "MAX => 5",
            "None => 6",
            "name#0 => name#0",
            "low#1 => low#1",
            "n#2 @ <range> => n#2",
        ]
    );
}

#[test]
fn alternatives_bind_the_same_locals() {
    assert_eq!(
        stmts("match x { A(a, b) | B { b, a } | C((a, b) | (b, a)) => a + b, }"),
        "match x { A(a#0, b#1) | B { b: b#1, a: a#0 } | C((a#0, b#1) | (b#1, a#0)) => (a#0 Add b#1) }"
    );
}

#[test]
fn bindings_of_conditions_hold_in_the_branch_alone() {
    assert_eq!(
        stmts("let a = 0; if let Some(a) = b && a > 1 { a } else { a }; a; while let Some(a) = b { a; } a;"),
        "let a#0 = 0; if (let Some(a#1) = b And (a#1 Gt 1)) { a#1 } else { a#0 }; a#0; while let Some(a#2) = b { a#2; }; a#0;"
    );
    assert_eq!(stmts("let Some(a) = b else { return a };"), "let Some(a#0) = b else { return a };");
}

#[test]
fn guards_see_the_bindings_of_their_arm() {
    assert_eq!(
        stmts("match x { Some(n) if n > 1 => n, Some(n) if let Ok(m) = n => m, n => n }"),
        "match x { Some(n#0) if (n#0 Gt 1) => n#0 Some(n#1) if let Ok(m#2) = n#1 => m#2 n#3 => n#3 }"
    );
}

#[test]
fn nested_functions_do_not_see_the_outer_locals() {
    let file = file("fn f(a: u8) { fn g() { a } const C: u8 = a; a }");
    assert_eq!(dump(&file), "Const C: u8 = {\n  a\n}\nfn f(a#0: u8) {\n  a#0\n}\nin fn 0 fn g() {\n  a\n}\n");
}

#[test]
fn patterns_of_every_kind() {
    assert_eq!(
        stmts(
            "let (_, .., &a, [b, .., c @ 1], S { d: e, .. }, T::<u8>(ref f), g::H, -1, 'x', \"s\", 0..=9, (Some(i))) = z;"
        ),
        "let (_, .., &a#0, [b#1, .., c#2 @ 1], S { d: e#3 }, T<u8>(ref f#4), g::H, -1, 'x', \"s\", <range>, Some(i#5)) = z;"
    );
    assert_eq!(stmts("let S { a, ref b, 0: c } = z;"), "let S { a: a#0, b: ref b#1, 0: c#2 } = z;");
}
