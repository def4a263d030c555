//! What is wrong with a suppression, as findings.

use super::parse::Name;
use super::{Input, Malformed, Suppression};
use crate::config::closest;
use crate::finding::{Applicability, Edit, Finding, Fix};
use crate::rule::{Confidence, Group, Rule};
use crate::rules::meta::{SUPPRESSION_WITHOUT_REASON, UNKNOWN_NAME, UNUSED_SUPPRESSION};
use crate::source::{Sources, Span};

/// The findings about one suppression; `used` says which of its names kept a finding out.
pub fn of(suppression: &Suppression, used: &[bool], input: &Input) -> Vec<Finding> {
    let mut found = Vec::new();
    for (at, (name, used)) in suppression.names.iter().zip(used).enumerate() {
        match input.all.iter().find(|rule| rule.name == name.text) {
            None => found.push(unknown(name, input.all)),
            Some(rule) if !used && (input.ran)(rule, suppression.span.source) => {
                found.push(unused(name, at, suppression, &input.inventory.sources));
            }
            Some(_) => {}
        }
    }
    if suppression.reason.is_none() {
        let mut finding =
            finding(&SUPPRESSION_WITHOUT_REASON, suppression.span, "this suppression gives no reason".to_owned());
        finding.fixes = vec![advice("say after `--` why the race cannot happen or does no harm")];
        found.push(finding);
    }
    found
}

/// The finding about a comment that cannot be read.
pub fn malformed(malformed: &Malformed) -> Finding {
    let mut finding =
        finding(&UNKNOWN_NAME, malformed.span, format!("this suppression cannot be read: {}", malformed.what));
    finding.fixes = vec![advice("write `racelint: allow(rule) -- reason`")];
    finding
}

fn unknown(name: &Name, all: &[&'static Rule]) -> Finding {
    if Group::ALL.iter().any(|group| group.name() == name.text) {
        return finding(&UNKNOWN_NAME, name.span, format!("`{}` is a group; a suppression names rules", name.text));
    }
    let Some(meant) = closest(&name.text, all, false) else {
        return finding(&UNKNOWN_NAME, name.span, format!("no rule is called `{}`", name.text));
    };
    let mut finding =
        finding(&UNKNOWN_NAME, name.span, format!("no rule is called `{}`; did you mean `{meant}`?", name.text));
    let edits = vec![Edit { span: name.span, text: meant.to_owned() }];
    finding.fixes = vec![Fix { title: format!("write `{meant}`"), applicability: Applicability::Unsafe, edits }];
    finding
}

fn unused(name: &Name, at: usize, suppression: &Suppression, sources: &Sources) -> Finding {
    let mut finding =
        finding(&UNUSED_SUPPRESSION, name.span, format!("this suppression of `{}` keeps nothing out", name.text));
    let (title, span) = match suppression.names.len() {
        1 => ("remove the comment", with_its_space(suppression.span, sources)),
        _ => ("remove the name", with_its_comma(at, &suppression.names)),
    };
    let edits = vec![Edit { span, text: String::new() }];
    finding.fixes = vec![Fix { title: title.to_owned(), applicability: Applicability::Safe, edits }];
    finding
}

/// The comment with the space before it and, where it stands alone, with its line.
fn with_its_space(comment: Span, sources: &Sources) -> Span {
    let text = &sources.get(comment.source).text;
    let before = text[..comment.start as usize].trim_end_matches([' ', '\t']);
    let alone = before.is_empty() || before.ends_with('\n');
    let rest = &text[comment.end as usize..];
    let line_end = ["\r\n", "\n"].into_iter().find(|end| alone && rest.starts_with(end)).map_or(0, str::len);
    Span { start: before.len() as u32, end: comment.end + line_end as u32, ..comment }
}

fn with_its_comma(at: usize, names: &[Name]) -> Span {
    let span = names[at].span;
    match (at.checked_sub(1).and_then(|before| names.get(before)), names.get(at + 1)) {
        (Some(before), _) => Span { start: before.span.end, ..span },
        (None, Some(after)) => Span { end: after.span.start, ..span },
        (None, None) => span,
    }
}

fn advice(title: &str) -> Fix {
    Fix { title: title.to_owned(), applicability: Applicability::Advice, edits: Vec::new() }
}

fn finding(rule: &'static Rule, span: Span, message: String) -> Finding {
    Finding {
        rule,
        severity: rule.severity,
        confidence: Confidence::High,
        act: message.clone(),
        message,
        resource: String::new(),
        span,
        labels: Vec::new(),
        witness: Vec::new(),
        fixes: Vec::new(),
        function: String::new(),
    }
}
