//! Lowering as a whole: small sources of each construct, and every source of this crate.

mod deep;
mod items;
mod macros;
mod names;
mod scopes;
mod spans;
mod traps;

use super::*;
use crate::ir::{Body, Expr, ExprKind};

fn at(text: &str, edition: u16) -> Lowered {
    with_stack(|| lower(SourceId(0), text, edition)).unwrap()
}

/// A file that is understood in full.
fn file(text: &str) -> File {
    let lowered = at(text, 2021);
    assert_eq!(lowered.skipped, []);
    let unknown: Vec<_> = lowered.file.not_understood.iter().map(|one| one.what.as_str()).collect();
    assert_eq!(unknown, [""; 0], "{text}");
    lowered.file
}

/// What becomes of the statements of a function, without its braces and the indent.
fn stmts_at(code: &str, edition: u16) -> String {
    let lowered = at(&format!("fn f() {{ {code} }}"), edition);
    let whole = dump(&lowered.file);
    let inner = whole.trim().trim_start_matches("fn f() ").trim_start_matches("temps(").trim_end_matches(')');
    let lines = inner.trim_start_matches('{').trim_end_matches('}').lines();
    lines.map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

fn stmts(code: &str) -> String {
    stmts_at(code, 2021)
}

/// The body of the first function.
fn body(file: &File) -> &Body {
    file.functions[0].body.as_ref().unwrap()
}

/// The texts of all expressions of a kind, in the order in which they were made.
fn texts<'t>(text: &'t str, file: &File, wanted: fn(&ExprKind) -> bool) -> Vec<&'t str> {
    let exprs = file.functions.iter().flat_map(|function| &function.body).flat_map(|body| &body.exprs);
    exprs.filter(|expr| wanted(&expr.kind)).map(|expr: &Expr| under(text, expr.span)).collect()
}

fn under(text: &str, span: Span) -> &str {
    &text[span.start as usize..span.end as usize]
}

#[test]
fn every_source_of_this_crate_is_lowered_whole() {
    let (functions, calls) = with_stack(|| crate_sources(concat!(env!("CARGO_MANIFEST_DIR"), "/src")));
    assert!(functions > 100 && calls > 1000, "{functions} {calls}");
}

/// Sources that others wrote, where they lie at hand.
#[test]
fn sources_of_dependencies_are_lowered_whole() {
    let home = std::env::var_os("CARGO_HOME")
        .or_else(|| std::env::var_os("HOME").map(|home| std::path::Path::new(&home).join(".cargo").into()));
    let registry = std::path::Path::new(&home.unwrap_or_default()).join("registry/src");
    let folders = walkdir::WalkDir::new(registry).min_depth(2).max_depth(2).into_iter().flatten();
    for folder in folders {
        let name = folder.file_name().to_string_lossy().into_owned();
        if ["syn-3", "sqlparser-0", "clap_builder-4"].iter().any(|wanted| name.starts_with(wanted)) {
            let (functions, _) = with_stack(|| crate_sources(&folder.path().join("src").to_string_lossy()));
            assert!(functions > 100, "{name}: {functions}");
        }
    }
    // The crate's own dump runs over the same code paths, so that this test can fail without a registry too.
    assert!(dump(&file("fn f() { g(1) }")).contains("g(1)"));
}

/// Lowers each file, checks that its spans lie in it and that it can be printed; gives the numbers of functions and calls.
fn crate_sources(root: &str) -> (usize, usize) {
    let (mut functions, mut calls) = (0, 0);
    for entry in walkdir::WalkDir::new(root).into_iter().map(|entry| entry.unwrap()) {
        if entry.path().extension().is_none_or(|name| name != "rs") {
            continue;
        }
        let text = std::fs::read_to_string(entry.path()).unwrap();
        let lowered = lower(SourceId(0), &text, 2024).unwrap();
        assert_eq!(lowered.skipped, [], "{}", entry.path().display());
        for expr in lowered.file.functions.iter().flat_map(|function| &function.body).flat_map(|body| &body.exprs) {
            assert!(text.get(expr.span.start as usize..expr.span.end as usize).is_some());
            calls += usize::from(matches!(expr.kind, ExprKind::Call { .. } | ExprKind::MethodCall { .. }));
        }
        functions += lowered.file.functions.len();
        assert!(dump(&lowered.file).lines().count() >= lowered.file.functions.len());
    }
    (functions, calls)
}
