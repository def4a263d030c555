//! The changes as a unified diff that `git apply` and `patch -p1` take.

use similar::TextDiff;

use crate::fix::changed;
use crate::source::Sources;

/// One diff of all changed files, in the order of their names.
pub fn diff(before: &Sources, after: &Sources) -> String {
    let mut out = String::new();
    for (old, new) in changed(before, after) {
        let (from, to) = (quoted("a/", &old.name), quoted("b/", &old.name));
        out.push_str(&TextDiff::from_lines(&old.text, &new.text).unified_diff().header(&from, &to).to_string());
    }
    out
}

/// A name as git writes it: one that could end its line is quoted. An absolute name loses its first `/`, as in git.
fn quoted(side: &str, name: &str) -> String {
    let name = format!("{side}{}", name.trim_start_matches('/'));
    if !name.contains(|c: char| c.is_control() || c == '"' || c == '\\') {
        return name;
    }
    let mut out = String::from("\"");
    for byte in name.bytes() {
        match byte {
            b'"' | b'\\' => out.extend(['\\', byte as char]),
            0x20..=0x7e => out.push(byte as char),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out + "\""
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::fix::plan::tests::sources;
    use crate::fix::with_texts;
    use crate::source::SourceId;

    #[test]
    fn changed_lines_stand_in_their_surroundings() {
        let before =
            sources(&["fn a() {}\n", "fn b() {\n    one();\n    two();\n    three();\n    four();\n    five();\n}"]);
        let new = before.get(SourceId(1)).text.replace("five", "six");
        let after = with_texts(&before, BTreeMap::from([(SourceId(1), new)]));
        let expected = "\
--- a/src/f1.rs
+++ b/src/f1.rs
@@ -3,5 +3,5 @@
     two();
     three();
     four();
-    five();
+    six();
 }
\\ No newline at end of file
";
        assert_eq!(diff(&before, &after), expected);
        assert_eq!(diff(&before, &before), "");
    }

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(quoted("a/", "src/größe.rs"), "a/src/größe.rs");
        assert_eq!(quoted("a/", "/tmp/x.rs"), "a/tmp/x.rs");
        assert_eq!(quoted("b/", "a\nb\"ü.rs"), "\"b/a\\012b\\\"\\303\\274.rs\"");
    }
}
