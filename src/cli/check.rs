//! `check`: looks, settles what is reported, writes the report.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::Outcome;
use super::args::{CheckArgs, Format};
use super::{paths, print};
use crate::baseline::Baseline;
use crate::config::Config;
use crate::discover::{self, Inventory, Overlay, Request};
use crate::finding::Finding;
use crate::models::Models;
use crate::report::{self, Report};
use crate::rules::ALL;
use crate::source::Sources;
use crate::{Analysis, since, suppress};

/// Runs `racelint check`.
pub fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let here = paths::here()?;
    let config = paths::config(args, &here)?;
    let models = models(&config)?;
    let inventory = discover::discover(&request(args, &here, &config)?)?;
    if inventory.sources.is_empty() && !args.report.quiet {
        print::note("no Rust source under the given paths");
    }
    let mut analysis = crate::check(&inventory, &models, &config, jobs(args));
    keep_changed(args, &here, &inventory, &mut analysis)?;
    if args.change.add_suppressions {
        return add_suppressions(args, &inventory.sources, analysis.findings);
    }
    if args.filter.write_baseline {
        return write_baseline(args, &here, &config, &inventory.sources, &analysis.findings);
    }
    let baselined = leave_out_known(args, &config, &mut analysis)?;
    let failed = analysis.findings.iter().any(|(finding, _)| config.fail_on().fails(finding.severity));
    if args.report.statistics {
        statistics(&analysis.findings);
    }
    write_report(args, &here, &config, &inventory, analysis, baselined)?;
    Ok(if failed { Outcome::Findings } else { Outcome::Clean })
}

fn request(args: &CheckArgs, here: &Path, config: &Config) -> anyhow::Result<Request> {
    let mut request = Request::new(here, args.paths.clone());
    request.exclude = config.excludes();
    if args.filter.staged {
        request.overlays = since::staged_texts(here)?;
    }
    if args.paths.iter().any(|path| path.as_os_str() == "-") {
        let Some(name) = &args.run.stdin_filename else {
            bail!("`-` needs --stdin-filename, which says what file it stands for")
        };
        if args.paths.len() > 1 {
            bail!("`-` stands alone");
        }
        request.overlays.push(Overlay { path: name.clone(), text: stdin_text()? });
        request.paths = vec![name.clone()];
    } else if args.run.stdin_filename.is_some() {
        bail!("--stdin-filename goes with the path `-`");
    }
    Ok(request)
}

fn stdin_text() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
    String::from_utf8(bytes).context("standard input is not UTF-8")
}

/// The built-in rows, or those with the project's own before them.
fn models(config: &Config) -> anyhow::Result<Models> {
    let mut files = Vec::new();
    for path in &config.models {
        let path = config.base.join(path);
        let text = discover::read_text(&path).map_err(anyhow::Error::msg);
        let text = text.with_context(|| format!("cannot read the models of {}", path.display()))?;
        files.push((path.display().to_string(), text));
    }
    Models::with_user(&files).map_err(|errors| {
        let lines: Vec<_> = errors.iter().map(ToString::to_string).collect();
        anyhow::Error::msg(lines.join("\n"))
    })
}

fn jobs(args: &CheckArgs) -> usize {
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    args.run.jobs.map_or_else(cores, usize::from)
}

/// Leaves the findings that have to do with what changed, where that is asked for.
fn keep_changed(args: &CheckArgs, here: &Path, inventory: &Inventory, analysis: &mut Analysis) -> anyhow::Result<()> {
    let changes = match &args.filter.since {
        Some(revision) => since::since(here, revision)?,
        None if args.filter.staged => since::staged(here)?,
        None => return Ok(()),
    };
    let Analysis { findings, files, .. } = analysis;
    findings.retain(|(finding, _)| changes.touch(finding, &inventory.sources, files));
    Ok(())
}

/// Takes out what the baseline knows and says how much that is.
fn leave_out_known(args: &CheckArgs, config: &Config, analysis: &mut Analysis) -> anyhow::Result<usize> {
    let Some(path) = &config.baseline else { return Ok(0) };
    let Some(baseline) = read_baseline(path)? else {
        bail!("no baseline at {}; --write-baseline writes it", path.display());
    };
    let known = baseline.fingerprints();
    let before = analysis.findings.len();
    analysis.findings.retain(|(_, fingerprint)| !known.contains(fingerprint.as_str()));
    let baselined = before - analysis.findings.len();
    if baselined < baseline.len() && reports_on_everything(args) && !args.report.quiet {
        let gone = baseline.len() - baselined;
        print::note(&format!("{gone} of the baseline's findings are gone; --write-baseline takes them out of it"));
    }
    Ok(baselined)
}

