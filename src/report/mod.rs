//! Reports: what a run found, in the nine formats that people and other programs read.
//!
//! Each format has a file and private structs of its own, so that none can bend the [`Finding`] to its needs. Nothing here reads the disk or the
//! environment. Names and text of the analysed code pass through [`crate::clean`] on their way out: they can move no cursor, start no line and give no command.

mod cargo;
mod checklist;
pub mod fingerprint;
mod github;
mod gitlab;
mod human;
mod json;
mod junit;
mod markdown;
mod place;
#[cfg(test)]
mod sample;
mod sarif;
mod short;
mod words;

pub use github::step_summary;
pub use words::plural;

use std::io;
use std::path::PathBuf;

use crate::finding::{Evidence, Finding, Skipped, Suppressed};
use crate::rule::{Rule, Severity};
use crate::source::Sources;

/// The formats of `--format`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Human,
    Short,
    Json,
    Sarif,
    Github,
    Gitlab,
    Junit,
    Checklist,
    /// Messages of rustc as cargo passes them on, which rust-analyzer and bacon read.
    Cargo,
}

/// Whether terminal colours are written. The caller decides; nothing here looks at the terminal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    #[default]
    Never,
    Always,
}

/// How a report is to look.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub color: Color,
    /// The width at which prose is wrapped; none leaves lines as long as they are.
    pub width: Option<usize>,
    /// The directory of the run, absolute.
    pub directory: PathBuf,
    /// The root of the git work tree, absolute; `github`, `gitlab`, `sarif` and `checklist` name files relative to it.
    pub root: Option<PathBuf>,
    /// What stands before the path in links (`https://host/owner/name/blob/main/`); without it, links are relative.
    pub link_base: Option<String>,
}

/// What was looked at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    pub files: usize,
    pub functions: usize,
    /// Findings kept out by comments in the code.
    pub suppressed: usize,
    /// Findings kept out by the baseline.
    pub baselined: usize,
}

/// All that a report is made of.
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// Sorted by file, start, rule.
    pub findings: &'a [Finding],
    /// One for each of `findings`, in their order. They are taken by [`fingerprint::all`] before anything is filtered out, because a fingerprint
    /// counts among its equals.
    pub fingerprints: &'a [String],
    /// What comments in the code keep out; SARIF alone lists these.
    pub suppressed: &'a [Suppressed],
    pub skipped: &'a [Skipped],
    pub sources: &'a Sources,
    pub summary: Summary,
    /// The rules that ran.
    pub rules: &'a [&'static Rule],
    /// Where checklist items are met; the checklist alone lists these.
    pub evidence: &'a [Evidence],
    pub options: Options,
}

impl Report<'_> {
    fn fingerprint(&self, index: usize) -> &str {
        self.fingerprints.get(index).map_or("", String::as_str)
    }

    fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|finding| finding.severity == severity).count()
    }
}

/// Writes a report.
pub fn write(report: &Report, format: Format, out: &mut dyn io::Write) -> io::Result<()> {
    match format {
        Format::Human => human::write(report, out),
        Format::Short => short::write(report, out),
        Format::Json => json::write(report, out),
        Format::Sarif => sarif::write(report, out),
        Format::Github => github::write(report, out),
        Format::Gitlab => gitlab::write(report, out),
        Format::Junit => junit::write(report, out),
        Format::Checklist => checklist::write(report, out),
        Format::Cargo => cargo::write(report, out),
    }
}
