//! The report for people: code with labels, the steps that break it, what to do.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::ops::Range;

use codespan_reporting::diagnostic::{self, Diagnostic, LabelStyle};
use codespan_reporting::files::{self, Files};
use codespan_reporting::term::termcolor::{Ansi, NoColor, WriteColor};
use codespan_reporting::term::{self, Config};

use crate::clean;
use crate::finding::{Finding, Fix, Label, Role};
use crate::report::{Color, Report, place, words};
use crate::rule::{Confidence, Severity};
use crate::source::{SourceId, Sources};

/// Writes each finding with its code, then what was skipped, then a line that sums up.
pub fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    match report.options.color {
        Color::Never => emit(report, &mut NoColor::new(out)),
        Color::Always => emit(report, &mut Ansi::new(out)),
    }
}

/// One finding as text without colours, for formats that carry one.
pub fn render(report: &Report, finding: &Finding) -> String {
    let listed = Listed::new(report.sources, std::iter::once(finding));
    term::emit_into_string(&Config::default(), &listed, &diagnostic(report, finding)).unwrap_or_default()
}

fn emit(report: &Report, out: &mut dyn WriteColor) -> io::Result<()> {
    let listed = Listed::new(report.sources, report.findings.iter());
    for finding in report.findings {
        let diagnostic = diagnostic(report, finding);
        match term::emit_to_write_style(out, &Config::default(), &listed, &diagnostic) {
            Err(files::Error::Io(error)) => return Err(error),
            Err(other) => return Err(io::Error::other(other.to_string())),
            Ok(()) => {}
        }
    }
    for skipped in report.skipped {
        writeln!(out, "skipped {}: {}", clean::line(&skipped.file), clean::line(&skipped.reason))?;
    }
    writeln!(out, "{}", words::summary(report))
}

fn diagnostic(report: &Report, finding: &Finding) -> Diagnostic<SourceId> {
    let kind = match finding.severity {
        Severity::Note => diagnostic::Severity::Note,
        Severity::Warning => diagnostic::Severity::Warning,
        Severity::Error => diagnostic::Severity::Error,
    };
    let mut out = Diagnostic::new(kind).with_code(finding.rule.name).with_message(clean::line(&finding.message));
    out.labels = labels(report.sources, finding);
    out.notes = notes(report, finding);
    out
}

/// The finding's own span first; a label that says the same place lends it its words.
fn labels(sources: &Sources, finding: &Finding) -> Vec<diagnostic::Label<SourceId>> {
    let own = finding.labels.iter().position(|label| label.span == finding.span);
    let message = own.map_or(String::new(), |index| words(&finding.labels[index]));
    let span = finding.span;
    let mut out = vec![diagnostic::Label::primary(span.source, place::bytes(sources, span)).with_message(message)];
    for (index, label) in finding.labels.iter().enumerate() {
        if Some(index) != own {
            let range = place::bytes(sources, label.span);
            out.push(
                diagnostic::Label::new(LabelStyle::Secondary, label.span.source, range).with_message(words(label)),
            );
        }
    }
    out
}

fn words(label: &Label) -> String {
    let role = match label.role {
        Role::Check => "check",
        Role::Decision => "decision",
        Role::Act => "act",
        Role::Call => "call",
        Role::Guard => "guard",
        Role::Transaction => "transaction",
        Role::Schema => "schema",
        Role::Function => "function",
    };
    match clean::line(&label.message) {
        message if message.is_empty() => role.to_owned(),
        message => format!("{role}: {message}"),
    }
}

fn notes(report: &Report, finding: &Finding) -> Vec<String> {
    let width = report.options.width;
    let mut notes = Vec::new();
    if !finding.witness.is_empty() {
        notes.push(witness(report, finding));
    }
    if let Some(item) = finding.rule.item {
        notes.push(wrap(&format!("checklist {item:?}: {}", item.question()), "", width));
    }
    if finding.confidence != Confidence::High {
        notes.push(format!("confidence: {}", words::confidence(finding.confidence)));
    }
    notes.extend(finding.fixes.iter().enumerate().map(|(index, one)| fix(one, index, width)));
    notes.push(format!("help: racelint explain {}", finding.rule.name));
    notes
}

fn witness(report: &Report, finding: &Finding) -> String {
    let mut lines = vec!["how it breaks:".to_owned()];
    for (step, told) in finding.witness.iter().zip(words::steps(report, finding)) {
        let indent = if step.actor.is_empty() { "    " } else { "" };
        lines.push(wrap(&format!("{indent}{told}"), "       ", report.options.width));
    }
    lines.join("\n")
}

/// The first line says what to do, further lines are code. A bar stands before each, so that no runner reads one that starts with `::` as a command.
fn fix(fix: &Fix, index: usize, width: Option<usize>) -> String {
    let title = clean::block(&fix.title);
    let head = if index == 0 { "fix" } else { "or" };
    let head = format!("{head}{}: {}", words::how(fix.applicability), words::first_line(&fix.title));
    let first = wrap(&head, "  ", width);
    let lines = title.lines().skip(1);
    lines.fold(first, |text, line| format!("{text}\n  | {line}"))
}

