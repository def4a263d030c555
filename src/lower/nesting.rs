//! A bound on how deep the parser would recurse, taken before it runs: its stack overflows cannot be caught.
//!
//! The measure is the number of tokens since the last `;`, `,`, `=>` or `}` that ends a statement, summed over the open groups. Brackets alone would miss
//! `!!!x`, `return return x`, `|a| |b| c` and `V<V<V<…`, and long chains (`a + b + …`) that overflow when the tree is dropped. A comma inside `<…>` or between
//! the bars of a closure ends nothing: `V<a, V<a, …` and `|a, b| |a, b| …` go on nesting.

use super::scan::Token;

/// The most that is lowered. Real code stays below 2,000.
pub(super) const MOST: u32 = 16_000;

#[derive(Default)]
pub(super) struct Nesting {
    open: Vec<Level>,
    top: Level,
    /// The sum of the counts of all open levels.
    sum: u32,
    deepest: u32,
    last: Last,
}

/// One open group.
#[derive(Clone, Copy, Default)]
struct Level {
    tokens: u32,
    /// `<` not yet closed, as far as tokens tell.
    angles: u32,
    /// `|` seen.
    bars: u32,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Last {
    Brace,
    /// A `-`, which makes `>` an arrow.
    Minus,
    /// A `=`, which makes `>` the arrow of an arm.
    Equals,
    /// A `<`, which `=` makes a comparison.
    Less,
    #[default]
    Other,
}

impl Nesting {
    pub fn deepest(&self) -> u32 {
        self.deepest
    }

    pub fn token(&mut self, token: Token<'_>) {
        if self.last == Last::Brace && starts_statement(token) {
            self.reset();
        }
        let before = std::mem::take(&mut self.last);
        self.count();
        match token {
            Token::Open(_) => self.open.push(std::mem::take(&mut self.top)),
            Token::Close(byte) => self.close(byte),
            Token::Punct(byte) => self.punct(byte, before),
            Token::Word(_) | Token::Literal | Token::Lifetime => {}
        }
    }

    fn count(&mut self) {
        self.top.tokens += 1;
        self.sum += 1;
        self.deepest = self.deepest.max(self.sum);
    }

    fn reset(&mut self) {
        self.sum -= self.top.tokens;
        self.top = Level::default();
    }

    fn close(&mut self, byte: u8) {
        self.sum -= self.top.tokens;
        self.top = self.open.pop().unwrap_or_default();
        if byte == b'}' {
            self.last = Last::Brace;
        }
    }

    fn punct(&mut self, byte: u8, before: Last) {
        match (byte, before) {
            (b';', _) | (b'>', Last::Equals) => self.reset(),
            (b',', _) if self.top.angles == 0 && self.top.bars.is_multiple_of(2) => self.reset(),
            (b'>', Last::Minus) => {}
            (b'>', _) => self.top.angles = self.top.angles.saturating_sub(1),
            (b'=', Last::Less) => self.top.angles = self.top.angles.saturating_sub(1),
            (b'=', _) => self.last = Last::Equals,
            (b'-', _) => self.last = Last::Minus,
            (b'|', _) => self.top.bars += 1,
            (b'<', _) => {
                self.top.angles += 1;
                self.last = Last::Less;
            }
            _ => {}
        }
    }
}

/// What can only come next where the `}` before it ended a statement, an arm or an item.
fn starts_statement(token: Token<'_>) -> bool {
    match token {
        Token::Word(word) => !matches!(word, "else" | "as"),
        Token::Literal | Token::Lifetime => true,
        Token::Punct(byte) => byte == b'#',
        Token::Open(_) | Token::Close(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use crate::source::SourceId;

    use super::super::scan::scan;

    fn deepest(text: &str) -> u32 {
        scan(SourceId(0), 0, text).nesting
    }

    #[test]
    fn statements_arms_and_items_do_not_add_up() {
        for piece in [
            "let x = a + b;",
            "if a { b } else { c } ",
            "fn f(a: u8) -> u8 { a } ",
            "#[test] fn f() {} ",
            "match x { A => {} B(c) => {} _ => {} } ",
            "a(b, |c| d, e < f);",
        ] {
            assert!(deepest(&piece.repeat(1000)) < 40, "{piece}: {}", deepest(&piece.repeat(1000)));
        }
        let arms = "A if n < 5 => x, B | C => y, (d, e) => {} ".repeat(1000);
        assert!(deepest(&format!("match x {{ {arms} }}")) < 60);
    }

    #[test]
    fn what_nests_or_chains_is_counted() {
        let pieces = [
            "!",
            "return ",
            "|a| ",
            "|a, b| ",
            "V<",
            "V<a, ",
            "(",
            "[",
            "{",
            "a + ",
            "a.b().c",
            "if a {} else ",
            "&",
            "{f}(1) + ",
            "for<'a, 'b> ",
            "X{} + ",
            "-",
            "*",
            "x as ",
            "f(a, ",
            "match ",
            "a?",
            "a..",
            "a = ",
            "{} as V<",
        ];
        for piece in pieces {
            assert!(deepest(&piece.repeat(20_000)) >= super::MOST, "{piece}: {}", deepest(&piece.repeat(20_000)));
        }
    }

    #[test]
    fn comments_and_strings_are_single_tokens_at_most() {
        assert_eq!(deepest(r#"/* ((((( */ "(((((" // (((("#), 1);
    }
}
