//! The arguments and their help.

use std::path::PathBuf;

use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum, ValueHint};

use crate::config::FailOn;
use crate::rule::Confidence;

macro_rules! exit_codes {
    () => {
        "\
Exit codes:
  0    nothing found at or above --fail-on
  1    findings
  2    racelint could not run: arguments, configuration, no such path
  130  interrupted"
    };
}

const CHECK_EXAMPLES: &str = concat!(
    "\
Examples:
  racelint check                               check the package or workspace here
  racelint check src/orders.rs                 read its whole package, report on the file
  racelint check --select database,store       only these groups of rules
  racelint check --since origin/main           only what this branch touches
  racelint check --format json --output r.json
  racelint check --write-baseline              accept what is there
  racelint check --baseline racelint-baseline.json
  racelint check --add-suppressions --reason \"one importer runs at a time\"
  racelint check - --stdin-filename src/a.rs < a.rs

",
    exit_codes!()
);

/// Finds check-then-act races in Rust services: in databases, stores, shared memory and files.
///
/// racelint reads source alone. It builds nothing, runs nothing, and needs no network.
#[derive(Debug, Parser)]
#[command(name = "racelint", version, after_help = exit_codes!(), arg_required_else_help = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Look for races
    #[command(after_help = CHECK_EXAMPLES)]
    Check(Box<CheckArgs>),
    /// Print the page of a rule: what it finds, why it matters, how to mend it
    #[command(after_help = "Example:\n  racelint explain db-lost-update")]
    Explain {
        /// The name of a rule
        rule: String,
    },
    /// List the rules
    #[command(after_help = "Example:\n  racelint rules --format json | jq -r '.[].name'")]
    Rules {
        #[arg(long, value_enum, default_value_t)]
        format: ListFormat,
    },
    /// Print the database schema as racelint understands it: from migrations, DDL in Rust, declarations of tables
    #[command(after_help = "Example:\n  racelint schema crates/api")]
    Schema(PathArgs),
    /// Print what was understood of each function: its trace of events
    #[command(hide = true)]
    Events {
        #[command(flatten)]
        paths: PathArgs,
        /// Only functions whose path holds this
        #[arg(long, default_value = "", value_name = "PART")]
        function: String,
        /// Count what was and what was not understood, instead of traces
        #[arg(long, conflicts_with = "function")]
        stats: bool,
    },
    /// Look after what is kept of earlier runs
    ///
    /// A run whose sources, models and racelint are those of an earlier one repeats what was found then. It lies in the user's folder for caches unless
    /// --cache-dir, RACELINT_CACHE_DIR or `cache-dir` of the configuration names another.
    #[command(subcommand, after_help = "Example:\n  racelint cache clean")]
    Cache(CacheAction),
    /// Write a concurrency test for a finding, or for a write that something guards
    ///
    /// Callers that start at once, the invariant to assert, and the query that asks a database in use the same. What only you know is marked TODO.
    #[command(
        after_help = "Examples:\n  racelint scaffold src/orders.rs:42\n  racelint scaffold src/orders.rs:42 --output src/orders/buy_races.rs\n  racelint scaffold 3f9c21d0                   a finding's fingerprint, or its start, from --format json"
    )]
    Scaffold(ScaffoldArgs),
    /// Write a racelint.toml with every setting in it, commented out
    ///
    /// A file that is there already is never written over.
    #[command(after_help = "Example:\n  racelint init --pre-commit --workflow")]
    Init(InitArgs),
    /// Print a script that completes racelint's arguments in a shell
    #[command(after_help = "Example:\n  racelint completions fish > ~/.config/fish/completions/racelint.fish")]
    Completions {
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page
    #[command(after_help = "Example:\n  racelint man | man -l -")]
    Man,
    /// Print the JSON Schema of racelint.toml
    #[command(after_help = "Example:\n  racelint config-schema > racelint.schema.json")]
    ConfigSchema,
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    /// Files and folders to report on, or `-` for standard input; their whole packages are read
    #[arg(default_value = ".", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,

    #[command(flatten, next_help_heading = "Report")]
    pub report: ReportArgs,
    #[command(flatten, next_help_heading = "What is looked for")]
    pub selection: SelectionArgs,
    #[command(flatten, next_help_heading = "What is left out")]
    pub filter: FilterArgs,
    #[command(flatten, next_help_heading = "Changing files")]
    pub change: ChangeArgs,
    #[command(flatten, next_help_heading = "The run")]
    pub run: RunArgs,
}

#[derive(Debug, Args)]
pub struct CacheArgs {
    /// The folder of the cache [default: RACELINT_CACHE_DIR, else the configuration's, else the user's]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub cache_dir: Option<PathBuf>,
    #[command(flatten)]
    pub setting: ConfigArgs,
}

#[derive(Debug, Subcommand)]
pub enum CacheAction {
    /// Remove all that is kept
    Clean(CacheArgs),
    /// Print the folder
    Dir(CacheArgs),
}

#[derive(Debug, Args)]
pub struct ScaffoldArgs {
    /// FILE:LINE, or the fingerprint of a finding, or its start
    pub site: String,
    /// Where the finding of a fingerprint is looked for
    #[arg(default_value = ".", value_name = "PATHS", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    /// Write to a new file instead of standard output; a file that is there already is never written over
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub setting: ConfigArgs,
}

#[derive(Debug, Args)]
pub struct InitArgs {
    /// Write also a .pre-commit-config.yaml that checks what is committed
    #[arg(long)]
    pub pre_commit: bool,
    /// Write also .github/workflows/racelint.yml, which checks pull requests
    #[arg(long)]
    pub workflow: bool,
}

