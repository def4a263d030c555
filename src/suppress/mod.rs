//! Comments that keep findings out: `// racelint: allow(rule) -- reason`, in SQL `-- racelint: allow(rule) -- reason`.
//!
//! One covers the findings with a span on its own line or on the line below it, or, above a function, a module or at the head of a file, the findings said
//! to be inside. Comments that suppress nothing, give no reason or cannot be read are findings themselves. Documentation comments never suppress.

mod add;
mod cover;
mod parse;
mod place;
mod report;
mod sql;

use crate::discover::Inventory;
use crate::finding::{Finding, Suppressed};
use crate::ir;
use crate::rule::Rule;
use crate::source::{SourceId, SourceKind, Sources, Span};

pub use add::{Addition, additions, with_additions};
use cover::Cover;
use parse::{MARK, Name, Parsed};

/// One comment that means to suppress.
#[derive(Clone, Debug)]
struct Suppression {
    span: Span,
    names: Vec<Name>,
    reason: Option<String>,
    cover: Cover,
}

/// A comment that starts like a suppression and is none.
#[derive(Clone, Copy, Debug)]
struct Malformed {
    span: Span,
    what: &'static str,
}

/// What suppressions are judged by.
pub struct Input<'a> {
    pub inventory: &'a Inventory,
    /// Made by [`outline`].
    pub files: &'a [ir::Outline],
    /// Every rule there is.
    pub all: &'a [&'static Rule],
    /// Whether a rule ran on a file, and the file was analysed whole: only then can a suppression of it be unused.
    pub ran: &'a dyn Fn(&Rule, SourceId) -> bool,
}

/// Findings, sorted apart.
#[derive(Debug, Default)]
pub struct Outcome {
    /// Those that nothing suppresses, and after them those about the suppressions themselves.
    pub findings: Vec<Finding>,
    pub suppressed: Vec<Suppressed>,
}

/// What is to be kept of a file: comments and modules matter where its text holds suppressions.
pub fn outline(file: &ir::File, sources: &Sources) -> ir::Outline {
    let outline = file.outline();
    match sources.get(file.source).text.contains(MARK) {
        true => outline,
        false => ir::Outline { comments: Vec::new(), modules: Vec::new(), ..outline },
    }
}

/// Takes out the findings that comments suppress.
pub fn apply(findings: Vec<Finding>, input: &Input) -> Outcome {
    let (suppressions, malformed) = collect(input);
    let mut used: Vec<Vec<bool>> = suppressions.iter().map(|one| vec![false; one.names.len()]).collect();
    let mut outcome = Outcome::default();
    for finding in findings {
        let mut reason = None;
        for (suppression, used) in suppressions.iter().zip(&mut used) {
            let named = suppression.names.iter().position(|name| name.text == finding.rule.name);
            let Some(name) = named.filter(|_| suppression.cover.covers(&finding, &input.inventory.sources)) else {
                continue;
            };
            used[name] = true;
            reason = Some(reason.flatten().or_else(|| suppression.reason.clone()));
        }
        match reason {
            Some(reason) => outcome.suppressed.push(Suppressed { finding, reason }),
            None => outcome.findings.push(finding),
        }
    }
    for (suppression, used) in suppressions.iter().zip(&used) {
        outcome.findings.extend(report::of(suppression, used, input));
    }
    outcome.findings.extend(malformed.iter().map(report::malformed));
    outcome
}

fn collect(input: &Input) -> (Vec<Suppression>, Vec<Malformed>) {
    let (mut suppressions, mut malformed) = (Vec::new(), Vec::new());
    let mut take = |span: Span, cover: &dyn Fn() -> Cover| match parse::parse(&input.inventory.sources, span) {
        Some(Parsed::Allow { names, reason }) => suppressions.push(Suppression { span, names, reason, cover: cover() }),
        Some(Parsed::Malformed(what)) => malformed.push(Malformed { span, what }),
        None => {}
    };
    for file in input.files {
        for comment in file.comments.iter().filter(|comment| !comment.doc) {
            take(comment.span, &|| cover::rust(comment.span, file, input.inventory));
        }
    }
    for (source, text) in input.inventory.sources.iter().filter(|(_, source)| source.kind == SourceKind::Sql) {
        // Most files hold none, and dumps are long.
        if !text.text.contains(MARK) {
            continue;
        }
        let comments = sql::comments(source, &text.text);
        for &span in &comments {
            take(span, &|| cover::sql(span, &comments, &text.text));
        }
    }
    (suppressions, malformed)
}

#[cfg(test)]
mod tests;
