//! `check`: looks, leaves out what is known or unchanged, mends if asked to, reports.

use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::args::CheckArgs;
use super::{Outcome, cache, fixing, known, paths, print, report};
use crate::cache::{Folder, Run as Entry};
use crate::config::Config;
use crate::discover::{self, Inventory, Overlay, Request};
use crate::models::Models;
use crate::{Analysis, Judged, since};

/// What stays the same through a run.
pub struct Run<'a> {
    pub args: &'a CheckArgs,
    pub here: PathBuf,
    pub config: Config,
    /// The project's own files of model rows, by name and text.
    pub models: Vec<(String, String)>,
    /// What earlier runs found, if that is to be used.
    pub cache: Option<Folder>,
    /// The fingerprints of findings that are known or have nothing to do with what changed.
    pub left_out: HashSet<String>,
}

impl Run<'_> {
    /// Says something, unless silence is asked for.
    pub fn note(&self, text: &str) {
        if !self.args.report.quiet {
            print::note(text);
        }
    }
}

/// Runs `racelint check`.
pub fn run(args: &CheckArgs) -> anyhow::Result<Outcome> {
    let here = paths::here()?;
    let config = paths::config(args, &here)?;
    let models = model_files(&config)?;
    let cache = cache::folder(&args.run.store, &config, &here);
    let mut run = Run { args, here, config, models, cache, left_out: HashSet::new() };
    let mut inventory = discover::discover(&request(&run)?)?;
    if inventory.sources.is_empty() {
        run.note("no Rust source under the given paths");
    }
    let mut analysis = analyse(&run, &inventory)?;
    known::leave_out_unchanged(&mut run, &inventory.sources, &mut analysis)?;
    if args.change.add_suppressions {
        return fixing::add_suppressions(&run, &inventory, analysis);
    }
    if args.filter.write_baseline {
        return known::write_baseline(&run, &inventory.sources, &analysis.findings);
    }
    let baselined = known::leave_out_known(&mut run, &mut analysis)?;
    if args.change.fixing.diff {
        return fixing::print_diff(&run, &inventory, analysis);
    }
    if args.change.fixing.fix {
        fixing::fix(&run, &mut inventory, &mut analysis)?;
    }
    let outcome = outcome(&run, &analysis);
    report::write(&run, &inventory, analysis, baselined)?;
    Ok(outcome)
}

/// What is found and not left out.
pub fn analyse(run: &Run, inventory: &Inventory) -> anyhow::Result<Analysis> {
    let entry = run.cache.as_ref().and_then(|folder| Entry::new(folder, inventory, &run.models));
    let known = entry.and_then(|entry| entry.load(inventory));
    let judged = match known {
        Some(judged) => judged,
        None => {
            let judged = judge(run, inventory)?;
            entry.inspect(|entry| entry.store(&judged));
            judged
        }
    };
    let mut analysis = crate::settled(judged, inventory, &run.config);
    analysis.findings.retain(|(_, fingerprint)| !run.left_out.contains(fingerprint));
    Ok(analysis)
}

fn judge(run: &Run, inventory: &Inventory) -> anyhow::Result<Judged> {
    let models = models_of(&run.models)?;
    let cores = || std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = run.args.run.jobs.map_or_else(cores, usize::from);
    let judge = || crate::judge(inventory, &models, jobs);
    Ok(match run.args.report.quiet {
        true => judge(),
        false => print::while_waiting(&format!("reading {} files", inventory.sources.len()), judge),
    })
}

pub fn outcome(run: &Run, analysis: &Analysis) -> Outcome {
    let fail_on = run.config.fail_on();
    match analysis.findings.iter().any(|(finding, _)| fail_on.fails(finding.severity)) {
        true => Outcome::Findings,
        false => Outcome::Clean,
    }
}

fn request(run: &Run) -> anyhow::Result<Request> {
    let Run { args, here, config, .. } = run;
    let mut request = Request::new(here, args.paths.clone());
    request.exclude = config.excludes();
    request.databases = config.databases();
    if args.filter.staged {
        request.overlays = since::staged_texts(here)?;
    }
    let from_stdin = args.paths.iter().any(|path| path.as_os_str() == "-");
    match &args.run.stdin_filename {
        Some(_) if !from_stdin => bail!("--stdin-filename goes with the path `-`"),
        None if from_stdin => bail!("`-` needs --stdin-filename, which says what file it stands for"),
        Some(_) if args.paths.len() > 1 => bail!("`-` stands alone"),
        Some(name) => {
            request.overlays.push(Overlay { path: name.clone(), text: stdin_text()? });
            request.paths = vec![name.clone()];
        }
        None => {}
    }
    Ok(request)
}

fn stdin_text() -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    let most = discover::LARGEST;
    io::stdin().lock().take(most + 1).read_to_end(&mut bytes).context("cannot read standard input")?;
    if bytes.len() as u64 > most {
        bail!("standard input is larger than {} MB", most / 1024 / 1024);
    }
    String::from_utf8(bytes).context("standard input is not UTF-8")
}

/// The project's own files of model rows, by name and text.
fn model_files(config: &Config) -> anyhow::Result<Vec<(String, String)>> {
    let file = |path: &PathBuf| Ok((path.display().to_string(), model_text(&config.base.join(path))?));
    config.models.iter().map(file).collect()
}

/// The built-in rows, with the project's own before them.
pub fn models(config: &Config) -> anyhow::Result<Models> {
    models_of(&model_files(config)?)
}

fn models_of(files: &[(String, String)]) -> anyhow::Result<Models> {
    Models::with_user(files).map_err(|errors| {
        let lines: Vec<_> = errors.iter().map(ToString::to_string).collect();
        anyhow::Error::msg(lines.join("\n"))
    })
}

fn model_text(path: &Path) -> anyhow::Result<String> {
    let text = discover::read_text(path).map_err(anyhow::Error::msg);
    text.with_context(|| format!("cannot read the models of {}", path.display()))
}
