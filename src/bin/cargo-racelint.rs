//! The binary behind `cargo racelint`.

use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    racelint::cli::run_as_cargo_subcommand(std::env::args_os())
}
