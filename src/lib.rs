//! racelint finds check-then-act races in Rust source.

pub mod baseline;
pub mod cli;
pub mod config;
pub mod cure;
pub mod discover;
pub mod evidence;
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
pub mod understanding;
pub mod window;
pub mod work;

use std::collections::HashSet;
use std::sync::Arc;

use config::Config;
use discover::Inventory;
use finding::{Evidence, Finding, Skipped, Suppressed};
use flow::event::Summary;
use models::Models;
use resolve::Program;
use schema::SchemaSet;
use source::SourceId;

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

/// A program with what is known of it before any rule looks.
#[derive(Debug)]
pub struct Understood {
    pub program: Program,
    /// One a function, in the order of the program's.
    pub summaries: Vec<Option<Arc<Summary>>>,
    pub schemas: SchemaSet,
    /// What could not be read or parsed, as rows and as findings.
    pub skipped: Vec<Skipped>,
    pub unparsable: Vec<Finding>,
    /// The sources that were not understood whole.
    pub unparsed: HashSet<SourceId>,
}

/// Looks for races. Cannot fail: what was not understood is listed.
pub fn check(inventory: &Inventory, models: &Models, config: &Config, jobs: usize) -> Analysis {
    lower::with_stack(|| {
        let understood = understand(inventory, models, jobs);
        analyse(understood, inventory, models, config)
    })
}

/// Reads a program as far as rules need it. Needs a deep stack: see [`lower::with_stack`].
pub fn understand(inventory: &Inventory, models: &Models, jobs: usize) -> Understood {
    let parsed = parse::all(inventory, jobs);
    let program = resolve::resolve(parsed.files, &inventory.layout, models);
    let summaries = flow::solve::solve(&program, models);
    let schemas = schemas(inventory, &program, &summaries);
    let skipped = [&inventory.skipped, &parsed.skipped, &skipped_statements(inventory, &schemas)].map(Vec::as_slice);
    let skipped = skipped.concat();
    Understood { program, summaries, schemas, skipped, unparsable: parsed.findings, unparsed: parsed.unparsed }
}

fn analyse(understood: Understood, inventory: &Inventory, models: &Models, config: &Config) -> Analysis {
    let Understood { program, summaries, schemas, skipped, unparsable, unparsed } = understood;
    let facts = facts::Facts::collect(&program, &summaries);
    let scope = rules::Scope::new(&program, models, &summaries, &facts, &inventory.sources, &schemas);
    let mut found = rules::run(&scope);
    let evidence = evidence::evidence(&scope, &found);
    found.extend(unparsable);
    let settled = settle::settle(found, inventory, &program.files, &unparsed, config);
    Analysis {
        findings: settled.findings,
        suppressed: settled.suppressed,
        skipped,
        evidence,
        functions: program.functions.len(),
        files: program.files,
    }
}

/// What the migrations, DDL in Rust strings and table declarations in Rust say of the databases.
fn schemas(inventory: &Inventory, program: &Program, summaries: &[Option<Arc<Summary>>]) -> SchemaSet {
    let mut set = schema::build(&inventory.sources);
    set.add_inline(&inventory.sources, &flow::event::inline_ddl(summaries));
    set.add_tables(&inventory.sources, &program.tables);
    set
}

/// The statements of the schema that were not understood, each with its file and line.
pub fn skipped_statements(inventory: &Inventory, schemas: &SchemaSet) -> Vec<Skipped> {
    let sources = &inventory.sources;
    let skipped = schemas.skipped.iter().map(|skipped| Skipped {
        file: sources.get(skipped.span.source).name.clone(),
        reason: format!("line {}: {}", sources.line(skipped.span), skipped.reason),
    });
    skipped.collect()
}
