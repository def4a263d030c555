//! Where the configuration stands and how it is read. A mistake in it is an error that says where and what was meant.

use std::fmt;
use std::path::{Path, PathBuf};

use super::Config;
use super::select::nearest;
use crate::discover::{metadata, read_text};
use crate::rules::ALL;
use crate::source::LineIndex;

/// A configuration that cannot be used.
#[derive(Debug, PartialEq, Eq)]
pub struct Error {
    pub path: PathBuf,
    /// The line, where one can be told.
    pub line: Option<u32>,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path.display())?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for Error {}

/// The file that speaks for a folder: the nearest `racelint.toml`, or `Cargo.toml` with metadata for racelint, in it or above it, up to the repository's root.
pub fn find(folder: &Path) -> Option<PathBuf> {
    for above in folder.ancestors() {
        let own = above.join("racelint.toml");
        if own.is_file() {
            return Some(own);
        }
        let manifest = above.join("Cargo.toml");
        if manifest.is_file() && read_text(&manifest).is_ok_and(|text| metadata(&text).is_some()) {
            return Some(manifest);
        }
        if above.join(".git").exists() {
            break;
        }
    }
    None
}

/// Reads a `racelint.toml` or the metadata of a `Cargo.toml`.
pub fn load(path: &Path) -> Result<Config, Error> {
    let fail = |line, message| Error { path: path.to_owned(), line, message };
    let text = read_text(path).map_err(|reason| fail(None, reason))?;
    let parsed = if path.file_name().is_some_and(|name| name == "Cargo.toml") {
        let table = metadata(&text).ok_or_else(|| fail(None, "has no [package.metadata.racelint]".to_owned()))?;
        table.try_into::<Config>()
    } else {
        toml::from_str(&text)
    };
    let mut config = parsed.map_err(|error| {
        let line = error.span().map(|span| LineIndex::new(&text).line(span.start as u32));
        fail(line, with_suggestion(error.message()))
    })?;
    config.base = path.parent().unwrap_or(Path::new("")).to_owned();
    config.check_patterns().map_err(|message| fail(None, message))?;
    config.check_names(ALL).map_err(|unknown| fail(line_of(&text, &unknown.name), unknown.to_string()))?;
    Ok(config)
}

/// The first line that holds a name; good enough for an error message, which quotes it.
fn line_of(text: &str, name: &str) -> Option<u32> {
    text.find(name).map(|at| LineIndex::new(text).line(at as u32))
}

/// `unknown field `x`, expected one of …` and its like, with the one that was probably meant.
fn with_suggestion(message: &str) -> String {
    let message = message.trim();
    let mut quoted = message.split('`').skip(1).step_by(2);
    let meant = match quoted.next() {
        Some(written) if message.starts_with("unknown ") => nearest(written, quoted),
        _ => None,
    };
    match meant {
        Some(meant) => format!("{message}; did you mean `{meant}`?"),
        None => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::rule::{Confidence, Severity};

    fn written(name: &str, text: &str) -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        (dir, path)
    }

    #[test]
    fn a_file_is_read_whole() {
        let (dir, path) = written(
            "racelint.toml",
            "select = ['database']\nmin-confidence = 'low'\nfail-on = 'error'\nmodels = ['m.toml']\n[severity]\nmemory = 'note'\n\
             [[overrides]]\npaths = ['old/']\nignore = ['store']\n",
        );
        let config = load(&path).unwrap();
        assert_eq!(config.select, ["database"]);
        assert_eq!(config.min_confidence(), Confidence::Low);
        assert_eq!(config.severity["memory"], Severity::Note);
        assert_eq!(config.overrides[0].ignore, ["store"]);
        assert_eq!(config.base, dir.path());
    }

    #[test]
    fn a_mistake_says_where_it_is_and_what_was_meant() {
        let (_dir, path) = written("racelint.toml", "select = []\nselct = []\n");
        let error = load(&path).unwrap_err();
        assert_eq!(error.line, Some(2));
        assert!(error.message.ends_with("did you mean `select`?"), "{}", error.message);

        let (_dir, path) = written("racelint.toml", "\nfail-on = 'eror'\n");
        let error = load(&path).unwrap_err();
        assert_eq!(error.line, Some(2));
        assert!(error.message.ends_with("did you mean `error`?"), "{}", error.message);

        let (_dir, path) = written("racelint.toml", "ignore = [\n'unknwn-name']\n");
        assert_eq!(load(&path).unwrap_err().line, Some(2));

        let (_dir, path) = written("racelint.toml", "exclude = ['{a']\n");
        assert!(load(&path).unwrap_err().message.starts_with("`{a` is no pattern"));

        let (_dir, path) = written("racelint.toml", "select = 'database'\n");
        assert!(load(&path).unwrap_err().message.contains("expected a sequence"));
    }

    #[test]
    fn metadata_of_a_manifest_counts() {
        let (dir, path) = written("Cargo.toml", "[workspace.metadata.racelint]\nignore = ['memory']\n");
        assert_eq!(load(&path).unwrap().ignore, ["memory"]);
        let inner = dir.path().join("crates/a");
        fs::create_dir_all(&inner).unwrap();
        fs::write(inner.join("Cargo.toml"), "[package]\nname = 'a'\n").unwrap();
        assert_eq!(find(&inner), Some(path));
        fs::create_dir(inner.join(".git")).unwrap();
        assert_eq!(find(&inner), None);
        fs::write(inner.join("racelint.toml"), "").unwrap();
        assert_eq!(find(&inner), Some(inner.join("racelint.toml")));
    }
}
