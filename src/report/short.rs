//! One line a finding, as editors and `grep` like it.

use std::io;

use crate::report::{Report, clean, place};
use crate::rule::Severity;

/// Writes `file:line:column: severity[rule] message` for each finding, then what was skipped.
pub fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    for finding in report.findings {
        let (start, _) = place::range(report.sources, finding.span);
        let file = clean::line(place::name(report, finding.span));
        let (severity, rule) = (severity(finding.severity), finding.rule.name);
        let message = clean::line(&finding.message);
        writeln!(out, "{file}:{}:{}: {severity}[{rule}] {message}", start.line, start.column)?;
    }
    for skipped in report.skipped {
        writeln!(out, "{}: skipped: {}", clean::line(&skipped.file), clean::line(&skipped.reason))?;
    }
    Ok(())
}

/// The word for a severity.
pub fn severity(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

#[cfg(test)]
mod tests {
    use crate::report::{Format, sample};

    #[test]
    fn each_finding_is_a_line() {
        let expected = "src/cart.rs:7:5: error[stock-sold-twice] `items.quantity` is checked, then written\n\
                        src/lib.rs:2:1: note[odd-file] nothing to see\n\
                        src/odd.rs: skipped: over 4 MB\n";
        assert_eq!(sample::Sample::new().render(Format::Short), expected);
    }

    #[test]
    fn a_name_cannot_start_a_line() {
        let mut sample = sample::Sample::new();
        sample.findings[0].message = "`a\n::error::b\u{1b}[0m`".to_owned();
        let text = sample.render(Format::Short);
        assert!(text.contains("`a\\n::error::b\\u{1b}[0m`"), "{text}");
        assert_eq!(text.lines().count(), 3);
    }
}
