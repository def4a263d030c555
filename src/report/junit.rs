//! JUnit XML: a suite for each file that has findings, a failed case for each warning and error.

use std::fmt::Write;
use std::io;

use crate::clean;
use crate::finding::Finding;
use crate::report::{Report, place, words};
use crate::rule::Severity;

/// Writes the suites. Where nothing was found there is one passed case, because readers take an empty report for a broken one.
pub fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let suites = suites(report);
    let failures = report.count(Severity::Error) + report.count(Severity::Warning);
    let tests = (report.findings.len() + report.skipped.len()).max(1);
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<testsuites name=\"racelint\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\">")?;
    for (file, findings) in suites {
        out.write_all(suite(report, file, &findings).as_bytes())?;
    }
    out.write_all(skipped(report).as_bytes())?;
    if report.findings.is_empty() && report.skipped.is_empty() {
        let text = "<testsuite name=\"racelint\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\">\n    <testcase name=\"no findings\" classname=\"racelint\"/>";
        writeln!(out, "  {text}\n  </testsuite>")?;
    }
    writeln!(out, "</testsuites>")
}

/// The findings of each file; they come sorted by file.
fn suites<'a>(report: &Report<'a>) -> Vec<(&'a str, Vec<&'a Finding>)> {
    let mut suites: Vec<(&str, Vec<&Finding>)> = Vec::new();
    for finding in report.findings {
        let file = place::name(report, finding.span);
        match suites.last_mut() {
            Some((last, findings)) if *last == file => findings.push(finding),
            _ => suites.push((file, vec![finding])),
        }
    }
    suites
}

fn suite(report: &Report, file: &str, findings: &[&Finding]) -> String {
    let file = escape(file);
    let failures = findings.iter().filter(|finding| finding.severity > Severity::Note).count();
    let tests = findings.len();
    let mut out =
        format!("  <testsuite name=\"{file}\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">\n");
    for finding in findings {
        case(report, &file, finding, &mut out);
    }
    out.push_str("  </testsuite>\n");
    out
}

fn case(report: &Report, file: &str, finding: &Finding, out: &mut String) {
    let (start, _) = place::range(report.sources, finding.span);
    let (rule, line, column) = (finding.rule.name, start.line, start.column);
    let owner = if finding.function.is_empty() { file.to_owned() } else { escape(&finding.function) };
    let told = markup(&words::told(report, finding));
    // Writing to a string cannot fail.
    let _ = writeln!(
        out,
        "    <testcase name=\"{rule} at {line}:{column}\" classname=\"{owner}\" file=\"{file}\" line=\"{line}\">"
    );
    let _ = match finding.severity {
        Severity::Note => writeln!(out, "      <system-out>{told}</system-out>"),
        kind => writeln!(
            out,
            "      <failure type=\"{}\" message=\"{}\">{told}</failure>",
            words::severity(kind),
            escape(&finding.message)
        ),
    };
    out.push_str("    </testcase>\n");
}

fn skipped(report: &Report) -> String {
    let count = report.skipped.len();
    if count == 0 {
        return String::new();
    }
    let mut out = format!(
        "  <testsuite name=\"not looked at\" tests=\"{count}\" failures=\"0\" errors=\"0\" skipped=\"{count}\">\n"
    );
    for skipped in report.skipped {
        let (file, reason) = (escape(&skipped.file), escape(&skipped.reason));
        out.push_str(&format!(
            "    <testcase name=\"{file}\" classname=\"{file}\"><skipped message=\"{reason}\"/></testcase>\n"
        ));
    }
    out.push_str("  </testsuite>\n");
    out
}

/// An attribute: one line.
fn escape(text: &str) -> String {
    markup(&clean::line(text))
}

/// XML 1.0 has no way at all to write most control characters; `clean` leaves none of them.
fn markup(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use roxmltree::Document;

    use crate::report::{Format, sample};

    #[test]
    fn suites_and_cases_agree_with_their_counts() {
        let text = sample::Sample::new().render(Format::Junit);
        let xml = Document::parse(&text).unwrap();
        let all = xml.root_element();
        assert_eq!((all.attribute("tests"), all.attribute("failures")), (Some("3"), Some("1")));
        for suite in all.children().filter(|node| node.is_element()) {
            let count = |name: &str| suite.descendants().filter(|node| node.has_tag_name(name)).count().to_string();
            assert_eq!(suite.attribute("tests"), Some(&*count("testcase")));
            assert_eq!(suite.attribute("failures"), Some(&*count("failure")));
            assert_eq!(suite.attribute("skipped"), Some(&*count("skipped")));
        }
        let case = xml.descendants().find(|node| node.has_tag_name("testcase")).unwrap();
        assert_eq!(case.attribute("name"), Some("stock-sold-twice at 7:5"));
        assert_eq!((case.attribute("file"), case.attribute("line")), (Some("src/cart.rs"), Some("7")));
        let failure = case.first_element_child().unwrap();
        assert_eq!(failure.attribute("message"), Some("`items.quantity` is checked, then written"));
        assert!(failure.text().unwrap().contains("\n 1. A  reads quantity = 1 (src/cart.rs:3)\n"));
    }

    #[test]
    fn markup_and_control_characters_are_told_not_obeyed() {
        let mut sample = sample::Sample::new();
        sample.findings[0].message = "]]></failure>&\"'\u{0}\u{1b}\u{ffff}".to_owned();
        let text = sample.render(Format::Junit);
        let xml = Document::parse(&text).unwrap();
        let failure = xml.descendants().find(|node| node.has_tag_name("failure")).unwrap();
        assert_eq!(failure.attribute("message"), Some("]]></failure>&\"'\\u{0}\\u{1b}\u{fffd}"));
    }

    #[test]
    fn nothing_found_is_a_passed_case() {
        let mut sample = sample::Sample::new();
        (sample.findings, sample.skipped) = (vec![], vec![]);
        let text = sample.render(Format::Junit);
        let xml = Document::parse(&text).unwrap();
        assert_eq!(xml.descendants().filter(|node| node.has_tag_name("testcase")).count(), 1);
        assert_eq!(xml.root_element().attribute("tests"), Some("1"));
    }
}
