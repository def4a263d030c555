//! Takes the teeth out of text that comes from the analysed code, before it is printed.
//!
//! A string literal, a path or an SQL identifier may hold anything: terminal escapes, line ends, characters that reverse the reading direction, the
//! `##[` that a GitHub runner takes for a command anywhere in a line, or the `::` that it takes for one where a line starts.

use std::borrow::Cow;

/// Text for one line: whatever could end it, steer a terminal or reorder it becomes a visible escape.
pub fn line(text: &str) -> Cow<'_, str> {
    escape(text, |_| false)
}

/// Text of several lines: line feeds and tabs stay.
pub fn block(text: &str) -> Cow<'_, str> {
    escape(text, |c| matches!(c, '\n' | '\t'))
}

fn escape(text: &str, keep: impl Fn(char) -> bool) -> Cow<'_, str> {
    let bad = |c: char| steers(c) && !keep(c);
    if !text.contains(bad) && !text.contains("##[") && !text.lines().any(is_command) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '\n' => out.push_str(if keep(c) { "\n" } else { "\\n" }),
            c if bad(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    let out = out.replace("##[", "##(");
    Cow::Owned(
        out.split_inclusive('\n')
            .map(|line| line.replacen("::", if is_command(line) { "\\u{3a}:" } else { "::" }, 1))
            .collect(),
    )
}

/// Whether a runner may take a line for a command to it.
fn is_command(line: &str) -> bool {
    line.trim_start().starts_with("::")
}

/// Source text for a listing: every byte keeps its place, so that spans stay true.
pub fn listing(text: &str) -> Cow<'_, str> {
    let bad = |c: char| steers(c) && !matches!(c, '\n' | '\t');
    if !text.contains(bad) && !text.contains("##[") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let ends_line = c == '\r' && rest.peek() == Some(&'\n');
        match c.len_utf8() {
            _ if !bad(c) || ends_line => out.push(c),
            1 => out.push('?'),
            2 => out.push('·'),
            3 => out.push('\u{fffd}'),
            _ => out.push('\u{1fae5}'),
        }
    }
    Cow::Owned(out.replace("##[", "##("))
}

/// JSON text in which such characters, which can stand only inside strings there, are written as escapes: the value stays the same.
pub fn json(text: String) -> String {
    if !text.contains(|c| steers(c) && c != '\n') {
        return text;
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if steers(c) && c != '\n' {
            let mut units = [0; 2];
            out.extend(c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            out.push(c);
        }
    }
    out
}

/// Control characters, line separators, and what changes the reading direction or cannot be seen.
fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_left_alone() {
        assert!(matches!(line("naïve `größe` 漢字 🚲"), Cow::Borrowed(_)));
        assert!(matches!(block("one\n\ttwo"), Cow::Borrowed(_)));
        assert!(matches!(listing("fn a() {\n}\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn escapes_and_line_ends_become_visible() {
        assert_eq!(line("a\u{1b}[2Jb\nc\r\u{9b}d\u{202e}"), "a\\u{1b}[2Jb\\nc\\u{d}\\u{9b}d\\u{202e}");
        assert_eq!(block("a\u{7}\nb"), "a\\u{7}\nb");
        assert_eq!(line("x ##[error]y"), "x ##(error]y");
        assert_eq!(block("a::b\n \t::error::c\n"), "a::b\n \t\\u{3a}:error::c\n");
    }

    #[test]
    fn a_listing_keeps_every_byte_in_place() {
        let text = "\u{feff}a\u{1b}\r\nb\u{9b}\rc\u{202e}\u{e0041}##[x]\n";
        let cleaned = listing(text);
        assert_eq!(cleaned.len(), text.len());
        assert_eq!(cleaned, "\u{fffd}a?\r\nb·?c\u{fffd}\u{1fae5}##(x]\n");
    }

    #[test]
    fn json_keeps_its_value() {
        let value = serde_json::json!({"text": "a\u{9b}\u{202e}\u{e0041}\u{7f}"});
        let text = json(serde_json::to_string_pretty(&value).unwrap());
        assert!(text.is_ascii() && !text.contains('\u{7f}'), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
