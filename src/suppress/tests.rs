//! Suppressions on sources as they are written, with findings put where the tests want them.

use super::*;
use crate::finding::{Label, Role};
use crate::lower::{lower, with_stack};
use crate::rule::Confidence;
use crate::rules::{ALL, atomic_load_then_store, lock_released_between};
use crate::source::{LineIndex, Source};

/// Files by name; the first is where findings are said to be.
struct Project {
    inventory: Inventory,
    files: Vec<ir::Outline>,
}

impl Project {
    fn new(texts: &[(&str, &str)]) -> Project {
        let mut inventory = Inventory::default();
        let mut files = Vec::new();
        for (name, text) in texts {
            let kind = if name.ends_with(".sql") { SourceKind::Sql } else { SourceKind::Rust };
            let (path, text, lines) = (name.into(), (*text).to_owned(), LineIndex::new(text));
            let id =
                inventory.sources.push(Source { name: (*name).to_owned(), path, kind, text, lines, reported: true });
            if kind == SourceKind::Rust {
                files.push(with_stack(|| lower(id, text_of(&inventory, id), 2021)).unwrap().file.outline());
            }
        }
        Project { inventory, files }
    }

    /// The place of a piece of text.
    fn span(&self, source: u32, part: &str) -> Span {
        let source = SourceId(source);
        let start = text_of(&self.inventory, source).find(part).unwrap() as u32;
        Span { source, start, end: start + part.len() as u32 }
    }

    fn finding(&self, rule: &'static Rule, span: Span) -> Finding {
        Finding {
            rule,
            severity: rule.severity,
            confidence: Confidence::High,
            message: String::new(),
            resource: String::new(),
            span,
            labels: Vec::new(),
            witness: Vec::new(),
            fixes: Vec::new(),
            function: String::new(),
            act: String::new(),
        }
    }

    fn apply(&self, findings: Vec<Finding>) -> Outcome {
        let ran = |rule: &Rule, _| rule.name != "lock-released-between";
        apply(findings, &Input { inventory: &self.inventory, files: &self.files, all: ALL, ran: &ran })
    }

    /// Whether a finding of `atomic-load-then-store` at a piece of the first file is kept out.
    fn keeps_out(&self, part: &str) -> bool {
        let outcome = self.apply(vec![self.finding(&atomic_load_then_store::RULE, self.span(0, part))]);
        !outcome.suppressed.is_empty()
    }
}

fn text_of(inventory: &Inventory, id: SourceId) -> &str {
    &inventory.sources.get(id).text
}

fn rust(text: &str) -> Project {
    Project::new(&[("src/lib.rs", text)])
}

const ALLOW: &str = "// racelint: allow(atomic-load-then-store) -- one thread counts";

#[test]
fn the_line_itself_and_the_line_above_count() {
    assert!(rust(&format!("fn a() {{\n    act(); {ALLOW}\n}}")).keeps_out("act()"));
    assert!(rust(&format!("fn a() {{\n    {ALLOW}\n    act();\n}}")).keeps_out("act()"));
    assert!(rust(&format!("fn a() {{\n    {ALLOW}\n    // More.\n    #[allow(x)]\n    act();\n}}")).keeps_out("act()"));
    assert!(
        rust(&format!("fn a() {{\n    query()\n        .bind() {ALLOW}\n        .run();\n}}"))
            .keeps_out("query()\n        .bind")
    );
    assert!(rust("fn a() { /* racelint: allow(atomic-load-then-store) -- why */ act(); }").keeps_out("act()"));

    assert!(!rust(&format!("fn a() {{\n    {ALLOW}\n\n    act();\n}}")).keeps_out("act()"));
    assert!(!rust(&format!("fn a() {{\n    before(); {ALLOW}\n    act();\n}}")).keeps_out("act()"));
    assert!(!rust(&format!("fn a() {{\n    act();\n    {ALLOW}\n}}")).keeps_out("act()"));
    assert!(!rust(&format!("fn a() {{\n    let s = \"{ALLOW}\"; act();\n}}")).keeps_out("act()"));
    assert!(!rust(&format!("/{ALLOW}\nfn a() {{\n    act();\n}}")).keeps_out("act()"));
}

