//! A file of findings that are known and left for later, by their fingerprints.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::source::Sources;

/// The only version there is.
const VERSION: u32 = 1;

/// What the file holds. The fingerprint alone decides; the rest is for people who read or merge the file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: u32,
    findings: Vec<Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    file: String,
    rule: String,
    message: String,
    fingerprint: String,
}

impl Baseline {
    /// Reads the text of a baseline; the error says what is wrong with it.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        let baseline: Baseline = serde_json::from_str(text).map_err(|error| error.to_string())?;
        match baseline.version {
            VERSION => Ok(baseline),
            other => Err(format!("version {other} of a baseline is not known; this racelint writes {VERSION}")),
        }
    }

    /// The baseline of these findings. What an earlier one knows of files that this run did not look at, or of rules that were `idle`, is kept.
    pub fn of(findings: &[(Finding, String)], sources: &Sources, idle: &[&str], earlier: Option<Baseline>) -> Baseline {
        let seen: HashSet<&str> =
            sources.iter().filter(|(_, source)| source.reported).map(|(_, source)| source.name.as_str()).collect();
        let kept = earlier.into_iter().flat_map(|earlier| earlier.findings);
        let unseen = |entry: &Entry| !seen.contains(entry.file.as_str()) || idle.contains(&entry.rule.as_str());
        let mut entries: Vec<Entry> = kept.filter(unseen).collect();
        entries.extend(findings.iter().map(|(finding, fingerprint)| Entry {
            file: sources.get(finding.span.source).name.clone(),
            rule: finding.rule.name.to_owned(),
            message: finding.message.clone(),
            fingerprint: fingerprint.clone(),
        }));
        entries.sort();
        entries.dedup();
        Baseline { version: VERSION, findings: entries }
    }

    /// The text to write.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("strings and numbers are always JSON");
        text.push('\n');
        text
    }

    /// The fingerprints that are known.
    pub fn fingerprints(&self) -> HashSet<&str> {
        self.findings.iter().map(|entry| entry.fingerprint.as_str()).collect()
    }

    /// What it knows and `met`, the fingerprints of a run, does not hold: a line each.
    pub fn gone(&self, met: &HashSet<String>) -> Vec<String> {
        let gone = self.findings.iter().filter(|entry| !met.contains(&entry.fingerprint));
        gone.map(|entry| format!("{}: {}: {}", entry.file, entry.rule, entry.message)).collect()
    }

    /// How many findings are known.
    pub fn len(&self) -> usize {
        self.findings.len()
    }

    pub fn is_empty(&self) -> bool {
        self.findings.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Confidence;
    use crate::rules::meta::UNKNOWN_NAME;
    use crate::source::{LineIndex, Source, SourceId, SourceKind, Span};

    fn sources(names: &[&str]) -> Sources {
        let mut sources = Sources::default();
        for name in names {
            sources.push(Source {
                name: (*name).to_owned(),
                path: name.into(),
                kind: SourceKind::Rust,
                text: "fn a() {}".to_owned(),
                lines: LineIndex::new("fn a() {}"),
                reported: true,
            });
        }
        sources
    }

    fn finding(source: u32, print: &str) -> (Finding, String) {
        let finding = Finding {
            rule: &UNKNOWN_NAME,
            severity: UNKNOWN_NAME.severity,
            confidence: Confidence::High,
            message: "said".to_owned(),
            resource: String::new(),
            span: Span { source: SourceId(source), start: 0, end: 2 },
            labels: Vec::new(),
            witness: Vec::new(),
            fixes: Vec::new(),
            function: String::new(),
            act: String::new(),
        };
        (finding, print.to_owned())
    }

    #[test]
    fn a_baseline_survives_its_file() {
        let baseline = Baseline::of(&[finding(0, "b"), finding(0, "a")], &sources(&["x.rs"]), &[], None);
        assert_eq!(Baseline::parse(&baseline.to_json()), Ok(baseline.clone()));
        assert_eq!(baseline.fingerprints(), HashSet::from(["a", "b"]));
    }

    #[test]
    fn what_this_run_did_not_look_at_is_kept() {
        let earlier = Baseline::of(&[finding(0, "gone"), finding(1, "kept")], &sources(&["x.rs", "y.rs"]), &[], None);
        let now = Baseline::of(&[finding(0, "new")], &sources(&["x.rs"]), &[], Some(earlier));
        assert_eq!(now.fingerprints(), HashSet::from(["new", "kept"]));
        let idle = Baseline::of(&[], &sources(&["x.rs", "y.rs"]), &["unknown-name"], Some(now));
        assert_eq!(idle.fingerprints(), HashSet::from(["new", "kept"]));
    }

    #[test]
    fn what_is_gone_is_told() {
        let baseline = Baseline::of(&[finding(0, "a"), finding(0, "b")], &sources(&["x.rs"]), &[], None);
        assert_eq!(baseline.gone(&HashSet::from(["a".to_owned()])), ["x.rs: unknown-name: said"]);
    }

    #[test]
    fn other_files_are_refused() {
        assert!(Baseline::parse("[]").is_err());
        assert!(Baseline::parse("{\"version\": 1, \"findings\": [{\"rule\": \"x\"}]}").is_err());
        let error = Baseline::parse("{\"version\": 7, \"findings\": []}").unwrap_err();
        assert!(error.contains("version 7"), "{error}");
    }
}
