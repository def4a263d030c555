//! The cases below `fixtures/`: a folder that holds `src/`, or a lone `.rs` file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// One case, with all the text that racelint may read.
#[derive(Clone, Debug)]
pub struct Case {
    /// The path below the folder of cases, with `/`.
    pub name: String,
    /// Every file by its path inside the case. A lone file is the `src/lib.rs` of a crate of its own.
    pub files: BTreeMap<String, String>,
}

/// The file name that a lone case has in its crate.
pub const LONE: &str = "src/lib.rs";

impl Case {
    /// Lays the files out below `root`, where nothing around them can change the verdict.
    pub fn write_to(&self, root: &Path) {
        for (name, text) in &self.files {
            let path = root.join(name);
            std::fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a new folder is writable");
            std::fs::write(path, text).expect("a new folder is writable");
        }
    }

    /// What expectations may stand in.
    pub fn sources(&self) -> impl Iterator<Item = (&str, &str)> {
        let files = self.files.iter().filter(|(name, _)| name.ends_with(".rs") || name.ends_with(".sql"));
        files.map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// The last part of the name, without its ending: `bad_…` and `good_…` promise what a case is.
    pub fn stem(&self) -> &str {
        let last = self.name.rsplit('/').next().unwrap_or(&self.name);
        last.strip_suffix(".rs").unwrap_or(last)
    }
}

/// The folder below the root that holds no cases: its packages compile those of the other folders against the real libraries.
const PACKAGES: &str = "packages";

/// All cases below `root` in the order of their names. A folder that holds none is a mistake, and so is a root without any.
pub fn collect(root: &Path) -> Result<Vec<Case>, String> {
    let mut cases = Vec::new();
    for folder in entries(root)?.iter().filter(|path| path.is_dir() && !path.ends_with(PACKAGES)) {
        walk(root, folder, &mut cases)?;
    }
    if cases.is_empty() {
        return Err(format!("{} holds no case", root.display()));
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

fn walk(root: &Path, folder: &Path, cases: &mut Vec<Case>) -> Result<(), String> {
    let before = cases.len();
    for path in entries(folder)? {
        let is_dir = path.is_dir();
        if is_dir && path.join("src").is_dir() {
            cases.push(project(root, &path)?);
        } else if is_dir {
            walk(root, &path, cases)?;
        } else if path.extension().is_some_and(|end| end == "rs") {
            let files = BTreeMap::from([(LONE.to_owned(), read(&path)?)]);
            cases.push(Case { name: below(root, &path), files });
        }
    }
    if cases.len() == before { Err(format!("{} holds no case", folder.display())) } else { Ok(()) }
}

fn project(root: &Path, folder: &Path) -> Result<Case, String> {
    let mut files = BTreeMap::new();
    gather(folder, folder, &mut files)?;
    Ok(Case { name: below(root, folder), files })
}

fn gather(top: &Path, folder: &Path, files: &mut BTreeMap<String, String>) -> Result<(), String> {
    for path in entries(folder)? {
        if path.is_dir() {
            gather(top, &path, files)?;
        } else if path.file_name().is_some_and(|name| name != "Cargo.lock") {
            files.insert(below(top, &path), read(&path)?);
        }
    }
    Ok(())
}

/// What is in a folder, sorted; without hidden files and what cargo builds.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let listing = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut paths: Vec<_> = listing.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.starts_with('.') && !path.join("CACHEDIR.TAG").exists()
    });
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn below(root: &Path, path: &Path) -> String {
    let relative = path.strip_prefix(root).expect("found below the root");
    let parts: Vec<_> = relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}
