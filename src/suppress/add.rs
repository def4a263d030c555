//! Writing suppressions above findings, for `--add-suppressions`.

use std::collections::{BTreeMap, BTreeSet};

use crate::finding::Finding;
use crate::source::{SourceId, SourceKind, Sources};

/// A line to put into a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addition {
    pub source: SourceId,
    /// The start of the line that it goes above.
    pub offset: u32,
    /// With its indentation and line end.
    pub text: String,
}

/// One comment above each line on which findings start, in the order of files and lines.
pub fn additions(findings: &[Finding], reason: &str, sources: &Sources) -> Vec<Addition> {
    let mut lines: BTreeMap<(SourceId, u32), BTreeSet<&str>> = BTreeMap::new();
    for finding in findings {
        lines.entry((finding.span.source, sources.line(finding.span))).or_default().insert(finding.rule.name);
    }
    lines.into_iter().map(|((source, line), rules)| addition(source, line, &rules, reason, sources)).collect()
}

fn addition(source: SourceId, line: u32, rules: &BTreeSet<&str>, reason: &str, sources: &Sources) -> Addition {
    let file = sources.get(source);
    let range = file.lines.line_range(&file.text, line);
    let code = &file.text[range.clone()];
    // A BOM has to stay the first thing in the file.
    let bom = code.len() - code.trim_start_matches('\u{feff}').len();
    let code = &code[bom..];
    let indentation = &code[..code.len() - code.trim_start().len()];
    let mark = match file.kind {
        SourceKind::Rust => "//",
        SourceKind::Sql => "--",
    };
    let end = if file.text[range.end..].starts_with("\r\n") { "\r\n" } else { "\n" };
    let rules = rules.iter().copied().collect::<Vec<_>>().join(", ");
    let text = format!("{indentation}{mark} racelint: allow({rules}) -- {reason}{end}");
    Addition { source, offset: (range.start + bom) as u32, text }
}

/// The new texts of the files that get additions.
pub fn with_additions(additions: &[Addition], sources: &Sources) -> BTreeMap<SourceId, String> {
    let mut texts: BTreeMap<SourceId, String> = BTreeMap::new();
    // From the last to the first, so that offsets stay true.
    for addition in additions.iter().rev() {
        let text = texts.entry(addition.source).or_insert_with(|| sources.get(addition.source).text.clone());
        text.insert_str(addition.offset as usize, &addition.text);
    }
    texts
}
