//! From the parser's spans to bytes of the file.
//!
//! `proc_macro2` counts lines and characters. Asking it for bytes is dear on every token, so lines are looked up here: in an ASCII text the byte is the start
//! of the line and the column; otherwise every 64th character is marked, and the few after a mark are walked.

use proc_macro2::LineColumn;

use crate::source::{SourceId, Span};

const STEP: usize = 64;

/// The places of one text's lines.
pub(super) struct Offsets<'a> {
    source: SourceId,
    base: u32,
    text: &'a str,
    /// The first byte of each line.
    bytes: Vec<u32>,
    /// For texts that are not ASCII: the first character of each line, and the byte of every [`STEP`]th character.
    marks: Option<Marks>,
}

struct Marks {
    chars: Vec<u32>,
    bytes: Vec<u32>,
}

impl<'a> Offsets<'a> {
    pub fn new(source: SourceId, base: u32, text: &'a str) -> Self {
        let newlines = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1);
        let bytes: Vec<u32> = std::iter::once(0).chain(newlines).collect();
        let marks = if text.is_ascii() { None } else { Some(Marks::new(text)) };
        Offsets { source, base, text, bytes, marks }
    }

    pub fn span(&self, span: proc_macro2::Span) -> Span {
        self.range(span, span)
    }

    /// From the start of `first` to the end of `last`.
    pub fn range(&self, first: proc_macro2::Span, last: proc_macro2::Span) -> Span {
        self.between(self.start(first), self.end(last))
    }

    pub fn between(&self, start: u32, end: u32) -> Span {
        Span { source: self.source, start, end: end.max(start) }
    }

    pub fn start(&self, span: proc_macro2::Span) -> u32 {
        self.byte(span.start())
    }

    pub fn end(&self, span: proc_macro2::Span) -> u32 {
        self.byte(span.end())
    }

    fn byte(&self, at: LineColumn) -> u32 {
        let line = at.line.saturating_sub(1).min(self.bytes.len() - 1);
        let in_text = match &self.marks {
            None => self.bytes[line] as usize + at.column,
            Some(marks) => marks.byte(self.text, marks.chars[line] as usize + at.column),
        };
        self.base + in_text.min(self.text.len()) as u32
    }
}

impl Marks {
    fn new(text: &str) -> Self {
        let mut marks = Marks { chars: vec![0], bytes: Vec::new() };
        for (count, (at, ch)) in text.char_indices().enumerate() {
            if count % STEP == 0 {
                marks.bytes.push(at as u32);
            }
            if ch == '\n' {
                marks.chars.push(count as u32 + 1);
            }
        }
        marks
    }

    fn byte(&self, text: &str, count: usize) -> usize {
        let Some(&mark) = self.bytes.get(count / STEP) else { return text.len() };
        let rest = &text[mark as usize..];
        rest.char_indices().nth(count % STEP).map_or(text.len(), |(at, _)| mark as usize + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn byte(text: &str, line: usize, column: usize) -> u32 {
        Offsets::new(SourceId(0), 0, text).byte(LineColumn { line, column })
    }

    #[test]
    fn ascii_lines_are_added_up() {
        assert_eq!(byte("ab\ncd\r\nef", 3, 1), 8);
    }

    #[test]
    fn columns_count_characters_past_a_mark_and_into_later_lines() {
        let text = format!("{}x\nß = y", "é".repeat(100));
        assert_eq!(byte(&text, 1, 100) as usize, text.find('x').unwrap());
        assert_eq!(byte(&text, 2, 4) as usize, text.find('y').unwrap());
        assert_eq!(byte(&text, 2, 5) as usize, text.len());
    }

    #[test]
    fn places_outside_the_text_stay_inside_it() {
        assert_eq!(byte("ä", 9, 9), 2);
        assert_eq!(byte("a", 9, 9), 1);
    }
}
