//! Cures, best first: edits where the change is mechanical, then what is to be written, by what the act is, what lies between, and what the database at
//! hand can do.

mod own;
mod places;
mod rows;

use super::{Case, edits, resource};
use crate::finding::{Applicability, Fix};
use crate::flow::event::EventKind;

/// The cures of a case.
pub fn of(case: &Case) -> Vec<Fix> {
    let mut out = edits::of(case);
    let words = words(case, !out.is_empty());
    out.extend(words);
    out
}

/// What is to be written by hand; where an edit does the first of it, the rest.
fn words(case: &Case, mended: bool) -> Vec<Fix> {
    if let Some(own) = own::of(case) {
        return own.into_iter().map(advice).collect();
    }
    if let Some(window) = resource::window(case) {
        return rows::of(case, window, mended);
    }
    match case.candidate.act.map(|act| &case.view.event(act).kind) {
        Some(EventKind::Access(access)) if !mended => vec![advice(places::of(case, access))],
        _ => Vec::new(),
    }
}

fn advice(title: String) -> Fix {
    Fix { title, applicability: Applicability::Advice, edits: Vec::new() }
}
