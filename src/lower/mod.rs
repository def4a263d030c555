//! One source → [`ir::File`](crate::ir::File). The only place that names syn; the tree is dropped before it returns.
//!
//! Parsing and dropping recurse, so callers run [`lower`] on a thread with room: [`with_stack`]. What would not fit even there is refused before the parser
//! sees it. An item that does not parse is left out and listed; the rest of its file is lowered.

mod attrs;
mod blocks;
mod branches;
mod chains;
mod collect;
mod cx;
mod dump;
mod edges;
mod exprs;
mod functions;
mod impls;
mod items;
mod literals;
mod macros;
mod nesting;
mod offsets;
mod pats;
mod recover;
mod scan;
mod scopes;
mod stack;
#[cfg(test)]
mod tests;
mod text;
mod types;

use crate::intern::Symbol;
use crate::ir::{File, Module};
use crate::source::{SourceId, Span};

use cx::Cx;
use offsets::Offsets;

pub use cx::TEMPORARY;
pub use dump::{dump, path_text, type_text};
pub use stack::{SMALL_STACK, STACK, with_stack};

/// Larger files are not read: dense source costs 225 bytes of memory a byte, and real ones stay below 0.6 MB.
const MOST_BYTES: usize = 4 << 20;

/// A file and what of it was left out.
#[derive(Clone, Debug)]
pub struct Lowered {
    pub file: File,
    pub skipped: Vec<Skip>,
}

/// A file, or an item of one, that was not lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skip {
    /// `None` for a whole file without a place to point to.
    pub span: Option<Span>,
    pub reason: String,
}

impl Skip {
    fn file(reason: String) -> Self {
        Skip { span: None, reason }
    }
}

/// Lowers one file under the rules of an edition (2015, 2018, 2021, 2024). Needs a deep stack: see [`with_stack`].
pub fn lower(source: SourceId, text: &str, edition: u16) -> Result<Lowered, Skip> {
    if text.len() > MOST_BYTES {
        return Err(Skip::file(format!("larger than {} MB", MOST_BYTES >> 20)));
    }
    let prepared = text::prepare(text);
    let scan = scan::scan(source, prepared.base, &prepared.text);
    if scan.nesting > nesting::MOST {
        return Err(Skip::file(format!("nested too deeply ({} open tokens)", scan.nesting)));
    }
    let at = Offsets::new(source, prepared.base, &prepared.text);
    let mut cx = Cx::new(source, edition, at);
    cx.file.comments = scan.comments;
    let _spans = Spans;
    let (parsed, skipped) = parse(&cx.at, &prepared.text)?;
    file(&mut cx, &parsed, text.len() as u32);
    Ok(Lowered { file: cx.file, skipped })
}

fn parse(at: &Offsets, text: &str) -> Result<(syn::File, Vec<Skip>), Skip> {
    let error = match syn::parse_str::<syn::File>(text) {
        Ok(parsed) => return Ok((parsed, Vec::new())),
        Err(error) => error,
    };
    let again = text.parse().ok().and_then(|tokens| recover::file(at, tokens));
    again.ok_or_else(|| Skip { span: Some(at.span(error.span())), reason: format!("does not parse: {error}") })
}

/// Forgets the parser's spans, which would pile up in a table of the thread.
struct Spans;

impl Drop for Spans {
    fn drop(&mut self) {
        proc_macro2::extra::invalidate_current_thread_spans();
    }
}

fn file(cx: &mut Cx, parsed: &syn::File, end: u32) {
    cx.file.attrs = attrs::lower(cx, &parsed.attrs);
    let root = Module {
        name: Symbol::new(""),
        parent: 0,
        inline: true,
        path_attr: None,
        attrs: Vec::new(),
        span: cx.at.between(0, end),
    };
    cx.file.modules.push(root);
    collect::names(cx, &parsed.items);
    items::all(cx, &parsed.items);
}
