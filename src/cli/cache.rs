//! `cache`: where what was found is kept, and its removal.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context;

use super::args::{CacheArgs, StoreArgs};
use super::paths::{self, Asked};
use super::{Outcome, print};
use crate::cache::Folder;
use crate::config::Config;
use crate::report::plural;

/// The folder of the cache; none where it is switched off or there is no place for it.
pub fn folder(asked: &StoreArgs, config: &Config, here: &Path) -> Option<Folder> {
    let off = asked.no_cache || variable("RACELINT_NO_CACHE").is_some();
    if off { None } else { chosen(asked.cache_dir.as_deref(), config, here) }
}

fn chosen(asked: Option<&Path>, config: &Config, here: &Path) -> Option<Folder> {
    let given = asked.map(Path::to_owned).or_else(|| variable("RACELINT_CACHE_DIR")).map(|path| here.join(path));
    let configured = || config.cache_dir.as_ref().map(|path| config.base.join(path));
    given.or_else(configured).or_else(of_the_user).map(Folder::new)
}

/// The folder for what programs may compute again, by the custom of the system. One in the project could come with the project, and say what is found there.
fn of_the_user() -> Option<PathBuf> {
    let home = || env::home_dir().filter(|path| path.is_absolute());
    let above = if cfg!(windows) {
        variable("LOCALAPPDATA")
    } else if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Caches"))
    } else {
        variable("XDG_CACHE_HOME").filter(|path| path.is_absolute()).or_else(|| Some(home()?.join(".cache")))
    };
    above.map(|above| above.join("racelint"))
}

/// A variable of the environment; an empty one is as good as none.
fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// Prints the folder.
pub fn dir(args: &CacheArgs) -> anyhow::Result<Outcome> {
    print::patch(&format!("{}\n", named(args)?.path().display()))?;
    Ok(Outcome::Clean)
}

/// Removes all that is kept.
pub fn clean(args: &CacheArgs) -> anyhow::Result<Outcome> {
    let folder = named(args)?;
    let path = folder.path().display();
    let cleaned = folder.clean().with_context(|| format!("cannot empty {path}"))?;
    print::note(&format!(
        "removed {}, {} kB, from {path}",
        plural(cleaned.entries, "result"),
        cleaned.bytes.div_ceil(1000)
    ));
    Ok(Outcome::Clean)
}

fn named(args: &CacheArgs) -> anyhow::Result<Folder> {
    let here = paths::here()?;
    let config = paths::read_config(&Asked { setting: &args.setting, paths: Vec::new() }, &here)?;
    let chosen = chosen(args.cache_dir.as_deref(), &config, &here);
    chosen.context("there is no folder for a cache; --cache-dir names one")
}
