//! A cursor over the tokens of one DDL statement.

use crate::intern::Symbol;
use crate::source::{SourceId, Span};
use crate::sql::token::{Token, TokenKind, name_at};

/// Where the text of a statement stands in a source.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place<'t> {
    /// From this byte on, as it is.
    At(SourceId, usize),
    /// Somewhere in the span, escapes and all.
    Within(Span),
    /// Put together from pieces: where each starts in the text, and the code that says it.
    Pieces(&'t [(usize, Span)]),
}

impl Place<'_> {
    pub fn span(self, start: usize, end: usize) -> Span {
        match self {
            Place::At(source, base) => Span { source, start: (base + start) as u32, end: (base + end) as u32 },
            Place::Within(span) => span,
            Place::Pieces(pieces) => {
                let of = |at: usize| {
                    pieces.partition_point(|(from, _)| *from <= at).checked_sub(1).map(|piece| pieces[piece].1)
                };
                let first = of(start).or_else(|| of(usize::MAX)).expect("a text has a piece");
                // Pieces of one chain lie behind each other; those of a helper may lie in another file.
                match of(end.saturating_sub(1)) {
                    Some(last) if last.source == first.source && last.start >= first.start => {
                        Span { end: last.end, ..first }
                    }
                    _ => first,
                }
            }
        }
    }
}

/// The tokens from `at` to `end`.
#[derive(Clone, Copy)]
pub(super) struct Reader<'t> {
    pub text: &'t str,
    pub tokens: &'t [Token],
    pub at: usize,
    pub place: Place<'t>,
}

impl<'t> Reader<'t> {
    pub fn peek(&self) -> Option<&'t Token> {
        self.tokens.get(self.at)
    }

    pub fn is_done(&self) -> bool {
        self.at >= self.tokens.len()
    }

    /// Whether the words come next.
    pub fn sees(&self, keywords: &[&str]) -> bool {
        keywords.iter().enumerate().all(|(i, word)| self.tokens.get(self.at + i).is_some_and(|t| t.is(self.text, word)))
    }

    pub fn sees_any(&self, keywords: &[&str]) -> bool {
        keywords.iter().any(|word| self.sees(&[word]))
    }

    pub fn sees_symbol(&self, symbol: u8) -> bool {
        self.peek().is_some_and(|token| token.is_symbol(symbol))
    }

    /// Takes the words, if they come next.
    pub fn take(&mut self, keywords: &[&str]) -> bool {
        let seen = self.sees(keywords);
        if seen {
            self.at += keywords.len();
        }
        seen
    }

    pub fn take_any(&mut self, keywords: &[&str]) -> bool {
        let seen = self.sees_any(keywords);
        self.at += usize::from(seen);
        seen
    }

    pub fn skip(&mut self) {
        self.at += 1;
    }

    /// Takes `IF [NOT] EXISTS`.
    pub fn take_if_exists(&mut self) -> bool {
        self.take(&["IF", "NOT", "EXISTS"]) || self.take(&["IF", "EXISTS"])
    }

    /// Takes a name, of which the last part counts.
    pub fn name(&mut self) -> Option<Symbol> {
        let (name, next) = name_at(self.text, self.tokens, self.at)?;
        self.at = next;
        Some(name)
    }

    /// Takes what stands in parentheses, if one opens here.
    pub fn parenthesised(&mut self) -> Option<Reader<'t>> {
        if !self.sees_symbol(b'(') {
            return None;
        }
        let close = closing(self.tokens, self.at);
        let inside = Reader { tokens: &self.tokens[..close], at: self.at + 1, ..*self };
        self.at = close + 1;
        Some(inside)
    }

    /// The parts between commas outside all parentheses.
    pub fn parts(self) -> Vec<Reader<'t>> {
        let mut parts = Vec::new();
        let (mut start, mut at) = (self.at, self.at);
        while at < self.tokens.len() {
            match self.tokens[at].kind {
                TokenKind::Symbol(b'(') => at = closing(self.tokens, at),
                TokenKind::Symbol(b',') => {
                    parts.push(Reader { tokens: &self.tokens[..at], at: start, ..self });
                    start = at + 1;
                }
                _ => {}
            }
            at += 1;
        }
        if start < self.tokens.len() {
            parts.push(Reader { at: start, ..self });
        }
        parts
    }

    /// Names in parentheses: `(a, b DESC, c(10))`.
    pub fn names(&mut self) -> Vec<Symbol> {
        let Some(inside) = self.parenthesised() else { return Vec::new() };
        inside.parts().into_iter().filter_map(|mut part| part.name()).collect()
    }

    /// The source text of the tokens that are left.
    pub fn rest(&self) -> &'t str {
        self.slice(self.at, self.tokens.len())
    }

    pub fn slice(&self, from: usize, to: usize) -> &'t str {
        match (self.tokens.get(from), to.checked_sub(1).and_then(|last| self.tokens.get(last))) {
            (Some(first), Some(last)) if first.start <= last.end => &self.text[first.start..last.end],
            _ => "",
        }
    }

    /// The span of the tokens from one place to another.
    pub fn span(&self, from: usize, to: usize) -> Span {
        let start = self.tokens.get(from).map_or(0, |token| token.start);
        let end = to.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(start, |token| token.end);
        self.place.span(start, end.max(start))
    }
}

/// The place of the parenthesis that closes the one at `open`, or the end.
fn closing(tokens: &[Token], open: usize) -> usize {
    let mut depth = 0usize;
    for (i, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            TokenKind::Symbol(b'(') => depth += 1,
            TokenKind::Symbol(b')') if depth == 1 => return i,
            TokenKind::Symbol(b')') => depth -= 1,
            _ => {}
        }
    }
    tokens.len()
}

/// Text in one line: lower case outside literals and quoted names, white space as a person would put it.
pub(super) fn normalised(reader: Reader<'_>) -> Symbol {
    let mut out = String::new();
    let tokens = &reader.tokens[reader.at.min(reader.tokens.len())..];
    for (i, token) in tokens.iter().enumerate() {
        let word = token.text(reader.text);
        if i > 0 && !is_signed(tokens, i) && are_apart(&tokens[i - 1], token) {
            out.push(' ');
        }
        match token.kind {
            TokenKind::Word => out.push_str(&word.to_lowercase()),
            TokenKind::Quoted => out.push_str(word.trim_matches(['"', '`'])),
            _ => out.push_str(word),
        }
    }
    Symbol::new(&out)
}

/// Whether the token is a number behind its sign.
fn is_signed(tokens: &[Token], at: usize) -> bool {
    let ends_operand = |token: &Token| !matches!(token.kind, TokenKind::Symbol(symbol) if symbol != b')');
    tokens[at - 1].is_symbol(b'-')
        && tokens[at].kind == TokenKind::Number
        && (at == 1 || !ends_operand(&tokens[at - 2]))
}

/// Whether white space belongs between two tokens.
fn are_apart(last: &Token, token: &Token) -> bool {
    let symbol = |token: &Token, symbols: &[u8]| symbols.iter().any(|symbol| token.is_symbol(*symbol));
    let is_symbol = |token: &Token| matches!(token.kind, TokenKind::Symbol(_));
    if symbol(last, b"([.:") || symbol(token, b")],.:[") {
        return false;
    }
    if symbol(token, b"(") {
        return is_symbol(last) && !symbol(last, b")]");
    }
    // `>=` and `->>` are one operator; so is a sign before its number.
    let one_operator = is_symbol(last) && is_symbol(token) && last.end == token.start;
    !one_operator || symbol(last, b"),")
}
