//! Edits that are mechanical: text appended to a literal of the code.

use super::Case;
use crate::finding::Edit;
use crate::flow::value::EventId;
use crate::source::Span;

/// `clause` appended to the SQL literal of a statement; none where the text is not one literal of the code.
pub fn append(case: &Case, statement: EventId, clause: &str) -> Option<Edit> {
    let text = case.view.sql(statement)?.text?.as_str();
    let span = case.view.event(statement).span;
    let code = case.sources.text(span);
    let at = code.find(text)? + text.trim_end().trim_end_matches(';').trim_end().len();
    // A second place with the same text would make it unclear which is meant.
    if code.matches(text).count() != 1 || text.contains(['\\', '"']) {
        return None;
    }
    let at = span.start + u32::try_from(at).ok()?;
    Some(Edit { span: Span { source: span.source, start: at, end: at }, text: clause.to_owned() })
}
