//! A folder of its own for each test, and racelint run in it.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// One race, with a line of its function that belongs to no finding.
pub const RACY: &str = "\
use std::sync::atomic::{AtomicU64, Ordering};

static HITS: AtomicU64 = AtomicU64::new(0);
pub fn hit() {
    // Counts.
    let hits = HITS.load(Ordering::SeqCst);
    HITS.store(hits + 1, Ordering::SeqCst);
}
";

pub struct Place(tempfile::TempDir);

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub struct Done {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Place {
    pub fn new(files: &[(&str, &str)]) -> Place {
        let place = Place(tempfile::tempdir().unwrap());
        for (name, text) in files {
            place.write(name, text.as_bytes());
        }
        place
    }

    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.root().join(name)).unwrap()
    }

    pub fn run(&self, arguments: &[&str]) -> Done {
        self.run_with(arguments, b"")
    }

    pub fn run_with(&self, arguments: &[&str], stdin: &[u8]) -> Done {
        let mut command = command(self.root());
        command.args(arguments);
        done(&mut command, stdin)
    }

    pub fn git(&self, arguments: &[&str]) {
        self.git_in("", arguments);
    }

    /// Runs git in a folder below.
    pub fn git_in(&self, folder: &str, arguments: &[&str]) {
        let mut command = Command::new("git");
        command.current_dir(self.root().join(folder)).args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.org",
            "-c",
            "commit.gpgsign=false",
        ]);
        for name in ["GIT_DIR", "GIT_INDEX_FILE", "GIT_WORK_TREE"] {
            command.env_remove(name);
        }
        assert!(command.args(arguments).status().unwrap().success(), "git {arguments:?}");
    }
}

/// Runs a command to its end.
pub fn done(command: &mut Command, stdin: &[u8]) -> Done {
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A run that does not read its input may be over already.
    let _ = child.stdin.take().unwrap().write_all(stdin);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Done { code: output.status.code().unwrap(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

/// racelint in a folder, free of what the surroundings set and of what earlier runs found.
pub fn command(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_racelint"));
    command.current_dir(folder);
    for name in [
        "NO_COLOR",
        "GIT_DIR",
        "GIT_INDEX_FILE",
        "GIT_WORK_TREE",
        "GITHUB_ACTIONS",
        "GITHUB_SERVER_URL",
        "GITHUB_STEP_SUMMARY",
        "RACELINT_CACHE_DIR",
    ] {
        command.env_remove(name);
    }
    command.env("RACELINT_NO_CACHE", "1");
    command
}
