//! Reads model files: TOML → [`Library`], with errors that name file and line and suggest what may have been meant.

use std::fmt;

use serde::Deserialize;
use toml::Spanned;

use super::check;
use super::row::{CallRow, CommandRow, DeriveRow, Library, TypeRow};

/// What is wrong with a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadError {
    pub file: String,
    /// Counted from 1.
    pub line: usize,
    pub message: String,
    /// What may have been meant.
    pub suggestion: Option<String>,
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)?;
        match &self.suggestion {
            Some(name) => write!(f, " (did you mean `{name}`?)"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for LoadError {}

/// A library and where its rows stand.
#[derive(Clone, Debug)]
pub struct Loaded {
    pub library: Library,
    pub file: String,
    /// The line of each type row, call row and derive row.
    pub type_lines: Vec<usize>,
    pub call_lines: Vec<usize>,
    pub derive_lines: Vec<usize>,
}

/// Reads and checks one file; what needs other files (whether `on` names a type) is [`check::names`]'s.
pub fn load(file: &str, text: &str) -> Result<Loaded, Vec<LoadError>> {
    let read: File = toml::from_str(text).map_err(|error| vec![toml_error(file, text, &error)])?;
    let (types, type_lines) = apart(text, read.types);
    let (calls, call_lines) = apart(text, read.calls);
    let (derives, derive_lines) = apart(text, read.derives);
    let library = Library { library: read.library, types, calls, derives, commands: read.commands };
    let loaded = Loaded { library, file: file.to_owned(), type_lines, call_lines, derive_lines };
    let errors = check::rows(&loaded);
    if errors.is_empty() { Ok(loaded) } else { Err(errors) }
}

/// A file as it is written. Rows carry their places, which [`Library`], plain data, has no use for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    library: String,
    #[serde(default, rename = "type")]
    types: Vec<Spanned<TypeRow>>,
    #[serde(default, rename = "call")]
    calls: Vec<Spanned<CallRow>>,
    #[serde(default, rename = "derive")]
    derives: Vec<Spanned<DeriveRow>>,
    #[serde(default, rename = "command")]
    commands: Vec<CommandRow>,
}

/// The rows, and the line of each. Rows stand in the order of the text, so that each line is counted from the one before.
fn apart<T>(text: &str, rows: Vec<Spanned<T>>) -> (Vec<T>, Vec<usize>) {
    let (mut at, mut line) = (0, 1);
    rows.into_iter()
        .map(|row| {
            let start = row.span().start.max(at);
            line += newlines(&text.as_bytes()[at..start]);
            at = start;
            (row.into_inner(), line)
        })
        .unzip()
}

fn newlines(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| b == b'\n').count()
}

fn toml_error(file: &str, text: &str, error: &toml::de::Error) -> LoadError {
    let line = error.span().map_or(1, |span| 1 + newlines(&text.as_bytes()[..span.start]));
    let message = error.message().to_owned();
    LoadError { file: file.to_owned(), line, suggestion: suggestion_in(&message), message }
}

/// Serde lists what it would have taken: "unknown field `colour`, expected one of `color`, …".
fn suggestion_in(message: &str) -> Option<String> {
    let mut quoted = message.split('`').skip(1).step_by(2);
    let wrong = quoted.next()?;
    if !message.starts_with("unknown") {
        return None;
    }
    closest(wrong, quoted).map(str::to_owned)
}

/// The candidate that looks most like `wrong`, if any looks like it at all.
pub fn closest<'a>(wrong: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut best: Option<(f64, &str)> = None;
    for candidate in candidates {
        let likeness = strsim::jaro_winkler(wrong, candidate);
        if likeness > 0.8 && best.is_none_or(|(most, _)| likeness > most) {
            best = Some((likeness, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only_error(text: &str) -> LoadError {
        let mut errors = load("ours.toml", text).expect_err("the file is wrong");
        assert_eq!(errors.len(), 1, "{errors:?}");
        errors.remove(0)
    }

    #[test]
    fn an_unknown_key_is_refused_with_its_line() {
        let error =
            only_error("library = \"ours\"\n\n[[call]]\npath = [\"ours::run\"]\ndoes = \"run\"\nexecuter = 0\n");
        assert_eq!((error.line, error.suggestion.as_deref()), (6, Some("executor")), "{error}");
        assert!(error.to_string().starts_with("ours.toml:6: unknown field `executer`"), "{error}");
    }

    #[test]
    fn an_unknown_meaning_gets_a_suggestion() {
        let error = only_error("library = \"ours\"\n[[call]]\npath = [\"ours::run\"]\ndoes = \"wirte\"\n");
        assert_eq!((error.line, error.suggestion.as_deref()), (4, Some("write")), "{error}");
    }

    #[test]
    fn an_argument_is_a_number_or_a_known_name() {
        let error =
            only_error("library = \"ours\"\n[[call]]\npath = [\"ours::run\"]\ndoes = \"run\"\nsql = \"first\"\n");
        assert!(error.message.contains("`receiver`"), "{error}");
    }
}
