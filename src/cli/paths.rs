//! The places of a run: its directory, its repository, its configuration.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::args::{CheckArgs, ConfigArgs};
use crate::config::{self, Config};
use crate::rule::Confidence;
use crate::rules::ALL;

/// The directory of the run.
pub fn here() -> anyhow::Result<PathBuf> {
    let here = std::env::current_dir().and_then(|dir| dir.canonicalize());
    here.context("cannot tell the current directory")
}

/// The root of the git work tree around a folder.
pub fn repository(folder: &Path) -> Option<PathBuf> {
    folder.ancestors().find(|above| above.join(".git").exists()).map(Path::to_owned)
}

/// Which configuration is asked for.
pub struct Asked<'a> {
    pub setting: &'a ConfigArgs,
    /// The paths that are looked at.
    pub paths: Vec<&'a Path>,
}

/// What the configuration says.
pub fn read_config(asked: &Asked, here: &Path) -> anyhow::Result<Config> {
    let found = match &asked.setting.config {
        Some(path) => Some(path.canonicalize().with_context(|| format!("cannot read {}", path.display()))?),
        None if asked.setting.no_config => None,
        None => config::find(&common_folder(&asked.paths, here)),
    };
    match found {
        Some(path) => Ok(config::load(&path)?),
        None => Ok(Config { base: here.to_owned(), ..Config::default() }),
    }
}

/// What the configuration says, with the arguments written over it.
pub fn config(args: &CheckArgs, here: &Path) -> anyhow::Result<Config> {
    let paths = args.run.stdin_filename.iter().chain(args.paths.iter().filter(|path| path.as_os_str() != "-"));
    let paths = paths.map(PathBuf::as_path).collect();
    let asked = Asked { setting: &args.run.setting, paths };
    let mut config = read_config(&asked, here)?;
    let asked =
        Config { select: args.selection.select.clone(), ignore: args.selection.ignore.clone(), ..Config::default() };
    asked.check_names(ALL).map_err(anyhow::Error::msg)?;
    if !asked.select.is_empty() {
        config.ignore.clear();
        config.select = asked.select;
    }
    config.ignore.extend(asked.ignore);
    config.fail_on = args.report.fail_on.or(config.fail_on);
    config.min_confidence = args.selection.min_confidence.or(config.min_confidence);
    if args.selection.pedantic {
        config.min_confidence = Some(Confidence::Low);
    }
    config.baseline = config.baseline.map(|path| config.base.join(path));
    if let Some(path) = &args.filter.baseline {
        config.baseline = Some(here.join(path));
    }
    Ok(config)
}

/// The innermost folder that holds all given paths: one configuration speaks for a run.
fn common_folder(paths: &[&Path], here: &Path) -> PathBuf {
    let folders = paths.iter().map(|path| {
        let whole = here.join(path);
        let whole = whole.canonicalize().unwrap_or(whole);
        if whole.is_dir() { whole } else { whole.parent().unwrap_or(here).to_owned() }
    });
    let common = folders.reduce(|a, b| {
        let shared = a.ancestors().find(|above| b.starts_with(above));
        shared.map_or_else(|| here.to_owned(), Path::to_owned)
    });
    common.unwrap_or_else(|| here.to_owned())
}
