//! Whatever the analysed code holds, a report stays a report: it parses, steers no terminal and gives no command.

use racelint::finding::{Applicability, Edit, Evidence, Finding, Fix, Label, Role, Skipped, Step, Suppressed};
use racelint::report::{Format, Options, Report, Summary, step_summary, write};
use racelint::rule::{Confidence, Group, Item, Rule, Severity};
use racelint::source::{LineIndex, Source, SourceId, SourceKind, Sources, Span};

static RULE: Rule = Rule {
    name: "some-rule",
    group: Group::Memory,
    severity: Severity::Error,
    item: Some(Item::C1),
    advisory: false,
    summary: "Something is wrong",
    page: "# some-rule\n",
};

static RULES: [&Rule; 1] = [&RULE];

const FORMATS: [Format; 9] = [
    Format::Human,
    Format::Short,
    Format::Json,
    Format::Sarif,
    Format::Github,
    Format::Gitlab,
    Format::Junit,
    Format::Checklist,
    Format::Cargo,
];

/// What a name may be made of, at its worst.
const HOSTILE: &str = "::error::a\u{1b}[2J\u{7}\n::error::x\r\n  ::stop-commands::y\u{9b}1m ##[add-path]/z\u{202e}\u{2066}\u{2028}\u{0}\u{feff}]]>&<\"'`|%0A\\](javascript:x)";

/// A run over a file of this text, with hostile words wherever words can stand.
struct Run {
    sources: Sources,
    findings: Vec<Finding>,
    suppressed: Vec<Suppressed>,
    skipped: Vec<Skipped>,
    evidence: Vec<Evidence>,
}

impl Run {
    fn new(text: &str, spans: &[Span]) -> Run {
        let mut sources = Sources::default();
        sources.push(Source {
            name: format!("src/{HOSTILE}.rs"),
            path: "src/x.rs".into(),
            kind: SourceKind::Rust,
            text: text.to_owned(),
            lines: LineIndex::new(text),
            reported: true,
        });
        let findings: Vec<_> = spans.iter().map(|span| finding(*span, spans)).collect();
        Run {
            suppressed: vec![Suppressed { finding: findings[0].clone(), reason: Some(HOSTILE.to_owned()) }],
            skipped: vec![Skipped { file: format!("src/{HOSTILE}"), reason: HOSTILE.to_owned() }],
            evidence: vec![Evidence { item: Item::C6, text: HOSTILE.to_owned(), span: spans[0] }],
            sources,
            findings,
        }
    }

    fn report<'a>(&'a self, fingerprints: &'a [String]) -> Report<'a> {
        Report {
            findings: &self.findings,
            fingerprints,
            suppressed: &self.suppressed,
            skipped: &self.skipped,
            sources: &self.sources,
            summary: Summary { files: 1, functions: 1, suppressed: 1, baselined: 1 },
            rules: &RULES,
            evidence: &self.evidence,
            options: Options { width: Some(60), ..Options::default() },
        }
    }

    fn render(&self, format: Format) -> String {
        let fingerprints = racelint::report::fingerprint::all(&self.findings, &self.sources);
        let mut out = Vec::new();
        write(&self.report(&fingerprints), format, &mut out).expect("memory takes every write");
        String::from_utf8(out).expect("reports are UTF-8")
    }
}

fn finding(span: Span, spans: &[Span]) -> Finding {
    let labels = spans.iter().map(|span| Label { role: Role::Call, span: *span, message: HOSTILE.to_owned() });
    let step = |actor, span| Step { actor, text: HOSTILE.to_owned(), span };
    let edit = Edit { span, text: HOSTILE.to_owned() };
    Finding {
        rule: &RULE,
        severity: Severity::Error,
        confidence: Confidence::Medium,
        message: HOSTILE.to_owned(),
        resource: HOSTILE.to_owned(),
        span,
        labels: labels.collect(),
        witness: vec![step("A", Some(span)), step("B", None), step("", None)],
        fixes: vec![
            Fix { title: HOSTILE.to_owned(), applicability: Applicability::Safe, edits: vec![edit] },
            Fix { title: HOSTILE.to_owned(), applicability: Applicability::Advice, edits: vec![] },
        ],
        function: HOSTILE.to_owned(),
        act: HOSTILE.to_owned(),
    }
}

