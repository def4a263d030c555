//! racelint finds check-then-act races in Rust source: a value is read, a decision is taken on it, the decision is written back, and nothing makes the
//! three one step.
//!
//! # The pipeline
//!
//! [`check`] is the whole of it; each stage gives values to the next.
//!
//! | stage | gives |
//! |---|---|
//! | [`discover`] | sources, manifests and every `.sql` file of the packages around the given paths |
//! | [`parse`], [`lower`] | one [`ir::File`] a source: bodies with scope ends, temporaries' ends and drops made explicit; the syntax tree is dropped at once |
//! | [`resolve`] | a [`Program`](resolve::Program): names, types, the targets of calls, and which of [`models`]' rows speaks of each |
//! | [`needed`] | which functions can matter to a finding: tests seldom do |
//! | [`flow`] | a [`Summary`](flow::event::Summary) a function: its events in order, on symbolic values, with conditions, guards and transactions; to a fixed point |
//! | [`schema`] | tables and constraints, from migrations, DDL in strings and table declarations in Rust |
//! | [`facts`] | what only the whole program knows: who writes which column, who calls whom, what is a test |
//! | [`window`] | pairs of a check and an act that it decides, and what closes each |
//! | [`rules`], [`cure`] | the rule that names an open window, and what to say: resource, interleaving, ways to mend it |
//! | [`evidence`] | what closes the other windows, for the checklist report |
//! | [`scaffold`] | instead of a report: a concurrency test for one finding or guarded site |
//! | [`settle`] | findings after suppressions and configuration, sorted, each with its fingerprint |
//! | [`report`], [`fix`], [`baseline`] | what users see, and edits |
//!
//! From [`parse`] to [`evidence`], all follows from the inventory and the models alone ([`judge`]), so that [`cache`] can repeat it.
//!
//! # What holds
//!
//! - Only [`lower`] names syn. Spans are byte ranges of a source everywhere; nothing but reports knows lines.
//! - Analysis does no I/O and cannot fail: [`discover`] reads everything beforehand, what cannot be read, parsed or understood is listed, and `cli` alone prints.
//! - Rules see windows, events and facts, not syntax. The few that read names list those words in their pages, and a test renames everything else.
//! - No rule knows a library: what calls mean stands in `rules/models/*.toml`.
//! - No rule is named but by its static. What applies to several rules (precedence, one finding a race) is decided beside the list, not in them.
//! - The same input gives the same bytes, whatever the number of threads or the order of files.
//! - Nothing is judged from absence that was not seen whole: a table whose CREATE TABLE was not found lacks no constraint, a file that does not parse has no
//!   unused suppressions, SQL with holes gives less confidence.
//! - No build, no macro expansion, no code of the project is run. What build scripts and procedural macros produce stays unseen.
//!
//! `tests/meta.rs` holds the layers and most of the above.
//!
//! # Where this differs from a usual design, and why
//!
//! - *Summaries are replayed, not queried.* A call puts the callee's events into the caller's trace with the caller's values for its parameters. A check in
//!   one helper and an act in another then meet in one trace, with keys that can be compared; a summary of effects would have lost which row was meant.
//! - *Typing precedes flow, a body at a time.* Types come from declarations and calls, seldom from control flow, so one pass suffices; flow can then rely on
//!   targets and roles and needs no guesses of its own.
//! - *Conditions are part of values.* Where branches meet, a value is a choice with the condition of each arm. A function that gives back `Err` when a
//!   check fails, `ok_or`, `filter`, `then` and `?` all end as conditions on later events, so validators and combinators need no special cases.
//! - *A window is judged in every trace that sees it and reported once,* in the innermost function that sees both ends. A helper may be racy under one caller
//!   and safe in the transaction of another; only the traces of callers can tell.
//! - *A library is rows of data and one builder.* Rows say what a call does; query builders fill the same [`sql::Statement`] that SQL text is parsed to, so
//!   each rule exists once for raw SQL, ORMs and builders.
//! - *DDL that Rust builds becomes SQL text again.* Migrations of sea-orm then take the one way that all DDL takes, each piece with its place in the Rust code.
//!   Only `schema::builders` knows the names of those builders, as `lower` knows diesel's `table!`.
//! - *Protected windows are kept.* What closes a window is as good to know as what does not: the checklist report says by what an item is met.

pub mod baseline;
pub mod cache;
pub mod clean;
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
pub mod needed;
pub mod parse;
pub mod report;
pub mod resolve;
pub mod rule;
pub mod rules;
pub mod scaffold;
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
    /// Of the Rust sources, in their order.
    pub outlines: Vec<ir::Outline>,
    /// How many functions were looked at.
    pub functions: usize,
}

/// A program with what is known of it before any rule looks.
#[derive(Debug)]
pub struct Understood {
    pub program: Program,
    /// One a function, in the order of the program's; none for those without a body and those that were not walked.
    pub summaries: Vec<Option<Arc<Summary>>>,
    pub schemas: SchemaSet,
    /// What could not be read or parsed, as rows and as findings.
    pub skipped: Vec<Skipped>,
    pub unparsable: Vec<Finding>,
    /// The sources that were not understood whole.
    pub unparsed: HashSet<SourceId>,
}

