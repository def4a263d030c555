//! Writing to the terminal, to pipes and to files. Nothing here panics when the other end is gone.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use super::args::ColorChoice;
use crate::clean;
use crate::report::Color;

/// Writes text to standard output.
pub fn out(text: &str) -> anyhow::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    Ok(stdout.flush()?)
}

/// Writes a patch: every byte of it for a program that applies it, without what steers a terminal for a person.
pub fn patch(text: &str) -> anyhow::Result<()> {
    if io::stdout().is_terminal() { out(&clean::block(text)) } else { out(text) }
}

/// Says something on standard error; where that is closed, nobody wants to know. Names of files in it steer no terminal.
pub fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "racelint: {}", clean::block(text));
}

pub fn error(text: &str) {
    note(&format!("error: {text}"));
}

/// How long a run may take before a person wonders.
const PATIENCE: Duration = Duration::from_secs(1);

/// Runs `work`; where it takes long and a person watches, says meanwhile what is going on.
pub fn while_waiting<R>(what: &str, work: impl FnOnce() -> R) -> R {
    if !io::stderr().is_terminal() {
        return work();
    }
    let (done, wait) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            if wait.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let _ = write!(io::stderr().lock(), "racelint: {what} …");
                let _ = wait.recv();
                // The line goes as it came: the report may follow on the same terminal.
                let _ = write!(io::stderr().lock(), "\r\u{1b}[K");
            }
        });
        let result = work();
        drop(done);
        result
    })
}

/// Whether the reader of the output has gone, which is its right.
pub fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .any(|cause| cause.downcast_ref::<io::Error>().is_some_and(|io| io.kind() == io::ErrorKind::BrokenPipe))
}

/// Puts a whole file in place, so that no reader and no interruption ever meets half of it. Links stay, and pipes and devices are written to.
pub fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut there = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
    if !there.metadata()?.is_file() {
        // racelint: allow(fs-check-then-use) -- what is looked at is the open handle that is written to
        return there.write_all(bytes);
    }
    let path = &path.canonicalize()?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let written =
        fs::write(&beside, bytes).and_then(|()| keep_mode(&there, &beside)).and_then(|()| fs::rename(&beside, path));
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn keep_mode(there: &File, beside: &Path) -> io::Result<()> {
    fs::set_permissions(beside, there.metadata()?.permissions())
}

/// Whether the report is coloured: as asked for, else on a terminal unless NO_COLOR is set to anything.
pub fn color(choice: ColorChoice, to_file: bool) -> Color {
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    match choice {
        ColorChoice::Always => Color::Always,
        ColorChoice::Auto if !to_file && !no_color && !dumb && io::stdout().is_terminal() => Color::Always,
        ColorChoice::Auto | ColorChoice::Never => Color::Never,
    }
}

/// The width of the terminal that the report goes to, if it goes to one.
pub fn width(to_file: bool) -> Option<usize> {
    if to_file || !io::stdout().is_terminal() {
        return None;
    }
    terminal_size::terminal_size().map(|(width, _)| usize::from(width.0))
}