fn reports_on_everything(args: &CheckArgs) -> bool {
    args.paths == [PathBuf::from(".")]
        && args.filter.since.is_none()
        && !args.filter.staged
        && args.selection.select.is_empty()
}

fn write_baseline(
    args: &CheckArgs,
    here: &Path,
    config: &Config,
    sources: &Sources,
    findings: &[(Finding, String)],
) -> anyhow::Result<Outcome> {
    let path = config.baseline.clone().unwrap_or_else(|| here.join("racelint-baseline.json"));
    let baseline = Baseline::of(findings, sources, read_baseline(&path)?);
    print::write_file(&path, baseline.to_json().as_bytes())
        .with_context(|| format!("cannot write {}", path.display()))?;
    if !args.report.quiet {
        print::note(&format!("{} findings in {}", baseline.len(), path.display()));
    }
    Ok(Outcome::Clean)
}

fn read_baseline(path: &Path) -> anyhow::Result<Option<Baseline>> {
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    let baseline = Baseline::parse(&text).map_err(anyhow::Error::msg);
    baseline.map(Some).with_context(|| format!("{} is no baseline", path.display()))
}

fn add_suppressions(args: &CheckArgs, sources: &Sources, findings: Vec<(Finding, String)>) -> anyhow::Result<Outcome> {
    let reason = args.change.reason.as_deref().unwrap_or_default().trim();
    if reason.is_empty() || reason.contains(['\n', '\r']) {
        bail!("--reason wants one line that says why");
    }
    let findings: Vec<Finding> = findings.into_iter().map(|(finding, _)| finding).collect();
    let additions = suppress::additions(&findings, reason, sources);
    for (source, text) in suppress::with_additions(&additions, sources) {
        let path = &sources.get(source).path;
        print::write_file(path, text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
    }
    if !args.report.quiet {
        print::note(&format!("wrote {} suppressions", additions.len()));
    }
    Ok(Outcome::Clean)
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

fn write_report(
    args: &CheckArgs,
    here: &Path,
    config: &Config,
    inventory: &Inventory,
    analysis: Analysis,
    baselined: usize,
) -> anyhow::Result<()> {
    let (findings, fingerprints): (Vec<_>, Vec<_>) = analysis.findings.into_iter().unzip();
    let to_file = args.report.output.is_some();
    let report = Report {
        findings: &findings,
        fingerprints: &fingerprints,
        suppressed: &analysis.suppressed,
        skipped: &analysis.skipped,
        sources: &inventory.sources,
        summary: report::Summary {
            files: inventory.sources.iter().filter(|(_, source)| source.reported).count(),
            functions: analysis.functions,
            suppressed: analysis.suppressed.len(),
            baselined,
        },
        rules: &config.rules(ALL),
        evidence: &analysis.evidence,
        options: report::Options {
            color: print::color(args.report.color, to_file),
            width: print::width(to_file),
            directory: here.to_owned(),
            root: paths::repository(here),
            link_base: link_base(),
        },
    };
    let format = match args.report.format {
        Format::Human => report::Format::Human,
        Format::Short => report::Format::Short,
        Format::Json => report::Format::Json,
    };
    let mut text = Vec::new();
    report::write(&report, format, &mut text)?;
    match &args.report.output {
        Some(path) => print::write_file(path, &text).with_context(|| format!("cannot write {}", path.display())),
        None => {
            let mut stdout = io::stdout().lock();
            ignore_closed_pipe(stdout.write_all(&text).and_then(|()| stdout.flush()))
        }
    }
}

/// A reader that has seen enough, like `head`, changes nothing about the exit code.
fn ignore_closed_pipe(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error).context("cannot write the report"),
        _ => Ok(()),
    }
}

/// Where links into the repository lead on a GitHub runner.
fn link_base() -> Option<String> {
    let [server, repository, commit] =
        ["GITHUB_SERVER_URL", "GITHUB_REPOSITORY", "GITHUB_SHA"].map(|name| std::env::var(name).ok());
    Some(format!("{}/{}/blob/{}/", server?, repository?, commit?))
}
