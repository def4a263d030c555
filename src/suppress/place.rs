//! Where a comment stands in its file: alone on its line or behind code, and what follows it.

use crate::source::Span;

/// What follows a comment that stands alone on its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Next {
    /// The first byte of code after it, past comments and attributes.
    pub offset: usize,
    /// Whether an empty line lies between.
    pub apart: bool,
    /// Whether an inner attribute or inner documentation lies between.
    pub inner: bool,
}

/// Whether nothing but space stands before the comment on its line.
pub fn alone(text: &str, comment: Span) -> bool {
    let before = &text[..comment.start as usize];
    let line = before.rsplit('\n').next().unwrap_or(before);
    line.trim_start_matches('\u{feff}').trim().is_empty()
}

/// The code that follows `from`; `comments` are all of the file, in order.
pub fn next(text: &str, from: usize, comments: &[Span]) -> Next {
    let mut next = Next { offset: from, apart: false, inner: false };
    loop {
        let rest = &text[next.offset..];
        let space = rest.len() - rest.trim_start().len();
        next.apart |= rest[..space].matches('\n').count() > 1;
        next.offset += space;
        let at = comments.binary_search_by_key(&(next.offset as u32), |comment| comment.start);
        if let Ok(index) = at {
            let comment = comments[index];
            next.inner |= text[next.offset..].starts_with("//!") || text[next.offset..].starts_with("/*!");
            next.offset = (comment.end as usize).max(next.offset + 1).min(text.len());
        } else if let Some(length) = attribute(&text[next.offset..]) {
            next.inner |= text[next.offset..].starts_with("#!");
            next.offset += length;
        } else {
            return next;
        }
    }
}

/// The length of the attribute that the text starts with: `#[…]` or `#![…]`, with brackets in strings not counted.
fn attribute(text: &str) -> Option<usize> {
    let opening = if text.starts_with("#![") { 2 } else { 1 };
    if !text.starts_with("#[") && opening == 1 {
        return None;
    }
    let (mut depth, mut in_string, mut escaped) = (0u32, false, false);
    for (at, byte) in text.bytes().enumerate().skip(opening) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'[' if !in_string => depth += 1,
            b']' if !in_string && depth == 1 => return Some(at + 1),
            b']' if !in_string => depth -= 1,
            _ => {}
        }
    }
    None
}

/// The first byte of code of a file, past a BOM, a shebang, comments and attributes.
pub fn first_code(text: &str, comments: &[Span]) -> usize {
    let bom = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let shebang = text[bom..].starts_with("#!") && !text[bom + 2..].trim_start().starts_with('[');
    let start = if shebang { text[bom..].find('\n').map_or(text.len(), |n| bom + n) } else { bom };
    next(text, start, comments).offset
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_and_comments_are_passed_over() {
        let text = "#[doc = \"]\"]\n#[cfg(any(x, y[0]))] fn a() {}";
        assert_eq!(next(text, 0, &[]), Next { offset: text.find("fn").unwrap(), apart: false, inner: false });
        assert!(next("\n\nfn a() {}", 0, &[]).apart);
        assert!(next("#![no_std]\nfn a() {}", 0, &[]).inner);
        assert_eq!(next("#[never closed", 0, &[]).offset, 0);
        assert_eq!(first_code("\u{feff}#!/usr/bin/env run\n#![no_std]\nuse a;", &[]), 33);
    }
}
