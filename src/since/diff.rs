//! The text of a diff without context → the lines that changed.

use std::ops::RangeInclusive;
use std::path::Path;

use super::{Changed, Changes};

/// Reads what `git diff --unified=0` prints; files that are gone do not count.
pub fn parse(root: &Path, diff: &str) -> Changes {
    let mut changes = Changes::default();
    let mut file = None;
    let mut lines = diff.lines();
    while let Some(line) = lines.next() {
        if let Some(name) = line.strip_prefix("+++ ") {
            file = name_of(name).map(|name| root.join(name));
        } else if let Some((old, changed, new)) = hunk(line) {
            // The text of the hunk may look like a header, so it is passed over by count. Marks of a missing line end only make for lines that match nothing.
            lines.by_ref().filter(|line| !line.starts_with('\\')).take(old + new).for_each(drop);
            let Some(file) = &file else { continue };
            let entry = changes.files.entry(file.clone()).or_insert_with(|| Changed::Lines(Vec::new()));
            if let Changed::Lines(lines) = entry {
                lines.push(changed);
            }
        }
    }
    changes
}

/// `@@ -a,b +c,d @@`: how many old lines there are, which new lines the hunk touches, and how many new lines there are.
fn hunk(line: &str) -> Option<(usize, RangeInclusive<u32>, usize)> {
    let mut parts = line.strip_prefix("@@ ")?.split(' ');
    let (_, old) = range(parts.next()?.strip_prefix('-')?)?;
    let (start, new) = range(parts.next()?.strip_prefix('+')?)?;
    // Where lines were only taken away, those on both sides of the gap are touched.
    let changed = if new == 0 { start..=start + 1 } else { start..=start + new - 1 };
    Some((old as usize, changed, new as usize))
}

fn range(text: &str) -> Option<(u32, u32)> {
    let (start, count) = text.split_once(',').unwrap_or((text, "1"));
    Some((start.parse().ok()?, count.parse().ok()?))
}

/// The path after `+++ `: with a tab behind it where it holds spaces, in quotes with C escapes where it holds worse.
fn name_of(written: &str) -> Option<String> {
    let name = written.trim_end_matches('\t');
    let name = match name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) {
        Some(quoted) => unescaped(quoted),
        None => name.to_owned(),
    };
    name.strip_prefix("b/").map(str::to_owned)
}

fn unescaped(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(first @ b'0'..=b'3') => {
                let digits = [Some(first), rest.next(), rest.next()];
                let value = digits
                    .iter()
                    .flatten()
                    .fold(0u32, |value, digit| value * 8 + u32::from(digit.saturating_sub(b'0')));
                bytes.push(value as u8);
            }
            Some(other) => bytes.push(other),
            None => {}
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hunks_give_the_lines_they_touch() {
        let text = "diff --git a/src/a.rs b/src/a.rs\n--- a/src/a.rs\n+++ b/src/a.rs\n@@ -3 +3,2 @@ fn a() {\n-old\n+++ b/not-a-header\n+new\n\
                    @@ -9,2 +10,0 @@\n-x\n-y\n\\ No newline at end of file\n--- a/gone.rs\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n\
                    --- a/b\n+++ \"b/s\\303\\266 \\\"q\\\".rs\"\n@@ -0,0 +1 @@\n+x\n";
        let changes = parse(Path::new("/r"), text);
        let files: Vec<_> =
            changes.files.iter().map(|(path, changed)| (path.to_str().unwrap(), changed.clone())).collect();
        assert_eq!(
            files,
            [("/r/src/a.rs", Changed::Lines(vec![3..=4, 10..=11])), ("/r/sö \"q\".rs", Changed::Lines(vec![1..=1]))]
        );
    }
}
