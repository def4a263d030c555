//! Rust source under new names, token by token: what a token is, its neighbours tell.

use std::collections::BTreeSet;

use proc_macro2::Spacing;

use super::names::Names;
use super::sql;
use super::tokens::{self, Kind, Token};

/// The text under new names; nothing but names changes.
pub fn rename(text: &str, names: &Names) -> String {
    let tokens = tokens::of(text);
    let file = File { imported: imported(&tokens, names), tokens, names };
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for at in 0..file.tokens.len() {
        if let Some(new) = file.renamed(at) {
            let range = &file.tokens[at].range;
            out.push_str(&text[done..range.start]);
            out.push_str(&new);
            done = range.end;
        }
    }
    out + &text[done..]
}

struct File<'a> {
    tokens: Vec<Token<'a>>,
    names: &'a Names,
    /// Names that this file takes from libraries.
    imported: BTreeSet<&'a str>,
}

impl File<'_> {
    fn renamed(&self, at: usize) -> Option<String> {
        match self.tokens[at].kind {
            Kind::Literal => self.literal(at),
            Kind::Ident => {
                let new = self.names.new_name(self.tokens[at].text)?;
                self.is_own(at).then(|| new.to_owned())
            }
            _ => None,
        }
    }

    fn text(&self, at: Option<usize>) -> &str {
        at.and_then(|at| self.tokens.get(at)).map_or("", |token| token.text)
    }

    fn before(&self, at: usize, by: usize) -> &str {
        self.text(at.checked_sub(by))
    }

    fn after(&self, at: usize, by: usize) -> &str {
        self.text(at.checked_add(by))
    }

    fn is_own(&self, at: usize) -> bool {
        let name = self.tokens[at].text;
        if self.before(at, 1) == "$" || self.before(at, 1) == "'" || self.is_macro(at) {
            return false;
        }
        if let Some(attribute) = self.attribute(at) {
            return ["diesel", "sea_orm", "instrument"].contains(&attribute);
        }
        if self.is_member(at) {
            let called = self.after(at, 1) == "(" || (self.after(at, 1) == ":" && self.after(at, 3) == "<");
            let own = &self.names.collected;
            return if called {
                own.methods.contains(name)
            } else {
                own.fields.contains(name) || self.names.sql.contains(name)
            };
        }
        if self.follows_colons(at) || (self.is_colons(at + 1) && self.before(at, 1) != "fn") {
            return self.path_is_own(at);
        }
        self.before(at, 1) == "fn" || !self.imported.contains(name)
    }

    /// `name!(…)`, `name! {…}`, `macro_rules! name`.
    fn is_macro(&self, at: usize) -> bool {
        let call = self.after(at, 1) == "!" && self.tokens.get(at + 2).is_some_and(|next| next.kind == Kind::Open);
        call || (self.before(at, 1) == "!" && self.before(at, 2) == "macro_rules")
    }

    /// After one point, not after the two of a range.
    fn is_member(&self, at: usize) -> bool {
        self.before(at, 1) == "." && self.before(at, 2) != "."
    }

    /// Two colons from this token on.
    fn is_colons(&self, at: usize) -> bool {
        let joint = |token: &Token| token.text == ":" && token.kind == Kind::Punct(Spacing::Joint);
        self.tokens.get(at).is_some_and(joint) && self.after(at, 1) == ":"
    }

    fn follows_colons(&self, at: usize) -> bool {
        at >= 2 && self.is_colons(at - 2)
    }

    /// The token before this segment's path prefix: in a `use` group the prefix stands before the brace.
    fn segment_before(&self, at: usize) -> Option<usize> {
        if self.follows_colons(at) {
            return self.whole_segment(at.checked_sub(3)?);
        }
        let open = self.tokens[at].parent?;
        let listed = at.checked_sub(1).is_some_and(|before| before == open || self.text(Some(before)) == ",");
        let grouped = self.text(Some(open)) == "{" && self.follows_colons(open);
        if listed && grouped { open.checked_sub(3) } else { None }
    }

    /// Skips the generic arguments of a segment: `Vec::<T>` ends at its `>`.
    fn whole_segment(&self, end: usize) -> Option<usize> {
        let mut depth = 0;
        let mut at = end;
        while self.text(Some(at)) == ">" || depth > 0 {
            match self.text(Some(at)) {
                ">" => depth += 1,
                "<" => depth -= 1,
                _ => {}
            }
            at = at.checked_sub(1)?;
        }
        let turbofish = at != end && self.text(Some(at)) == ":";
        if turbofish { at.checked_sub(2) } else { Some(at) }
    }

    /// Whether the first segment of the path is of this case. `<T as Trait>::f` starts with no name at all and is taken for one of its own.
    fn path_is_own(&self, at: usize) -> bool {
        let mut head = at;
        while let Some(before) = self.segment_before(head) {
            if self.tokens[before].kind != Kind::Ident {
                return true;
            }
            head = before;
        }
        let name = self.tokens[head].text;
        let rooted = ["crate", "self", "super", "Self"].contains(&name);
        let generic = name.len() == 1 && name.starts_with(char::is_uppercase);
        rooted || generic || (self.names.collected.heads.contains(name) && !self.imported.contains(name))
    }

    /// The name of the attribute that a token stands in.
    fn attribute(&self, at: usize) -> Option<&str> {
        let mut open = self.tokens[at].parent;
        while let Some(group) = open {
            let hash = self.before(group, 1) == "#" || (self.before(group, 1) == "!" && self.before(group, 2) == "#");
            if self.text(Some(group)) == "[" && hash {
                let last = (group + 1..)
                    .take_while(|&next| self.tokens[next].kind == Kind::Ident || self.text(Some(next)) == ":")
                    .last();
                return Some(self.text(last));
            }
            open = self.tokens[group].parent;
        }
        None
    }

    fn literal(&self, at: usize) -> Option<String> {
        let text = self.tokens[at].text;
        let inner = tokens::unquoted(text);
        if inner.is_empty() {
            return None;
        }
        let new = match self.attribute(at) {
            Some("sea_orm") => self.words(inner),
            Some(_) => return None,
            None => {
                let new = sql::rename_literal(inner, self.names).unwrap_or_else(|| inner.to_owned());
                if self.in_macro(at) { self.captures(&new) } else { new }
            }
        };
        let start = text.find('"')? + 1;
        (new != inner).then(|| format!("{}{new}{}", &text[..start], &text[start + inner.len()..]))
    }

    fn in_macro(&self, at: usize) -> bool {
        let parent = self.tokens[at].parent;
        parent.is_some_and(|open| self.before(open, 1) == "!") || self.attribute(at) == Some("error")
    }

    /// `{name}` and `{name:?}` in a format string.
    fn captures(&self, inner: &str) -> String {
        let mut out = String::with_capacity(inner.len());
        let mut rest = inner;
        while let Some(open) = rest.find('{') {
            let (before, from) = rest.split_at(open + 1);
            out.push_str(before);
            if let Some(escaped) = from.strip_prefix('{') {
                out.push('{');
                rest = escaped;
                continue;
            }
            let length = from.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(from.len());
            let (name, after) = from.split_at(length);
            let captured = after.starts_with(['}', ':']) && !self.imported.contains(name);
            out.push_str(self.names.new_name(name).filter(|_| captured).unwrap_or(name));
            rest = after;
        }
        out + rest
    }

    /// Every word, as in `belongs_to = "super::player::Entity"`.
    fn words(&self, inner: &str) -> String {
        let mut out = String::with_capacity(inner.len());
        let mut rest = inner;
        while !rest.is_empty() {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            let (word, after) = rest.split_at(length);
            out.push_str(self.names.new_name(word).unwrap_or(word));
            let sign = after.chars().next().map_or(0, char::len_utf8);
            out.push_str(&after[..sign]);
            rest = &after[sign..];
        }
        out
    }
}

/// What `use` brings from outside: the last segments of trees whose first is not of the case.
fn imported<'a>(tokens: &[Token<'a>], names: &Names) -> BTreeSet<&'a str> {
    let mut imported = BTreeSet::new();
    let mut at = 0;
    while at < tokens.len() {
        let starts = tokens[at].kind == Kind::Ident && tokens[at].text == "use";
        at += 1;
        let Some(first) = tokens.get(at).filter(|token| starts && token.kind == Kind::Ident) else { continue };
        let own = ["crate", "self", "super"].contains(&first.text) || names.collected.heads.contains(first.text);
        let end = (at..tokens.len()).find(|&end| tokens[end].text == ";").unwrap_or(tokens.len());
        if !own {
            let ends_segment =
                |place: usize| tokens.get(place + 1).is_none_or(|next| [",", ";", "}"].contains(&next.text));
            imported.extend(
                (at..end)
                    .filter(|&place| tokens[place].kind == Kind::Ident && ends_segment(place))
                    .map(|place| tokens[place].text),
            );
        }
        at = end;
    }
    imported
}
