//! What the fuzz targets share: sources of one file, and programs bred from the fixtures, token by token.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use arbitrary::Arbitrary;
use racelint::lower::lower;
use racelint::source::{LineIndex, Source, SourceId, SourceKind, Sources};

/// One text as a source, with a name that tells its kind.
pub fn source(name: &str, text: &str) -> Source {
    let kind = if name.ends_with(".sql") { SourceKind::Sql } else { SourceKind::Rust };
    let path = PathBuf::from("/p").join(name);
    Source { name: name.to_owned(), path, kind, text: text.to_owned(), lines: LineIndex::new(text), reported: true }
}

pub fn sources(files: &[(&str, &str)]) -> Sources {
    let mut sources = Sources::default();
    for (name, text) in files {
        sources.push(source(name, text));
    }
    sources
}

/// How many items of a text were not understood; none where it does not lower at all.
pub fn left_out(text: &str) -> Option<usize> {
    lower(SourceId(0), text, 2024).ok().map(|lowered| lowered.skipped.len())
}

/// The Rust files of the fixtures, each as its pieces: tokens and what lies between them.
static PROGRAMS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures");
    let walk = walkdir::WalkDir::new(fixtures).sort_by_file_name().into_iter().filter_map(Result::ok);
    let rust = walk.filter(|entry| entry.path().extension().is_some_and(|end| end == "rs"));
    let texts = rust.filter_map(|entry| std::fs::read_to_string(entry.path()).ok()).filter(|text| text.len() < 8_000);
    let programs: Vec<_> = texts.map(|text| pieces(&text)).collect();
    assert!(programs.len() > 100, "the fixtures are not there");
    programs
});

/// Words, strings, comments and single marks.
fn pieces(text: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let end = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |at| at + 2),
            c if c.is_alphanumeric() || c == '_' => {
                rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
            }
            c => c.len_utf8(),
        };
        pieces.push(rest[..end].to_owned());
        rest = &rest[end..];
    }
    pieces
}

/// A fixture and what is done to it.
#[derive(Arbitrary, Debug)]
pub struct Bred {
    program: u16,
    changes: Vec<Change>,
}

#[derive(Arbitrary, Debug)]
enum Change {
    Drop { at: u16, count: u8 },
    Repeat { at: u16, count: u8, times: u8 },
    Swap { one: u16, other: u16 },
    /// Pieces of another fixture.
    Graft { at: u16, program: u16, from: u16, count: u8 },
    Write { at: u16, text: String },
}

impl Bred {
    pub fn text(&self) -> String {
        let program = |index: u16| &PROGRAMS[index as usize % PROGRAMS.len()];
        let mut pieces = program(self.program).clone();
        for change in self.changes.iter().take(24) {
            let within = |at: u16| at as usize % (pieces.len() + 1);
            match change {
                Change::Drop { at, count } => {
                    let at = within(*at);
                    pieces.drain(at..(at + *count as usize).min(pieces.len()));
                }
                Change::Repeat { at, count, times } => {
                    let at = within(*at);
                    let part = pieces[at..(at + *count as usize).min(pieces.len())].to_vec();
                    let parts = part.iter().cycle().take(part.len() * (*times as usize % 16)).cloned().collect::<Vec<_>>();
                    pieces.splice(at..at, parts);
                }
                Change::Swap { one, other } if !pieces.is_empty() => {
                    let (one, other) = (*one as usize % pieces.len(), *other as usize % pieces.len());
                    pieces.swap(one, other);
                }
                Change::Swap { .. } => {}
                Change::Graft { at, program: of, from, count } => {
                    let other = program(*of);
                    let from = *from as usize % (other.len() + 1);
                    let part = other[from..(from + *count as usize).min(other.len())].to_vec();
                    let at = within(*at);
                    pieces.splice(at..at, part);
                }
                Change::Write { at, text } => pieces.insert(within(*at), text.clone()),
            }
        }
        pieces.concat()
    }
}
