//! A small tokenizer for SQL text as Rust programs hold it: placeholders of every library, `{}` of `format!`, any dialect's quotes.
//!
//! It never fails. What it must know is what is text, what is a quoted name and what is a comment, so that a `?` or `;` inside one is no placeholder and no end.

use super::Dialect;
use crate::intern::Symbol;

/// What a [`Token`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    Word,
    /// A name in double quotes or backticks.
    Quoted,
    /// A string literal, with its prefix and quotes; a dollar-quoted body too.
    Text,
    Number,
    /// `?`
    Positional,
    /// `$2`, `?2`
    Numbered,
    /// `:name`, `@name`, `$name`
    Named,
    /// `{}`, `{name}`
    Hole,
    /// A word with a hole in it: `users_{}`.
    HoleWord,
    Symbol(u8),
}

/// A token by its place in the text; comments and white space are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

impl Token {
    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start..self.end]
    }

    /// Whether it is the word `keyword`, in any case.
    pub fn is(&self, text: &str, keyword: &str) -> bool {
        self.kind == TokenKind::Word && self.text(text).eq_ignore_ascii_case(keyword)
    }

    pub fn is_symbol(&self, symbol: u8) -> bool {
        self.kind == TokenKind::Symbol(symbol)
    }
}

/// Splits `text` into tokens.
pub(crate) fn tokenize(text: &str, dialect: Dialect) -> Vec<Token> {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        // Only MySQL's plain strings know the backslash, and only MySQL's users write backticks by habit.
        backslash: dialect == Dialect::Mysql || (dialect == Dialect::Unknown && text.contains('`')),
        tokens: Vec::new(),
    };
    while lexer.at < lexer.bytes.len() {
        lexer.step();
    }
    join_hole_words(lexer.tokens)
}

struct Lexer<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    backslash: bool,
    tokens: Vec<Token>,
}

