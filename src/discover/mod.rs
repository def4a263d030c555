//! Paths → every source of the packages they lie in, what the manifests say of them, and what could not be read.
//!
//! The only stage that reads the project from disk. It follows what people ignore (`.gitignore`, build output marked by `CACHEDIR.TAG`, vendored crates
//! marked by `.cargo-checksum.json`, hidden folders) and no folder's name alone: real source sits in folders called `target` and `vendor` too. No cargo is
//! run, no symbolic link is followed below a given path, and nothing but regular files is opened.

mod layout;
mod manifest;
mod packages;
mod read;
mod walk;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use ignore::gitignore::Gitignore;
use serde::Serialize;

use crate::finding::Skipped;
use crate::resolve::layout::Layout;
use crate::source::{LineIndex, Source, SourceKind, Sources};
use packages::Packages;
use walk::Walked;

pub use manifest::metadata;
use read::too_large;
pub use read::{LARGEST, read as read_bytes, read_text, read_within};

/// What to look at.
#[derive(Clone, Debug)]
pub struct Request {
    /// The directory of the run: names are relative to it.
    pub dir: PathBuf,
    /// Files and folders to report on, relative to `dir` or absolute.
    pub paths: Vec<PathBuf>,
    /// Texts that stand for files, whether those exist or not.
    pub overlays: Vec<Overlay>,
    /// Databases whose schema lies elsewhere or is used elsewhere than its place tells.
    pub databases: Vec<Database>,
    /// What the configuration leaves out below the given paths, as `.gitignore` lines.
    pub exclude: Gitignore,
}

impl Request {
    /// Everything below `paths`.
    pub fn new(dir: impl Into<PathBuf>, paths: Vec<PathBuf>) -> Request {
        Request { dir: dir.into(), paths, overlays: Vec::new(), databases: Vec::new(), exclude: Gitignore::empty() }
    }
}

/// Where one database is defined and which code speaks to it: in a [`Request`] by path, in an [`Inventory`] by the names of files and folders.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Database {
    /// Folders and files of SQL; those of one folder run in the order of their names.
    pub schema: Vec<String>,
    /// Folders of code; all code where it is empty.
    pub used_by: Vec<String>,
}

/// A text given instead of a file's.
#[derive(Clone, Debug)]
pub struct Overlay {
    pub path: PathBuf,
    pub text: String,
}

/// Everything that a run knows of the disk.
#[derive(Clone, Debug, Default)]
pub struct Inventory {
    /// Every `.rs` of the packages and every `.sql`, in the order of their names.
    pub sources: Sources,
    pub layout: Layout,
    pub databases: Vec<Database>,
    pub skipped: Vec<Skipped>,
}

/// Why there is nothing to analyse.
#[derive(Debug)]
pub enum Error {
    NoSuchPath(PathBuf),
    Unreadable(PathBuf, std::io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoSuchPath(path) => write!(f, "no such file or folder: {}", path.display()),
            Error::Unreadable(path, error) => write!(f, "cannot look at {}: {error}", path.display()),
        }
    }
}

impl std::error::Error for Error {}

/// Reads the packages around the requested paths.
pub fn discover(request: &Request) -> Result<Inventory, Error> {
    let dir = canonical(&request.dir)?;
    let overlays: Texts =
        request.overlays.iter().map(|overlay| (absolute(&dir, &overlay.path), overlay.text.as_str())).collect();
    let given = request.paths.iter().map(|path| resolve(&dir, path, &overlays)).collect::<Result<Vec<_>, _>>()?;

    let mut walked = Walked::default();
    for path in &given {
        walked.add(path, &request.exclude);
    }
    let databases = request.databases.iter().map(|one| database(&dir, one, &mut walked)).collect::<Result<_, _>>()?;
    let reported: Vec<&Path> = given.iter().map(PathBuf::as_path).collect();

    let mut packages = Packages::default();
    packages.gather(&mut walked, &request.exclude);
    walked.files.extend(missing(&overlays));
    let mut inventory = read_sources(&dir, &walked, &mut packages, &reported, &overlays);
    inventory.databases = databases;
    inventory.layout = layout::layout(&inventory.sources, &mut packages);
    list_skipped(&mut inventory, &dir, &walked, &packages, &reported);
    Ok(inventory)
}

/// The text that stands for each path.
type Texts<'r> = BTreeMap<PathBuf, &'r str>;

/// The given path, which only a text that stands for it may replace.
fn resolve(dir: &Path, path: &Path, overlays: &Texts) -> Result<PathBuf, Error> {
    let replaced = Some(absolute(dir, path)).filter(|path| overlays.contains_key(path));
    replaced.map_or_else(|| canonical(&dir.join(path)), Ok)
}

/// Texts of files that no walk can find.
fn missing(overlays: &Texts) -> impl Iterator<Item = (PathBuf, SourceKind)> {
    let gone = overlays.keys().filter(|path| !path.exists());
    gone.filter_map(|path| Some((path.clone(), walk::kind_of(path)?)))
}

