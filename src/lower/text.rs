//! The text as the parser may see it: without BOM, with shebang and cargo-script frontmatter blanked. Offsets stay those of the file but for the BOM.

use std::borrow::Cow;

const BOM: &str = "\u{feff}";

/// A text that can be parsed, and how many bytes of the file come before it.
pub(super) struct Prepared<'a> {
    pub text: Cow<'a, str>,
    pub base: u32,
}

pub(super) fn prepare(text: &str) -> Prepared<'_> {
    let base = if text.starts_with(BOM) { BOM.len() } else { 0 };
    let rest = &text[base..];
    let shebang = shebang_len(rest);
    let end = frontmatter_end(rest, shebang).unwrap_or(shebang);
    let text = if end == 0 { Cow::Borrowed(rest) } else { Cow::Owned(blank(rest, end)) };
    Prepared { text, base: base as u32 }
}

/// `#!` opens a shebang unless what follows, white space and comments aside, is the `[` of an inner attribute.
fn shebang_len(text: &str) -> usize {
    let Some(after) = text.strip_prefix("#!") else { return 0 };
    if skip_trivia(after).starts_with('[') {
        return 0;
    }
    text.find('\n').unwrap_or(text.len())
}

fn skip_trivia(mut text: &str) -> &str {
    loop {
        let trimmed = text.trim_start();
        text = if trimmed.starts_with("//") && !trimmed.starts_with("///") && !trimmed.starts_with("//!") {
            trimmed.find('\n').map_or("", |end| &trimmed[end..])
        } else if trimmed.starts_with("/*") {
            trimmed.find("*/").map_or("", |end| &trimmed[end + 2..])
        } else {
            return trimmed;
        };
    }
}

/// The end of a `---` section that opens the file, or of everything where it is never closed.
fn frontmatter_end(text: &str, from: usize) -> Option<usize> {
    let start = text.len() - text[from..].trim_start().len();
    let dashes = text[start..].bytes().take_while(|&b| b == b'-').count();
    let at_line_start = start == 0 || text[..start].ends_with('\n');
    if dashes < 3 || !at_line_start {
        return None;
    }
    let fence = &text[start..start + dashes];
    let mut at = start + text[start..].find('\n')? + 1;
    while at < text.len() {
        let line = text[at..].lines().next().unwrap_or_default();
        if line.starts_with(fence) {
            return Some(at + line.len());
        }
        at += text[at..].find('\n').map_or(text.len() - at, |n| n + 1);
    }
    None
}

/// Spaces for every byte before `end` that ends no line.
fn blank(text: &str, end: usize) -> String {
    let mut out = String::with_capacity(text.len());
    out.extend(text[..end].bytes().map(|b| if b == b'\n' || b == b'\r' { b as char } else { ' ' }));
    out.push_str(&text[end..]);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blanked(text: &str) -> String {
        prepare(text).text.into_owned()
    }

    #[test]
    fn bom_moves_the_base_and_nothing_else() {
        let prepared = prepare("\u{feff}fn f() {}");
        assert_eq!((prepared.base, &*prepared.text), (3, "fn f() {}"));
    }

    #[test]
    fn shebang_is_blanked_and_an_inner_attribute_is_not_one() {
        assert_eq!(blanked("#!/usr/bin/env rust\nfn f() {}"), "                   \nfn f() {}");
        assert_eq!(blanked("#![allow(x)]\n"), "#![allow(x)]\n");
        assert_eq!(blanked("#! /* x */ [allow(x)]\n"), "#! /* x */ [allow(x)]\n");
        assert_eq!(blanked("#!"), "  ");
    }

    #[test]
    fn frontmatter_is_blanked_byte_for_byte() {
        let text = "#!/usr/bin/env cargo\n---cargo\n[dependencies]\r\nä = \"1\"\n---\n\nfn main() {}\n";
        let out = blanked(text);
        assert_eq!(out.len(), text.len());
        assert_eq!(out.trim(), "fn main() {}");
        assert_eq!(out.find("fn"), text.find("fn"));
        assert_eq!(out.matches('\n').count(), text.matches('\n').count());
    }

    #[test]
    fn frontmatter_needs_its_closing_fence_and_a_longer_one_ends_it_too() {
        assert_eq!(blanked("---\nx\n----\nfn f() {}").trim(), "fn f() {}");
        assert_eq!(blanked("---\nfn f() {}"), "---\nfn f() {}");
        assert_eq!(blanked("fn f() -> i32 { 1 ---1 }"), "fn f() -> i32 { 1 ---1 }");
    }
}
