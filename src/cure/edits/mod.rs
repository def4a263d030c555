//! Edits that are mechanical: what the code says in two steps, said in one.
//!
//! Each edit knows a few shapes, and says nothing where the code has another: a cure in words is better than code that nobody asked for.

mod atomic;
mod file;
mod map;
mod statement;
mod store;
mod transaction;

use super::Case;
use crate::finding::{Applicability, Edit, Fix};
use crate::flow::event::{Domain, EventKind};
use crate::flow::value::EventId;
use crate::rules::{cache_stampede, tx_escaped_statement};
use crate::source::Span;

/// A cure that is an edit, without its words for the reader.
pub struct Mechanical {
    pub title: String,
    pub applicability: Applicability,
    pub edits: Vec<Edit>,
}

impl Mechanical {
    fn fix(self) -> Fix {
        Fix { title: self.title, applicability: self.applicability, edits: self.edits }
    }
}

/// The edits that mend a case, best first.
pub fn of(case: &Case) -> Vec<Fix> {
    let Some(act) = case.candidate.act else { return Vec::new() };
    if std::ptr::eq(case.candidate.rule, &tx_escaped_statement::RULE) {
        return transaction::edit(case).map(Mechanical::fix).into_iter().collect();
    }
    let mended = match &case.view.event(act).kind {
        EventKind::Sql(_) => case.candidate.check.and_then(|check| statement::edit(case, check, act)),
        EventKind::Access(access) => place(case, access.domain, act),
        EventKind::Acquire(_) => case.candidate.check.and_then(|check| map::edit(case, check, act)),
        _ => None,
    };
    mended.map(Mechanical::fix).into_iter().collect()
}

fn place(case: &Case, domain: Domain, act: EventId) -> Option<Mechanical> {
    // Whoever inserts, all have computed.
    if std::ptr::eq(case.candidate.rule, &cache_stampede::RULE) {
        return None;
    }
    match (domain, case.candidate.check) {
        (Domain::Atomic, Some(check)) => atomic::edit(case, check, act),
        (Domain::Map | Domain::Plain, Some(check)) => map::edit(case, check, act),
        (Domain::File, Some(check)) => file::edit(case, check, act),
        (Domain::Store, Some(check)) => store::claim(case, check, act),
        (Domain::Store, None) => store::expiry(case, act),
        _ => None,
    }
}

/// `clause` appended to the SQL literal of a statement; none where the text is not one literal of the code.
pub fn append(case: &Case, statement: EventId, clause: &str) -> Option<Edit> {
    let (span, text) = literal(case, statement)?;
    let at = span.start + u32::try_from(text.trim_end().trim_end_matches(';').trim_end().len()).ok()?;
    Some(Edit { span: Span { start: at, end: at, ..span }, text: clause.to_owned() })
}

/// The text of a statement and where it stands in the code: between the quotes of one literal.
fn literal<'c>(case: &Case<'c, '_>, statement: EventId) -> Option<(Span, &'c str)> {
    let text = case.view.sql(statement)?.text?.as_str();
    let span = case.view.event(statement).span;
    let code = case.sources.text(span);
    // A second place with the same text would make it unclear which is meant, and an escape would count for two bytes.
    if text.is_empty() || code.matches(text).count() != 1 || text.contains(['\\', '"']) {
        return None;
    }
    let start = span.start + u32::try_from(code.find(text)?).ok()?;
    let end = start + u32::try_from(text.len()).ok()?;
    Some((Span { start, end, ..span }, &code[code.find(text)?..][..text.len()]))
}
