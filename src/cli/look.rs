//! `schema` and `events`: what racelint understood of a program.

use std::path::PathBuf;

use super::args::PathArgs;
use super::check::models;
use super::paths::{self, Asked};
use super::{Outcome, print};
use crate::clean;
use crate::discover::{Inventory, Request, discover};
use crate::understanding;
use crate::{Understood, Walked, skipped_statements, understand};

/// Prints the schema, and what of it was not understood.
pub fn schema(args: &PathArgs) -> anyhow::Result<Outcome> {
    let (inventory, understood) = look(args)?;
    let skipped = skipped_statements(&inventory, &understood.schemas);
    let lines: Vec<_> = skipped
        .iter()
        .map(|skipped| format!("{}\n", clean::line(&format!("{} {}", skipped.file, skipped.reason))))
        .collect();
    let title = if lines.is_empty() { "" } else { "\nnot understood\n" };
    print::out(&format!("{}{title}{}", understood.schemas, lines.concat()))?;
    Ok(Outcome::Clean)
}

/// Prints traces or counts.
pub fn events(args: &PathArgs, function: &str, stats: bool) -> anyhow::Result<Outcome> {
    let (inventory, understood) = look(args)?;
    let told = match stats {
        true => understanding::counts(&understood, &inventory.sources),
        false => understanding::traces(&understood, &inventory.sources, function),
    };
    print::out(&told)?;
    Ok(Outcome::Clean)
}

fn look(args: &PathArgs) -> anyhow::Result<(Inventory, Understood)> {
    let here = paths::here()?;
    let asked = Asked { setting: &args.setting, paths: args.paths.iter().map(PathBuf::as_path).collect() };
    let config = paths::read_config(&asked, &here)?;
    let request = Request {
        exclude: config.excludes(),
        databases: config.databases(),
        ..Request::new(&here, args.paths.clone())
    };
    let inventory = discover(&request)?;
    let jobs = std::thread::available_parallelism().map_or(1, usize::from);
    let understood = understand(&inventory, &models(&config)?, Walked::All, jobs);
    Ok((inventory, understood))
}
