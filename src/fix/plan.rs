//! Findings → the texts after one round.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::{Applicability, Edit, Finding, Fix};
use crate::fix::Allowed;
use crate::lower::{lower, with_stack};
use crate::source::{SourceId, SourceKind, Sources, Span};

/// The texts after one round.
#[derive(Debug, Default)]
pub struct Plan {
    pub texts: BTreeMap<SourceId, String>,
    /// How many cures they hold.
    pub applied: usize,
    pub refused: Vec<Refused>,
}

/// A file that keeps its text although a cure would change it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub source: SourceId,
    pub reason: String,
}

/// One round: of each finding the best cure that has edits and is allowed. Where cures overlap the first wins, and the others wait for a later round.
/// Files that are `closed` are not touched.
pub fn plan(findings: &[Finding], sources: &Sources, allowed: Allowed, closed: &BTreeMap<SourceId, String>) -> Plan {
    let mut closed: BTreeSet<SourceId> = closed.keys().copied().collect();
    let mut plan = Plan::default();
    loop {
        let chosen = choose(findings, sources, allowed, &closed);
        let texts: BTreeMap<_, _> =
            chosen.edits.iter().map(|(id, edits)| (*id, apply(&sources.get(*id).text, edits))).collect();
        let broken: Vec<_> =
            texts.iter().filter(|(id, text)| !parses(sources, **id, text)).map(|(id, _)| *id).collect();
        if broken.is_empty() {
            return Plan { texts, applied: chosen.count, ..plan };
        }
        // The cures of a broken file go whole, with what they would have done to other files; each turn closes a file, so this ends.
        for source in broken {
            closed.insert(source);
            plan.refused.push(Refused { source, reason: "the edits would leave code that does not parse".to_owned() });
        }
    }
}

#[derive(Default)]
struct Chosen {
    /// Sorted by start, free of overlaps.
    edits: BTreeMap<SourceId, Vec<Edit>>,
    count: usize,
}

fn choose(findings: &[Finding], sources: &Sources, allowed: Allowed, closed: &BTreeSet<SourceId>) -> Chosen {
    let mut chosen = Chosen::default();
    for finding in findings {
        let Some(fix) = finding.fixes.iter().find(|fix| may(fix, allowed)) else { continue };
        let fits = fix.edits.iter().all(|edit| {
            let taken = chosen.edits.get(&edit.span.source).map(Vec::as_slice).unwrap_or_default();
            !closed.contains(&edit.span.source)
                && valid(sources, edit.span)
                && taken.iter().all(|other| other == edit || apart(other.span, edit.span))
        });
        if !fits || !consistent(&fix.edits) {
            continue;
        }
        chosen.count += 1;
        for edit in &fix.edits {
            let edits = chosen.edits.entry(edit.span.source).or_default();
            // Two cures may need the same import.
            if !edits.contains(edit) {
                edits.push(edit.clone());
            }
        }
    }
    for edits in chosen.edits.values_mut() {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    }
    chosen
}

fn may(fix: &Fix, allowed: Allowed) -> bool {
    let allowed = match fix.applicability {
        Applicability::Safe => true,
        Applicability::Unsafe => allowed == Allowed::Unsafe,
        Applicability::Advice => false,
    };
    allowed && !fix.edits.is_empty()
}

/// The edits of one cure must not overlap among themselves; they may touch, for whoever wrote them knew their order.
fn consistent(edits: &[Edit]) -> bool {
    let clash = |a: Span, b: Span| a.source == b.source && (a == b || a.start < b.end && b.start < a.end);
    edits.iter().enumerate().all(|(index, edit)| edits[..index].iter().all(|other| !clash(other.span, edit.span)))
}

/// Whether edits of two cures may both be made. Two insertions at one place, or one at the edge of a replacement, have no order that is surely right.
fn apart(a: Span, b: Span) -> bool {
    let insertion = a.start == a.end || b.start == b.end;
    a.source != b.source
        || if insertion { a.end < b.start || b.end < a.start } else { a.end <= b.start || b.end <= a.start }
}

fn valid(sources: &Sources, span: Span) -> bool {
    sources.get(span.source).text.get(span.start as usize..span.end as usize).is_some()
}

fn apply(text: &str, edits: &[Edit]) -> String {
    let mut out = String::with_capacity(text.len() + 64);
    let mut done = 0;
    for edit in edits {
        out.push_str(&text[done..edit.span.start as usize]);
        out.push_str(&edit.text);
        done = edit.span.end as usize;
    }
    out.push_str(&text[done..]);
    out
}

