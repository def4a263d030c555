//! How long racelint takes beside a bare parse of the same files, in one run: `cargo bench` on a generated workspace of three sizes, `cargo bench -- FOLDER…`
//! on any code. Ratios are of P, the time in which `syn::parse_file` with spans reads every file on one thread with the system's allocator; the runs take
//! turns, and the best of each counts. Needs Linux for CPU time and memory; elsewhere they are left out.

#![allow(clippy::print_stdout)]

mod shape;

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// How often each is run.
const ROUNDS: usize = 3;
/// Services of the generated workspace.
const SIZES: [usize; 3] = [4, 8, 16];
/// Deep enough for what racelint parses too.
const STACK: usize = 256 << 20;

/// What one run took.
#[derive(Clone, Copy)]
struct Cost {
    wall: f64,
    /// Seconds of all threads; in steps of a hundredth.
    cpu: f64,
    /// Bytes.
    peak: f64,
}

impl Cost {
    fn best(self, other: Cost) -> Cost {
        Cost { wall: self.wall.min(other.wall), cpu: self.cpu.min(other.cpu), peak: self.peak.min(other.peak) }
    }
}

fn main() {
    let folders: Vec<PathBuf> = std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).map(Into::into).collect();
    let heads = |cells: [&str; 7]| {
        let [name, lines, bare, two, one, warm, memory] = cells;
        println!("{name:<24} {lines:>8} {bare:>7}   {two:>15} {one:>15} {warm:>15} {memory:>18}");
    };
    heads(["", "lines", "P", "two threads", "one thread", "nothing changed", "peak memory"]);
    let ratio = "wall/P  cpu/P";
    heads(["", "", "s", ratio, ratio, ratio, "MB  a 100k lines"]);
    for folder in &folders {
        row(&folder.display().to_string(), folder);
    }
    if folders.is_empty() {
        for size in SIZES {
            let dir = tempfile::tempdir().expect("a folder for the generated workspace");
            shape::write(dir.path(), size).expect("the workspace is written");
            row(&format!("{size} generated services"), dir.path());
        }
    }
}

fn row(name: &str, folder: &Path) {
    let mut files = Vec::new();
    rust_files(folder, &mut files);
    let texts: Vec<String> = files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
    let lines = texts.iter().map(|text| text.lines().count()).sum::<usize>() as f64;
    let kept = tempfile::tempdir().expect("a folder for what a run keeps");
    let kept = ["--cache-dir".as_ref(), kept.path().as_os_str()];
    racelint(folder, 2, &kept);
    let cold = |jobs| racelint(folder, jobs, &["--no-cache".as_ref()]);
    let round = |_| [parse(&texts), cold(2), cold(1), racelint(folder, 2, &kept)];
    let best = (0..ROUNDS).map(round).reduce(|a, b| std::array::from_fn(|at| a[at].best(b[at])));
    let [bare, two, one, warm] = best.expect("there is a round");
    let ratios = |cost: Cost| format!("{:.2}    {:.2}", cost.wall / bare.wall, cost.cpu / bare.cpu);
    let megabytes = one.peak.max(two.peak) / 1e6;
    println!(
        "{name:<24} {lines:>8} {:>7.2}   {:>15} {:>15} {:>15} {:>18}",
        bare.wall,
        ratios(two),
        ratios(one),
        ratios(warm),
        format!("{megabytes:.0}  {:.0}", megabytes * 1e5 / lines)
    );
}

fn rust_files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            out.push(path);
        }
    }
}

/// The bare parse; files that syn refuses cost what they cost until then.
fn parse(texts: &[String]) -> Cost {
    let read = || {
        let (start, cpu) = (Instant::now(), cpu_of("self"));
        for text in texts {
            std::hint::black_box(syn::parse_file(text).is_ok());
            proc_macro2::extra::invalidate_current_thread_spans();
        }
        Cost { wall: start.elapsed().as_secs_f64(), cpu: cpu_of("self") - cpu, peak: f64::NAN }
    };
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, read);
        worker.expect("a thread to parse on").join().expect("the parse ends")
    })
}

/// A run of the program itself, from start to exit.
fn racelint(folder: &Path, jobs: usize, cache: &[&OsStr]) -> Cost {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_racelint"))
        .arg("check")
        .arg(folder)
        .args(["--no-config", "--format", "json", "--fail-on", "never", "--quiet", "--jobs", &jobs.to_string()])
        .args(cache)
        .stdout(Stdio::null())
        .spawn()
        .expect("racelint runs");
    let pid = child.id().to_string();
    let mut cost = Cost { wall: 0.0, cpu: f64::NAN, peak: f64::NAN };
    loop {
        let (cpu, peak) = (cpu_of(&pid), peak_of(&pid));
        // A process that has ended says nothing of its memory any more.
        if peak.is_finite() {
            (cost.cpu, cost.peak) = (cpu, peak);
        }
        if let Some(status) = child.try_wait().expect("racelint can be waited for") {
            assert!(status.success(), "racelint failed on {}", folder.display());
            return Cost { wall: start.elapsed().as_secs_f64(), ..cost };
        }
        thread::sleep(Duration::from_millis(2));
    }
}

/// Seconds that a process has run on all threads.
fn cpu_of(pid: &str) -> f64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let after_name = stat.rsplit(')').next().unwrap_or_default();
    let ticks: Vec<f64> =
        after_name.split_whitespace().skip(11).take(2).filter_map(|field| field.parse().ok()).collect();
    if ticks.len() == 2 { (ticks[0] + ticks[1]) / 100.0 } else { f64::NAN }
}

/// The most memory that a process has held so far, in bytes.
fn peak_of(pid: &str) -> f64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kilobytes.map_or(f64::NAN, |kilobytes| kilobytes * 1024.0)
}
