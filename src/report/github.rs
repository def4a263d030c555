//! Workflow commands for GitHub Actions, and Markdown for the summary of its step.

use std::io;

use crate::clean;
use crate::finding::Finding;
use crate::report::{Report, markdown, place, words};
use crate::rule::Severity;

/// GitHub shows no more annotations of one kind in a step.
const SHOWN: usize = 10;

/// GitHub shows no page of a step that is larger than 1 MiB; what else the step writes needs some of it.
const PAGE: usize = 900 * 1024;

/// Writes an annotation for each finding that GitHub will show, then a line for each of the rest.
pub fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let mut rest = Vec::new();
    let mut counts = [0; 3];
    for finding in report.findings {
        let count = &mut counts[finding.severity as usize];
        *count += 1;
        if *count <= SHOWN {
            annotate(report, finding, out)?;
        } else {
            rest.push(finding);
        }
    }
    if !rest.is_empty() {
        writeln!(out, "{} that GitHub does not show as annotations:", words::plural(rest.len(), "finding"))?;
    }
    for finding in rest {
        writeln!(out, "- {}", words::line(report, finding))?;
    }
    for skipped in report.skipped {
        let file = clean::line(&skipped.file);
        writeln!(out, "- skipped {file}: {}", clean::line(&skipped.reason))?;
    }
    writeln!(out, "{}", words::summary(report))
}

fn annotate(report: &Report, finding: &Finding, out: &mut dyn io::Write) -> io::Result<()> {
    let command = match finding.severity {
        Severity::Note => "notice",
        Severity::Warning => "warning",
        Severity::Error => "error",
    };
    let (start, end) = place::range(report.sources, finding.span);
    let file = property(&place::from_root(report, place::name(report, finding.span)));
    // A column of an end on another line would be read as one of the first line.
    let end_column = if end.line == start.line { format!(",endColumn={}", end.column) } else { String::new() };
    let title = property(&format!("racelint: {}", finding.rule.name));
    let message = data(&words::told(report, finding));
    writeln!(
        out,
        "::{command} file={file},line={},endLine={},col={}{end_column},title={title}::{message}",
        start.line, end.line, start.column
    )
}

