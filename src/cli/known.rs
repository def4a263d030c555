//! Findings that are left out of a run: those of unchanged code, and those that a baseline knows.

use std::collections::HashSet;
use std::path::Path;

use anyhow::{Context, bail};

use super::check::Run;
use super::{Outcome, print};
use crate::baseline::Baseline;
use crate::discover::read_within;
use crate::finding::Finding;
use crate::report::plural;
use crate::rules::ALL;
use crate::source::Sources;
use crate::{Analysis, since};

/// The largest baseline that is read, in bytes: some 200,000 findings.
const LARGEST_BASELINE: u64 = 64 * 1024 * 1024;

/// Leaves the findings that have to do with what changed, where that is asked for.
pub fn leave_out_unchanged(run: &mut Run, sources: &Sources, analysis: &mut Analysis) -> anyhow::Result<()> {
    let changes = match &run.args.filter.since {
        Some(revision) => since::since(&run.here, revision)?,
        None if run.args.filter.staged => since::staged(&run.here)?,
        None => return Ok(()),
    };
    let files = &analysis.outlines;
    let unchanged = analysis.findings.iter().filter(|(finding, _)| !changes.touch(finding, sources, files));
    run.left_out.extend(unchanged.map(|(_, fingerprint)| fingerprint.clone()));
    analysis.findings.retain(|(_, fingerprint)| !run.left_out.contains(fingerprint));
    Ok(())
}

/// Leaves out what the baseline knows and says how much that is.
pub fn leave_out_known(run: &mut Run, analysis: &mut Analysis) -> anyhow::Result<usize> {
    let Some(path) = &run.config.baseline else { return Ok(0) };
    let Some(baseline) = read(path)? else {
        bail!("no baseline at {}; --write-baseline writes it", path.display());
    };
    let known = baseline.fingerprints();
    let met: HashSet<String> = analysis.findings.iter().map(|(_, fingerprint)| fingerprint.clone()).collect();
    analysis.findings.retain(|(_, fingerprint)| !known.contains(fingerprint.as_str()));
    let gone = baseline.gone(&met);
    if !gone.is_empty() && looks_at_everything(run) {
        let what = "of the baseline's findings are gone; --write-baseline takes them out of it:";
        run.note(&format!("{} {what}\n  {}", gone.len(), gone.join("\n  ")));
    }
    run.left_out.extend(known.into_iter().map(str::to_owned));
    Ok(met.len() - analysis.findings.len())
}

/// Whether a finding of the baseline that is not met is gone, and not merely out of sight.
fn looks_at_everything(run: &Run) -> bool {
    let filter = &run.args.filter;
    let whole = run.args.paths.iter().any(|path| run.here.join(path).canonicalize().is_ok_and(|path| path == run.here));
    let selection = &run.args.selection;
    let selected = !selection.select.is_empty() || !selection.ignore.is_empty() || selection.min_confidence.is_some();
    whole && filter.since.is_none() && !filter.staged && !selected
}

/// Writes the findings to the baseline.
pub fn write_baseline(run: &Run, sources: &Sources, findings: &[(Finding, String)]) -> anyhow::Result<Outcome> {
    let path = run.config.baseline.clone().unwrap_or_else(|| run.here.join("racelint-baseline.json"));
    let running = run.config.rules(ALL);
    let idle: Vec<_> =
        ALL.iter().map(|rule| rule.name).filter(|name| running.iter().all(|rule| rule.name != *name)).collect();
    let baseline = Baseline::of(findings, sources, &idle, read(&path)?);
    let written = print::write_file(&path, baseline.to_json().as_bytes());
    written.with_context(|| format!("cannot write {}", path.display()))?;
    run.note(&format!("{} in {}", plural(baseline.len(), "finding"), path.display()));
    Ok(Outcome::Clean)
}

fn read(path: &Path) -> anyhow::Result<Option<Baseline>> {
    let Some(text) = read_within(path, LARGEST_BASELINE) else { return Ok(None) };
    let text = text.map_err(anyhow::Error::msg).with_context(|| format!("cannot read {}", path.display()))?;
    let baseline = Baseline::parse(&text).map_err(anyhow::Error::msg);
    baseline.map(Some).with_context(|| format!("{} is no baseline", path.display()))
}
