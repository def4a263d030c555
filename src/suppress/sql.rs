//! Where the comments of an SQL file are: outside strings, quoted names and dollar-quoted bodies.

use crate::source::{SourceId, Span};

/// The `--` and `/* */` comments, in order.
pub fn comments(source: SourceId, text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text[at..].find(['-', '/', '\'', '"', '`', '$']).map(|n| at + n) {
        let rest = &text[next..];
        let end = |closing: &str, opening: usize| {
            rest.get(opening..)
                .and_then(|rest| rest.find(closing))
                .map_or(text.len(), |n| next + opening + n + closing.len())
        };
        let (stop, comment) = match rest.as_bytes() {
            [b'-', b'-', ..] => (rest.find('\n').map_or(text.len(), |n| next + n), true),
            [b'/', b'*', ..] => (end("*/", 2), true),
            // A doubled quote inside ends one string and starts the next, which comes to the same.
            [quote @ (b'\'' | b'"' | b'`'), ..] => (end(&char::from(*quote).to_string(), 1), false),
            [b'$', ..] => match dollar_tag(rest) {
                Some(tag) => (end(tag, tag.len()), false),
                None => (next + 1, false),
            },
            _ => (next + 1, false),
        };
        if comment {
            let kept = text[next..stop].trim_end().len();
            found.push(Span { source, start: next as u32, end: (next + kept) as u32 });
        }
        at = stop;
    }
    found
}

/// `$$` or `$name$` at the start of the text; not `$1`.
fn dollar_tag(text: &str) -> Option<&str> {
    let close = text[1..].find('$')? + 2;
    let name = &text[1..close - 1];
    let is_name =
        name.chars().all(|c| c == '_' || c.is_alphanumeric()) && !name.starts_with(|c: char| c.is_ascii_digit());
    is_name.then(|| &text[..close])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_told_from_strings_and_bodies() {
        let text =
            "select '-- a', \"--b\", $1 -- c\r\nfrom t /* d\n e */ where x = $f$ -- g $f$ and y = $$ /* h */ $$; --i";
        let found: Vec<_> =
            comments(SourceId(0), text).iter().map(|s| &text[s.start as usize..s.end as usize]).collect();
        assert_eq!(found, ["-- c", "/* d\n e */", "--i"]);
    }

    #[test]
    fn what_is_never_closed_runs_to_the_end() {
        for text in ["'abc -- d", "/* abc", "$$ -- a", "a $", "--", "é'é"] {
            let spans = comments(SourceId(0), text);
            assert!(spans.iter().all(|span| span.end as usize <= text.len()), "{text}");
        }
        assert_eq!(comments(SourceId(0), "/* abc").len(), 1);
        assert!(comments(SourceId(0), "'abc -- d").is_empty());
    }
}
