//! Any edits of a program that parses: what the planner lets pass parses too.

#![no_main]

use std::collections::BTreeMap;

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;
use racelint::finding::{Applicability, Edit, Finding, Fix};
use racelint::fix::{Allowed, plan};
use racelint::lower::with_stack;
use racelint::rule::Confidence;
use racelint::rules::ALL;
use racelint::source::{SourceId, Span};
use racelint_fuzz::{Bred, left_out, sources};

#[derive(Arbitrary, Debug)]
struct Cured {
    program: Bred,
    cures: Vec<Vec<(u16, u8, String)>>,
}

fuzz_target!(|cured: Cured| {
    let text = cured.program.text();
    let Some(before) = with_stack(|| left_out(&text)) else { return };
    let sources = sources(&[("src/lib.rs", &text)]);
    let span = |start: u32, length: u8| Span { source: SourceId(0), start, end: start + u32::from(length) };
    let findings: Vec<_> = cured.cures.iter().take(8).map(|cure| finding(cure.iter().map(|(at, length, text)| {
        let start = u32::from(*at) % (sources.get(SourceId(0)).text.len() as u32 + 1);
        Edit { span: span(start, *length), text: text.clone() }
    }).collect())).collect();
    let plan = plan(&findings, &sources, Allowed::Safe, &BTreeMap::new());
    for text in plan.texts.values() {
        let after = with_stack(|| left_out(text));
        assert!(after.is_some_and(|after| after <= before), "{text}");
    }
});

fn finding(edits: Vec<Edit>) -> Finding {
    Finding {
        rule: ALL[0],
        severity: ALL[0].severity,
        confidence: Confidence::High,
        message: String::new(),
        resource: String::new(),
        span: Span { source: SourceId(0), start: 0, end: 0 },
        labels: Vec::new(),
        witness: Vec::new(),
        fixes: vec![Fix { title: String::new(), applicability: Applicability::Safe, edits }],
        function: String::new(),
        act: String::new(),
    }
}