#[test]
fn a_comment_on_a_label_counts() {
    let project = rust(&format!("fn a() {{\n    check(); {ALLOW}\n    between();\n    act();\n}}"));
    let mut finding = project.finding(&atomic_load_then_store::RULE, project.span(0, "act()"));
    assert!(project.apply(vec![finding.clone()]).suppressed.is_empty());
    finding.labels.push(Label { role: Role::Check, span: project.span(0, "check()"), message: String::new() });
    let outcome = project.apply(vec![finding]);
    assert_eq!(outcome.suppressed[0].reason.as_deref(), Some("one thread counts"));
    assert!(outcome.findings.is_empty());
}

#[test]
fn a_function_is_covered_by_a_comment_at_its_head() {
    let body = "{\n    let x = 1;\n    act();\n}\nfn other() { elsewhere(); }";
    for head in [
        format!("use x;\n{ALLOW}\nfn a() {body}"),
        format!("use x;\n{ALLOW}\n/// Docs.\n#[inline]\n#[doc = \"]\"]\npub(crate) async fn a() {body}"),
        format!("use x;\n#[inline]\n{ALLOW}\npub fn a() {body}"),
        format!("struct S;\nimpl S {{\n    {ALLOW}\n    /// Docs.\n    pub fn a(&self) {body}\n}}"),
    ] {
        let project = rust(&head);
        assert!(project.keeps_out("act()"), "{head}");
        assert!(!project.keeps_out("elsewhere()"), "{head}");
    }
    assert!(!rust(&format!("use x;\n{ALLOW}\n\nfn a() {body}")).keeps_out("act()"));
}

#[test]
fn a_module_is_covered_wherever_it_lies() {
    let inline = rust(&format!(
        "use x;\n{ALLOW}\nmod a {{\n    fn b() {{\n        act();\n    }}\n}}\nfn c() {{ elsewhere(); }}"
    ));
    assert!(inline.keeps_out("act()") && !inline.keeps_out("elsewhere()"));

    let lib = format!("use x;\n{ALLOW}\npub mod stock;\nmod other;\n");
    for (name, covered) in
        [("src/stock.rs", true), ("src/stock/mod.rs", true), ("src/stock/deep.rs", true), ("src/other.rs", false)]
    {
        let project = Project::new(&[(name, "fn b() {\n    act();\n}"), ("src/lib.rs", &lib)]);
        assert_eq!(project.keeps_out("act()"), covered, "{name}");
    }
}

#[test]
fn the_head_of_a_file_covers_it() {
    for head in [
        format!("{ALLOW}\n\nfn a() {{\n    act();\n}}"),
        format!("//! Docs.\n{ALLOW}\n\nuse x;\nfn a() {{ act(); }}"),
        format!("{ALLOW}\nuse x;\nfn a() {{\n    act();\n}}"),
        format!("#!/usr/bin/env cargo\n{ALLOW}\n#![allow(x)]\nfn a() {{\n    act();\n}}"),
        format!("\u{feff}{ALLOW}\n\nfn a() {{\n    act();\n}}"),
    ] {
        assert!(rust(&head).keeps_out("act()"), "{head}");
    }
    assert!(!rust(&format!("{ALLOW}\nfn first() {{}}\nfn a() {{\n    act();\n}}")).keeps_out("act()"));
    assert!(!rust(&format!("{ALLOW}\nstatic X: u8 = 0;\nfn a() {{\n    act();\n}}")).keeps_out("act()"));
    assert!(!rust(&format!("use x;\n\n{ALLOW}\n\nfn a() {{\n    act();\n}}")).keeps_out("act()"));
}

#[test]
fn sql_has_comments_of_its_own() {
    let allow = "-- racelint: allow(atomic-load-then-store) -- checked by the importer";
    let keeps_out = |text: &str| Project::new(&[("m/1.sql", text)]).keeps_out("quantity int");
    assert!(keeps_out(&format!("CREATE TABLE t (\n  quantity int {allow}\n);")));
    assert!(keeps_out(&format!("CREATE TABLE t (\n  {allow}\n  quantity int\n);")));
    assert!(keeps_out(&format!("{allow}\n\nCREATE TABLE t (\n  id int,\n  quantity int\n);")));
    assert!(!keeps_out(&format!("{allow}\nCREATE TABLE t (\n  id int,\n  quantity int\n);")));
    assert!(!keeps_out(&format!("INSERT INTO t VALUES ('{allow}'); CREATE TABLE t (quantity int);")));
}

/// The findings about suppressions: rule and the text they stand at.
fn about(project: &Project, findings: Vec<Finding>) -> Vec<(&'static str, String)> {
    let outcome = project.apply(findings);
    let mut about: Vec<_> =
        outcome.findings.iter().map(|f| (f.rule.name, project.inventory.sources.text(f.span).to_owned())).collect();
    about.sort();
    about
}