/// What the sources say, whatever is asked about them: everything of a run that its configuration has no part in.
#[derive(Debug, Default)]
pub struct Judged {
    pub findings: Vec<Finding>,
    pub evidence: Vec<Evidence>,
    /// What could not be read or parsed.
    pub skipped: Vec<Skipped>,
    /// The sources that were not understood whole.
    pub unparsed: HashSet<SourceId>,
    /// Of the Rust sources, in their order.
    pub outlines: Vec<ir::Outline>,
    /// How many functions were looked at.
    pub functions: usize,
}

/// Looks for races. Cannot fail: what was not understood is listed.
pub fn check(inventory: &Inventory, models: &Models, config: &Config, jobs: usize) -> Analysis {
    settled(judge(inventory, models, jobs), inventory, config)
}

/// Finds all there is. What comes of it follows from the inventory and the models alone, and [`cache`] relies on that.
pub fn judge(inventory: &Inventory, models: &Models, jobs: usize) -> Judged {
    lower::with_stack(|| judge_understood(understand(inventory, models, Walked::Needed, jobs), inventory, models, jobs))
}

/// What of it is reported.
pub fn settled(judged: Judged, inventory: &Inventory, config: &Config) -> Analysis {
    let Judged { findings, evidence, skipped, unparsed, outlines, functions } = judged;
    let settled = settle::settle(findings, inventory, &outlines, &unparsed, config);
    Analysis { findings: settled.findings, suppressed: settled.suppressed, skipped, evidence, outlines, functions }
}

/// Which functions are walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walked {
    All,
    /// Those whose summary can matter to a finding.
    Needed,
}

/// Reads a program as far as rules need it. Needs a deep stack: see [`lower::with_stack`].
pub fn understand(inventory: &Inventory, models: &Models, walked: Walked, jobs: usize) -> Understood {
    let parsed = parse::all(inventory, jobs);
    let program = resolve::resolve(parsed.files, &inventory.layout, models, jobs);
    let wanted = match walked {
        Walked::All => vec![true; program.functions.len()],
        Walked::Needed => needed::needed(&program),
    };
    let summaries = flow::solve::solve(&program, models, &wanted, jobs);
    let schemas = schemas(inventory, &program, &summaries);
    let statements = skipped_statements(inventory, &schemas);
    let skipped = [inventory.skipped.as_slice(), &parsed.skipped, &statements].concat();
    Understood { program, summaries, schemas, skipped, unparsable: parsed.findings, unparsed: parsed.unparsed }
}

fn judge_understood(understood: Understood, inventory: &Inventory, models: &Models, jobs: usize) -> Judged {
    let Understood { program, summaries, schemas, skipped, unparsable, unparsed } = understood;
    let facts = facts::Facts::collect(&program, models, &summaries);
    let scope = rules::Scope::new(&program, models, &summaries, &facts, &inventory.sources, &schemas, jobs);
    let mut findings: Vec<Finding> =
        rules::run(&scope).into_iter().map(|candidate| cure::finding(&scope, candidate)).collect();
    let evidence = evidence::evidence(&scope, &findings);
    findings.extend(unparsable);
    let outlines = program.files.iter().map(|file| suppress::outline(file, &inventory.sources)).collect();
    Judged { findings, evidence, skipped, unparsed, outlines, functions: program.functions.len() }
}

/// Writes a concurrency test for a finding or a guarded site.
pub fn scaffold(
    inventory: &Inventory,
    models: &Models,
    config: &Config,
    site: &scaffold::Site,
    jobs: usize,
) -> Result<String, scaffold::Refusal> {
    lower::with_stack(|| {
        let Understood { program, summaries, schemas, unparsed, .. } =
            understand(inventory, models, Walked::Needed, jobs);
        let facts = facts::Facts::collect(&program, models, &summaries);
        let scope = rules::Scope::new(&program, models, &summaries, &facts, &inventory.sources, &schemas, jobs);
        let candidates = rules::run(&scope);
        let found = candidates.iter().map(|candidate| cure::finding(&scope, candidate.clone())).collect();
        let outlines: Vec<_> = program.files.iter().map(|file| suppress::outline(file, &inventory.sources)).collect();
        let settled = settle::settle(found, inventory, &outlines, &unparsed, config);
        scaffold::write(&scope, &candidates, &settled.findings, site)
    })
}

/// What the migrations, DDL in Rust strings and table declarations in Rust say of the databases.
fn schemas(inventory: &Inventory, program: &Program, summaries: &[Option<Arc<Summary>>]) -> SchemaSet {
    let mut set = schema::build(&inventory.sources, &inventory.databases);
    let (built, texts) = (schema::builders::built(program), flow::event::inline_ddl(summaries));
    let texts = set.add_built(&inventory.sources, &built, &texts);
    set.add_inline(&inventory.sources, &texts);
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
