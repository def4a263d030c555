//! What rules found → what is reported: severities and switches of the configuration, suppressions, confidence, the files that were asked for.

use std::collections::HashSet;

use crate::config::{Config, Setting};
use crate::discover::Inventory;
use crate::finding::{Finding, Suppressed};
use crate::ir;
use crate::report::fingerprint;
use crate::rule::Rule;
use crate::rules;
use crate::source::{SourceId, Sources};
use crate::suppress;

/// Findings that are to be reported, and those that comments keep out.
#[derive(Debug, Default)]
pub struct Settled {
    /// Sorted by file, start, rule; each with its fingerprint.
    pub findings: Vec<(Finding, String)>,
    pub suppressed: Vec<Suppressed>,
}

/// Settles the findings of all rules; `unparsed` are the files that were not understood whole.
pub fn settle(
    found: Vec<Finding>,
    inventory: &Inventory,
    files: &[ir::File],
    unparsed: &HashSet<SourceId>,
    config: &Config,
) -> Settled {
    let sources = &inventory.sources;
    let scopes = config.scopes();
    let setting = |rule: &Rule, source: SourceId| scopes.setting(rule, &sources.get(source).path);
    let ran = |rule: &Rule, source| setting(rule, source) != Setting::Off && !unparsed.contains(&source);
    let outcome = suppress::apply(found, &suppress::Input { inventory, files, all: rules::ALL, ran: &ran });

    let mut settled = Settled::default();
    for (mut finding, fingerprint, suppressed) in with_fingerprints(outcome, sources) {
        match setting(finding.rule, finding.span.source) {
            Setting::Off => continue,
            Setting::Own => {}
            Setting::As(severity) => finding.severity = severity,
        }
        if finding.confidence < config.min_confidence() || !sources.get(finding.span.source).reported {
            continue;
        }
        match suppressed {
            None => settled.findings.push((finding, fingerprint)),
            Some(reason) => settled.suppressed.push(Suppressed { finding, reason }),
        }
    }
    settled
}

/// All findings in order, each with its fingerprint and, where a comment keeps it out, that comment's reason. Fingerprints count among their equals, so they
/// are taken here, where none is left out yet.
fn with_fingerprints(
    outcome: suppress::Outcome,
    sources: &Sources,
) -> impl Iterator<Item = (Finding, String, Option<Option<String>>)> {
    let left = outcome.findings.into_iter().map(|finding| (finding, None));
    let kept_out = outcome.suppressed.into_iter().map(|suppressed| (suppressed.finding, Some(suppressed.reason)));
    let mut all: Vec<_> = left.chain(kept_out).collect();
    all.sort_by(|(a, _), (b, _)| order(a).cmp(&order(b)));
    let (findings, reasons): (Vec<_>, Vec<_>) = all.into_iter().unzip();
    let fingerprints = fingerprint::all(&findings, sources);
    findings.into_iter().zip(fingerprints).zip(reasons).map(|((finding, print), reason)| (finding, print, reason))
}

/// Sources are in the order of their names, so their numbers sort like them.
fn order(finding: &Finding) -> (SourceId, u32, &str, u32, &str) {
    (finding.span.source, finding.span.start, finding.rule.name, finding.span.end, &finding.message)
}
