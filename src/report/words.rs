//! What several formats say in the same words.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::clean;
use crate::finding::{Applicability, Finding, Step};
use crate::report::{Report, place};
use crate::rule::{Confidence, Severity};
use crate::source::Span;

/// The word for a severity, which rustc uses too.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

pub fn confidence(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::Low => "low",
        Confidence::Medium => "medium",
        Confidence::High => "high",
    }
}

/// How to have an edit applied; nothing for advice.
pub fn how(applicability: Applicability) -> &'static str {
    match applicability {
        Applicability::Safe => " (--fix)",
        Applicability::Unsafe => " (--fix --unsafe-fixes)",
        Applicability::Advice => "",
    }
}

pub fn plural(count: usize, word: &str) -> String {
    format!("{count} {word}{}", if count == 1 { "" } else { "s" })
}

/// `2 errors, 1 note in 14 files, 90 functions (1 suppressed)`.
pub fn summary(report: &Report) -> String {
    let kinds = [Severity::Error, Severity::Warning, Severity::Note].map(|kind| (report.count(kind), severity(kind)));
    let found: Vec<_> =
        kinds.iter().filter(|(count, _)| *count > 0).map(|(count, word)| plural(*count, word)).collect();
    let found = if found.is_empty() { "no findings".to_owned() } else { found.join(", ") };
    let mut hidden = Vec::new();
    for (count, what) in [(report.summary.suppressed, "suppressed"), (report.summary.baselined, "in the baseline")] {
        if count > 0 {
            hidden.push(format!("{count} {what}"));
        }
    }
    if !report.skipped.is_empty() {
        let files: BTreeSet<_> = report.skipped.iter().map(|skipped| &skipped.file).collect();
        hidden.push(format!("{} skipped", plural(files.len(), "file")));
    }
    let hidden = if hidden.is_empty() { String::new() } else { format!(" ({})", hidden.join(", ")) };
    let (files, functions) = (plural(report.summary.files, "file"), plural(report.summary.functions, "function"));
    format!("{found} in {files}, {functions}{hidden}")
}

/// The steps that break it, numbered, and the sentence that says how it ends. None of the lines starts with words of the code.
pub fn steps(report: &Report, finding: &Finding) -> Vec<String> {
    let mut number = 0;
    let mut line = |step: &Step| {
        let text = clean::line(&step.text);
        let place = step.span.map_or(String::new(), |span| format!(" ({})", file_line(report, span)));
        if step.actor.is_empty() {
            return format!("result: {text}{place}");
        }
        number += 1;
        format!("{number:>2}. {}  {text}{place}", step.actor)
    };
    finding.witness.iter().map(&mut line).collect()
}

/// The first line of a cure's title; the lines after it are code.
pub fn first_line(title: &str) -> Cow<'_, str> {
    clean::line(title.lines().next().unwrap_or_default())
}

fn file_line(report: &Report, span: Span) -> String {
    format!("{}:{}", clean::line(place::name(report, span)), report.sources.line(span))
}

/// `file:line:column: severity[rule] message`.
pub fn line(report: &Report, finding: &Finding) -> String {
    let (start, _) = place::range(report.sources, finding.span);
    let file = clean::line(place::name(report, finding.span));
    let (severity, rule) = (severity(finding.severity), finding.rule.name);
    format!("{file}:{}:{}: {severity}[{rule}] {}", start.line, start.column, clean::line(&finding.message))
}

/// A finding told without code: the message, the steps, the cures.
pub fn told(report: &Report, finding: &Finding) -> String {
    let mut lines = vec![clean::line(&finding.message).into_owned()];
    if !finding.witness.is_empty() {
        lines.push(String::new());
        lines.extend(steps(report, finding));
    }
    for (index, fix) in finding.fixes.iter().enumerate() {
        if index == 0 {
            lines.push(String::new());
        }
        let head = if index == 0 { "fix" } else { "or" };
        lines.push(format!("{head}{}: {}", how(fix.applicability), first_line(&fix.title)));
    }
    lines.join("\n")
}
