//! What tells one finding of a function from another, in words that survive an edit elsewhere: resource and act, without white space and comments, locals by
//! number.

use crate::flow::event::EventKind;
use crate::rules::{Candidate, Scope};

use super::Case;

/// Whose finding it is: the function's, by its path, or the whole package's.
pub fn of_owner(scope: &Scope, candidate: &Candidate) -> String {
    let function = scope.program.function(candidate.function);
    match candidate.of_package {
        true => scope.program.crates[function.krate.0 as usize].package.to_string(),
        false => function.path.clone(),
    }
}

/// The act of a candidate. What is said of a whole function is told apart by the function alone.
pub fn of_act(scope: &Scope, candidate: &Candidate) -> String {
    let function = scope.program.source(candidate.function);
    if candidate.span == function.span {
        return String::new();
    }
    // What lies in another file (a table, a column) knows no locals.
    let own = candidate.span.source == function.span.source;
    let locals = if own { locals(scope, candidate) } else { Vec::new() };
    Numbered::new(&locals).code(scope.sources.text(candidate.span))
}

/// The resource of a case. A table keeps its name; what memory, stores and paths are called comes from the code, where it may be a local's name.
pub fn of_resource(case: &Case) -> String {
    let is_sql = |act| matches!(case.view.event(act).kind, EventKind::Sql(_));
    if case.candidate.act.is_none_or(is_sql) {
        return case.resource.clone();
    }
    let locals = locals(case.scope, case.candidate);
    let mut numbered = Numbered::new(&locals);
    match case.resource.contains('{') {
        true => numbered.literal(&case.resource),
        false => numbered.code(&case.resource),
    }
}

fn locals(scope: &Scope, candidate: &Candidate) -> Vec<&'static str> {
    let function = scope.program.source(candidate.function);
    function.body.iter().flat_map(|body| &body.locals).map(|local| local.name.as_str()).collect()
}

/// Text in which locals are numbered in the order they come.
struct Numbered<'l> {
    locals: &'l [&'l str],
    numbers: Vec<String>,
    out: String,
}

impl<'l> Numbered<'l> {
    fn new(locals: &'l [&'l str]) -> Self {
        Numbered { locals, numbers: Vec::new(), out: String::new() }
    }

    fn code(&mut self, text: &str) -> String {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                _ if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
                '"' => self.string(rest),
                _ if is_word(first) => self.word(rest),
                _ => self.mark(first),
            };
            rest = &rest[length..];
        }
        std::mem::take(&mut self.out)
    }

    /// A string is kept as it is, but for the locals that it formats. A raw one with a quote inside is cut short and still tells acts apart.
    fn string(&mut self, rest: &str) -> usize {
        let escaped = !self.out.ends_with(['r', '#']);
        let mut end = 1;
        let bytes = rest.as_bytes();
        while end < bytes.len() && bytes[end] != b'"' {
            end += if escaped && bytes[end] == b'\\' { 2 } else { 1 };
        }
        let end = (end + 1).min(rest.len());
        self.literal(rest.get(..end).unwrap_or(rest));
        rest.get(..end).map_or(rest.len(), str::len)
    }

    /// `{name}` and `{name:?}` name locals. Line breaks inside are as good as spaces.
    fn literal(&mut self, text: &str) -> String {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match first {
                _ if is_word(first) && self.out.ends_with('{') => self.word(rest),
                _ => self.mark(first),
            };
            rest = &rest[length..];
        }
        self.out.clone()
    }

    fn word(&mut self, rest: &str) -> usize {
        let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        if self.locals.contains(&word) && !self.is_field(after.trim_start()) {
            let known = self.numbers.iter().position(|known| known == word);
            let number = known.unwrap_or_else(|| {
                self.numbers.push(word.to_owned());
                self.numbers.len() - 1
            });
            self.out.push_str(&format!("#{number}"));
        } else {
            self.out.push_str(word);
        }
        end
    }

    /// Whether a word that stands here and has this behind it names a field, a method or an item and no local.
    fn is_field(&self, after: &str) -> bool {
        let of_something = self.out.ends_with('.') && !self.out.ends_with("..");
        let in_literal = after.starts_with(':') && self.out.ends_with(['{', ',']) && !self.out.ends_with("\"{");
        of_something || self.out.ends_with("::") || after.starts_with("::") || in_literal
    }

    /// White space goes, and the comma that a formatter puts before a closing bracket.
    fn mark(&mut self, mark: char) -> usize {
        if matches!(mark, ')' | ']' | '}') && self.out.ends_with(',') {
            self.out.pop();
        }
        if !mark.is_whitespace() {
            self.out.push(mark);
        }
        mark.len_utf8()
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str, locals: &[&str]) -> String {
        Numbered::new(locals).code(text)
    }

    #[test]
    fn locals_are_numbered_and_nothing_else() {
        assert_eq!(code("rooms.insert(id, rooms.id)", &["id", "rooms"]), "#0.insert(#1,#0.id)");
        assert_eq!(code("id::new(id)", &["id"]), "id::new(#0)");
        assert_eq!(code("Row { id: id, key: 1 }", &["id", "key"]), "Row{id:#0,key:1}");
    }

    #[test]
    fn strings_keep_their_words_but_for_what_they_format() {
        let text = "query(\"SET left = $1 -- \\\"left\").bind(left)";
        assert_eq!(code(text, &["left"]), "query(\"SETleft=$1--\\\"left\").bind(#0)");
        assert_eq!(code("open(format!(\"{id:?}/{name}/id\"))", &["id"]), "open(format!(\"{#0:?}/{name}/id\"))");
        assert_eq!(code("q(r#\"a \\\"#, id)", &["id"]), "q(r#\"a\\\"#,#0)");
    }

    #[test]
    fn a_formatter_changes_nothing() {
        let one = code("self.map.write().insert(id, Row { at: now() });", &["id"]);
        let two = code(
            "self.map\n    // The newest.\n    .write()\n    .insert(\n        id,\n        Row {\n            at: now(), /* here */\n        },\n    );",
            &["id"],
        );
        assert_eq!(one, two);
    }

    #[test]
    fn odd_text_ends() {
        for text in ["\"", "\"\\", "\"ü\\", "/*", "//", "é\"", "\"\\ü\"x"] {
            let _ = code(text, &["x"]);
        }
    }
}
