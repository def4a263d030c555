//! The command line: arguments in, reports and exit codes out. The only module that prints and that ends the process.

mod args;
mod cache;
mod check;
mod fixing;
mod known;
mod lists;
mod look;
mod paths;
mod print;
mod report;
mod scaffold;
mod setup;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{CacheAction, Cli, Command};

use crate::lower::with_stack;

/// How a run ended; the codes are said in `--help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    Clean,
    Findings,
}

/// Runs `racelint` with these arguments, the first of which is the program's name.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Where nobody listens there is nobody to tell.
            let _ = error.print();
            return ExitCode::from(error.exit_code() as u8);
        }
    };
    // Interrupted runs leave no half-written file behind: whole files are put in place at once. Without a handler the shell says 130 as well.
    let _ = ctrlc::set_handler(|| std::process::exit(130));
    match with_stack(|| dispatch(cli)) {
        Ok(Outcome::Clean) => ExitCode::SUCCESS,
        Ok(Outcome::Findings) => ExitCode::from(1),
        Err(error) if print::is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            print::error(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

/// Runs `cargo racelint`: cargo passes the name of the subcommand on, and `check` is what is meant where no command is named.
pub fn run_as_cargo_subcommand(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let mut arguments: Vec<OsString> = arguments.into_iter().collect();
    if arguments.get(1).is_some_and(|first| first == "racelint") {
        arguments.remove(1);
    }
    let named = arguments.get(1).and_then(|first| first.to_str()).is_some_and(args::is_command_or_help);
    if !named {
        arguments.insert(1.min(arguments.len()), "check".into());
    }
    run(arguments)
}

fn dispatch(cli: Cli) -> anyhow::Result<Outcome> {
    match cli.command {
        Command::Check(args) => check::run(&args),
        Command::Explain { rule } => lists::explain(&rule),
        Command::Rules { format } => lists::rules(format),
        Command::ConfigSchema => lists::config_schema(),
        Command::Cache(CacheAction::Clean(args)) => cache::clean(&args),
        Command::Cache(CacheAction::Dir(args)) => cache::dir(&args),
        Command::Schema(paths) => look::schema(&paths),
        Command::Events { paths, function, stats } => look::events(&paths, &function, stats),
        Command::Scaffold(args) => scaffold::run(&args),
        Command::Init(args) => setup::init(&args),
        Command::Completions { shell } => setup::completions(shell),
        Command::Man => setup::man(),
    }
}
