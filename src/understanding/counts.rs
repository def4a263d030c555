//! How much of a program was understood.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::Understood;
use crate::clean;
use crate::flow::event::{EventKind, SqlEvent};
use crate::ir::ExprKind;
use crate::resolve::{Evidence, FnId, Ty};
use crate::source::{SourceKind, Sources};
use crate::sql;

/// How many of the commonest names are listed.
const LISTED: usize = 15;

#[derive(Default)]
struct Counts {
    lines: BTreeMap<&'static str, usize>,
    not_understood: BTreeMap<&'static str, usize>,
    unresolved_methods: BTreeMap<&'static str, usize>,
}

impl Counts {
    fn add(&mut self, what: &'static str) {
        *self.lines.entry(what).or_default() += 1;
    }
}

/// The counts, one a line, and the names that were met most without being understood.
pub fn counts(understood: &Understood, sources: &Sources) -> String {
    let mut counts = Counts::default();
    for (_, source) in sources.iter() {
        counts.add(match source.kind {
            SourceKind::Rust => "files: Rust",
            SourceKind::Sql => "files: SQL",
        });
    }
    for file in &understood.program.files {
        for one in &file.not_understood {
            *counts.not_understood.entry(one.what.as_str()).or_default() += 1;
        }
    }
    for index in 0..understood.program.functions.len() {
        count_function(&mut counts, understood, FnId(index as u32));
    }
    written(&counts)
}

fn count_function(counts: &mut Counts, understood: &Understood, id: FnId) {
    counts.add("functions");
    let Some(body) = &understood.program.source(id).body else { return };
    let typed = understood.program.typed(id);
    for (index, expr) in body.exprs.iter().enumerate() {
        let id = crate::ir::ExprId(index as u32);
        let method = match &expr.kind {
            ExprKind::MethodCall { receiver, name, .. } => Some((*receiver, *name)),
            ExprKind::Call { .. } => None,
            _ => continue,
        };
        let target = typed.targets.get(&id);
        counts.add(match target {
            Some(target) if target.row.is_some() => "calls: of a library, in a model row",
            Some(target) if !target.functions.is_empty() && target.evidence == Evidence::UniqueName => {
                "calls: of the program, by a unique name"
            }
            Some(target) if !target.functions.is_empty() || target.closure.is_some() => "calls: of the program",
            _ => "calls: of whatever else",
        });
        if let Some((receiver, name)) = method
            && target.is_none_or(|target| target.row.is_none() && target.functions.is_empty())
            && matches!(typed.expr(receiver), Ty::Unknown)
        {
            counts.add("calls: methods of values of unknown type");
            *counts.unresolved_methods.entry(name.as_str()).or_default() += 1;
        }
    }
    count_events(counts, understood, id);
}

fn count_events(counts: &mut Counts, understood: &Understood, id: FnId) {
    let Some(summary) = understood.summaries.get(id.0 as usize).and_then(Option::as_ref) else { return };
    if !summary.events.is_empty() {
        counts.add("functions with events");
    }
    if summary.truncated {
        counts.add("functions with more events than are kept");
    }
    for event in summary.events.iter().filter(|event| event.path.is_empty()) {
        let EventKind::Sql(SqlEvent { statement, .. }) = &event.kind else { continue };
        counts.add(match statement.evidence {
            sql::Evidence::Parsed => "statements: parsed",
            sql::Evidence::Partial => "statements: with holes",
            sql::Evidence::Scanned => "statements: only scanned",
            sql::Evidence::Unknown => "statements: unknown",
        });
    }
}

fn written(counts: &Counts) -> String {
    let mut text = String::new();
    for (what, count) in &counts.lines {
        let _ = writeln!(text, "{count:8}  {what}");
    }
    for (title, names) in
        [("not understood", &counts.not_understood), ("methods of values of unknown type", &counts.unresolved_methods)]
    {
        let mut names: Vec<_> = names.iter().collect();
        names.sort_by_key(|(name, count)| (std::cmp::Reverse(**count), **name));
        if !names.is_empty() {
            let _ = writeln!(text, "\n{title}, commonest first");
        }
        for (name, count) in names.into_iter().take(LISTED) {
            let _ = writeln!(text, "{count:8}  {}", clean::line(name));
        }
    }
    text
}
