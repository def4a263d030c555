//! JSON, version 1 of its schema: the format that other programs should read.

use std::io;

use serde::Serialize;

use crate::clean;
use crate::finding::{Applicability, Finding, Fix, Label, Role, Step};
use crate::report::{Report, place};
use crate::rule::{Confidence, Group, Item, Severity};
use crate::source::{Position, Span};

#[derive(Serialize)]
struct Document<'a> {
    schema_version: u32,
    tool: Tool,
    findings: Vec<JsonFinding<'a>>,
    skipped: Vec<JsonSkipped<'a>>,
    summary: JsonSummary,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct JsonFinding<'a> {
    rule: &'a str,
    group: Group,
    severity: Severity,
    confidence: Confidence,
    message: &'a str,
    resource: &'a str,
    checklist: Vec<Item>,
    file: &'a str,
    span: JsonSpan,
    labels: Vec<JsonLabel<'a>>,
    witness: Vec<JsonStep<'a>>,
    fixes: Vec<JsonFix<'a>>,
    fingerprint: &'a str,
}

#[derive(Serialize)]
struct JsonSpan {
    start: Position,
    end: Position,
}

#[derive(Serialize)]
struct JsonLabel<'a> {
    role: Role,
    file: &'a str,
    span: JsonSpan,
    message: &'a str,
}

/// A step that happens nowhere in particular has neither file nor line.
#[derive(Serialize)]
struct JsonStep<'a> {
    actor: &'a str,
    text: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
}

#[derive(Serialize)]
struct JsonFix<'a> {
    title: &'a str,
    applicability: Applicability,
    edits: Vec<JsonEdit<'a>>,
}

#[derive(Serialize)]
struct JsonEdit<'a> {
    file: &'a str,
    start: u32,
    end: u32,
    text: &'a str,
}

#[derive(Serialize)]
struct JsonSkipped<'a> {
    file: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct JsonSummary {
    files: usize,
    functions: usize,
    findings: usize,
    suppressed: usize,
    by_severity: BySeverity,
}

#[derive(Serialize)]
struct BySeverity {
    error: usize,
    warning: usize,
    note: usize,
}

/// Writes the report as one JSON object.
pub fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let text = serde_json::to_string_pretty(&document(report))?;
    writeln!(out, "{}", clean::json(text))
}

fn document<'a>(report: &'a Report) -> Document<'a> {
    let findings = report.findings.iter().enumerate();
    Document {
        schema_version: 1,
        tool: Tool { name: "racelint", version: env!("CARGO_PKG_VERSION") },
        findings: findings.map(|(index, found)| finding(report, found, report.fingerprint(index))).collect(),
        skipped: report.skipped.iter().map(|s| JsonSkipped { file: &s.file, reason: &s.reason }).collect(),
        summary: JsonSummary {
            files: report.summary.files,
            functions: report.summary.functions,
            findings: report.findings.len(),
            suppressed: report.summary.suppressed,
            by_severity: BySeverity {
                error: report.count(Severity::Error),
                warning: report.count(Severity::Warning),
                note: report.count(Severity::Note),
            },
        },
    }
}

fn finding<'a>(report: &'a Report, found: &'a Finding, fingerprint: &'a str) -> JsonFinding<'a> {
    JsonFinding {
        rule: found.rule.name,
        group: found.rule.group,
        severity: found.severity,
        confidence: found.confidence,
        message: &found.message,
        resource: &found.resource,
        checklist: found.rule.item.into_iter().collect(),
        file: place::name(report, found.span),
        span: span(report, found.span),
        labels: found.labels.iter().map(|one| label(report, one)).collect(),
        witness: found.witness.iter().map(|one| step(report, one)).collect(),
        fixes: found.fixes.iter().map(|one| fix(report, one)).collect(),
        fingerprint,
    }
}

fn span(report: &Report, span: Span) -> JsonSpan {
    let (start, end) = place::range(report.sources, span);
    JsonSpan { start, end }
}

fn label<'a>(report: &'a Report, one: &'a Label) -> JsonLabel<'a> {
    JsonLabel {
        role: one.role,
        file: place::name(report, one.span),
        span: span(report, one.span),
        message: &one.message,
    }
}

fn step<'a>(report: &'a Report, one: &'a Step) -> JsonStep<'a> {
    JsonStep {
        actor: one.actor,
        text: &one.text,
        file: one.span.map(|span| place::name(report, span)),
        line: one.span.map(|span| report.sources.line(span)),
    }
}

fn fix<'a>(report: &'a Report, one: &'a Fix) -> JsonFix<'a> {
    let edits = one.edits.iter().map(|edit| JsonEdit {
        file: place::name(report, edit.span),
        start: edit.span.start,
        end: edit.span.end,
        text: &edit.text,
    });
    JsonFix { title: &one.title, applicability: one.applicability, edits: edits.collect() }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::report::{Format, sample};

    fn rendered(sample: &sample::Sample) -> Value {
        serde_json::from_str(&sample.render(Format::Json)).unwrap()
    }

    #[test]
    fn the_document_keeps_its_contract() {
        let value = rendered(&sample::Sample::new());
        let keys: Vec<_> = value.as_object().unwrap().keys().collect();
        assert_eq!(keys, ["schema_version", "tool", "findings", "skipped", "summary"]);
        assert_eq!(value["tool"], json!({"name": "racelint", "version": env!("CARGO_PKG_VERSION")}));
        assert_eq!(value["skipped"], json!([{"file": "src/odd.rs", "reason": "over 4 MB"}]));
        assert_eq!(
            value["summary"],
            json!({"files": 2, "functions": 3, "findings": 2, "suppressed": 1, "by_severity": {"error": 1, "warning": 0, "note": 1}})
        );
    }

    #[test]
    fn a_finding_keeps_its_contract() {
        let sample = sample::Sample::new();
        let value = rendered(&sample);
        let first = value["findings"][0].as_object().unwrap();
        let keys =
            "rule group severity confidence message resource checklist file span labels witness fixes fingerprint";
        assert_eq!(first.keys().map(String::as_str).collect::<Vec<_>>(), keys.split(' ').collect::<Vec<_>>());
        assert_eq!(first["group"], "database");
        assert_eq!(first["checklist"], json!(["C1"]));
        assert_eq!(
            first["span"],
            json!({"start": {"line": 7, "column": 5, "byte": 229}, "end": {"line": 7, "column": 44, "byte": 268}})
        );
        assert_eq!(first["labels"][0]["role"], "check");
        assert_eq!(
            first["witness"][0],
            json!({"actor": "A", "text": "reads quantity = 1", "file": "src/cart.rs", "line": 3})
        );
        assert_eq!(first["fixes"][0]["applicability"], "safe");
        assert_eq!(first["fixes"][0]["edits"][0]["file"], "src/cart.rs");
        assert_eq!(first["fingerprint"].as_str().unwrap().len(), 32);
    }

    #[test]
    fn empty_lists_are_written() {
        let value = rendered(&sample::Sample::new());
        let last = &value["findings"][1];
        for key in ["labels", "witness", "fixes", "checklist"] {
            assert_eq!(last[key], json!([]), "{key}");
        }
        assert_eq!(last["resource"], "");
    }
}
