//! The review checklist as Markdown for a pull request: what is violated, what is satisfied and by what, what does not apply.

use std::io;

use crate::finding::{Evidence, Finding};
use crate::report::{Report, markdown, words};
use crate::rule::Item;

/// A pull request comment holds 65,536 characters; past this many lines nobody reads on.
const VIOLATIONS: usize = 50;
const EVIDENCE: usize = 5;

/// Writes the seven items.
pub fn write(report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
    let items = Item::ALL.map(|item| Answer::new(report, item));
    let count = |state: State| items.iter().filter(|answer| answer.state() == state).count();
    writeln!(out, "## Race checklist\n")?;
    writeln!(
        out,
        "{} violated, {} satisfied, {} not applicable. {}.\n",
        count(State::Violated),
        count(State::Satisfied),
        count(State::NotApplicable),
        words::summary(report)
    )?;
    for answer in &items {
        answer.write(report, out)?;
    }
    if !report.skipped.is_empty() {
        writeln!(out, "\nNot looked at:\n")?;
    }
    for skipped in report.skipped {
        writeln!(out, "- {}: {}", markdown::text(&skipped.file), markdown::text(&skipped.reason))?;
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Violated,
    Satisfied,
    NotApplicable,
}

struct Answer<'a> {
    item: Item,
    violations: Vec<&'a Finding>,
    evidence: Vec<&'a Evidence>,
}

impl<'a> Answer<'a> {
    fn new(report: &Report<'a>, item: Item) -> Self {
        Answer {
            item,
            violations: report.findings.iter().filter(|finding| finding.rule.item == Some(item)).collect(),
            evidence: report.evidence.iter().filter(|evidence| evidence.item == item).collect(),
        }
    }

    fn state(&self) -> State {
        match (self.violations.is_empty(), self.evidence.is_empty()) {
            (false, _) => State::Violated,
            (true, false) => State::Satisfied,
            (true, true) => State::NotApplicable,
        }
    }

    fn write(&self, report: &Report, out: &mut dyn io::Write) -> io::Result<()> {
        let (mark, verdict) = match self.state() {
            State::Violated => ("- [ ]", "violated"),
            State::Satisfied => ("- [x]", "satisfied"),
            State::NotApplicable => ("-", "not applicable"),
        };
        writeln!(out, "{mark} **{:?}** {} **{verdict}**", self.item, self.item.question())?;
        for finding in self.violations.iter().take(VIOLATIONS) {
            let link = markdown::link(report, finding.span);
            let advisory = if finding.rule.advisory { ", advisory" } else { "" };
            writeln!(
                out,
                "  - {link} {} (`{}`, {}{advisory})",
                markdown::text(&finding.message),
                finding.rule.name,
                words::severity(finding.severity)
            )?;
        }
        rest(self.violations.len(), VIOLATIONS, out)?;
        for evidence in self.evidence.iter().take(EVIDENCE) {
            writeln!(
                out,
                "  - {} satisfied: {}",
                markdown::link(report, evidence.span),
                markdown::text(&evidence.text)
            )?;
        }
        rest(self.evidence.len(), EVIDENCE, out)
    }
}

fn rest(all: usize, shown: usize, out: &mut dyn io::Write) -> io::Result<()> {
    if all > shown { writeln!(out, "  - and {} more", all - shown) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use crate::report::{Format, sample};

    #[test]
    fn each_item_is_answered() {
        let text = sample::Sample::new().render(Format::Checklist);
        let lines: Vec<_> = text.lines().collect();
        assert!(
            lines[2].starts_with("1 violated, 1 satisfied, 5 not applicable. 1 error, 1 note in 2 files"),
            "{text}"
        );
        assert_eq!(
            lines[4],
            "- [ ] **C1** Is every check-then-act on shared state atomic: conditional update, lock, or constraint? **violated**"
        );
        assert_eq!(
            lines[5],
            "  - [src/cart.rs:7](src/cart.rs#L7) `items.quantity` is checked, then written (`stock-sold-twice`, error)"
        );
        assert!(lines[6].starts_with("- **C2** ") && lines[6].ends_with(" **not applicable**"), "{text}");
        assert!(lines[10].starts_with("- [x] **C6** "), "{text}");
        assert_eq!(
            lines[11],
            "  - [src/cart.rs:3](src/cart.rs#L3) satisfied: `items` is read and written in one transaction"
        );
        assert!(text.ends_with("Not looked at:\n\n- src/odd.rs: over 4 MB\n"), "{text}");
    }

    #[test]
    fn links_lead_to_the_commit_where_it_is_known() {
        let sample = sample::Sample::new();
        let mut report = sample.report();
        report.options.directory = "/work/shop/api".into();
        report.options.root = Some("/work/shop".into());
        report.options.link_base = Some("https://example.org/shop/blob/main/".to_owned());
        let text = sample::render(&report, Format::Checklist);
        assert!(text.contains("[src/cart.rs:7](https://example.org/shop/blob/main/api/src/cart.rs#L7)"), "{text}");
    }

    #[test]
    fn long_lists_are_cut() {
        let mut sample = sample::Sample::new();
        sample.evidence = vec![sample.evidence[0].clone(); 8];
        assert!(sample.render(Format::Checklist).contains("\n  - and 3 more\n"));
    }
}
