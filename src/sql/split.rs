//! Several statements in one text → the tokens of each.

use std::ops::Range;

use super::token::Token;

/// The statements as ranges of `tokens`, without the `;` that ends them; empty ones are left out.
pub(crate) fn statements(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut body = Body::default();
    for (i, token) in tokens.iter().enumerate() {
        if token.is_symbol(b';') && body.depth == 0 {
            found.push(start..i);
            start = i + 1;
            body = Body::default();
        } else {
            body.step(text, tokens, start, i);
        }
    }
    found.push(start..tokens.len());
    found.retain(|range| !range.is_empty());
    found
}

/// How deep the text is in the `BEGIN … END` of a trigger or procedure, whose statements end with `;` too.
#[derive(Default)]
struct Body {
    routine: bool,
    depth: usize,
}

impl Body {
    fn step(&mut self, text: &str, tokens: &[Token], start: usize, at: usize) {
        let is = |index: usize, words: &[&str]| {
            tokens.get(index).is_some_and(|token| words.iter().any(|word| token.is(text, word)))
        };
        if !self.routine {
            self.routine =
                at > start && is(start, &["CREATE"]) && is(at, &["TRIGGER", "PROCEDURE", "FUNCTION", "EVENT"]);
        } else if is(at, &["END"]) {
            // `END IF` and its like close what is not counted.
            let closes = !is(at + 1, &["IF", "LOOP", "WHILE", "REPEAT"]);
            self.depth = self.depth.saturating_sub(usize::from(closes));
        } else if is(at, &["BEGIN", "CASE"]) && !is(at.wrapping_sub(1), &["END"]) {
            self.depth += 1;
        }
    }
}

/// How many tokens may stand since the last comma, summed over the open parentheses. A parser's tree is at most that deep, and it is dropped by recursion.
const MOST_LOAD: usize = 1_500;

/// Whether the tree of the statement would be too deep to walk.
pub(crate) fn too_deep(tokens: &[Token]) -> bool {
    let (mut load, mut outer) = (0usize, Vec::new());
    for token in tokens {
        load += 1;
        if token.is_symbol(b'(') || token.is_symbol(b'[') {
            outer.push(load);
        } else if token.is_symbol(b')') || token.is_symbol(b']') {
            load = outer.pop().unwrap_or(0);
        } else if token.is_symbol(b',') || token.is_symbol(b';') {
            load = outer.last().copied().unwrap_or(0);
        }
        if load > MOST_LOAD {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::super::Dialect;
    use super::super::token::tokenize;
    use super::*;

    fn split(text: &str) -> Vec<&str> {
        let tokens = tokenize(text, Dialect::Unknown);
        statements(text, &tokens)
            .into_iter()
            .map(|range| &text[tokens[range.start].start..tokens[range.end - 1].end])
            .collect()
    }

    #[test]
    fn semicolons_in_text_and_bodies_end_nothing() {
        assert_eq!(split("BEGIN; UPDATE t SET a = ';' -- ;\n; COMMIT;"), ["BEGIN", "UPDATE t SET a = ';'", "COMMIT"]);
        assert_eq!(split("CREATE FUNCTION f() AS $$ BEGIN; END; $$; SELECT 1").len(), 2);
        let trigger =
            "CREATE TRIGGER a AFTER UPDATE ON t BEGIN UPDATE t SET x = CASE WHEN 1 THEN 2 END; SELECT 1; END; SELECT 2";
        assert_eq!(split(trigger).len(), 2);
        let procedure = "CREATE PROCEDURE p() BEGIN IF a THEN SELECT 1; END IF; END; SELECT 2";
        assert_eq!(split(procedure).len(), 2);
        assert_eq!(split(" ;; ").len(), 0);
    }

    #[test]
    fn depth_counts_chains_and_nesting_but_no_lists() {
        let deep = |text: &str| too_deep(&tokenize(text, Dialect::Unknown));
        assert!(deep(&format!("SELECT 1{}", " + 1".repeat(2_000))));
        assert!(deep(&format!("SELECT {}1", "(".repeat(2_000))));
        assert!(!deep(&format!("SELECT 1{}", ", 1".repeat(20_000))));
        assert!(!deep(&format!("SELECT 1 WHERE {}", "(a = 1) OR ".repeat(200))));
    }
}
