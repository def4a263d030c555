//! racelint finds check-then-act races in Rust source.

pub mod baseline;
pub mod cli;
pub mod config;
pub mod discover;
pub mod facts;
pub mod finding;
pub mod fix;
pub mod flow;
pub mod intern;
pub mod ir;
pub mod lower;
pub mod models;
pub mod parse;
pub mod report;
pub mod resolve;
pub mod rule;
pub mod rules;
pub mod schema;
pub mod settle;
pub mod since;
pub mod source;
pub mod sql;
pub mod suppress;
pub mod window;
pub mod work;

use std::sync::Arc;

use config::Config;
use discover::Inventory;
use finding::{Evidence, Finding, Skipped, Suppressed};
use models::Models;
use schema::SchemaSet;

/// What a run found; everything that a report needs beside the sources.
#[derive(Debug, Default)]
pub struct Analysis {
    /// Sorted by file, start, rule; each with its fingerprint.
    pub findings: Vec<(Finding, String)>,
    /// Findings that comments in the code keep out.
    pub suppressed: Vec<Suppressed>,
    /// What could not be read or parsed.
    pub skipped: Vec<Skipped>,
    /// Where checklist items are met.
    pub evidence: Vec<Evidence>,
    /// The lowered sources.
    pub files: Vec<ir::File>,
    /// How many functions were looked at.
    pub functions: usize,
}

/// Looks for races. Cannot fail: what was not understood is listed.
pub fn check(inventory: &Inventory, models: &Models, config: &Config, jobs: usize) -> Analysis {
    lower::with_stack(|| analyse(inventory, models, config, jobs))
}

fn analyse(inventory: &Inventory, models: &Models, config: &Config, jobs: usize) -> Analysis {
    let parsed = parse::all(inventory, jobs);
    let program = resolve::resolve(parsed.files, &inventory.layout, models);
    let summaries = flow::solve::solve(&program, models);
    let facts = facts::Facts::collect(&program, &summaries);
    let schemas = schemas(inventory, &program, &summaries);
    let scope = rules::Scope::new(&program, models, &summaries, &facts, &inventory.sources, &schemas);
    let mut found = rules::run(&scope);
    found.extend(parsed.findings);
    let settled = settle::settle(found, inventory, &program.files, &parsed.unparsed, config);
    Analysis {
        findings: settled.findings,
        suppressed: settled.suppressed,
        skipped: [inventory.skipped.as_slice(), &parsed.skipped].concat(),
        evidence: Vec::new(),
        functions: program.functions.len(),
        files: program.files,
    }
}

/// What the migrations, DDL in Rust strings and table declarations in Rust say of the databases.
fn schemas(
    inventory: &Inventory,
    program: &resolve::Program,
    summaries: &[Option<Arc<flow::event::Summary>>],
) -> SchemaSet {
    let mut set = schema::build(&inventory.sources);
    set.add_inline(&inventory.sources, &flow::event::inline_ddl(summaries));
    set.add_tables(&inventory.sources, &program.tables);
    set
}