/// Walks the folders of a database and gives its names instead of its paths.
fn database(dir: &Path, given: &Database, walked: &mut Walked) -> Result<Database, Error> {
    let mut named = |paths: &[String], walk: bool| -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        for path in paths {
            let path = canonical(&dir.join(path))?;
            if walk {
                walked.add_sql(&path);
            }
            names.push(Some(name_of(dir, &path)).filter(|name| name != ".").unwrap_or_default());
        }
        Ok(names)
    };
    Ok(Database { schema: named(&given.schema, true)?, used_by: named(&given.used_by, false)? })
}

fn read_sources(
    dir: &Path,
    walked: &Walked,
    packages: &mut Packages,
    reported: &[&Path],
    overlays: &Texts,
) -> Inventory {
    let mut inventory = Inventory::default();
    let mut files: Vec<(String, &Path, SourceKind)> = Vec::new();
    for (path, &kind) in &walked.files {
        // SQL is read wherever it lies in a workspace: migrations often stand beside the packages that run them.
        if kind == SourceKind::Sql || below_any(path, reported) || packages.wants(path) {
            files.push((name_of(dir, path), path, kind));
        }
    }
    files.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    for (name, path, kind) in files {
        let text = match overlays.get(path) {
            Some(text) if text.len() as u64 > LARGEST => Err(too_large(LARGEST)),
            Some(text) => Ok((*text).to_owned()),
            None => read_text(path),
        };
        match text {
            Ok(text) => {
                let lines = LineIndex::new(&text);
                let reported = below_any(path, reported) && !is_generated(&text);
                inventory.sources.push(Source { name, path: path.to_owned(), kind, text, lines, reported });
            }
            Err(reason) => inventory.skipped.push(Skipped { file: name, reason }),
        }
    }
    inventory
}

/// A mark in the first lines says that a program wrote the text: what is wrong there is mended in that program.
fn is_generated(text: &str) -> bool {
    let comments = text.lines().take(5).filter(|line| line.trim_start().starts_with("//"));
    comments
        .into_iter()
        .any(|line| line.contains("@generated") || line.contains("Code generated") && line.contains("DO NOT EDIT"))
}

/// Adds what was passed over below the reported paths and in their packages; what lies elsewhere was never asked for.
fn list_skipped(inventory: &mut Inventory, dir: &Path, walked: &Walked, packages: &Packages, reported: &[&Path]) {
    let mut all: BTreeSet<(String, String)> =
        inventory.skipped.drain(..).map(|skipped| (skipped.file, skipped.reason)).collect();
    for (path, reason) in walked.unread.iter().chain(packages.broken()) {
        if below_any(path, reported) || packages.owns(path) {
            all.insert((name_of(dir, path), reason.clone()));
        }
    }
    inventory.skipped = all.into_iter().map(|(file, reason)| Skipped { file, reason }).collect();
}

fn below_any(path: &Path, roots: &[&Path]) -> bool {
    roots.iter().any(|root| path.starts_with(root))
}

/// The name that reports print: relative to the run's directory where it lies below that, with `/`.
pub fn name_of(dir: &Path, path: &Path) -> String {
    let Ok(relative) = path.strip_prefix(dir) else { return path.to_string_lossy().replace('\\', "/") };
    if relative.as_os_str().is_empty() {
        return ".".to_owned();
    }
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// One path for one place: given links are resolved, so that the same file is not read twice under two names.
fn canonical(path: &Path) -> Result<PathBuf, Error> {
    path.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => Error::NoSuchPath(path.to_owned()),
        _ => Error::Unreadable(path.to_owned(), error),
    })
}

/// The path of a file that need not exist.
fn absolute(dir: &Path, path: &Path) -> PathBuf {
    let joined = crate::resolve::layout::normalize(&dir.join(path));
    if let Ok(whole) = joined.canonicalize() {
        return whole;
    }
    match (joined.parent().and_then(|parent| parent.canonicalize().ok()), joined.file_name()) {
        (Some(parent), Some(name)) => parent.join(name),
        _ => joined,
    }
}

#[cfg(test)]
mod tests {
    use super::is_generated;

    #[test]
    fn a_mark_in_a_comment_of_the_first_lines_tells_generated_text() {
        assert!(is_generated("// This file is @generated by a tool.\nfn a() {}"));
        assert!(is_generated("#![allow(x)]\n//! Entities, @generated by a tool.\n"));
        assert!(is_generated("// Code generated by a tool. DO NOT EDIT.\n"));
        assert!(!is_generated("fn a() { let mark = \"@generated\"; }"));
        assert!(!is_generated("// Code generated by the macro below.\nfn a() {}"));
        assert!(!is_generated("\n\n\n\n\n// @generated\n"));
    }
}
