//! Numbers the placeholders and `{}` of a statement, and gives each a plain name that can stand wherever a value, a table or a column can.
//!
//! No placeholder can do that in every dialect; a name can. [`Names`] turns the names back after the parse.

use std::collections::HashMap;

use super::token::{Token, TokenKind, hole_name};
use crate::intern::Symbol;

const PARAM: &str = "rl_param_";
const HOLE: &str = "rl_hole_";
/// More would need a statement that no database accepts (PostgreSQL stops at 65,535 and SQLite at 32,766).
const MOST_PARAMS: u16 = u16::MAX - 1;

/// What the invented names of a prepared text stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    /// How many placeholders and holes there are.
    pub params: u16,
    pub param_names: Vec<Option<Symbol>>,
    /// The name inside the braces of each hole, and its number as a parameter.
    holes: Vec<(Option<Symbol>, u16)>,
    /// The numbers of placeholders, by the byte they start at.
    param_at: HashMap<usize, u16>,
    /// The places in `holes`, by the byte of the opening brace.
    hole_at: HashMap<usize, usize>,
}

impl Names {
    /// Numbers what `tokens` hold. Holes come after all placeholders, so that binds can be counted without them.
    pub fn new(text: &str, tokens: &[Token]) -> Names {
        let mut names = Names::default();
        let mut named: HashMap<&str, u16> = HashMap::new();
        for token in tokens {
            let word = token.text(text);
            let index = match token.kind {
                TokenKind::Numbered => word[1..].parse::<u16>().unwrap_or(1).clamp(1, MOST_PARAMS) - 1,
                TokenKind::Positional => names.params,
                TokenKind::Named => *named.entry(&word[1..]).or_insert(names.params),
                _ => continue,
            };
            names.add(index, (token.kind == TokenKind::Named).then(|| Symbol::new(&word[1..])));
            names.param_at.insert(token.start, index);
        }
        for token in tokens {
            for (at, hole) in holes_of(text, token) {
                names.add_hole(at, hole);
            }
        }
        names
    }

    fn add(&mut self, index: u16, name: Option<Symbol>) {
        self.params = self.params.max(index.saturating_add(1)).min(MOST_PARAMS);
        if self.param_names.len() <= usize::from(index) {
            self.param_names.resize(usize::from(index) + 1, None);
        }
        self.param_names[usize::from(index)] = name;
    }

    fn add_hole(&mut self, at: usize, hole: &str) {
        let name = Some(hole_name(hole)).filter(|name| !name.is_empty()).map(Symbol::new);
        let known = name.and_then(|name| self.holes.iter().position(|hole| hole.0 == Some(name)));
        let place = known.unwrap_or(self.holes.len());
        if known.is_none() {
            let index = self.params;
            self.add(index, name);
            self.holes.push((name, index));
        }
        self.hole_at.insert(at, place);
    }

    pub fn has_holes(&self) -> bool {
        !self.holes.is_empty()
    }

    /// The name that stands for `token` in the prepared text; nothing for tokens that stand for themselves.
    pub fn stand_in(&self, text: &str, token: &Token) -> Option<String> {
        if let Some(index) = self.param_at.get(&token.start) {
            return Some(format!("{PARAM}{index}"));
        }
        let holes = holes_of(text, token);
        if holes.is_empty() {
            return None;
        }
        // A string with holes is closed; another may end with the text.
        let quotes = usize::from(token.kind == TokenKind::Text);
        let mut at = token.start + quotes;
        let mut out = String::new();
        for &(start, hole) in &holes {
            out.push_str(&text[at..start]);
            out.push_str(&format!("{HOLE}{}_", self.hole_at.get(&start)?));
            at = start + hole.len();
        }
        out.push_str(&text[at..token.end - quotes]);
        Some(out)
    }

    /// The parameter that a whole name stands for.
    pub fn param(&self, name: &str) -> Option<u16> {
        if let Some(number) = name.strip_prefix(PARAM) {
            return number.parse().ok();
        }
        let number: usize = name.strip_prefix(HOLE)?.strip_suffix('_')?.parse().ok()?;
        self.holes.get(number).map(|hole| hole.1)
    }

    /// Whether a whole name stands for a hole.
    pub fn is_hole(&self, name: &str) -> bool {
        name.starts_with(HOLE) && self.param(name).is_some()
    }

