//! All Rust sources of a run → lowered files, in the order of the sources.

use std::collections::HashSet;
use std::path::Path;

use crate::discover::Inventory;
use crate::finding::{Applicability, Finding, Fix, Skipped};
use crate::ir;
use crate::lower::{self, Lowered, Skip};
use crate::rule::Confidence;
use crate::rules::meta::UNPARSABLE_SOURCE;
use crate::source::{Source, SourceId, SourceKind, Span};
use crate::work;

/// What came of parsing.
#[derive(Debug, Default)]
pub struct Parsed {
    pub files: Vec<ir::File>,
    pub skipped: Vec<Skipped>,
    /// The same as findings.
    pub findings: Vec<Finding>,
    /// Files that were not understood whole.
    pub unparsed: HashSet<SourceId>,
}

/// Parses and lowers every Rust source, on at most `jobs` threads.
pub fn all(inventory: &Inventory, jobs: usize) -> Parsed {
    let sources: Vec<(SourceId, &Source)> =
        inventory.sources.iter().filter(|(_, source)| source.kind == SourceKind::Rust).collect();
    let lowered = work::map(
        &sources,
        jobs,
        |(_, source)| source.text.len(),
        |(id, source)| lower::lower(*id, &source.text, edition(inventory, &source.path)),
    );
    let mut parsed = Parsed::default();
    for ((id, source), result) in sources.into_iter().zip(lowered) {
        parsed.add(id, source, result);
    }
    parsed
}

impl Parsed {
    fn add(&mut self, id: SourceId, source: &Source, result: Result<Lowered, Skip>) {
        let left_out = match result {
            Ok(lowered) => {
                self.files.push(lowered.file);
                lowered.skipped
            }
            Err(skip) => vec![skip],
        };
        if !left_out.is_empty() {
            self.unparsed.insert(id);
        }
        for skip in left_out {
            self.skipped.push(Skipped { file: source.name.clone(), reason: reason(source, &skip) });
            self.findings.push(finding(id, &skip));
        }
    }
}

fn reason(source: &Source, skip: &Skip) -> String {
    match skip.span {
        Some(span) => format!("line {}: {}", source.lines.line(span.start), skip.reason),
        None => skip.reason.clone(),
    }
}

fn finding(source: SourceId, skip: &Skip) -> Finding {
    let title = "mend the source, or leave it out with `exclude` in racelint.toml".to_owned();
    Finding {
        rule: &UNPARSABLE_SOURCE,
        severity: UNPARSABLE_SOURCE.severity,
        confidence: Confidence::High,
        message: format!("not parsed, so its races stay unseen: {}", skip.reason),
        resource: String::new(),
        span: skip.span.unwrap_or(Span { source, start: 0, end: 0 }),
        labels: Vec::new(),
        witness: Vec::new(),
        fixes: vec![Fix { title, applicability: Applicability::Advice, edits: Vec::new() }],
        function: String::new(),
        act: skip.reason.clone(),
    }
}

/// The edition of the innermost package around a file.
fn edition(inventory: &Inventory, path: &Path) -> u16 {
    let layout = &inventory.layout;
    let around = layout.packages.iter().filter(|package| path.starts_with(&package.dir));
    around
        .max_by_key(|package| package.dir.components().count())
        .map_or(layout.loose_edition, |package| package.edition)
}
