//! One line a finding, as editors and `grep` like it.

use std::io;

use crate::clean;
use crate::report::{Report, words};

/// Writes `file:line:column: severity[rule] message` for each finding, then what was skipped.
pub fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    for finding in report.findings {
        writeln!(out, "{}", words::line(report, finding))?;
    }
    for skipped in report.skipped {
        writeln!(out, "{}: skipped: {}", clean::line(&skipped.file), clean::line(&skipped.reason))?;
    }
    Ok(())
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
