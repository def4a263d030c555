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
    files: &[ir::Outline],
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::{lower, with_stack};
    use crate::rule::{Confidence, Severity};
    use crate::rules::{atomic_load_then_store, lock_released_between};
    use crate::source::{LineIndex, Source, SourceKind, Span};

    const TEXT: &str =
        "fn a() {\n    one();\n    two(); // racelint: allow(atomic-load-then-store) -- why\n    three();\n}\n";

    fn finding(source: u32, part: &str, rule: &'static Rule, confidence: Confidence) -> Finding {
        let start = TEXT.find(part).unwrap() as u32;
        Finding {
            rule,
            severity: rule.severity,
            confidence,
            message: String::new(),
            resource: String::new(),
            span: Span { source: SourceId(source), start, end: start + part.len() as u32 },
            labels: Vec::new(),
            witness: Vec::new(),
            fixes: Vec::new(),
            function: String::new(),
            act: String::new(),
        }
    }

    /// Settles findings in two equal files, the second of which is not reported on.
    fn settled(found: Vec<Finding>, config: &str) -> Settled {
        let mut inventory = Inventory::default();
        for (name, reported) in [("a.rs", true), ("b.rs", false)] {
            let (path, kind, lines) = (format!("/p/{name}").into(), SourceKind::Rust, LineIndex::new(TEXT));
            inventory.sources.push(Source {
                name: name.to_owned(),
                path,
                kind,
                text: TEXT.to_owned(),
                lines,
                reported,
            });
        }
        let lowered = |id| with_stack(|| lower(SourceId(id), TEXT, 2021)).unwrap().file.outline();
        let files = [lowered(0), lowered(1)];
        let config = Config { base: "/p".into(), ..toml::from_str(config).unwrap() };
        settle(found, &inventory, &files, &HashSet::new(), &config)
    }

    const ATOMIC: &Rule = &atomic_load_then_store::RULE;
    const LOCK: &Rule = &lock_released_between::RULE;

    fn names(settled: &Settled) -> Vec<(&str, u32)> {
        settled.findings.iter().map(|(finding, _)| (finding.rule.name, finding.span.start)).collect()
    }

    #[test]
    fn findings_come_in_order_and_from_reported_files_alone() {
        let found = vec![
            finding(1, "one()", ATOMIC, Confidence::High),
            finding(0, "three()", ATOMIC, Confidence::High),
            finding(0, "two()", ATOMIC, Confidence::High),
            finding(0, "one()", LOCK, Confidence::Medium),
            finding(0, "one()", ATOMIC, Confidence::Low),
        ];
        let settled = settled(found, "");
        assert_eq!(names(&settled), [("lock-released-between", 13), ("atomic-load-then-store", 85)]);
        assert_eq!(settled.suppressed[0].reason.as_deref(), Some("why"));
    }

    #[test]
    fn the_configuration_switches_and_weighs() {
        let found =
            || vec![finding(0, "one()", ATOMIC, Confidence::Low), finding(0, "three()", LOCK, Confidence::High)];
        let names = |config: &str| {
            names(&settled(found(), config)).into_iter().map(|(name, _)| name.to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(
            names("ignore = ['meta']\nmin-confidence = 'low'"),
            ["atomic-load-then-store", "lock-released-between"]
        );
        assert_eq!(names("select = ['lock-released-between']"), ["lock-released-between"]);
        assert_eq!(names("ignore = ['meta', 'memory']"), [""; 0]);
        assert_eq!(names("ignore = ['meta']\n[[overrides]]\npaths = ['a.rs']\nignore = ['memory']"), [""; 0]);
        let settled = settled(found(), "ignore = ['meta']\nseverity = { memory = 'note' }");
        assert_eq!(settled.findings[0].0.severity, Severity::Note);
    }

    #[test]
    fn a_fingerprint_does_not_depend_on_what_is_kept_out() {
        let found =
            || vec![finding(0, "two()", ATOMIC, Confidence::High), finding(0, "three()", ATOMIC, Confidence::High)];
        let print = |config: &str| settled(found(), config).findings.pop().unwrap().1;
        let with = print("");
        assert_eq!(print("min-confidence = 'high'"), with);
        let first = settled(vec![finding(0, "three()", ATOMIC, Confidence::High)], "ignore = ['meta']");
        assert_ne!(first.findings[0].1, with, "the suppressed one before it counts");
    }
}