/// Whether a new text is understood as well as the old one was.
fn parses(sources: &Sources, id: SourceId, text: &str) -> bool {
    let source = sources.get(id);
    if source.kind != SourceKind::Rust {
        return true;
    }
    // Editions differ in meaning, hardly in what parses; an item that the parser does not know counts as left out before and after.
    let left_out = |text: &str| lower(id, text, 2024).map(|lowered| lowered.skipped.len()).ok();
    with_stack(|| match (left_out(&source.text), left_out(text)) {
        (Some(before), Some(after)) => after <= before,
        (before, after) => before.is_none() && after.is_some(),
    })
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::finding::Applicability::{Advice, Safe, Unsafe};
    use crate::rule::{Confidence, Group, Rule, Severity};
    use crate::source::{LineIndex, Source};

    static RULE: Rule = Rule {
        name: "some-rule",
        group: Group::Memory,
        severity: Severity::Error,
        item: None,
        advisory: false,
        summary: "Something is wrong",
        page: "",
    };

    pub fn sources(texts: &[&str]) -> Sources {
        let mut sources = Sources::default();
        for (index, text) in texts.iter().enumerate() {
            let name = format!("src/f{index}.rs");
            sources.push(Source {
                path: name.clone().into(),
                name,
                kind: SourceKind::Rust,
                text: (*text).to_owned(),
                lines: LineIndex::new(text),
                reported: true,
            });
        }
        sources
    }

    pub fn edit(source: u32, start: u32, end: u32, text: &str) -> Edit {
        Edit { span: Span { source: SourceId(source), start, end }, text: text.to_owned() }
    }

    pub fn fix(applicability: Applicability, edits: Vec<Edit>) -> Fix {
        Fix { title: "mend it".to_owned(), applicability, edits }
    }

    pub fn finding(fixes: Vec<Fix>) -> Finding {
        Finding {
            rule: &RULE,
            severity: Severity::Error,
            confidence: Confidence::High,
            message: "something is wrong".to_owned(),
            resource: String::new(),
            span: Span { source: SourceId(0), start: 0, end: 0 },
            labels: vec![],
            witness: vec![],
            fixes,
            function: String::new(),
            act: String::new(),
        }
    }

    fn after(texts: &[&str], findings: &[Finding]) -> (Vec<String>, Plan) {
        let sources = sources(texts);
        let plan = plan(findings, &sources, Allowed::Unsafe, &BTreeMap::new());
        let texts = sources.iter().map(|(id, file)| plan.texts.get(&id).unwrap_or(&file.text).clone()).collect();
        (texts, plan)
    }

    #[test]
    fn the_first_of_two_that_overlap_wins() {
        let first = finding(vec![fix(Safe, vec![edit(0, 3, 6, "bar")])]);
        let second = finding(vec![fix(Safe, vec![edit(0, 5, 8, "x")])]);
        let (texts, plan) = after(&["fn foo() {}"], &[first, second]);
        assert_eq!((texts[0].as_str(), plan.applied), ("fn bar() {}", 1));
    }

    #[test]
    fn neighbours_are_both_made_and_equal_edits_once() {
        let import = edit(0, 0, 0, "use a::B;\n");
        let first = finding(vec![fix(Safe, vec![import.clone(), edit(0, 3, 4, "b")])]);
        let second = finding(vec![fix(Safe, vec![import, edit(0, 4, 6, "(x: B)")])]);
        let (texts, plan) = after(&["fn a() {}"], &[first, second]);
        assert_eq!((texts[0].as_str(), plan.applied), ("use a::B;\nfn b(x: B) {}", 2));
        let other = finding(vec![fix(Safe, vec![edit(0, 0, 0, "use c::D;\n")])]);
        let (_, plan) = after(&["fn a() {}"], &[finding(vec![fix(Safe, vec![edit(0, 0, 0, "\n")])]), other]);
        assert_eq!(plan.applied, 1);
    }

    #[test]
    fn edits_of_one_cure_may_touch_but_not_overlap() {
        let touching = finding(vec![fix(Safe, vec![edit(0, 3, 4, "b"), edit(0, 4, 4, "<T>")])]);
        assert_eq!(after(&["fn a() {}"], &[touching]).0, ["fn b<T>() {}"]);
        let overlapping = finding(vec![fix(Safe, vec![edit(0, 3, 5, "b("), edit(0, 4, 6, "()")])]);
        assert_eq!(after(&["fn a() {}"], &[overlapping]).1.applied, 0);
        let inserted_within = finding(vec![fix(Safe, vec![edit(0, 3, 6, "b()"), edit(0, 4, 4, "<T>")])]);
        assert_eq!(after(&["fn a() {}"], &[inserted_within]).1.applied, 0);
    }

    #[test]
    fn the_best_cure_with_edits_is_taken() {
        let edits = |text| vec![edit(0, 3, 4, text)];
        let found = finding(vec![fix(Advice, vec![]), fix(Unsafe, edits("b")), fix(Safe, edits("c"))]);
        let sources = sources(&["fn a() {}"]);
        let text = |allowed| {
            plan(std::slice::from_ref(&found), &sources, allowed, &BTreeMap::new()).texts[&SourceId(0)].clone()
        };
        assert_eq!(text(Allowed::Unsafe), "fn b() {}");
        assert_eq!(text(Allowed::Safe), "fn c() {}");
    }

    #[test]
    fn a_file_that_would_not_parse_is_left_alone_with_all_its_cures() {
        let both = finding(vec![fix(Safe, vec![edit(0, 3, 4, "b"), edit(1, 3, 4, "(")])]);
        let other = finding(vec![fix(Safe, vec![edit(2, 3, 4, "z")])]);
        let (texts, plan) = after(&["fn a() {}", "fn c() {}", "fn d() {}"], &[both, other]);
        assert_eq!(texts, ["fn a() {}", "fn c() {}", "fn z() {}"]);
        assert_eq!((plan.applied, plan.refused.len(), plan.refused[0].source), (1, 1, SourceId(1)));
    }

    #[test]
    fn edits_outside_the_text_or_inside_a_character_are_not_made() {
        let past = finding(vec![fix(Safe, vec![edit(0, 3, 99, "b")])]);
        let split = finding(vec![fix(Safe, vec![edit(0, 4, 5, "b")])]);
        let (texts, plan) = after(&["fn ä() {}"], &[past, split]);
        assert_eq!((texts[0].as_str(), plan.applied), ("fn ä() {}", 0));
    }
}
