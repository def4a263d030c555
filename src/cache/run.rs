//! One whole run as an entry: what was found, by everything that was read.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::digest::{self, Key};
use super::folder::Folder;
use crate::Judged;
use crate::discover::Inventory;
use crate::finding::{Evidence, Finding, Fix, Label, Skipped, Step};
use crate::ir::Outline;
use crate::rule::{Confidence, Rule, Severity};
use crate::rules::ALL;
use crate::source::{SourceId, Sources, Span};

/// The place of one run's result.
#[derive(Clone, Copy, Debug)]
pub struct Run<'f> {
    folder: &'f Folder,
    key: Key,
}

impl<'f> Run<'f> {
    /// None where what was read has no name that would last.
    pub fn new(folder: &'f Folder, inventory: &Inventory, models: &[(String, String)]) -> Option<Run<'f>> {
        Some(Run { folder, key: digest::of_run(inventory, models)? })
    }

    /// What an earlier run found in the same sources.
    pub fn load(&self, inventory: &Inventory) -> Option<Judged> {
        decode(&self.folder.load(self.key)?, &inventory.sources)
    }

    pub fn store(&self, judged: &Judged) {
        if let Some(bytes) = encode(judged) {
            self.folder.store(self.key, &bytes);
        }
    }
}

fn encode(judged: &Judged) -> Option<Vec<u8>> {
    let Judged { findings, evidence, skipped, unparsed, outlines, functions } = judged;
    let mut unparsed: Vec<SourceId> = unparsed.iter().copied().collect();
    unparsed.sort_unstable();
    let findings: Vec<Stored> = findings.iter().map(Stored::from).collect();
    postcard::to_allocvec(&(findings, evidence, skipped, unparsed, outlines, functions)).ok()
}

/// None for bytes that are no entry of these sources.
fn decode(bytes: &[u8], sources: &Sources) -> Option<Judged> {
    type Entry = (Vec<Stored>, Vec<Evidence>, Vec<Skipped>, HashSet<SourceId>, Vec<Outline>, usize);
    let (findings, evidence, skipped, unparsed, outlines, functions): Entry = postcard::from_bytes(bytes).ok()?;
    let findings: Vec<Finding> = findings.into_iter().map(Stored::finding).collect::<Option<_>>()?;
    let judged = Judged { findings, evidence, skipped, unparsed, outlines, functions };
    let whole = spans(&judged).all(|span| fits(sources, span));
    whole.then_some(judged)
}

fn spans(judged: &Judged) -> impl Iterator<Item = Span> {
    let findings = judged.findings.iter().flat_map(|finding| {
        let steps = finding.witness.iter().filter_map(|step| step.span);
        let edits = finding.fixes.iter().flat_map(|fix| &fix.edits).map(|edit| edit.span);
        std::iter::once(finding.span).chain(finding.labels.iter().map(|label| label.span)).chain(steps).chain(edits)
    });
    let outlines = judged.outlines.iter().flat_map(|outline| {
        let comments = outline.comments.iter().map(|comment| comment.span);
        let functions = outline.functions.iter().map(|function| function.whole);
        let modules = outline.modules.iter().map(|module| module.span);
        let own = Span { source: outline.source, start: 0, end: 0 };
        std::iter::once(own).chain(comments).chain(functions).chain(modules)
    });
    let unparsed = judged.unparsed.iter().map(|&source| Span { source, start: 0, end: 0 });
    findings.chain(judged.evidence.iter().map(|evidence| evidence.span)).chain(outlines).chain(unparsed)
}

fn fits(sources: &Sources, span: Span) -> bool {
    let source = sources.try_get(span.source);
    source.is_some_and(|source| source.text.get(span.start as usize..span.end as usize).is_some())
}

/// A finding with the statics that it points to by name.
#[derive(Serialize, Deserialize)]
struct Stored {
    rule: String,
    severity: Severity,
    confidence: Confidence,
    message: String,
    resource: String,
    span: Span,
    labels: Vec<Label>,
    witness: Vec<(String, String, Option<Span>)>,
    fixes: Vec<Fix>,
    function: String,
    act: String,
}

impl From<&Finding> for Stored {
    fn from(finding: &Finding) -> Stored {
        let Finding { rule, severity, confidence, message, resource, span, labels, witness, fixes, function, act } =
            finding.clone();
        Stored {
            rule: rule.name.to_owned(),
            severity,
            confidence,
            message,
            resource,
            span,
            labels,
            witness: witness.into_iter().map(|step| (step.actor.to_owned(), step.text, step.span)).collect(),
            fixes,
            function,
            act,
        }
    }
}

impl Stored {
    /// None where it names what this build does not know.
    fn finding(self) -> Option<Finding> {
        let rule: &'static Rule = ALL.iter().find(|rule| rule.name == self.rule)?;
        let step = |(actor, text, span): (String, _, _)| {
            let actor = ["A", "B", ""].into_iter().find(|known| *known == actor)?;
            Some(Step { actor, text, span })
        };
        Some(Finding {
            rule,
            severity: self.severity,
            confidence: self.confidence,
            message: self.message,
            resource: self.resource,
            span: self.span,
            labels: self.labels,
            witness: self.witness.into_iter().map(step).collect::<Option<_>>()?,
            fixes: self.fixes,
            function: self.function,
            act: self.act,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Config;
    use crate::models::Models;
    use crate::source::{LineIndex, Source, SourceKind};
    use crate::{judge, settled};

    const TEXT: &str = "\
use std::sync::atomic::{AtomicU64, Ordering};

static HITS: AtomicU64 = AtomicU64::new(0);
pub fn hit() {
    let hits = HITS.load(Ordering::SeqCst);
    HITS.store(hits + 1, Ordering::SeqCst); // racelint: allow(atomic-load-then-store) -- é
}
pub fn again() {
    let hits = HITS.load(Ordering::SeqCst);
    HITS.store(hits + 1, Ordering::SeqCst);
}
";

    fn inventory() -> Inventory {
        let mut sources = Sources::default();
        for (name, text) in [("src/lib.rs", TEXT), ("src/odd.rs", "fn odd( {")] {
            let (text, lines) = (text.to_owned(), LineIndex::new(text));
            let (path, kind) = (format!("/p/{name}").into(), SourceKind::Rust);
            sources.push(Source { name: name.to_owned(), path, kind, text, lines, reported: true });
        }
        Inventory { sources, ..Inventory::default() }
    }

    #[test]
    fn what_comes_back_is_what_was_found() {
        let inventory = inventory();
        let judged = judge(&inventory, Models::builtin(), 1);
        let back = decode(&encode(&judged).unwrap(), &inventory.sources).unwrap();
        let shown = |judged: Judged| format!("{:?}", settled(judged, &inventory, &Config::default()));
        let before = shown(judged);
        assert!(before.contains("unparsable-source") && before.contains("suppressed: [Suppressed"), "{before}");
        assert_eq!(shown(back), before);
    }

    /// The checksum keeps such bytes away; what gets past it may be wrong, but points nowhere outside the sources.
    #[test]
    fn no_bytes_do_harm() {
        let inventory = inventory();
        let whole = encode(&judge(&inventory, Models::builtin(), 1)).unwrap();
        let (mut taken, mut refused) = (0, 0);
        for at in 0..whole.len() {
            let mut other = whole.clone();
            for bit in [1, 0x80] {
                other[at] ^= bit;
                match decode(&other, &inventory.sources) {
                    Some(judged) => {
                        settled(judged, &inventory, &Config::default());
                        taken += 1;
                    }
                    None => refused += 1,
                }
            }
            assert!(decode(&whole[..at], &inventory.sources).is_none());
        }
        assert!(taken > 0 && refused > 0);
    }
}
