//! Text of the analysed code inside Markdown: it may show itself, but neither link, embed nor mention.

use crate::clean;
use crate::report::{Report, place};
use crate::source::Span;

/// Our own messages put names between backticks: those stay code, all around them is escaped. An odd backtick belongs to a name and is escaped too.
pub fn text(text: &str) -> String {
    let text = clean::line(text);
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return escape(&text);
    }
    let mut out = String::new();
    for (index, part) in parts.iter().enumerate() {
        match index % 2 {
            0 => out.push_str(&escape(part)),
            _ if part.is_empty() => out.push_str("\\`\\`"),
            _ => out.push_str(&format!("`{part}`")),
        }
    }
    out
}

/// The same for a cell of a table, where a bar ends the cell even inside code.
pub fn cell(source: &str) -> String {
    text(source).replace("\\|", "|").replace('|', "\\|")
}

/// A link to the line of a span.
pub fn link(report: &Report, span: Span) -> String {
    let name = place::name(report, span);
    let line = report.sources.line(span);
    let base = report.options.link_base.as_deref().unwrap_or_default();
    let path = percent(&place::from_root(report, name));
    format!("[{}:{line}]({base}{path}#L{line})", escape(&clean::line(name)))
}

/// A path as part of a URL.
pub fn percent(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(byte as char),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = ' ';
    for c in text.chars() {
        // An underscore inside a word is plain; most names have some.
        let marks = matches!(c, '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '#' | '|' | '~' | '&' | '$' | '!')
            || (c == '_' && !before.is_alphanumeric());
        if marks {
            out.push('\\');
        }
        out.push(c);
        if c == '@' {
            out.push('\u{200b}');
        }
        before = c;
    }
    // A bare URL becomes a link by itself.
    out.replace("://", ":\u{200b}//").replace("www.", "www\u{200b}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_code_and_the_rest_is_escaped() {
        assert_eq!(text("`a_b` is *read*"), "`a_b` is \\*read\\*");
        assert_eq!(text("![x](http://y) <b> @me #1"), "\\!\\[x\\](http:\u{200b}//y) \\<b\\> @\u{200b}me \\#1");
        assert_eq!(text("snake_case _private_"), "snake_case \\_private_");
    }

    #[test]
    fn a_backtick_in_a_name_does_not_free_what_follows() {
        assert_eq!(text("`a`<b>` c"), "\\`a\\`\\<b\\>\\` c");
        assert_eq!(text("``<b>"), "\\`\\`\\<b\\>");
        assert_eq!(text("a\n# b"), "a\\\\n\\# b");
    }

    #[test]
    fn bars_and_paths_are_escaped() {
        assert_eq!(cell("`a|b` | c"), "`a\\|b` \\| c");
        assert_eq!(percent("src/a b#ü.rs"), "src/a%20b%23%C3%BC.rs");
    }
}