/// What commands that only look need to know.
#[derive(Debug, Args)]
pub struct PathArgs {
    /// Files and folders whose packages are read
    #[arg(default_value = ".", value_hint = ValueHint::AnyPath)]
    pub paths: Vec<PathBuf>,
    #[command(flatten)]
    pub setting: ConfigArgs,
}

/// Which configuration is read.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    /// Read this configuration [default: the nearest racelint.toml or Cargo.toml that has one]
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub config: Option<PathBuf>,
    /// Read no configuration
    #[arg(long, conflicts_with = "config")]
    pub no_config: bool,
}

#[derive(Debug, Args)]
pub struct ReportArgs {
    /// How findings are written [default: github in a GitHub workflow, else human]
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<Format>,
    /// Write the report to a file instead of standard output
    #[arg(long, short, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Colours in the report; NO_COLOR turns them off where this says `auto`
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    pub color: ColorChoice,
    /// Say nothing on standard error but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Count the findings by rule, on standard error
    #[arg(long)]
    pub statistics: bool,
    /// The least severe finding that makes the run fail [default: warning]
    #[arg(long, value_enum, value_name = "SEVERITY")]
    pub fail_on: Option<FailOn>,
}

#[derive(Debug, Args)]
pub struct SelectionArgs {
    /// Rules and groups that run, separated by commas; overrides the configuration
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub select: Vec<String>,
    /// Rules and groups that do not run; a rule's name weighs more than its group's
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    pub ignore: Vec<String>,
    /// The least sure finding that is shown [default: medium]
    #[arg(long, value_enum, value_name = "CONFIDENCE")]
    pub min_confidence: Option<Confidence>,
    /// Show findings of low confidence too
    #[arg(long, conflicts_with = "min_confidence")]
    pub pedantic: bool,
}

#[derive(Debug, Args)]
pub struct FilterArgs {
    /// Leave out the findings that this file knows
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub baseline: Option<PathBuf>,
    /// Write the findings to the baseline [default: racelint-baseline.json] and succeed
    #[arg(long, conflicts_with_all = ["since", "staged"])]
    pub write_baseline: bool,
    /// Report only on functions changed since this revision was left
    #[arg(long, value_name = "REV")]
    pub since: Option<String>,
    /// Report only on functions that the next commit changes, as they are staged
    #[arg(long, conflicts_with = "since")]
    pub staged: bool,
}

#[derive(Debug, Args)]
#[group(id = "fixing", multiple = true)]
pub struct FixArgs {
    /// Apply the safe fixes
    #[arg(long, conflicts_with_all = ["write_baseline", "add_suppressions", "stdin_filename"])]
    pub fix: bool,
    /// Print what --fix would change, instead of a report, and change nothing
    #[arg(long, conflicts_with_all = ["write_baseline", "add_suppressions", "format"])]
    pub diff: bool,
}

#[derive(Debug, Args)]
pub struct ChangeArgs {
    #[command(flatten)]
    pub fixing: FixArgs,
    /// With --fix or --diff, apply also the fixes that may change behaviour
    #[arg(long, requires = "fixing")]
    pub unsafe_fixes: bool,
    /// Write a suppression above every finding, with the reason given
    #[arg(long, requires = "reason", conflicts_with_all = ["write_baseline", "staged", "stdin_filename"])]
    pub add_suppressions: bool,
    /// Why the races do not matter, for --add-suppressions
    #[arg(long, value_name = "TEXT", requires = "add_suppressions")]
    pub reason: Option<String>,
}

#[derive(Debug, Args)]
pub struct RunArgs {
    #[command(flatten)]
    pub setting: ConfigArgs,
    /// How many threads work at once [default: one a core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,
    #[command(flatten)]
    pub store: StoreArgs,
    /// The name of the file whose text comes from standard input
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub stdin_filename: Option<PathBuf>,
}

/// What is kept of runs, and where.
#[derive(Debug, Args)]
pub struct StoreArgs {
    /// Keep nothing for the next run and use nothing of earlier ones; so does RACELINT_NO_CACHE
    #[arg(long)]
    pub no_cache: bool,
    /// The folder of the cache [default: RACELINT_CACHE_DIR, else the configuration's, else the user's]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "no_cache")]
    pub cache_dir: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people
    Human,
    /// One line a finding
    Short,
    /// One object, for programs
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
    /// A code quality report of GitLab
    Gitlab,
    /// For whatever shows test results
    Junit,
    /// The review checklist, item by item, in Markdown
    Checklist,
    /// Messages of rustc, for rust-analyzer and bacon
    Cargo,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub enum ListFormat {
    #[default]
    Human,
    Json,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

impl ValueEnum for FailOn {
    fn value_variants<'a>() -> &'a [Self] {
        &[FailOn::Note, FailOn::Warning, FailOn::Error, FailOn::Never]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        let name = match self {
            FailOn::Note => "note",
            FailOn::Warning => "warning",
            FailOn::Error => "error",
            FailOn::Never => "never",
        };
        Some(name.into())
    }
}

impl ValueEnum for Confidence {
    fn value_variants<'a>() -> &'a [Self] {
        &[Confidence::Low, Confidence::Medium, Confidence::High]
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        let name = match self {
            Confidence::Low => "low",
            Confidence::Medium => "medium",
            Confidence::High => "high",
        };
        Some(name.into())
    }
}

/// Whether a first argument speaks for itself, so that `cargo racelint` need not put `check` before it.
pub fn is_command_or_help(argument: &str) -> bool {
    let known = |name: &str| Cli::command().get_subcommands().any(|command| command.get_name() == name);
    ["-h", "--help", "-V", "--version", "help"].contains(&argument) || known(argument)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_arguments_are_consistent() {
        Cli::command().debug_assert();
    }
}
