//! rustc's JSON messages inside cargo's: one `compiler-message` a finding, as `cargo check --message-format json` prints them.

use std::io;

use serde::Serialize;

use crate::clean;
use crate::finding::{Applicability, Finding, Fix};
use crate::report::{Report, human, place, words};
use crate::rule::Severity;
use crate::source::Span;

#[derive(Serialize)]
struct Message<'a> {
    reason: &'static str,
    package_id: String,
    manifest_path: String,
    target: Target<'a>,
    message: Diagnostic,
}

/// The format wants the target that was built. None was, so the crate is the one that the finding's function names.
#[derive(Serialize)]
struct Target<'a> {
    kind: [&'static str; 1],
    crate_types: [&'static str; 1],
    name: &'a str,
    src_path: String,
    edition: &'static str,
    doc: bool,
    doctest: bool,
    test: bool,
}

#[derive(Serialize)]
struct Diagnostic {
    rendered: Option<String>,
    #[serde(rename = "$message_type")]
    message_type: &'static str,
    children: Vec<Diagnostic>,
    level: &'static str,
    message: String,
    spans: Vec<DiagnosticSpan>,
    code: Option<Code>,
}

#[derive(Serialize)]
struct Code {
    code: String,
    /// rustc's texts stand here; rust-analyzer reads none of other tools.
    explanation: Option<()>,
}

#[derive(Serialize)]
struct DiagnosticSpan {
    file_name: String,
    byte_start: u32,
    byte_end: u32,
    line_start: u32,
    line_end: u32,
    column_start: u32,
    column_end: u32,
    is_primary: bool,
    text: Vec<Line>,
    label: Option<String>,
    suggested_replacement: Option<String>,
    suggestion_applicability: Option<&'static str>,
    expansion: Option<()>,
}

#[derive(Serialize)]
struct Line {
    text: String,
    highlight_start: u32,
    highlight_end: u32,
}

#[derive(Serialize)]
struct Finished {
    reason: &'static str,
    success: bool,
}

/// Writes one line of JSON for each finding and each skipped file, and the line that ends a build.
pub fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    for finding in report.findings {
        let file = report.sources.get(finding.span.source);
        let name = finding.function.split("::").next().filter(|name| !name.is_empty()).unwrap_or("racelint");
        line(&message(report, name, &file.name, diagnostic(report, finding)), out)?;
    }
    for skipped in report.skipped {
        let text = format!("{} was not looked at: {}", clean::line(&skipped.file), clean::line(&skipped.reason));
        let told = Diagnostic { rendered: Some(format!("note: {text}\n\n")), ..bare("note", text) };
        line(&message(report, "racelint", &skipped.file, told), out)?;
    }
    line(&Finished { reason: "build-finished", success: report.count(Severity::Error) == 0 }, out)
}

fn line(value: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    writeln!(out, "{}", clean::json(serde_json::to_string(value)?))
}

fn message<'a>(report: &Report, name: &'a str, file: &str, message: Diagnostic) -> Message<'a> {
    let directory = report.options.directory.to_string_lossy().into_owned();
    Message {
        reason: "compiler-message",
        package_id: format!("path+file://{directory}#{name}@0.0.0"),
        manifest_path: report.options.directory.join("Cargo.toml").to_string_lossy().into_owned(),
        target: Target {
            kind: ["lib"],
            crate_types: ["lib"],
            name,
            src_path: report.options.directory.join(file).to_string_lossy().into_owned(),
            edition: "2024",
            doc: true,
            doctest: true,
            test: true,
        },
        message,
    }
}

fn diagnostic(report: &Report, finding: &Finding) -> Diagnostic {
    let mut spans = vec![span(report, finding.span)];
    let own = finding.labels.iter().find(|label| label.span == finding.span);
    spans[0].is_primary = true;
    spans[0].label = own.map(|label| clean::line(&label.message).into_owned());
    for label in finding.labels.iter().filter(|label| label.span != finding.span) {
        let message = clean::line(&label.message).into_owned();
        spans.push(DiagnosticSpan { label: Some(message), ..span(report, label.span) });
    }
    let mut children: Vec<_> = words::steps(report, finding).into_iter().map(|step| bare("note", step)).collect();
    children.extend(finding.fixes.iter().map(|fix| help(report, fix)));
    children.push(bare("help", format!("racelint explain {}", finding.rule.name)));
    Diagnostic {
        rendered: Some(human::render(report, finding)),
        children,
        spans,
        code: Some(Code { code: format!("racelint::{}", finding.rule.name), explanation: None }),
        ..bare(words::severity(finding.severity), clean::line(&finding.message).into_owned())
    }
}

