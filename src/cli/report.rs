//! The report of `check`: gathered, rendered, and written where it is wanted.

use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{self, Write};

use anyhow::Context;

use super::args::Format;
use super::check::Run;
use super::{paths, print};
use crate::Analysis;
use crate::discover::Inventory;
use crate::finding::Finding;
use crate::report::{self, Report, Summary};
use crate::rules::ALL;

/// Writes the report of a run.
pub fn write(run: &Run, inventory: &Inventory, analysis: Analysis, baselined: usize) -> anyhow::Result<()> {
    if run.args.report.statistics {
        statistics(&analysis.findings);
    }
    let (findings, fingerprints): (Vec<_>, Vec<_>) = analysis.findings.into_iter().unzip();
    let report = Report {
        findings: &findings,
        fingerprints: &fingerprints,
        suppressed: &analysis.suppressed,
        skipped: &analysis.skipped,
        sources: &inventory.sources,
        summary: Summary {
            files: inventory.sources.iter().filter(|(_, source)| source.reported).count(),
            functions: analysis.functions,
            suppressed: analysis.suppressed.len(),
            baselined,
        },
        rules: &run.config.rules(ALL),
        evidence: &analysis.evidence,
        options: options(run),
    };
    let chosen = run.args.report.format.map_or_else(|| usual(run), format);
    let mut text = Vec::new();
    report::write(&report, chosen, &mut text)?;
    if chosen == report::Format::Github {
        summarise(run, &report);
    }
    match &run.args.report.output {
        Some(path) => print::write_file(path, &text).with_context(|| format!("cannot write {}", path.display())),
        None => to_stdout(&text),
    }
}

/// The format where none is asked for: a GitHub workflow's log is read by its runner.
fn usual(run: &Run) -> report::Format {
    let in_workflow = std::env::var_os("GITHUB_ACTIONS").is_some_and(|value| value == "true");
    match in_workflow && run.args.report.output.is_none() {
        true => report::Format::Github,
        false => report::Format::Human,
    }
}

/// Adds the findings to the page that GitHub shows for the step, where it names a file for it. A page that cannot be written fails no check.
fn summarise(run: &Run, report: &Report) {
    let Some(path) = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty()) else { return };
    let page = OpenOptions::new().create(true).append(true).open(&path);
    if let Err(error) = page.and_then(|mut page| page.write_all(report::step_summary(report).as_bytes())) {
        run.note(&format!("cannot write the summary of the step: {error}"));
    }
}

/// A reader that has seen enough, like `head`, changes nothing about the exit code.
fn to_stdout(text: &[u8]) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("cannot write the report"),
        _ => Ok(()),
    }
}

fn options(run: &Run) -> report::Options {
    let to_file = run.args.report.output.is_some();
    report::Options {
        color: print::color(run.args.report.color, to_file),
        width: print::width(to_file),
        directory: run.here.clone(),
        root: paths::repository(&run.here),
        link_base: link_base(),
    }
}

fn format(format: Format) -> report::Format {
    match format {
        Format::Human => report::Format::Human,
        Format::Short => report::Format::Short,
        Format::Json => report::Format::Json,
        Format::Sarif => report::Format::Sarif,
        Format::Github => report::Format::Github,
        Format::Gitlab => report::Format::Gitlab,
        Format::Junit => report::Format::Junit,
        Format::Checklist => report::Format::Checklist,
        Format::Cargo => report::Format::Cargo,
    }
}

/// Where links into the repository lead on a GitHub runner.
fn link_base() -> Option<String> {
    let [server, repository, commit] =
        ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA"].map(|name| std::env::var(name).ok());
    Some(format!("{}/{}/blob/{}/", server?, repository?, commit?))
}

fn statistics(findings: &[(Finding, String)]) {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for (finding, _) in findings {
        *counts.entry(finding.rule.name).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    for (name, count) in counts {
        print::note(&format!("{count:6}  {name}"));
    }
}
