//! Rewrites a statement's tokens into text that sqlparser takes: stand-ins for placeholders, and for a few forms that it does not know ones that it does.

use super::names::Names;
use super::token::{Token, TokenKind};

/// A statement ready for the parser.
#[derive(Clone, Debug)]
pub(crate) struct Prepared {
    pub text: String,
    pub names: Names,
    /// The tables of `FOR UPDATE OF a, b`, as written.
    pub locked: Vec<String>,
}

/// Prepares the statement made of `tokens`.
pub(crate) fn prepare(text: &str, tokens: &[Token]) -> Prepared {
    let names = Names::new(text, tokens);
    let mut writer = Writer {
        text,
        tokens,
        names: &names,
        out: String::with_capacity(text.len() + 64),
        locked: Vec::new(),
        clause: Clause::Other,
    };
    let mut at = 0;
    while at < tokens.len() {
        at = writer.step(at);
    }
    let (text, locked) = (writer.out, writer.locked);
    Prepared { text, names, locked }
}

/// Where a hole stands, as far as it matters to what it may mean.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clause {
    /// The assignments after SET.
    Set,
    Other,
}

struct Writer<'t> {
    text: &'t str,
    tokens: &'t [Token],
    names: &'t Names,
    out: String,
    locked: Vec<String>,
    clause: Clause,
}

impl Writer<'_> {
    fn word(&self, index: usize, keyword: &str) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is(self.text, keyword))
    }

    fn any(&self, index: usize, keywords: &[&str]) -> bool {
        keywords.iter().any(|keyword| self.word(index, keyword))
    }

    fn words(&self, from: usize, keywords: &[&str]) -> bool {
        keywords.iter().enumerate().all(|(i, keyword)| self.word(from + i, keyword))
    }

    fn symbol(&self, index: usize, symbol: u8) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is_symbol(symbol))
    }

    /// Writes the token at `at`, or what stands for it and some after it; gives the place of the next one.
    fn step(&mut self, at: usize) -> usize {
        let token = self.tokens[at];
        if token.kind == TokenKind::Hole {
            self.hole(at);
            return at + 1;
        }
        if token.kind == TokenKind::Word
            && let Some(next) = self.rewrite(at)
        {
            return next;
        }
        self.note_clause(at);
        let touches = at > 0 && self.tokens[at - 1].end == token.start;
        if !touches {
            self.out.push(' ');
        }
        match self.names.stand_in(self.text, &token) {
            Some(name) => self.out.push_str(&name),
            None => self.out.push_str(token.text(self.text)),
        }
        at + 1
    }

    fn add(&mut self, piece: &str) {
        self.out.push(' ');
        self.out.push_str(piece);
    }

    fn note_clause(&mut self, at: usize) {
        if self.word(at, "SET") {
            self.clause = Clause::Set;
        } else if self.any(at, &["WHERE", "FROM", "RETURNING", "SELECT", "VALUES", "ORDER", "LIMIT"]) {
            self.clause = Clause::Other;
        }
    }

    /// A hole alone: a value, a name, a list of values or of assignments; left out where only a piece of text can stand.
    fn hole(&mut self, at: usize) {
        let Some(name) = self.names.stand_in(self.text, &self.tokens[at]) else { return };
        let after_start = |keywords: &[&str]| at > 0 && self.any(at - 1, keywords);
        let is_derived = at > 1 && self.symbol(at - 1, b'(') && self.any(at - 2, &["FROM", "JOIN"]);
        if is_derived && self.symbol(at + 1, b')') {
            self.add(&format!("SELECT * FROM {name}"));
        } else if after_start(&["VALUES"]) {
            self.add(&format!("({name})"));
        } else if self.clause == Clause::Set
            && (after_start(&["SET"]) || self.symbol(at - 1, b','))
            && !self.symbol(at + 1, b'=')
        {
            self.add(&format!("{name} = {name}"));
        } else if at == 0 || !self.ends_operand(at - 1) {
            self.add(&name);
        }
    }

    /// Whether an operand or a clause is complete with the token, so that a hole after it can only be more text.
    fn ends_operand(&self, at: usize) -> bool {
        match self.tokens[at].kind {
            TokenKind::Symbol(symbol) => matches!(symbol, b')' | b']') || (symbol == b'*' && !self.multiplies(at)),
            TokenKind::Word => !EXPECTS_OPERAND.iter().any(|keyword| self.word(at, keyword)),
            _ => true,
        }
    }

    /// Whether a `*` is an operator, not all columns.
    fn multiplies(&self, at: usize) -> bool {
        at > 0 && !self.symbol(at - 1, b'.') && !self.symbol(at - 1, b',') && self.ends_operand(at - 1)
    }

    fn rewrite(&mut self, at: usize) -> Option<usize> {
        // `make_interval(secs => $1)`: the name of an argument is no column.
        if self.symbol(at + 1, b'=')
            && self.symbol(at + 2, b'>')
            && self.tokens[at + 1].end == self.tokens[at + 2].start
        {
            return Some(at + 3);
        }
        if self.word(at, "FOR") {
            return self.row_lock(at);
        }
        if self.words(at, &["LOCK", "IN", "SHARE", "MODE"]) {
            self.add("FOR SHARE");
            return Some(at + 4);
        }
        if self.words(at, &["ON", "CONFLICT"]) && self.symbol(at + 2, b'(') {
            return Some(self.conflict_target(at));
        }
        if self.word(at, "IS") && !self.any(at + 1, AFTER_IS) {
            let negated = self.word(at + 1, "NOT");
            if negated && self.any(at + 2, AFTER_IS) {
                return None;
            }
            self.add(if negated { "IS DISTINCT FROM" } else { "IS NOT DISTINCT FROM" });
            return Some(at + 1 + usize::from(negated));
        }
        None
    }

    /// `FOR [NO KEY] UPDATE`, `FOR [KEY] SHARE`, with `OF a, b`, of which the parser takes one.
    fn row_lock(&mut self, at: usize) -> Option<usize> {
        let mut next = if self.words(at + 1, &["NO", "KEY", "UPDATE"]) {
            self.add("FOR UPDATE");
            at + 4
        } else if self.words(at + 1, &["KEY", "SHARE"]) {
            self.add("FOR SHARE");
            at + 3
        } else if self.any(at + 1, &["UPDATE", "SHARE"]) {
            self.add(if self.word(at + 1, "UPDATE") { "FOR UPDATE" } else { "FOR SHARE" });
            at + 2
        } else {
            return None;
        };
        if self.word(next, "OF") {
            next += 1;
            while let Some(token) = self.tokens.get(next).filter(|token| !token.is_symbol(b')')) {
                if self.any(next, &["SKIP", "NOWAIT", "LIMIT", "FOR"]) {
                    break;
                }
                if token.is_symbol(b'.') {
                    self.locked.pop();
                } else if !token.is_symbol(b',') {
                    let name = self.names.stand_in(self.text, token);
                    self.locked.push(name.unwrap_or_else(|| token.text(self.text).to_owned()));
                }
                next += 1;
            }
        }
        Some(next)
    }

    /// `ON CONFLICT (lower(a), b COLLATE c) WHERE …`: the parser takes plain columns alone.
    fn conflict_target(&mut self, at: usize) -> usize {
        let open = at + 2;
        let close = self.closing(open);
        let mut columns = Vec::new();
        let mut start = open + 1;
        for end in open + 1..=close {
            let depth_one = self.depth(open, end) == 1;
            if end == close || (self.symbol(end, b',') && depth_one) {
                columns.extend(self.column_in(start, end));
                start = end + 1;
            }
        }
        self.add(&format!("ON CONFLICT ({})", columns.join(", ")));
        close + 1
    }

    /// The first name in a part of a conflict target that is no function.
    fn column_in(&self, start: usize, end: usize) -> Option<String> {
        let named = |i: &usize| {
            matches!(self.tokens[*i].kind, TokenKind::Word | TokenKind::Quoted | TokenKind::HoleWord | TokenKind::Hole)
        };
        let found = (start..end.min(self.tokens.len())).filter(named).find(|i| !self.symbol(i + 1, b'('))?;
        let token = &self.tokens[found];
        Some(self.names.stand_in(self.text, token).unwrap_or_else(|| token.text(self.text).to_owned()))
    }

    /// The place of the parenthesis that closes the one at `open`, or the end.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for (i, token) in self.tokens.iter().enumerate().skip(open) {
            match token.kind {
                TokenKind::Symbol(b'(') => depth += 1,
                TokenKind::Symbol(b')') if depth == 1 => return i,
                TokenKind::Symbol(b')') => depth -= 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    fn depth(&self, open: usize, at: usize) -> usize {
        let inside = &self.tokens[open..at.min(self.tokens.len())];
        let count = |symbol| inside.iter().filter(|token| token.is_symbol(symbol)).count();
        count(b'(').saturating_sub(count(b')'))
    }
}

