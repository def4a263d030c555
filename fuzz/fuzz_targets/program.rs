//! Programs bred from the fixtures, from the first byte to every report: nothing panics, spans are inside, fixed texts are understood as well as before.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use racelint::config::Config;
use racelint::discover::Inventory;
use racelint::fix::{Allowed, until_stable};
use racelint::lower::with_stack;
use racelint::models::Models;
use racelint::report::{Format, Options, Report, Summary, write};
use racelint::rule::Confidence;
use racelint::rules::ALL;
use racelint_fuzz::{Bred, left_out, sources};

static PEDANTIC: LazyLock<Config> =
    LazyLock::new(|| Config { min_confidence: Some(Confidence::Low), ..Config::default() });

fuzz_target!(|bred: Bred| {
    let text = bred.text();
    let schema = "CREATE TABLE orders (id BIGINT PRIMARY KEY, state TEXT NOT NULL, total INT CHECK (total >= 0));";
    let mut inventory = Inventory { sources: sources(&[("schema.sql", schema), ("src/lib.rs", &text)]), ..Inventory::default() };
    let analysis = racelint::check(&inventory, Models::builtin(), &PEDANTIC, 1);
    let (findings, fingerprints): (Vec<_>, Vec<_>) = analysis.findings.iter().cloned().unzip();
    for finding in &findings {
        let spans = std::iter::once(finding.span).chain(finding.labels.iter().map(|label| label.span));
        spans.for_each(|span| assert!(inventory.sources.get(span.source).text.get(span.start as usize..span.end as usize).is_some()));
    }
    let report = Report {
        findings: &findings,
        fingerprints: &fingerprints,
        suppressed: &analysis.suppressed,
        skipped: &analysis.skipped,
        sources: &inventory.sources,
        summary: Summary::default(),
        rules: ALL,
        evidence: &analysis.evidence,
        options: Options::default(),
    };
    for format in [Format::Human, Format::Json, Format::Sarif, Format::Github, Format::Junit, Format::Checklist, Format::Cargo] {
        write(&report, format, &mut Vec::new()).expect("memory takes every write");
    }
    let before = with_stack(|| left_out(&text));
    let fixed = until_stable(inventory.sources.clone(), findings, Allowed::Unsafe, |sources| {
        inventory.sources = sources.clone();
        racelint::check(&inventory, Models::builtin(), &PEDANTIC, 1).findings.into_iter().map(|(finding, _)| finding).collect()
    });
    let after = with_stack(|| left_out(&fixed.sources.iter().last().expect("there are two").1.text));
    assert!(before.is_none() || after.is_some_and(|after| Some(after) <= before), "{before:?} {after:?}");
});