fn hostile() -> Run {
    let text = format!("fn a() {{\n    let s = \"{HOSTILE}\";\n}}\n");
    let at = |start, end| Span { source: SourceId(0), start, end };
    Run::new(&text, &[at(13, 30), at(3, 60), at(0, 5)])
}

#[test]
fn nothing_steers_a_terminal() {
    let run = hostile();
    let fingerprints = vec![String::new(); run.findings.len()];
    let summary = step_summary(&run.report(&fingerprints));
    for text in FORMATS.map(|format| run.render(format)).into_iter().chain([summary]) {
        let bad = |c: char| (c.is_control() && c != '\n') || ('\u{202a}'..='\u{202e}').contains(&c) || c == '\u{2066}';
        let at = text.find(bad);
        assert!(at.is_none(), "{:?}", at.map(|at| &text[at.saturating_sub(40)..]));
    }
}

#[test]
fn nothing_is_taken_for_a_command_of_the_runner() {
    let run = hostile();
    for format in FORMATS {
        let text = run.render(format);
        let commands: Vec<_> = text.lines().filter(|line| line.trim_start().starts_with("::")).collect();
        match format {
            Format::Github => assert!(commands.iter().all(|line| line.starts_with("::error file=")), "{commands:?}"),
            _ => assert_eq!(commands, Vec::<&str>::new(), "{format:?}"),
        }
        // JSON says what is there; its readers are programs.
        let is_json = matches!(format, Format::Json | Format::Sarif | Format::Cargo | Format::Gitlab);
        assert!(is_json || !text.contains("##["), "{format:?}: {text}");
    }
}

#[test]
fn what_is_to_parse_parses() {
    let run = hostile();
    for format in [Format::Json, Format::Sarif, Format::Gitlab] {
        serde_json::from_str::<serde_json::Value>(&run.render(format)).unwrap();
    }
    for line in run.render(Format::Cargo).lines() {
        serde_json::from_str::<serde_json::Value>(line).unwrap();
    }
    roxmltree::Document::parse(&run.render(Format::Junit)).unwrap();
}

/// A link in Markdown ends at a bracket that no backslash stands before.
#[test]
fn names_make_no_links() {
    let run = hostile();
    assert!(!run.render(Format::Checklist).contains(" [x](javascript:"));
    let fingerprints = vec![String::new(); run.findings.len()];
    for text in [run.render(Format::Checklist), step_summary(&run.report(&fingerprints))] {
        for (at, _) in text.match_indices("](") {
            let ours = text[at..].starts_with("](src/");
            assert!(ours || text[..at].ends_with('\\'), "{}", &text[at.saturating_sub(60)..at + 20]);
        }
    }
}

#[test]
fn what_was_skipped_is_in_every_report() {
    let mut run = hostile();
    run.findings.clear();
    run.skipped = vec![Skipped { file: "src/huge.rs".to_owned(), reason: "larger than 4 MB".to_owned() }];
    for format in FORMATS {
        let text = run.render(format);
        assert!(text.contains("src/huge.rs") && text.contains("larger than 4 MB"), "{format:?}: {text}");
    }
}

#[test]
fn no_span_is_too_odd() {
    let texts = ["", "\n", "\u{feff}ä\r\n\tb\u{1b}", "fn a() {}\n\n\n", "🚲🚲\n🚲", "a\rb\r\nc"];
    // A small generator of its own: the same odd spans in every run.
    let mut state = 7_u32;
    let mut next = |bound: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % bound
    };
    for text in texts {
        for _ in 0..40 {
            let bound = text.len() as u32 + 4;
            let spans: Vec<_> = (0..3)
                .map(|_| Span { source: SourceId(0), start: next(bound), end: next(bound) })
                .chain([Span { source: SourceId(0), start: 0, end: u32::MAX }])
                .collect();
            let run = Run::new(text, &spans);
            for format in FORMATS {
                assert!(!run.render(format).is_empty());
            }
        }
    }
}
