//! Reads model files: TOML → [`Library`], with errors that name file and line and suggest what may have been meant.

use std::fmt;

use serde::Deserialize;
use toml::Spanned;

use super::check;
use super::row::Library;

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
    let library: Library = toml::from_str(text).map_err(|error| vec![toml_error(file, text, &error)])?;
    let rows: Rows = toml::from_str(text).map_err(|error| vec![toml_error(file, text, &error)])?;
    let lines = |rows: &[Spanned<toml::Value>]| rows.iter().map(|row| line_of(text, row.span().start)).collect();
    let loaded = Loaded {
        library,
        file: file.to_owned(),
        type_lines: lines(&rows.types),
        call_lines: lines(&rows.calls),
        derive_lines: lines(&rows.derives),
    };
    let errors = check::rows(&loaded);
    if errors.is_empty() { Ok(loaded) } else { Err(errors) }
}

/// The same file once more, for the places of its rows: [`Library`] stays plain data.
#[derive(Deserialize)]
struct Rows {
    #[serde(default, rename = "type")]
    types: Vec<Spanned<toml::Value>>,
    #[serde(default, rename = "call")]
    calls: Vec<Spanned<toml::Value>>,
    #[serde(default, rename = "derive")]
    derives: Vec<Spanned<toml::Value>>,
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|&b| b == b'\n').count()
}

fn toml_error(file: &str, text: &str, error: &toml::de::Error) -> LoadError {
    let line = error.span().map_or(1, |span| line_of(text, span.start));
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