/// What may follow IS without being a value.
const AFTER_IS: &[&str] = &[
    "NULL",
    "NOT",
    "TRUE",
    "FALSE",
    "UNKNOWN",
    "DISTINCT",
    "JSON",
    "NORMALIZED",
    "NFC",
    "NFD",
    "NFKC",
    "NFKD",
    "OF",
    "DOCUMENT",
];

/// Words after which an operand or a name is due.
const EXPECTS_OPERAND: &[&str] = &[
    "SELECT",
    "DISTINCT",
    "ALL",
    "FROM",
    "JOIN",
    "INTO",
    "UPDATE",
    "TABLE",
    "WHERE",
    "AND",
    "OR",
    "NOT",
    "ON",
    "USING",
    "SET",
    "BY",
    "HAVING",
    "LIMIT",
    "OFFSET",
    "IN",
    "LIKE",
    "ILIKE",
    "BETWEEN",
    "WHEN",
    "THEN",
    "ELSE",
    "CASE",
    "AS",
    "RETURNING",
    "VALUES",
    "ANY",
    "IS",
    "INTERVAL",
    "EXISTS",
    "UNION",
    "WITH",
    "DELETE",
    "INSERT",
    "ONLY",
    "IGNORE",
    "REPLACE",
    "GLOB",
    "REGEXP",
    "RLIKE",
    "MATCH",
    "DIV",
    "MOD",
    "XOR",
];
