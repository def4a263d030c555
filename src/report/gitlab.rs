//! The code quality report that GitLab shows in merge requests.

use std::io;

use serde::Serialize;

use crate::clean;
use crate::report::{Report, place, words};
use crate::rule::Severity;

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'a str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// Writes a JSON array. GitLab has no place for what could not be read, so that is an issue of the lowest severity.
pub fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let mut issues: Vec<Issue> = Vec::new();
    for (index, finding) in report.findings.iter().enumerate() {
        let (start, end) = place::range(report.sources, finding.span);
        issues.push(Issue {
            description: clean::line(&finding.message).into_owned(),
            check_name: finding.rule.name,
            fingerprint: report.fingerprint(index).to_owned(),
            severity: severity(finding.severity),
            location: Location {
                path: place::from_root(report, place::name(report, finding.span)),
                lines: Lines { begin: start.line, end: end.line },
            },
        });
    }
    for skipped in report.skipped {
        issues.push(Issue {
            description: format!("not looked at: {}", clean::line(&skipped.reason)),
            check_name: "skipped",
            fingerprint: format!("skipped {} {}", words::first_line(&skipped.file), words::first_line(&skipped.reason)),
            severity: "info",
            location: Location { path: place::from_root(report, &skipped.file), lines: Lines { begin: 1, end: 1 } },
        });
    }
    let text = serde_json::to_string_pretty(&issues)?;
    writeln!(out, "{}", clean::json(text))
}

fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "info",
        Severity::Warning => "major",
        Severity::Error => "critical",
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::report::{Format, sample};

    #[test]
    fn each_finding_is_an_issue() {
        let sample = sample::Sample::new();
        let issues: Vec<Value> = serde_json::from_str(&sample.render(Format::Gitlab)).unwrap();
        assert_eq!(issues.len(), 3);
        assert_eq!(
            issues[0],
            json!({
                "description": "`items.quantity` is checked, then written",
                "check_name": "stock-sold-twice",
                "fingerprint": sample.fingerprints[0],
                "severity": "critical",
                "location": {"path": "src/cart.rs", "lines": {"begin": 7, "end": 7}},
            })
        );
        assert_eq!(issues[1]["severity"], "info");
        assert_eq!(issues[2]["location"]["path"], "src/odd.rs");
    }
}
