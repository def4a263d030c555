//! The text of one comment → the rules it allows and why.

use crate::source::{Sources, Span};

/// A rule's name as written in a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    pub text: String,
    pub span: Span,
}

/// What a comment starts with that speaks to racelint.
pub const MARK: &str = "racelint:";

/// A comment that starts with [`MARK`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parsed {
    Allow {
        names: Vec<Name>,
        reason: Option<String>,
    },
    /// What is wrong with it.
    Malformed(&'static str),
}

/// Reads a comment; none where it is no word to racelint.
pub fn parse(sources: &Sources, span: Span) -> Option<Parsed> {
    let whole = sources.text(span);
    let body = without_marks(whole);
    let rest = body.strip_prefix(MARK)?.trim_start();
    let Some(rest) = rest.strip_prefix("allow").map(str::trim_start).and_then(|rest| rest.strip_prefix('(')) else {
        return Some(Parsed::Malformed("expected `racelint: allow(rule) -- reason`"));
    };
    let Some((listed, after)) = rest.split_once(')') else {
        return Some(Parsed::Malformed("the list of rules is not closed by `)`"));
    };
    let names = names(listed, span, whole);
    if names.is_empty() {
        return Some(Parsed::Malformed("no rule is named"));
    }
    let after = after.trim();
    match after.strip_prefix("--") {
        Some(reason) => {
            Some(Parsed::Allow { names, reason: Some(reason.trim().to_owned()).filter(|reason| !reason.is_empty()) })
        }
        None if after.is_empty() => Some(Parsed::Allow { names, reason: None }),
        None => Some(Parsed::Malformed("the reason must follow `--`")),
    }
}

fn without_marks(comment: &str) -> &str {
    let body = comment.strip_prefix("/*").map(|body| body.strip_suffix("*/").unwrap_or(body));
    let body = body.or_else(|| comment.strip_prefix("//")).or_else(|| comment.strip_prefix("--"));
    body.unwrap_or(comment).trim()
}

/// `listed` is a part of `whole`, so the difference of their addresses says where a name stands.
fn names(listed: &str, span: Span, whole: &str) -> Vec<Name> {
    let start_of = |part: &str| span.start + (part.as_ptr() as usize - whole.as_ptr() as usize) as u32;
    let written = listed.split(',').map(str::trim).filter(|name| !name.is_empty());
    let name = |text: &str| {
        let start = start_of(text);
        Name { text: text.to_owned(), span: Span { start, end: start + text.len() as u32, ..span } }
    };
    written.map(name).collect()
}
