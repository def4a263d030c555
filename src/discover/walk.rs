//! Folders → the Rust and SQL files below them that people would call source.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ignore::gitignore::Gitignore;
use ignore::{DirEntry, WalkBuilder};

use super::read::{read, reason};
use crate::source::SourceKind;

/// What walking found.
#[derive(Debug, Default)]
pub struct Walked {
    pub files: BTreeMap<PathBuf, SourceKind>,
    /// What was seen and not read, with the reason.
    pub unread: BTreeMap<PathBuf, String>,
    roots: Vec<PathBuf>,
}

impl Walked {
    /// Adds a path that was asked for: never left out, whatever it is called.
    pub fn add(&mut self, path: &Path, exclude: &Gitignore) {
        if path.is_dir() {
            self.add_folder(path, exclude);
        } else {
            self.add_file(path);
        }
    }

    /// Adds the SQL files below a folder, or the one that the path is.
    pub fn add_sql(&mut self, path: &Path) {
        let mut found = Walked::default();
        found.add(path, &Gitignore::empty());
        self.files.extend(found.files.into_iter().filter(|(_, kind)| *kind == SourceKind::Sql));
        self.unread.extend(found.unread);
    }

    fn add_file(&mut self, path: &Path) {
        match kind_of(path) {
            Some(kind) => {
                self.files.insert(path.to_owned(), kind);
            }
            None => {
                self.unread.insert(path.to_owned(), "neither a Rust nor an SQL file".to_owned());
            }
        }
    }

    /// Whether a walk started at this folder or above it.
    pub fn covers(&self, folder: &Path) -> bool {
        self.roots.iter().any(|root| folder.starts_with(root))
    }

    pub fn add_folder(&mut self, folder: &Path, exclude: &Gitignore) {
        self.roots.push(folder.to_owned());
        for entry in builder(folder, exclude).build() {
            match entry {
                Ok(entry) => self.add_entry(&entry),
                Err(error) => self.add_error(&error),
            }
        }
    }

    fn add_entry(&mut self, entry: &DirEntry) {
        let (Some(kind), Some(file_type)) = (kind_of(entry.path()), entry.file_type()) else { return };
        if file_type.is_file() {
            self.files.insert(entry.path().to_owned(), kind);
        } else if file_type.is_symlink() {
            self.unread.insert(entry.path().to_owned(), "a symbolic link, not followed".to_owned());
        } else if !file_type.is_dir() {
            self.unread.insert(entry.path().to_owned(), "not a regular file".to_owned());
        }
    }

    fn add_error(&mut self, error: &ignore::Error) {
        // An error without a path is a faulty line of a `.gitignore`, which git passes over too.
        let (Some(path), Some(io)) = (path_of(error), error.io_error()) else { return };
        self.unread.insert(path.to_owned(), reason(io));
    }
}

fn builder(folder: &Path, exclude: &Gitignore) -> WalkBuilder {
    let mut builder = WalkBuilder::new(folder);
    let exclude = exclude.clone();
    builder
        .follow_links(false)
        .hidden(true)
        .ignore(false)
        .git_ignore(true)
        .git_exclude(true)
        // What one person ignores on all of their machine must not change a report.
        .git_global(false)
        .require_git(false)
        // Above a repository, or where there is none, a `.gitignore` speaks of something else (a home folder kept in git ignores everything).
        .parents(in_repository(folder))
        .sort_by_file_name(|a, b| a.cmp(b))
        .filter_entry(move |entry| entry.depth() == 0 || keeps(entry, &exclude));
    builder
}

fn keeps(entry: &DirEntry, exclude: &Gitignore) -> bool {
    let is_dir = entry.file_type().is_some_and(|file_type| file_type.is_dir());
    if entry.path().starts_with(exclude.path()) && exclude.matched(entry.path(), is_dir).is_ignore() {
        return false;
    }
    !is_dir || !(is_build_output(entry.path()) || is_vendored(entry.path()))
}

/// A folder that its maker marks as a cache (<https://bford.info/cachedir/>); cargo does so with every target folder.
fn is_build_output(folder: &Path) -> bool {
    const SIGNATURE: &[u8] = b"Signature: 8a477f597d28d172789f06886806bc55";
    read(&folder.join("CACHEDIR.TAG"), SIGNATURE.len() as u64).is_ok_and(|start| start == SIGNATURE)
}

/// A crate that `cargo vendor` put there.
fn is_vendored(folder: &Path) -> bool {
    folder.join(".cargo-checksum.json").is_file()
}

fn in_repository(folder: &Path) -> bool {
    folder.ancestors().any(|ancestor| ancestor.join(".git").exists())
}

pub fn kind_of(path: &Path) -> Option<SourceKind> {
    match path.extension()?.to_str()? {
        "rs" => Some(SourceKind::Rust),
        "sql" => Some(SourceKind::Sql),
        _ => None,
    }
}

fn path_of(error: &ignore::Error) -> Option<&Path> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Loop { child, .. } => Some(child),
        _ => None,
    }
}
