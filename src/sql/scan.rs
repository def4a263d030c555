//! What can be told of a statement that no grammar takes: its kind, its table, and the plain comparisons and assignments in it.

use super::names::Names;
use super::token::{Token, TokenKind, name_at};
use super::{Assign, Column, Conflict, ConflictAction, Evidence, Kind, Op, Operand, Predicate, RowLock, Statement};
use crate::intern::Symbol;

/// Scans the tokens of one statement.
pub(crate) fn scan(text: &str, tokens: &[Token]) -> Statement {
    let names = Names::new(text, tokens);
    let mut statement =
        Statement { params: names.params, param_names: names.param_names.clone(), ..Statement::default() };
    let scanner = Scanner { text, tokens, names: &names };
    scanner.kind_and_table(&mut statement);
    scanner.comparisons(&mut statement);
    scanner.inserted(&mut statement);
    scanner.tail(&mut statement);
    let found = statement.kind != Kind::Unknown || !statement.filters.is_empty();
    statement.evidence = if found { Evidence::Scanned } else { Evidence::Unknown };
    statement
}

struct Scanner<'t> {
    text: &'t str,
    tokens: &'t [Token],
    names: &'t Names,
}

/// Which clause a token stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Clause {
    Set,
    Where,
    Other,
}

impl Scanner<'_> {
    fn is(&self, index: usize, keyword: &str) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is(self.text, keyword))
    }

    fn symbol(&self, index: usize, symbol: u8) -> bool {
        self.tokens.get(index).is_some_and(|token| token.is_symbol(symbol))
    }

    fn position(&self, from: usize, keyword: &str) -> Option<usize> {
        (from..self.tokens.len()).find(|&i| self.is(i, keyword))
    }

    fn kind_and_table(&self, out: &mut Statement) {
        let start = self.main_verb();
        let Some(verb) =
            start.and_then(|at| self.tokens.get(at)).map(|token| token.text(self.text).to_ascii_uppercase())
        else {
            return;
        };
        let at = start.unwrap_or_default();
        if !self.is_statement(at, &verb) {
            return;
        }
        let table = |keyword: &str| self.position(at, keyword).and_then(|i| self.table_after(i));
        (out.kind, out.table) = match verb.as_str() {
            "SELECT" => (Kind::Select, table("FROM")),
            "INSERT" | "REPLACE" => (Kind::Insert, table("INTO")),
            "UPDATE" => (Kind::Update, self.table_after(at)),
            "DELETE" => (Kind::Delete, table("FROM")),
            _ => return,
        };
        for (i, token) in self.tokens.iter().enumerate() {
            let reads =
                ["FROM", "JOIN"].iter().any(|word| token.is(self.text, word)) || (i == at && out.kind == Kind::Update);
            if let Some(table) = reads.then(|| self.table_after(i)).flatten()
                && !out.reads.contains(&table)
            {
                out.reads.push(table);
            }
        }
    }

    /// A message may start with the verb of a statement (`Update the page to set …`): the word that must follow it stands near.
    fn is_statement(&self, at: usize, verb: &str) -> bool {
        let (mark, near) = match verb {
            "INSERT" | "REPLACE" => ("INTO", 3),
            "UPDATE" => ("SET", 6),
            "DELETE" => ("FROM", 3),
            _ => ("FROM", usize::MAX),
        };
        let has_holes = self.tokens.iter().any(|token| matches!(token.kind, TokenKind::Hole | TokenKind::HoleWord));
        self.position(at, mark).map_or(has_holes && verb != "SELECT", |found| found - at <= near)
    }

    /// The first word, or for a WITH the first verb outside all parentheses.
    fn main_verb(&self) -> Option<usize> {
        let mut depth = 0usize;
        let end = if self.is(0, "WITH") { self.tokens.len() } else { 1 };
        for (i, token) in self.tokens.iter().enumerate().take(end) {
            match token.kind {
                TokenKind::Symbol(b'(') => depth += 1,
                TokenKind::Symbol(b')') => depth = depth.saturating_sub(1),
                TokenKind::Word if depth == 0 && VERBS.iter().any(|verb| token.is(self.text, verb)) => return Some(i),
                _ => {}
            }
        }
        None
    }

    /// The list of columns after the table of an INSERT, with the values that are plain.
    fn inserted(&self, out: &mut Statement) {
        let open = self
            .position(0, "INTO")
            .filter(|_| out.kind == Kind::Insert)
            .and_then(|at| name_at(self.text, self.tokens, at + 1));
        let Some((_, open)) = open.filter(|(_, open)| self.symbol(*open, b'(')) else { return };
        let close = self.closing(open);
        let listed = (open + 1..close).filter_map(|i| name_at(self.text, self.tokens, i)).map(|(name, _)| name);
        let values = self.position(close, "VALUES").filter(|at| self.symbol(at + 1, b'(')).map(|at| at + 2);
        for (i, column) in listed.enumerate() {
            // Commas stand between, as long as each value is one token.
            let at =
                values.map(|start| start + 2 * i).filter(|at| self.symbol(at + 1, b',') || self.symbol(at + 1, b')'));
            let unknown =
                Operand::Expr { columns: Vec::new(), params: Vec::new(), text: Symbol::new("…"), subselect: false };
            let value = at.and_then(|at| self.value(at)).unwrap_or(unknown);
            out.sets.push(Assign { column, value, relative: false });
        }
    }

    fn table_after(&self, keyword: usize) -> Option<Symbol> {
        let skipped = ["ONLY", "OR", "IGNORE", "REPLACE", "ROLLBACK", "ABORT", "LATERAL"];
        let at = (keyword + 1..self.tokens.len()).find(|&i| !skipped.iter().any(|word| self.is(i, word)))?;
        name_at(self.text, self.tokens, at).map(|(name, _)| name)
    }

    /// `column op value` in WHERE, `column = value` in SET.
    fn comparisons(&self, out: &mut Statement) {
        let mut clause = Clause::Other;
        let mut at = 0;
        while at < self.tokens.len() {
            // The columns of a sub-select are another table's.
            if self.symbol(at, b'(') && self.is(at + 1, "SELECT") {
                at = self.closing(at);
                continue;
            }
            clause = self.clause_at(at, clause);
            at = match clause {
                Clause::Set => self.assignment(at, out),
                Clause::Where => self.comparison(at, out),
                Clause::Other => at + 1,
            };
        }
        if self.position(0, "OR").is_some() {
            out.filters = std::mem::take(&mut out.filters).into_iter().map(mentioned).collect();
        }
    }

    /// The place after the parenthesis that closes the one at `open`.
    fn closing(&self, open: usize) -> usize {
        let mut depth = 0usize;
        for i in open..self.tokens.len() {
            match self.tokens[i].kind {
                TokenKind::Symbol(b'(') => depth += 1,
                TokenKind::Symbol(b')') if depth == 1 => return i + 1,
                TokenKind::Symbol(b')') => depth -= 1,
                _ => {}
            }
        }
        self.tokens.len()
    }

    fn clause_at(&self, at: usize, before: Clause) -> Clause {
        let any = |words: &[&str]| words.iter().any(|word| self.is(at, word));
        if any(&["SET"]) {
            Clause::Set
        } else if any(&["WHERE"]) {
            Clause::Where
        } else if any(&["FROM", "ORDER", "GROUP", "LIMIT", "RETURNING", "SELECT", "VALUES", "FOR"]) {
            Clause::Other
        } else {
            before
        }
    }

    /// The column named at `at`, and the place after it.
    fn column(&self, at: usize) -> Option<(Column, usize)> {
        let kind = self.tokens.get(at)?.kind;
        let is_name =
            matches!(kind, TokenKind::Word | TokenKind::Quoted) && !RESERVED.iter().any(|word| self.is(at, word));
        let (name, next) = name_at(self.text, self.tokens, at).filter(|_| is_name)?;
        Some((Column { table: None, name }, next))
    }

    fn comparison(&self, at: usize, out: &mut Statement) -> usize {
        let Some((column, next)) = self.column(at) else { return at + 1 };
        let Some((op, value)) = self.operator(next) else { return next };
        let null = Operand::Literal(Symbol::new("null"));
        let right = match op {
            Op::IsNull | Op::IsNotNull => Some(null),
            // A list or an ANY is not read further.
            Op::In | Op::NotIn => Some(self.whole(value)),
            _ => self.value(value),
        };
        if let Some(right) = right {
            out.filters.push(Predicate::Compare { column: Column { table: out.table, ..column }, op, right });
        }
        value
    }

    /// The operator at `at` and the place of what it compares with.
    fn operator(&self, at: usize) -> Option<(Op, usize)> {
        let pair = |a, b| self.symbol(at, a) && self.symbol(at + 1, b);
        Some(match () {
            () if pair(b'<', b'>') || pair(b'!', b'=') => (Op::Ne, at + 2),
            () if pair(b'<', b'=') => (Op::Le, at + 2),
            () if pair(b'>', b'=') => (Op::Ge, at + 2),
            () if self.symbol(at, b'<') => (Op::Lt, at + 1),
            () if self.symbol(at, b'>') => (Op::Gt, at + 1),
            () if self.symbol(at, b'=') && self.is(at + 1, "ANY") => (Op::In, at + 2),
            () if self.symbol(at, b'=') => (Op::Eq, at + 1),
            () if self.is(at, "IN") => (Op::In, at + 1),
            () if self.is(at, "NOT") && self.is(at + 1, "IN") => (Op::NotIn, at + 2),
            () if self.is(at, "LIKE") || self.is(at, "ILIKE") => (Op::Like, at + 1),
            () if self.is(at, "IS") && self.is(at + 1, "NULL") => (Op::IsNull, at + 2),
            () if self.is(at, "IS") && self.is(at + 1, "NOT") && self.is(at + 2, "NULL") => (Op::IsNotNull, at + 3),
            () => return None,
        })
    }

    fn whole(&self, at: usize) -> Operand {
        let params =
            self.value(at + 1).and_then(|value| if let Operand::Param(index) = value { Some(index) } else { None });
        Operand::Expr {
            columns: Vec::new(),
            params: params.into_iter().collect(),
            text: Symbol::new("(…)"),
            subselect: self.is(at + 1, "SELECT"),
        }
    }

    fn value(&self, at: usize) -> Option<Operand> {
        let token = self.tokens.get(at)?;
        if let Some(index) = self.names.stand_in(self.text, token).and_then(|name| self.names.param(&name)) {
            return Some(Operand::Param(index));
        }
        let word = token.text(self.text);
        match token.kind {
            TokenKind::Number => Some(Operand::Literal(Symbol::new(word))),
            TokenKind::Text => Some(Operand::Literal(Symbol::new(word.trim_matches('\'')))),
            TokenKind::Word if ["true", "false", "null"].iter().any(|known| token.is(self.text, known)) => {
                Some(Operand::Literal(Symbol::new(&word.to_lowercase())))
            }
            TokenKind::Word if self.symbol(at + 1, b'(') => None,
            _ => self.column(at).map(|(column, _)| Operand::Column(column)),
        }
    }

    /// `column = …` up to the next comma outside parentheses or the next clause.
    fn assignment(&self, at: usize, out: &mut Statement) -> usize {
        let starts = self.is(at.wrapping_sub(1), "SET") || self.symbol(at.wrapping_sub(1), b',');
        let Some((column, next)) = self.column(at).filter(|(_, next)| starts && self.symbol(*next, b'=')) else {
            return at + 1;
        };
        let end = self.assignment_end(next + 1);
        let mentions = self.mentions(next + 1, end);
        let is_target = |mentioned: &Column| {
            mentioned.name == column.name && (mentioned.table.is_none() || mentioned.table == out.table)
        };
        let relative = mentions.iter().any(is_target);
        let simple = if end == next + 2 { self.value(next + 1) } else { None };
        let value = simple.unwrap_or_else(|| Operand::Expr {
            columns: mentions,
            params: (next + 1..end)
                .filter_map(|i| if let Some(Operand::Param(index)) = self.value(i) { Some(index) } else { None })
                .collect(),
            text: Symbol::new("…"),
            subselect: (next + 1..end).any(|i| self.is(i, "SELECT")),
        });
        out.sets.push(Assign { column: column.name, value, relative });
        end
    }

    /// The names between two places, with the qualifiers they are written with.
    fn mentions(&self, from: usize, end: usize) -> Vec<Column> {
        let mut found = Vec::new();
        let mut at = from;
        while at < end {
            let Some((column, next)) = self.column(at) else {
                at += 1;
                continue;
            };
            let table = if next > at + 1 {
                name_at(self.text, &self.tokens[at..next - 2], 0).map(|(name, _)| name)
            } else {
                None
            };
            if !self.symbol(next, b'(') {
                found.push(Column { table, ..column });
            }
            at = next;
        }
        found
    }

    fn assignment_end(&self, from: usize) -> usize {
        let mut depth = 0usize;
        for i in from..self.tokens.len() {
            match self.tokens[i].kind {
                TokenKind::Symbol(b'(') => depth += 1,
                TokenKind::Symbol(b')') if depth == 0 => return i,
                TokenKind::Symbol(b')') => depth -= 1,
                TokenKind::Symbol(b',') if depth == 0 => return i,
                TokenKind::Word if depth == 0 && self.clause_at(i, Clause::Set) != Clause::Set => return i,
                _ => {}
            }
        }
        self.tokens.len()
    }

    fn tail(&self, out: &mut Statement) {
        out.returning = self.position(0, "RETURNING").is_some();
        let lock = (0..self.tokens.len())
            .find(|&i| self.is(i, "FOR") && ["UPDATE", "SHARE", "NO", "KEY"].iter().any(|word| self.is(i + 1, word)));
        if let Some(at) = lock {
            let shared = self.is(at + 1, "SHARE") || self.is(at + 1, "KEY");
            let after = |word| self.position(at, word).is_some();
            out.lock = Some(RowLock { shared, skip_locked: after("SKIP"), nowait: after("NOWAIT") });
        }
        if out.kind == Kind::Insert {
            out.conflict = self.conflict();
        }
        let limit = self.position(0, "LIMIT").and_then(|at| self.tokens.get(at + 1));
        out.limit = limit.map(|token| token.text(self.text).parse().unwrap_or(0));
    }

    fn conflict(&self) -> Option<Conflict> {
        let action = if let Some(at) = self.position(0, "CONFLICT") {
            let updates = (at..self.tokens.len()).any(|i| self.is(i, "DO") && self.is(i + 1, "UPDATE"));
            if updates {
                ConflictAction::Update { sets: Vec::new(), filter: Vec::new() }
            } else {
                ConflictAction::Nothing
            }
        } else if self.position(0, "DUPLICATE").is_some() {
            ConflictAction::Update { sets: Vec::new(), filter: Vec::new() }
        } else if self.is(1, "IGNORE") || (self.is(1, "OR") && self.is(2, "IGNORE")) {
            ConflictAction::Nothing
        } else if self.is(0, "REPLACE") || (self.is(1, "OR") && self.is(2, "REPLACE")) {
            ConflictAction::Replace
        } else {
            return None;
        };
        Some(Conflict { columns: Vec::new(), action })
    }
}

/// A comparison of which it cannot be told whether it must hold.
fn mentioned(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Compare { column, right, .. } => {
            let params = if let Operand::Param(index) = right { vec![index] } else { Vec::new() };
            Predicate::Other { columns: vec![column], params }
        }
        other => other,
    }
}

const VERBS: &[&str] = &["SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE"];
/// Words that stand where a column could.
const RESERVED: &[&str] = &[
    "WHERE", "AND", "OR", "NOT", "SET", "CASE", "WHEN", "THEN", "ELSE", "END", "EXISTS", "SELECT", "NULL", "TRUE",
    "FALSE", "ANY", "IN", "IS",
];
