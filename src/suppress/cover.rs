//! What a suppression covers.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use super::place::{self, Next};
use crate::discover::Inventory;
use crate::finding::Finding;
use crate::ir;
use crate::source::{LineIndex, SourceId, Sources, Span};

/// The findings that a comment speaks of.
#[derive(Clone, Debug)]
pub struct Cover {
    source: SourceId,
    /// From the line of the comment to the line of code below it, if it stands alone.
    lines: RangeInclusive<u32>,
    /// The function or module below it, or its whole file: findings said to be there.
    region: Option<Span>,
    /// Whole files: those of a `mod name;` below it.
    files: Vec<SourceId>,
}

impl Cover {
    pub fn covers(&self, finding: &Finding, sources: &Sources) -> bool {
        if self.files.contains(&finding.span.source) || self.region.is_some_and(|region| region.contains(finding.span))
        {
            return true;
        }
        let mut spans = std::iter::once(finding.span).chain(finding.labels.iter().map(|label| label.span));
        spans.any(|span| {
            let lines = &sources.get(span.source).lines;
            let last = lines.line(span.end.max(span.start + 1) - 1);
            span.source == self.source && lines.line(span.start) <= *self.lines.end() && *self.lines.start() <= last
        })
    }
}

/// What a comment of a Rust file covers.
pub fn rust(comment: Span, file: &ir::Outline, inventory: &Inventory) -> Cover {
    let source = inventory.sources.get(comment.source);
    let text = source.text.as_str();
    let mut cover = on_its_line(comment, &source.lines);
    if !place::alone(text, comment) {
        return cover;
    }
    let comments: Vec<Span> = file.comments.iter().map(|comment| comment.span).collect();
    let next = place::next(text, comment.end as usize, &comments);
    reach(&mut cover, next, &source.lines, comment);
    let attached = !next.apart && !next.inner;
    if let Some(function) = file.functions.iter().find(|function| attached && heads(function, next.offset)) {
        cover.region = Some(function.whole);
    } else if let Some(module) =
        file.modules.iter().skip(1).find(|module| attached && starts_at(module, next.offset, text))
    {
        match module.inline {
            true => cover.region = Some(module.span),
            false => cover.files = files_of(module, file, inventory),
        }
    } else if comment.end as usize <= place::first_code(text, &comments)
        && (!attached || is_import(&text[next.offset..]))
    {
        cover.region = Some(Span { source: comment.source, start: 0, end: text.len() as u32 });
    }
    cover
}

/// What a comment of an SQL file covers; `comments` are all of the file.
pub fn sql(comment: Span, comments: &[Span], text: &str) -> Cover {
    let lines = LineIndex::new(text);
    let mut cover = on_its_line(comment, &lines);
    if !place::alone(text, comment) {
        return cover;
    }
    let next = place::next(text, comment.end as usize, comments);
    reach(&mut cover, next, &lines, comment);
    if next.apart && comment.end as usize <= place::first_code(text, comments) {
        cover.region = Some(Span { source: comment.source, start: 0, end: text.len() as u32 });
    }
    cover
}

fn on_its_line(comment: Span, lines: &LineIndex) -> Cover {
    let line = lines.line(comment.start);
    Cover { source: comment.source, lines: line..=line, region: None, files: Vec::new() }
}

/// Extends the cover to the line below; comments and attributes between hold no findings.
fn reach(cover: &mut Cover, next: Next, lines: &LineIndex, comment: Span) {
    let last = if next.apart { lines.line(comment.end) } else { lines.line(next.offset as u32) };
    cover.lines = lines.line(comment.start)..=last;
}

fn heads(function: &ir::FunctionOutline, offset: usize) -> bool {
    (function.whole.start as usize..=function.name as usize).contains(&offset)
}

/// The span of a module starts at `mod`; only a visibility may stand before that.
fn starts_at(module: &ir::Module, offset: usize, text: &str) -> bool {
    let before = text.get(offset..module.span.start as usize).map(str::trim);
    before.is_some_and(|before| before.is_empty() || before.starts_with("pub") && !before.contains([';', '{']))
}

fn is_import(code: &str) -> bool {
    let code = code.strip_prefix("pub ").unwrap_or(code);
    code.starts_with("use ") || code.starts_with("extern crate ")
}

/// The files of `mod name;` and of the modules below it, by the places that Rust looks at.
fn files_of(module: &ir::Module, file: &ir::Outline, inventory: &Inventory) -> Vec<SourceId> {
    let own = &inventory.sources.get(file.source).path;
    let (Some(folder), Some(stem)) = (own.parent(), own.file_stem()) else { return Vec::new() };
    let is_root =
        inventory.layout.packages.iter().flat_map(|package| &package.targets).any(|target| target.root == file.source);
    let owns_folder = is_root || ["lib", "main", "mod"].iter().any(|name| stem == *name);
    let mut base: PathBuf = if owns_folder { folder.to_owned() } else { folder.join(stem) };
    base.extend(inline_parents(module, file));
    let (single, nested) = match module.path_attr {
        Some(path) => (folder.join(path.as_str()), None),
        None => (base.join(format!("{}.rs", module.name)), Some(base.join(module.name.as_str()))),
    };
    let below = |path: &PathBuf| *path == single || nested.as_ref().is_some_and(|nested| path.starts_with(nested));
    inventory.sources.iter().filter(|(_, source)| below(&source.path)).map(|(id, _)| id).collect()
}

/// The names of the inline modules around one, outermost first.
fn inline_parents(module: &ir::Module, file: &ir::Outline) -> Vec<&'static str> {
    let mut names = Vec::new();
    let mut at = module.parent;
    while at != 0 {
        let Some(parent) = file.modules.get(at as usize) else { break };
        names.push(parent.name.as_str());
        at = parent.parent;
    }
    names.reverse();
    names
}