    /// The name with its holes as `{name}`; nothing if one of them has no name, because two of those need not be equal.
    pub fn restore(&self, name: &str) -> Option<String> {
        if name.contains("{}") || name.starts_with(PARAM) {
            return None;
        }
        let mut parts = name.split(HOLE);
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let (number, rest) = part.split_once('_')?;
            let hole = self.holes.get(number.parse::<usize>().ok()?)?;
            out = format!("{out}{{{}}}{rest}", hole.0?);
        }
        Some(out)
    }

    /// An expression's text with its placeholders as `$1` and its holes as `{name}`.
    pub fn restore_text(&self, text: &str) -> String {
        let mut parts = text.split("rl_");
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let restored = self.restore_part(part);
            out.push_str(&restored.unwrap_or_else(|| format!("rl_{part}")));
        }
        out
    }

    fn restore_part(&self, part: &str) -> Option<String> {
        let split = |rest: &'_ str| rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if let Some(rest) = part.strip_prefix("param_") {
            let (number, after) = rest.split_at(split(rest));
            return Some(format!("${}{after}", number.parse::<u32>().ok()? + 1));
        }
        let rest = part.strip_prefix("hole_")?;
        let (number, after) = rest.split_at(split(rest));
        let name = self.holes.get(number.parse::<usize>().ok()?)?.0;
        Some(format!("{{{}}}{}", name.map_or("", Symbol::as_str), after.strip_prefix('_')?))
    }
}

/// The holes inside a token with the byte of their brace. In a string literal only a named hole that is all of it counts: `'{}'` is JSON or an empty array.
fn holes_of<'t>(text: &'t str, token: &Token) -> Vec<(usize, &'t str)> {
    let word = token.text(text);
    match token.kind {
        TokenKind::Hole => vec![(token.start, word)],
        TokenKind::HoleWord => {
            let starts = word.match_indices('{').map(|(at, _)| at);
            starts.filter_map(|at| Some((token.start + at, &word[at..=at + word[at..].find('}')?]))).collect()
        }
        TokenKind::Text if is_text_hole(word) => vec![(token.start + 1, &word[1..word.len() - 1])],
        _ => Vec::new(),
    }
}

fn is_text_hole(literal: &str) -> bool {
    let inside = literal.strip_prefix("'{").and_then(|rest| rest.strip_suffix("}'"));
    inside.is_some_and(|name| {
        name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

#[cfg(test)]
mod tests {
    use super::super::Dialect;
    use super::super::token::tokenize;
    use super::*;

    fn names(text: &str) -> (Names, Vec<Option<String>>) {
        let tokens = tokenize(text, Dialect::Unknown);
        let names = Names::new(text, &tokens);
        let stand_ins = tokens.iter().map(|token| names.stand_in(text, token)).filter(Option::is_some).collect();
        (names, stand_ins)
    }

    fn numbers(text: &str) -> Vec<u16> {
        let (names, stand_ins) = names(text);
        stand_ins.iter().map(|name| names.param(name.as_deref().unwrap()).unwrap()).collect()
    }

    #[test]
    fn placeholders_keep_their_own_numbers() {
        assert_eq!(numbers("a = $2 AND b = $1 AND c = $2"), [1, 0, 1]);
        assert_eq!(numbers("a = ? AND b = ?"), [0, 1]);
        assert_eq!(numbers("a = ?2 AND b = ?"), [1, 2]);
        assert_eq!(numbers("a = :x AND b = @y AND c = :x"), [0, 1, 0]);
    }

    #[test]
    fn holes_come_after_placeholders() {
        let (names, _) = names("SELECT * FROM {table} WHERE a = ? AND b = {value} AND c = '{value}'");
        assert_eq!(names.params, 3);
        assert_eq!(names.param_names, [None, Some("table".into()), Some("value".into())]);
        assert_eq!(numbers("FROM {table} WHERE a = ? AND b = {} AND c = {}"), [1, 0, 2, 3]);
    }

    #[test]
    fn names_are_restored() {
        let (names, stand_ins) = names("UPDATE {schema}_{} SET a = $1 WHERE {kind} = '{}'");
        assert_eq!(names.restore(stand_ins[0].as_deref().unwrap()), None);
        assert_eq!(names.restore(stand_ins[2].as_deref().unwrap()).as_deref(), Some("{kind}"));
        assert_eq!(names.restore("orders").as_deref(), Some("orders"));
        assert_eq!(names.restore_text("lower(rl_param_0) || rl_hole_2_ || rl_x"), "lower($1) || {kind} || rl_x");
    }

    #[test]
    fn absurd_numbers_do_no_harm() {
        assert_eq!(numbers("a = $99999999999 AND b = ?0"), [0, 0]);
        assert_eq!(numbers("a = $65535 AND b = ?").len(), 2);
    }
}
