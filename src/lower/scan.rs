//! One pass over the raw text that needs no parser: where the comments are, and how deep a recursive parser would go.

use crate::ir::Comment;
use crate::source::{SourceId, Span};

use super::nesting::Nesting;

/// What a pass over the text found.
pub(super) struct Scan {
    pub comments: Vec<Comment>,
    /// The most tokens that a parser may have open at once; see [`Nesting`].
    pub nesting: u32,
}

/// A token, as far as nesting cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Word(&'a str),
    Literal,
    Lifetime,
    Open(u8),
    Close(u8),
    Punct(u8),
}

pub(super) fn scan(source: SourceId, base: u32, text: &str) -> Scan {
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0, source, base, comments: Vec::new() };
    let mut nesting = Nesting::default();
    while let Some(token) = scanner.token() {
        nesting.token(token);
    }
    Scan { comments: scanner.comments, nesting: nesting.deepest() }
}

struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    source: SourceId,
    base: u32,
    comments: Vec<Comment>,
}

impl<'a> Scanner<'a> {
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(0)
    }

    fn token(&mut self) -> Option<Token<'a>> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            match byte {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                b'/' if self.peek(1) == b'/' => self.line_comment(),
                b'/' if self.peek(1) == b'*' => self.block_comment(),
                _ => return Some(self.solid(byte)),
            }
        }
    }

    fn solid(&mut self, byte: u8) -> Token<'a> {
        match byte {
            b'"' => self.string(self.at),
            b'\'' => self.char_or_lifetime(),
            b'(' | b'[' | b'{' => self.one(Token::Open(byte)),
            b')' | b']' | b'}' => self.one(Token::Close(byte)),
            b'0'..=b'9' => self.number(),
            b'_' | b'a'..=b'z' | b'A'..=b'Z' | 0x80.. => self.word(),
            _ => self.one(Token::Punct(byte)),
        }
    }

    fn one(&mut self, token: Token<'a>) -> Token<'a> {
        self.at += 1;
        token
    }

    fn line_comment(&mut self) {
        let start = self.at;
        let end = self.text[start..].find('\n').map_or(self.bytes.len(), |n| start + n);
        let body = &self.text[start + 2..end];
        let doc = body.starts_with('!') || body.starts_with('/') && !body.starts_with("//");
        let end = start + self.text[start..end].trim_end_matches('\r').len();
        self.comment(start, end, if doc { &body[1..] } else { body }, doc);
        self.at = end;
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let mut depth = 0;
        while self.at < self.bytes.len() {
            match (self.peek(0), self.peek(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.at += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        break;
                    }
                }
                _ => self.at += 1,
            }
        }
        let end = self.at.min(self.bytes.len());
        let whole = &self.text[start..end];
        let body = whole[2..].strip_suffix("*/").unwrap_or(&whole[2..]);
        let doc = body.starts_with('!') || body.len() > 1 && body.starts_with('*') && !body.starts_with("**");
        self.comment(start, end, if doc { &body[1..] } else { body }, doc);
    }

    fn comment(&mut self, start: usize, end: usize, text: &str, doc: bool) {
        let span = Span { source: self.source, start: self.base + start as u32, end: self.base + end as u32 };
        self.comments.push(Comment { span, text: text.trim().to_owned(), doc });
    }

    /// A string with escapes whose quote stands at `quote`.
    fn string(&mut self, quote: usize) -> Token<'a> {
        self.at = quote + 1;
        while self.at < self.bytes.len() {
            match self.bytes[self.at] {
                b'\\' => self.at += 2,
                b'"' => break,
                _ => self.at += 1,
            }
        }
        self.at = (self.at + 1).min(self.bytes.len());
        self.realign();
        Token::Literal
    }

    /// `r"…"` or `r#"…"#`; `hashes` stands at the first `#` or quote.
    fn raw_string(&mut self, hashes: usize) -> Token<'a> {
        let count = self.bytes[hashes..].iter().take_while(|b| **b == b'#').count();
        let close = format!("\"{}", "#".repeat(count));
        let body = hashes + count + 1;
        self.at = self.text[body..].find(&close).map_or(self.bytes.len(), |n| body + n + close.len());
        Token::Literal
    }

    /// A char has its closing quote after one character or an escape; anything else with a quote is a lifetime.
    fn char_or_lifetime(&mut self) -> Token<'a> {
        let rest = &self.text[self.at + 1..];
        if rest.starts_with('\\') {
            return self.escaped_char();
        }
        let width = rest.chars().next().map_or(0, char::len_utf8);
        if width > 0 && rest[width..].starts_with('\'') {
            self.at += width + 2;
            return Token::Literal;
        }
        self.at += 1;
        if matches!(self.word(), Token::Word("")) {
            return Token::Punct(b'\'');
        }
        Token::Lifetime
    }

    fn escaped_char(&mut self) -> Token<'a> {
        self.at += 3;
        while self.at < self.bytes.len() && !matches!(self.bytes[self.at], b'\'' | b'\n') {
            self.at += 1;
        }
        self.at = (self.at + 1).min(self.bytes.len());
        self.realign();
        Token::Literal
    }

    fn number(&mut self) -> Token<'a> {
        let start = self.at;
        while self.peek(0) == b'_' || self.peek(0).is_ascii_alphanumeric() {
            self.at += 1;
        }
        // `1.5` and `1.` are numbers; in `1..2`, `1.max(2)` and `t.0.1` the dot is another token.
        let after_dot = start > 0 && self.bytes[start - 1] == b'.';
        if self.peek(0) == b'.' && self.peek(1).is_ascii_digit() && !after_dot {
            self.at += 1;
            return self.number();
        }
        Token::Literal
    }

    fn word(&mut self) -> Token<'a> {
        let start = self.at;
        while self.peek(0) == b'_' || self.peek(0).is_ascii_alphanumeric() || self.peek(0) >= 0x80 {
            self.at += 1;
        }
        let word = &self.text[start..self.at];
        match (word, self.peek(0)) {
            ("b" | "c", b'"') => self.string(self.at),
            ("b", b'\'') => self.char_or_lifetime(),
            ("r" | "br" | "cr", b'"') => self.raw_string(self.at),
            ("r" | "br" | "cr", b'#') => self.raw_string_or_name(start),
            _ => Token::Word(word),
        }
    }

    fn raw_string_or_name(&mut self, start: usize) -> Token<'a> {
        let hashes = self.bytes[self.at..].iter().take_while(|b| **b == b'#').count();
        if self.peek(hashes) == b'"' {
            return self.raw_string(self.at);
        }
        if hashes == 1 && (self.peek(1) == b'_' || self.peek(1).is_ascii_alphabetic() || self.peek(1) >= 0x80) {
            self.at += 1;
            return self.word();
        }
        Token::Word(&self.text[start..self.at])
    }

    /// An escape may have skipped into the middle of a character.
    fn realign(&mut self) {
        while !self.text.is_char_boundary(self.at) {
            self.at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comments(text: &str) -> Vec<(String, bool)> {
        scan(SourceId(0), 0, text).comments.into_iter().map(|c| (c.text, c.doc)).collect()
    }

    fn texts(text: &str) -> Vec<String> {
        comments(text).into_iter().map(|c| c.0).collect()
    }

    #[test]
    fn line_and_doc_comments_are_told_apart() {
        let text = "// one\r\n/// two\n//! three\n//// four\nfn f() {} // five";
        let found = comments(text);
        let docs: Vec<bool> = found.iter().map(|c| c.1).collect();
        assert_eq!(texts(text), ["one", "two", "three", "// four", "five"]);
        assert_eq!(docs, [false, true, true, false, false]);
    }

    #[test]
    fn block_comments_nest() {
        assert_eq!(
            comments("a /* x /* y */ z */ b /** d */ /**/ /*** n */"),
            [
                ("x /* y */ z".to_owned(), false),
                ("d".to_owned(), true),
                (String::new(), false),
                ("** n".to_owned(), false),
            ]
        );
        assert_eq!(texts("/* never closed ä"), ["never closed ä"]);
    }

    #[test]
    fn strings_hide_what_looks_like_a_comment() {
        let text = r####"let a = "// no \" // no"; let b = r#"/* no " // no"#; let c = b"// no"; let d = c"// no";
            let e = br##"// no"# // no"##; let f = r"\"; // yes"####;
        assert_eq!(texts(text), ["yes"]);
    }

    #[test]
    fn chars_are_no_strings_and_lifetimes_no_chars() {
        assert_eq!(texts(r#"let q = '"'; // one"#), ["one"]);
        assert_eq!(texts(r"let q = '\''; // two"), ["two"]);
        assert_eq!(texts(r"let q = '\u{1F600}'; // three"), ["three"]);
        assert_eq!(texts("fn f<'a>(x: &'a str, y: &'static str) {} // four"), ["four"]);
        assert_eq!(texts("let q = 'ß'; let r = b'\"'; // five"), ["five"]);
    }

    #[test]
    fn raw_names_are_no_raw_strings() {
        assert_eq!(texts("let r#type = 1; // \"one"), ["\"one"]);
    }

    #[test]
    fn spans_cover_the_marks_and_count_from_the_base() {
        let found = scan(SourceId(0), 3, "ä // x\r\n").comments;
        assert_eq!((found[0].span.start, found[0].span.end), (6, 10));
    }

    #[test]
    fn broken_texts_end() {
        for text in ["\"abc", "'", "'\\", "r#", "r#\"abc", "b'", "/*", "\"\\", "\"\\ä", "'\\ä'", "1.", "é'é"] {
            scan(SourceId(0), 0, text);
        }
    }
}