impl Lexer<'_> {
    fn peek(&self, offset: usize) -> u8 {
        self.bytes.get(self.at + offset).copied().unwrap_or(0)
    }

    fn push(&mut self, kind: TokenKind, end: usize) {
        self.tokens.push(Token { kind, start: self.at, end });
        self.at = end;
    }

    fn step(&mut self) {
        let byte = self.bytes[self.at];
        match byte {
            b if b.is_ascii_whitespace() => self.at += 1,
            b'-' if self.peek(1) == b'-' => self.at = self.line_end(),
            b'#' if self.starts_line() && self.peek(1) == b' ' => self.at = self.line_end(),
            b'/' if self.peek(1) == b'*' => self.at = self.comment_end(),
            b'\'' => self.push(TokenKind::Text, self.quote_end(self.at, b'\'', self.backslash)),
            b'"' | b'`' => self.push(TokenKind::Quoted, self.quote_end(self.at, byte, self.backslash)),
            b'$' => self.dollar(),
            b'?' => self.question(),
            b':' => self.colon(),
            b'@' => self.at_sign(),
            b'{' => self.brace(),
            b'0'..=b'9' => self.push(TokenKind::Number, self.number_end()),
            b if is_word(b) => self.word(),
            _ => self.push(TokenKind::Symbol(byte), self.at + 1),
        }
    }

    fn line_end(&self) -> usize {
        self.bytes[self.at..].iter().position(|&b| b == b'\n').map_or(self.bytes.len(), |n| self.at + n)
    }

    fn starts_line(&self) -> bool {
        self.bytes[..self.at].iter().rev().take_while(|&&b| b != b'\n').all(u8::is_ascii_whitespace)
    }

    /// The end of a block comment; PostgreSQL's nest, and nobody writes `/*` inside one elsewhere.
    fn comment_end(&self) -> usize {
        let (mut at, mut depth) = (self.at, 0usize);
        while at + 1 < self.bytes.len() {
            match &self.bytes[at..at + 2] {
                b"/*" => (depth, at) = (depth + 1, at + 2),
                b"*/" if depth == 1 => return at + 2,
                b"*/" => (depth, at) = (depth - 1, at + 2),
                _ => at += 1,
            }
        }
        self.bytes.len()
    }

    /// The end of what is quoted from `start`; a doubled quote stands for itself.
    fn quote_end(&self, start: usize, quote: u8, backslash: bool) -> usize {
        let mut at = start + 1;
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\\' if backslash => at += 2,
                b if b == quote && self.bytes.get(at + 1) == Some(&quote) => at += 2,
                b if b == quote => return at + 1,
                _ => at += 1,
            }
        }
        self.bytes.len()
    }

    /// `$1`, `$name`, `$$ body $$`, `$tag$ body $tag$`.
    fn dollar(&mut self) {
        let name_end = self.word_end(self.at + 1);
        if self.bytes.get(name_end) == Some(&b'$') {
            let tag = &self.text[self.at..=name_end];
            let body = name_end + 1;
            let end = self.text[body..].find(tag).map_or(self.bytes.len(), |n| body + n + tag.len());
            return self.push(TokenKind::Text, end);
        }
        match self.peek(1) {
            b'0'..=b'9' => self.push(TokenKind::Numbered, name_end),
            b if is_word(b) => self.push(TokenKind::Named, name_end),
            _ => self.push(TokenKind::Symbol(b'$'), self.at + 1),
        }
    }

    /// A placeholder, unless what follows shows that it is one of PostgreSQL's JSON operators.
    fn question(&mut self) {
        if self.peek(1).is_ascii_digit() {
            return self.push(TokenKind::Numbered, self.digits_end(self.at + 1));
        }
        let operator = match (self.peek(1), self.peek(2)) {
            (b'|', b'|') | (b'&', b'&') => false,
            (b'|' | b'&', _) => true,
            _ => matches!(self.text[self.at + 1..].trim_start().as_bytes().first(), Some(b'\'' | b'$' | b'?')),
        };
        let kind = if operator { TokenKind::Symbol(b'?') } else { TokenKind::Positional };
        self.push(kind, self.at + 1);
    }

    fn colon(&mut self) {
        if self.peek(1) == b':' || self.peek(1) == b'=' {
            self.push(TokenKind::Symbol(b':'), self.at + 1);
            return self.push(TokenKind::Symbol(self.peek(0)), self.at + 1);
        }
        // `arr[1:n]` is a slice.
        let glued = self.at > 0 && (is_word(self.bytes[self.at - 1]) || matches!(self.bytes[self.at - 1], b')' | b']'));
        match self.peek(1) {
            b if starts_word(b) && !glued => self.push(TokenKind::Named, self.word_end(self.at + 1)),
            _ => self.push(TokenKind::Symbol(b':'), self.at + 1),
        }
    }

    fn at_sign(&mut self) {
        if self.peek(1) == b'@' {
            self.push(TokenKind::Symbol(b'@'), self.at + 1);
            return self.push(TokenKind::Symbol(b'@'), self.at + 1);
        }
        match self.peek(1) {
            b if starts_word(b) => self.push(TokenKind::Named, self.word_end(self.at + 1)),
            _ => self.push(TokenKind::Symbol(b'@'), self.at + 1),
        }
    }

    fn brace(&mut self) {
        match hole_end(self.bytes, self.at) {
            Some(end) => self.push(TokenKind::Hole, end),
            None => self.push(TokenKind::Symbol(b'{'), self.at + 1),
        }
    }

    fn word(&mut self) {
        let end = self.word_end(self.at);
        let prefix = end - self.at == 1 && self.bytes.get(end) == Some(&b'\'');
        match self.bytes[self.at] {
            b'e' | b'E' if prefix => self.push(TokenKind::Text, self.quote_end(end, b'\'', true)),
            b'b' | b'B' | b'x' | b'X' | b'n' | b'N' | b'r' | b'R' if prefix => {
                self.push(TokenKind::Text, self.quote_end(end, b'\'', self.backslash));
            }
            _ => self.push(TokenKind::Word, end),
        }
    }

    fn word_end(&self, from: usize) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|&&b| is_word(b)).count()
    }

    fn digits_end(&self, from: usize) -> usize {
        from + self.bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count()
    }

    fn number_end(&self) -> usize {
        let end = self.word_end(self.at);
        match self.bytes.get(end) {
            Some(b'.') => self.word_end(end + 1),
            _ => end,
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn starts_word(byte: u8) -> bool {
    is_word(byte) && !byte.is_ascii_digit()
}

/// The end of a `{}`, `{name}`, `{0}` or `{name:spec}` that starts at `start`.
fn hole_end(bytes: &[u8], start: usize) -> Option<usize> {
    let rest = &bytes[start + 1..];
    let length = rest.iter().position(|&b| b == b'}')?;
    let inside = &rest[..length];
    let name = inside.iter().take_while(|&&b| is_word(b)).count();
    let spec_is_plain = |spec: &[u8]| spec.iter().all(|b| b.is_ascii_graphic() && !matches!(b, b'{' | b'\'' | b'"'));
    match inside.get(name) {
        None => Some(start + length + 2),
        Some(b':') if spec_is_plain(&inside[name + 1..]) => Some(start + length + 2),
        Some(_) => None,
    }
}

/// The name inside the braces of a hole: empty for `{}`.
pub(crate) fn hole_name(hole: &str) -> &str {
    let inside = hole.trim_start_matches('{').trim_end_matches('}');
    inside.split(':').next().unwrap_or_default()
}

/// The last part of the dotted name at `start`, lower case unless in double quotes, and the place after it. A name with a hole gives nothing.
pub(crate) fn name_at(text: &str, tokens: &[Token], start: usize) -> Option<(Symbol, usize)> {
    let mut at = start;
    while tokens.get(at + 1).is_some_and(|token| token.is_symbol(b'.')) && tokens.get(at + 2).is_some() {
        at += 2;
    }
    let token = tokens.get(at)?;
    let word = token.text(text);
    let name = match token.kind {
        TokenKind::Word => word.to_lowercase(),
        TokenKind::Quoted if word.starts_with('`') => word.trim_matches('`').to_lowercase(),
        TokenKind::Quoted => word.trim_matches('"').to_owned(),
        TokenKind::Hole | TokenKind::HoleWord if !word.contains("{}") => word.to_owned(),
        _ => return None,
    };
    Some((Symbol::new(&name), at + 1))
}

/// Words and holes that touch each other are one name: `users_{}`, `{prefix}_users`.
fn join_hole_words(tokens: Vec<Token>) -> Vec<Token> {
    let mut joined: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let part = |kind| matches!(kind, TokenKind::Word | TokenKind::Number | TokenKind::Hole | TokenKind::HoleWord);
        match joined.last_mut() {
            Some(last) if last.end == token.start && part(last.kind) && part(token.kind) => {
                *last = Token { kind: TokenKind::HoleWord, start: last.start, end: token.end };
            }
            _ => joined.push(token),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        tokenize(text, Dialect::Unknown).iter().map(|t| (t.kind, t.text(text))).collect()
    }

    fn of_kind(text: &str, kind: TokenKind) -> Vec<&str> {
        kinds(text).into_iter().filter(|(k, _)| *k == kind).map(|(_, t)| t).collect()
    }

    #[test]
    fn placeholders_outside_text_only() {
        let text = "SELECT '?', \"a?\", E'it\\'s ?' -- ?\n/* ? /* $1 */ */ FROM t WHERE a = ? AND b = $2 AND c = ?3";
        assert_eq!(of_kind(text, TokenKind::Positional), ["?"]);
        assert_eq!(of_kind(text, TokenKind::Numbered), ["$2", "?3"]);
    }

    #[test]
    fn named_placeholders_and_what_looks_like_them() {
        let text = "SELECT a::text, arr[1:n] FROM t WHERE b = :owner AND c = @p1 AND d @> $name AND @@x";
        assert_eq!(of_kind(text, TokenKind::Named), [":owner", "@p1", "$name"]);
    }

    #[test]
    fn json_operators_are_no_placeholders() {
        assert_eq!(
            of_kind("SELECT 1 FROM t WHERE data ? 'k' AND data ?| array['a'] AND id = $1", TokenKind::Positional),
            [""; 0]
        );
        assert_eq!(of_kind("SELECT 1 FROM t WHERE name LIKE '%'||?||'%'", TokenKind::Positional), ["?"]);
    }

    #[test]
    fn dollar_bodies_are_text() {
        let text = "DO $body$ BEGIN; PERFORM $1; END $body$; SELECT $1";
        assert_eq!(of_kind(text, TokenKind::Text), ["$body$ BEGIN; PERFORM $1; END $body$"]);
        assert_eq!(of_kind(text, TokenKind::Numbered), ["$1"]);
    }

    #[test]
    fn holes_and_words_with_holes() {
        let text = "UPDATE {table} SET {} WHERE users_{kind}.id = {id:?} AND x = '{}' AND {{literal}}";
        assert_eq!(of_kind(text, TokenKind::Hole), ["{table}", "{}", "{id:?}", "{literal}"]);
        assert_eq!(of_kind(text, TokenKind::HoleWord), ["users_{kind}"]);
        assert_eq!(hole_name("{id:?}"), "id");
        assert_eq!(hole_name("{}"), "");
    }

    #[test]
    fn unfinished_text_ends_with_the_input() {
        for text in ["SELECT 'open", "SELECT \"open", "/* open", "$$ open", "{", "$", ":", "@", "?", "'\\", "E'\\"] {
            let tokens = tokenize(text, Dialect::Mysql);
            assert!(tokens.iter().all(|t| t.end <= text.len() + 1), "{text}");
        }
    }

    #[test]
    fn mysql_strings_know_the_backslash() {
        let text = r"SELECT 'it\'s ?', ?";
        let found = tokenize(text, Dialect::Mysql).iter().filter(|t| t.kind == TokenKind::Positional).count();
        assert_eq!(found, 1);
    }
}
