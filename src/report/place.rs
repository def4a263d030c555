//! Where spans lie: positions for people, and paths as other programs want them.

use std::path::{Component, Path, PathBuf};

use crate::report::Report;
use crate::source::{Position, Sources, Span};

/// Start and end of a span; the end never lies before the start, nor either past the text.
pub fn range(sources: &Sources, span: Span) -> (Position, Position) {
    let start = sources.position(span.source, span.start);
    let end = sources.position(span.source, span.end.max(span.start));
    (start, end)
}

/// The bytes of a span, on character boundaries and inside the text.
pub fn bytes(sources: &Sources, span: Span) -> std::ops::Range<usize> {
    let text = &sources.get(span.source).text;
    let floor = |byte: u32| {
        let mut byte = (byte as usize).min(text.len());
        while !text.is_char_boundary(byte) {
            byte -= 1;
        }
        byte
    };
    let start = floor(span.start);
    start..floor(span.end).max(start)
}

/// The name of a file as reports of the run print it: relative to the directory of the run, with `/`.
pub fn name<'a>(report: &Report<'a>, span: Span) -> &'a str {
    &report.sources.get(span.source).name
}

/// A file's name relative to the root of the git work tree; as it is where there is none or it lies outside.
pub fn from_root(report: &Report, name: &str) -> String {
    let Some(root) = &report.options.root else { return name.to_owned() };
    let path = normal(&report.options.directory.join(name));
    let Ok(inner) = path.strip_prefix(normal(root)) else { return name.to_owned() };
    let parts: Vec<_> = inner.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// The path without `.` and `..`, by its text alone.
fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            part => out.push(part),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn paths_are_taken_from_the_git_root() {
        let sample = sample::Sample::new();
        let mut report = sample.report();
        report.options.directory = "/home/me/shop/api".into();
        assert_eq!(from_root(&report, "src/cart.rs"), "src/cart.rs");
        report.options.root = Some("/home/me/shop".into());
        assert_eq!(from_root(&report, "src/cart.rs"), "api/src/cart.rs");
        assert_eq!(from_root(&report, "../web/./src/cart.rs"), "web/src/cart.rs");
        assert_eq!(from_root(&report, "/home/me/shop/db/schema.sql"), "db/schema.sql");
        assert_eq!(from_root(&report, "../../other/src/lib.rs"), "../../other/src/lib.rs");
    }

    #[test]
    fn a_span_past_the_text_is_cut() {
        let sample = sample::Sample::new();
        let whole = sample.sources.get(sample.findings[0].span.source).text.len();
        let span = Span { end: u32::MAX, ..sample.findings[0].span };
        assert_eq!(bytes(&sample.sources, span).end, whole);
        let backwards = Span { start: 9, end: 2, ..span };
        assert_eq!(bytes(&sample.sources, backwards), 9..9);
        let (start, end) = range(&sample.sources, backwards);
        assert_eq!(start, end);
    }
}
