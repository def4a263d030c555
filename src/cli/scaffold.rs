//! `scaffold`: a concurrency test for a finding or a guarded site, on standard output or in a new file.

use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};

use super::args::ScaffoldArgs;
use super::check::models;
use super::paths::{self, Asked};
use super::{Outcome, print};
use crate::config::Config;
use crate::discover::{Request, discover};
use crate::rule::Confidence;
use crate::scaffold::Site;

/// Writes the test that is asked for.
pub fn run(args: &ScaffoldArgs) -> anyhow::Result<Outcome> {
    let here = paths::here()?;
    let (site, looked_at) = site(args, &here)?;
    let asked = Asked { setting: &args.setting, paths: looked_at.iter().map(PathBuf::as_path).collect() };
    // Whoever asks for a finding by name wants it, however sure it is.
    let config = Config { min_confidence: Some(Confidence::Low), ..paths::read_config(&asked, &here)? };
    let request =
        Request { exclude: config.excludes(), databases: config.databases(), ..Request::new(&here, looked_at.clone()) };
    let inventory = discover(&request)?;
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let text = crate::scaffold(&inventory, &models(&config)?, &config, &site, jobs);
    let text = text.map_err(|refusal| anyhow::anyhow!(refusal.0))?;
    match &args.output {
        None => print::out(&text)?,
        Some(path) => create(path, &text)?,
    }
    Ok(Outcome::Clean)
}

/// What is asked for, and where it is looked for.
fn site(args: &ScaffoldArgs, here: &Path) -> anyhow::Result<(Site, Vec<PathBuf>)> {
    if let Some((file, line)) = args.site.rsplit_once(':') {
        let line = line.parse().ok().filter(|line| *line > 0);
        let line = line.with_context(|| format!("{} is no FILE:LINE", args.site))?;
        let whole = here.join(file).canonicalize().with_context(|| format!("cannot read {file}"))?;
        let name = whole.strip_prefix(here).unwrap_or(&whole).to_string_lossy().replace('\\', "/");
        return Ok((Site::Line { file: name, line }, vec![PathBuf::from(file)]));
    }
    let is_print = args.site.len() >= 4 && args.site.chars().all(|digit| digit.is_ascii_hexdigit());
    match is_print {
        true => Ok((Site::Fingerprint(args.site.to_ascii_lowercase()), args.paths.clone())),
        false => bail!("{} is neither FILE:LINE nor a fingerprint", args.site),
    }
}

/// Writes a new file, whose folder may be new too; never over one that is there.
fn create(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(mut file) => file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => bail!("{} is there already", path.display()),
        Err(error) => return Err(error).with_context(|| format!("cannot create {}", path.display())),
    }
    print::note(&format!("wrote {}", path.display()));
    Ok(())
}