#[test]
fn what_is_wrong_with_a_suppression_is_reported() {
    let unused = rust(&format!("fn a() {{\n    {ALLOW}\n    fine();\n}}"));
    assert_eq!(about(&unused, Vec::new()), [("unused-suppression", "atomic-load-then-store".to_owned())]);

    let bare = rust("fn a() {\n    act(); // racelint: allow(atomic-load-then-store) --\n}");
    let found = vec![bare.finding(&atomic_load_then_store::RULE, bare.span(0, "act()"))];
    let text = "// racelint: allow(atomic-load-then-store) --".to_owned();
    assert_eq!(about(&bare, found), [("suppression-without-reason", text)]);

    let not_run = rust("fn a() {\n    act(); // racelint: allow(lock-released-between) -- alone\n}");
    assert_eq!(about(&not_run, Vec::new()), []);
    let found = vec![not_run.finding(&lock_released_between::RULE, not_run.span(0, "act()"))];
    assert_eq!(not_run.apply(found).suppressed.len(), 1);

    for wrong in [
        "racelint: alow(x) -- y",
        "racelint: allow x",
        "racelint: allow(x",
        "racelint: allow() -- y",
        "racelint: allow(atomic-load-then-store) why",
    ] {
        let project = rust(&format!("fn a() {{}} // {wrong}"));
        assert_eq!(about(&project, Vec::new()), [("unknown-name", format!("// {wrong}"))]);
    }
    for silent in ["// see racelint: allow(x)", "/// racelint: allow(x)\nfn b() {}", "//! racelint: nonsense\n"] {
        assert_eq!(about(&rust(silent), Vec::new()), [], "{silent}");
    }
}

#[test]
fn a_mistyped_name_gets_the_right_one() {
    let project = rust("fn a() {} // racelint: allow(atomic-load-than-store) -- x");
    let outcome = project.apply(Vec::new());
    assert_eq!(outcome.findings[0].fixes[0].edits[0].text, "atomic-load-then-store");
    let project = rust("fn a() {} // racelint: allow(memory) -- x");
    assert!(project.apply(Vec::new()).findings[0].message.contains("is a group"));
}

/// The text after the first fix of the first finding.
fn mended(text: &str) -> String {
    let project = rust(text);
    let outcome = project.apply(Vec::new());
    let edit = &outcome.findings[0].fixes[0].edits[0];
    let mut text = text.to_owned();
    text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
    text
}

#[test]
fn unused_suppressions_are_taken_out_whole() {
    assert_eq!(mended(&format!("fn a() {{\n    {ALLOW}\n    fine();\n}}")), "fn a() {\n    fine();\n}");
    assert_eq!(mended(&format!("fn a() {{\n    fine(); {ALLOW}\n}}")), "fn a() {\n    fine();\n}");
    assert_eq!(mended(&format!("fn a() {{\r\n    {ALLOW}\r\n    fine();\r\n}}")), "fn a() {\r\n    fine();\r\n}");
    assert_eq!(
        mended("fn a() {} // racelint: allow(atomic-load-then-store, lock-released-between) -- x"),
        "fn a() {} // racelint: allow(lock-released-between) -- x"
    );
    assert_eq!(
        mended("fn a() {} // racelint: allow(lock-released-between, atomic-load-then-store) -- x"),
        "fn a() {} // racelint: allow(lock-released-between) -- x"
    );
}

#[test]
fn added_suppressions_keep_out_what_they_were_added_for() {
    let text = "fn a() {\r\n\tact();\r\n\tact2();\r\n}";
    let project = rust(text);
    let findings = vec![
        project.finding(&atomic_load_then_store::RULE, project.span(0, "act()")),
        project.finding(&lock_released_between::RULE, project.span(0, "act()")),
        project.finding(&atomic_load_then_store::RULE, project.span(0, "act2()")),
    ];
    let additions = additions(&findings, "why", &project.inventory.sources);
    let texts = with_additions(&additions, &project.inventory.sources);
    let added = &texts[&SourceId(0)];
    assert_eq!(
        added,
        "fn a() {\r\n\t// racelint: allow(atomic-load-then-store, lock-released-between) -- why\r\n\tact();\r\n\
         \t// racelint: allow(atomic-load-then-store) -- why\r\n\tact2();\r\n}"
    );
    assert!(rust(added).keeps_out("act()") && rust(added).keeps_out("act2()"));
}