/// A cure: its edits are suggestions that editors offer to apply.
fn help(report: &Report, fix: &Fix) -> Diagnostic {
    let applicability = match fix.applicability {
        Applicability::Safe => "MachineApplicable",
        Applicability::Unsafe | Applicability::Advice => "MaybeIncorrect",
    };
    let spans = fix.edits.iter().map(|edit| DiagnosticSpan {
        is_primary: true,
        suggested_replacement: Some(edit.text.clone()),
        suggestion_applicability: Some(applicability),
        ..span(report, edit.span)
    });
    Diagnostic { spans: spans.collect(), ..bare("help", clean::block(&fix.title).into_owned()) }
}

fn bare(level: &'static str, message: String) -> Diagnostic {
    Diagnostic {
        rendered: None,
        message_type: "diagnostic",
        children: Vec::new(),
        level,
        message,
        spans: Vec::new(),
        code: None,
    }
}

fn span(report: &Report, span: Span) -> DiagnosticSpan {
    let (start, end) = place::range(report.sources, span);
    let file = report.sources.get(span.source);
    let text = (start.line..=end.line).map(|number| {
        let range = file.lines.line_range(&file.text, number);
        let text = &file.text[range];
        let whole = text.chars().count() as u32 + 1;
        Line {
            text: clean::listing(text).into_owned(),
            highlight_start: if number == start.line { start.column } else { 1 },
            highlight_end: if number == end.line { end.column } else { whole },
        }
    });
    DiagnosticSpan {
        file_name: file.name.clone(),
        byte_start: start.byte,
        byte_end: end.byte,
        line_start: start.line,
        line_end: end.line,
        column_start: start.column,
        column_end: end.column,
        is_primary: false,
        text: text.collect(),
        label: None,
        suggested_replacement: None,
        suggestion_applicability: None,
        expansion: None,
    }
}

#[cfg(test)]
mod tests {
    use cargo_metadata::Message;
    use cargo_metadata::diagnostic::{Applicability, DiagnosticLevel};

    use crate::report::{Format, sample};

    fn messages(sample: &sample::Sample) -> Vec<Message> {
        let text = sample.render(Format::Cargo);
        Message::parse_stream(text.as_bytes()).map(|message| message.unwrap()).collect()
    }

    #[test]
    fn cargo_metadata_reads_the_messages() {
        let messages = messages(&sample::Sample::new());
        assert_eq!(messages.len(), 4);
        let Message::CompilerMessage(first) = &messages[0] else { panic!("{messages:?}") };
        assert_eq!(first.target.name, "shop");
        assert_eq!(first.message.level, DiagnosticLevel::Error);
        assert_eq!(first.message.code.as_ref().unwrap().code, "racelint::stock-sold-twice");
        assert!(first.message.rendered.as_ref().unwrap().starts_with("error[stock-sold-twice]: "));
        let Message::BuildFinished(last) = &messages[3] else { panic!("{messages:?}") };
        assert!(!last.success);
    }

    #[test]
    fn spans_and_suggestions_are_as_rustc_has_them() {
        let messages = messages(&sample::Sample::new());
        let Message::CompilerMessage(first) = &messages[0] else { panic!("{messages:?}") };
        let spans = &first.message.spans;
        assert_eq!(spans.iter().filter(|span| span.is_primary).count(), 1);
        let own = &spans[0];
        assert_eq!((own.line_start, own.column_start, own.column_end), (7, 5, 44));
        assert_eq!((own.text[0].highlight_start, own.text[0].highlight_end), (5, 44));
        assert_eq!(spans.last().unwrap().file_name, "db/schema.sql");
        let suggested: Vec<_> = first.message.children.iter().flat_map(|child| &child.spans).collect();
        assert_eq!(suggested.len(), 1);
        assert_eq!(suggested[0].suggestion_applicability, Some(Applicability::MachineApplicable));
        assert!(suggested[0].suggested_replacement.as_ref().unwrap().contains("quantity - 1"));
    }
}