/// Breaks a line at spaces where it passes the width; code spans may break too, for they can be longer than any line.
fn wrap(text: &str, indent: &str, width: Option<usize>) -> String {
    // The notes stand behind a gutter of up to six characters.
    let Some(width) = width.map(|width| width.saturating_sub(6).max(40)) else { return text.to_owned() };
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_inclusive(' ') {
        let length = word.trim_end().chars().count();
        // A line that starts with `::` would be a command to a GitHub runner.
        let may_start = !out.trim().is_empty() && length > 0 && !word.starts_with("::");
        if column + length > width && column > indent.len() && may_start {
            out.truncate(out.trim_end().len());
            out.push('\n');
            out.push_str(indent);
            column = indent.len();
        }
        out.push_str(word);
        column += word.chars().count();
    }
    out
}

/// The files that findings name, cleaned for listing.
struct Listed<'a> {
    sources: &'a Sources,
    texts: BTreeMap<SourceId, Cow<'a, str>>,
}

impl<'a> Listed<'a> {
    fn new<'f>(sources: &'a Sources, findings: impl Iterator<Item = &'f Finding>) -> Self {
        let mut texts = BTreeMap::new();
        for finding in findings {
            for span in finding.labels.iter().map(|label| label.span).chain([finding.span]) {
                texts.entry(span.source).or_insert_with(|| clean::listing(&sources.get(span.source).text));
            }
        }
        Listed { sources, texts }
    }
}

impl<'a> Files<'a> for Listed<'_> {
    type FileId = SourceId;
    type Name = Cow<'a, str>;
    type Source = &'a str;

    fn name(&'a self, id: SourceId) -> Result<Self::Name, files::Error> {
        Ok(clean::line(&self.sources.get(id).name))
    }

    fn source(&'a self, id: SourceId) -> Result<&'a str, files::Error> {
        self.texts.get(&id).map(|text| &**text).ok_or(files::Error::FileMissing)
    }

    fn line_index(&'a self, id: SourceId, byte: usize) -> Result<usize, files::Error> {
        let byte = u32::try_from(byte).unwrap_or(u32::MAX);
        Ok(self.sources.get(id).lines.line(byte) as usize - 1)
    }

    fn column_number(&'a self, id: SourceId, _line: usize, byte: usize) -> Result<usize, files::Error> {
        Ok(self.sources.position(id, u32::try_from(byte).unwrap_or(u32::MAX)).column as usize)
    }

    fn line_range(&'a self, id: SourceId, index: usize) -> Result<Range<usize>, files::Error> {
        let file = self.sources.get(id);
        let max = file.lines.lines() as usize;
        if index >= max {
            return Err(files::Error::LineTooLarge { given: index, max });
        }
        let line = index as u32 + 1;
        let start = file.lines.line_range(&file.text, line).start;
        let next = if index + 1 < max { file.lines.line_range(&file.text, line + 1).start } else { file.text.len() };
        Ok(start..next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Format, sample};

    #[test]
    fn a_finding_shows_code_steps_and_cures() {
        let text = sample::Sample::new().render(Format::Human);
        let expected = "\
error[stock-sold-twice]: `items.quantity` is checked, then written
  ┌─ src/cart.rs:7:5
  │
3 │         query(\"SELECT quantity FROM items WHERE id = $1\").bind(id).one(db).await?;
  │         ------------------------------------------------- check: `items.quantity` is read
4 │     if quantity < 1 {
  │        ------------ decision: the decision is taken on the value read
  ·
7 │     query(\"UPDATE items SET quantity = $1\").bind(quantity - 1).run(db).await
  │     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ act: the write does not repeat the check
  │
  ┌─ db/schema.sql:3:3
  │
3 │   quantity BIGINT NOT NULL
  │   ------------------------ schema: no CHECK holds it
  │
  = how it breaks:
     1. A  reads quantity = 1 (src/cart.rs:3)
     2. B  reads quantity = 1 (src/cart.rs:3)
     3. A  sets quantity = 0 (src/cart.rs:7)
     4. B  sets quantity = 0 (src/cart.rs:7)
        result: one item is sold twice
  = checklist C1: Is every check-then-act on shared state atomic: conditional update, lock, or constraint?
  = fix (--fix): repeat the check in the UPDATE
  = or: lock the row:
      | SELECT quantity FROM items WHERE id = $1 FOR UPDATE
  = help: racelint explain stock-sold-twice

";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with("\n1 error, 1 note in 2 files, 3 functions (1 suppressed, 1 file skipped)\n"), "{text}");
        assert!(text.contains("\nskipped src/odd.rs: over 4 MB\n"), "{text}");
    }

    #[test]
    fn colours_come_only_when_asked_for() {
        let sample = sample::Sample::new();
        assert!(!sample.render(Format::Human).contains('\u{1b}'));
        let mut report = sample.report();
        report.options.color = Color::Always;
        assert!(sample::render(&report, Format::Human).contains("\u{1b}["));
    }

    #[test]
    fn the_code_cannot_steer_the_terminal() {
        let mut sample = sample::Sample::new();
        sample.findings[0].message = "\u{1b}]0;x\u{7}".to_owned();
        sample.findings[0].fixes[1].title = "write\n::error::x\u{9b}2J".to_owned();
        let text = sample.render(Format::Human);
        assert!(!text.contains(['\u{1b}', '\u{7}', '\u{9b}']), "{text}");
        assert!(!text.lines().any(|line| line.trim_start().starts_with("::")), "{text}");
    }

    #[test]
    fn long_lines_break_at_spaces() {
        let text = "one two three four five six seven eight nine ten eleven twelve";
        assert_eq!(wrap(text, "  ", Some(46)), "one two three four five six seven eight\n  nine ten eleven twelve");
        assert_eq!(wrap(text, "  ", None), text);
        let long = "x".repeat(90);
        assert_eq!(wrap(&long, "", Some(50)), long);
    }
}