/// The message of a command: its own line ends become `%0A`.
fn data(text: &str) -> String {
    clean::block(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(&clean::line(text)).replace(':', "%3A").replace(',', "%2C")
}

/// Markdown for the file that `GITHUB_STEP_SUMMARY` names: every finding that has room.
pub fn step_summary(report: &Report) -> String {
    let mut out = format!("## racelint\n\n{}\n", words::summary(report));
    if !report.findings.is_empty() {
        out.push_str("\n| severity | rule | where | what |\n|---|---|---|---|\n");
    }
    for (index, finding) in report.findings.iter().enumerate() {
        if out.len() > PAGE {
            out.push_str(&format!("\n{} more\n", words::plural(report.findings.len() - index, "finding")));
            return out;
        }
        let link = markdown::link(report, finding.span);
        let message = markdown::cell(&finding.message);
        out.push_str(&format!(
            "| {} | `{}` | {link} | {message} |\n",
            words::severity(finding.severity),
            finding.rule.name
        ));
    }
    for (index, skipped) in report.skipped.iter().enumerate() {
        let space = if index == 0 { "\n" } else { "" };
        out.push_str(&format!(
            "{space}- skipped {}: {}\n",
            markdown::text(&skipped.file),
            markdown::text(&skipped.reason)
        ));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Format, sample};

    #[test]
    fn a_finding_is_an_annotation() {
        let text = sample::Sample::new().render(Format::Github);
        let expected = "::error file=src/cart.rs,line=7,endLine=7,col=5,endColumn=44,title=racelint%3A stock-sold-twice::\
                        `items.quantity` is checked, then written%0A%0A 1. A  reads quantity = 1 (src/cart.rs:3)%0A";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.contains(
            "%0Aresult: one item is sold twice%0A%0Afix (--fix): repeat the check in the UPDATE%0Aor: lock the row:\n"
        ));
        assert!(text.contains("\n::notice file=src/lib.rs,line=2,"), "{text}");
        assert!(text.contains("\n- skipped src/odd.rs: over 4 MB\n"), "{text}");
    }

    #[test]
    fn what_github_would_drop_is_written_as_lines() {
        let mut sample = sample::Sample::new();
        let first = sample.findings[0].clone();
        sample.findings.splice(0..1, vec![first; 13]);
        let text = sample.render(Format::Github);
        assert_eq!(text.lines().filter(|line| line.starts_with("::error ")).count(), SHOWN);
        assert_eq!(text.lines().filter(|line| line.starts_with("- src/cart.rs:7:5: error[")).count(), 3);
        assert!(text.contains("\n3 findings that GitHub does not show as annotations:\n"), "{text}");
    }

    #[test]
    fn names_can_neither_end_a_property_nor_start_a_command() {
        let mut sample = sample::Sample::new();
        sample.findings[0].message = "100%\n::stop-commands::x\u{1b}[0m ##[add-path]/x".to_owned();
        let text = sample.render(Format::Github);
        assert!(text.contains("::100%25\\n::stop-commands::x\\u{1b}[0m ##(add-path]/x%0A"), "{text}");
        assert_eq!(text.lines().filter(|line| line.starts_with("::")).count(), 2);
        assert_eq!(property("a:b,c%\n"), "a%3Ab%2Cc%25\\n");
    }

    /// How the runner reads a command: the form that GitHub documents, with its escapes taken back.
    struct Command {
        name: String,
        properties: Vec<(String, String)>,
        message: String,
    }

    fn command(line: &str) -> Option<Command> {
        let (head, message) = line.strip_prefix("::")?.split_once("::")?;
        let (name, properties) = head.split_once(' ')?;
        let back = |text: &str| text.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%");
        let properties = properties.split(',').map(|property| {
            let (key, value) = property.split_once('=').unwrap();
            (key.to_owned(), back(&value.replace("%3A", ":").replace("%2C", ",")))
        });
        Some(Command { name: name.to_owned(), properties: properties.collect(), message: back(message) })
    }

    #[test]
    fn the_runner_reads_back_what_was_meant() {
        let mut sample = sample::Sample::new();
        sample.findings[0].message = "100%: a, b::c %0A".to_owned();
        let text = sample.render(Format::Github);
        let Command { name, properties, message } = command(text.lines().next().unwrap()).unwrap();
        assert_eq!(name, "error");
        let keys: Vec<_> = properties.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["file", "line", "endLine", "col", "endColumn", "title"]);
        assert_eq!(properties[0].1, "src/cart.rs");
        assert_eq!(properties[5].1, "racelint: stock-sold-twice");
        assert!(message.starts_with("100%: a, b::c %0A\n"), "{message}");
    }

    #[test]
    fn a_page_that_github_would_not_show_is_cut() {
        let mut sample = sample::Sample::new();
        sample.findings[0].message = "x".repeat(100 * 1024);
        let first = sample.findings[0].clone();
        sample.findings = vec![first; 12];
        let page = step_summary(&sample.report());
        assert!(page.len() < 1024 * 1024 && page.ends_with("\n3 findings more\n"), "{}", page.len());
    }

    #[test]
    fn the_summary_of_the_step_lists_all() {
        let mut sample = sample::Sample::new();
        sample.findings[0].message = "`a|b` <img src=x> @team".to_owned();
        let text = step_summary(&sample.report());
        let row =
            "| error | `stock-sold-twice` | [src/cart.rs:7](src/cart.rs#L7) | `a\\|b` \\<img src=x\\> @\u{200b}team |";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("| note | `odd-file` | [src/lib.rs:2](src/lib.rs#L2) | nothing to see |"), "{text}");
        assert!(text.ends_with("\n- skipped src/odd.rs: over 4 MB\n"), "{text}");
    }
}
