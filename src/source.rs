//! Source text: files, byte spans, and the line index that turns bytes into what a person counts.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A file of the run, by its place in [`Sources`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SourceId(pub u32);

/// A half-open byte range of one file, counted from the file's first byte (BOM and shebang included).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Span {
    pub source: SourceId,
    pub start: u32,
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both; `self` where the two lie in different files.
    pub fn to(self, other: Span) -> Span {
        if self.source != other.source {
            return self;
        }
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    pub fn contains(self, other: Span) -> bool {
        self.source == other.source && self.start <= other.start && other.end <= self.end
    }
}

/// A position as editors show it: line and column count from 1, the column in Unicode scalar values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Position {
    pub line: u32,
    pub column: u32,
    pub byte: u32,
}

/// The starts of the lines of a text.
#[derive(Clone, Debug, Default)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    pub fn new(text: &str) -> Self {
        let mut starts = vec![0];
        starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at as u32 + 1));
        LineIndex { starts }
    }

    /// The line of a byte, from 1.
    pub fn line(&self, byte: u32) -> u32 {
        self.starts.partition_point(|&start| start <= byte) as u32
    }

    /// The byte range of a line (from 1), without what ends it; empty past the last line.
    pub fn line_range(&self, text: &str, line: u32) -> std::ops::Range<usize> {
        let Some(&start) = self.starts.get(line.saturating_sub(1) as usize) else { return text.len()..text.len() };
        let end = self.starts.get(line as usize).map_or(text.len(), |&next| next as usize);
        let whole = &text[start as usize..end];
        start as usize..start as usize + whole.trim_end_matches(['\n', '\r']).len()
    }

    /// How many lines there are; an empty text has one.
    pub fn lines(&self) -> u32 {
        self.starts.len() as u32
    }

    pub fn position(&self, text: &str, byte: u32) -> Position {
        let byte = byte.min(text.len() as u32);
        let line = self.line(byte);
        let start = self.starts[line as usize - 1] as usize;
        let mut end = byte as usize;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        // A BOM at the start of the file is no column.
        let before = text[start..end].trim_start_matches('\u{feff}');
        Position { line, column: before.chars().count() as u32 + 1, byte }
    }
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum SourceKind {
    Rust,
    Sql,
}

/// One file that was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// Relative to the directory of the run where it lies below it, with `/`; the name that reports print.
    pub name: String,
    /// Where it lies on disk.
    pub path: PathBuf,
    pub kind: SourceKind,
    pub text: String,
    pub lines: LineIndex,
    /// Whether findings in this file are asked for, or it is read only because its package is.
    pub reported: bool,
}

/// All files of a run, in the order of their names.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<Source>,
}

impl Sources {
    pub fn push(&mut self, source: Source) -> SourceId {
        self.files.push(source);
        SourceId(self.files.len() as u32 - 1)
    }

    pub fn get(&self, id: SourceId) -> &Source {
        &self.files[id.0 as usize]
    }

    /// The same for an id that may be of another run.
    pub fn try_get(&self, id: SourceId) -> Option<&Source> {
        self.files.get(id.0 as usize)
    }

    pub fn iter(&self) -> impl Iterator<Item = (SourceId, &Source)> {
        self.files.iter().enumerate().map(|(i, file)| (SourceId(i as u32), file))
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The text under a span.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.source).text.get(span.start as usize..span.end as usize).unwrap_or_default()
    }

    pub fn line(&self, span: Span) -> u32 {
        self.get(span.source).lines.line(span.start)
    }

    pub fn position(&self, source: SourceId, byte: u32) -> Position {
        let file = self.get(source);
        file.lines.position(&file.text, byte)
    }
}
