//! A concurrency test for a finding or a guarded site: callers that start at once, the invariant that the window must keep, and the query that asks a
//! database in use the same. Finds what is meant, and writes text; what only the team knows stays marked.

mod call;
mod guarded;
mod signature;
mod text;

use std::path::Path;

use crate::cure::{self, Case};
use crate::finding::Finding;
use crate::resolve::FnId;
use crate::rule::Group;
use crate::rules::{Candidate, Scope};
use crate::source::{SourceId, Span};

/// What a test is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Site {
    /// A line of a source, from 1, by the name that reports print.
    Line { file: String, line: u32 },
    /// A finding, by its fingerprint or the start of it.
    Fingerprint(String),
}

/// Why there is no test to write; in words that follow `racelint: error: `.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

/// Writes the test for a site, of `candidates` or of what is guarded; `findings` are what the candidates became, with their fingerprints.
pub fn write(
    scope: &Scope,
    candidates: &[Candidate],
    findings: &[(Finding, String)],
    site: &Site,
) -> Result<String, Refusal> {
    let candidate = match site {
        Site::Fingerprint(start) => by_fingerprint(candidates, findings, start)?.clone(),
        Site::Line { file, line } => by_line(scope, candidates, file, *line)?,
    };
    // What is said of a whole package is tried at the function that it is said at.
    let candidate = match candidate.act {
        None => guarded::of_function(scope, candidate.function).unwrap_or(candidate),
        Some(_) => candidate,
    };
    let def = scope.program.function(candidate.function);
    if def.test {
        return Err(Refusal(format!("{} is a test itself", def.path)));
    }
    let Some(case) = Case::new(scope, &candidate) else {
        return Err(Refusal(format!("too little is known of {} to write a test", def.path)));
    };
    Ok(of_case(&case))
}

fn of_case(case: &Case) -> String {
    let function = case.candidate.function;
    let source = case.scope.program.source(function);
    let at = source.span;
    let place = format!("{}:{}", case.sources.get(at.source).name, case.sources.line(at));
    let module = format!("{}_races", source.name.as_str().trim_start_matches("r#"));
    let (file, parent) = home(case.scope, function, &module);
    let call = call::of(case.scope, function);
    let mut invariant = cure::invariant(case);
    if let Some(receiver) = &call.receiver {
        invariant = invariant.seen_from_outside(receiver);
    }
    text::write(&text::Plan {
        function: source.name.as_str(),
        place,
        file,
        parent,
        module,
        call: &call,
        invariant: &invariant,
    })
}

/// The file of a new module below the one that a function stands in, and what names it.
fn home(scope: &Scope, function: FnId, module: &str) -> (String, String) {
    let (file, source) = (scope.program.file(function), scope.program.source(function));
    let name = &scope.sources.get(source.span.source).name;
    let path = Path::new(name);
    let folder = path.parent().unwrap_or(Path::new(""));
    let stem = path.file_stem().unwrap_or_default();
    let mut folder = match stem.to_str() {
        Some("lib" | "main" | "mod") => folder.to_owned(),
        _ => folder.join(stem),
    };
    let (mut inline, mut at) = (Vec::new(), source.module);
    while at != 0 {
        let module = &file.modules[at as usize];
        inline.insert(0, module.name.as_str());
        at = module.parent;
    }
    folder.extend(&inline);
    let parent = if inline.is_empty() { name.clone() } else { format!("the module {} of {name}", inline.join("::")) };
    let file = folder.join(format!("{module}.rs"));
    (file.to_string_lossy().replace('\\', "/"), parent)
}

fn by_fingerprint<'c>(
    candidates: &'c [Candidate],
    findings: &[(Finding, String)],
    start: &str,
) -> Result<&'c Candidate, Refusal> {
    let mut found = findings.iter().filter(|(_, print)| print.starts_with(start));
    let Some((finding, _)) = found.next() else {
        return Err(Refusal(format!("no finding has the fingerprint {start}")));
    };
    if found.next().is_some() {
        return Err(Refusal(format!("several findings have fingerprints that start with {start}")));
    }
    let same = |candidate: &&Candidate| std::ptr::eq(candidate.rule, finding.rule) && candidate.span == finding.span;
    let candidate = candidates.iter().find(same).filter(|candidate| is_race(candidate));
    candidate.ok_or_else(|| Refusal(format!("{} is about no race that a test could run", finding.rule.name)))
}

/// What a test could show: rules about tests and about the run itself are not.
fn is_race(candidate: &Candidate) -> bool {
    candidate.rule.group != Group::Meta && (candidate.rule.group != Group::Test || candidate.of_package)
}

/// The nearest to a line: what stands at it, what has a part in it, what stands in the same function; findings before what is guarded.
fn by_line(scope: &Scope, candidates: &[Candidate], file: &str, line: u32) -> Result<Candidate, Refusal> {
    let Some((source, _)) = scope.sources.iter().find(|(_, source)| source.name == file) else {
        return Err(Refusal(format!("{file} was not read")));
    };
    let at = At { scope, source, line };
    let findings = candidates.iter().filter(|candidate| is_race(candidate)).cloned();
    let ranked = findings.map(|candidate| (false, candidate));
    let ranked = ranked.chain(guarded::all(scope).into_iter().map(|candidate| (true, candidate)));
    let ranked = ranked.filter_map(|(guarded, candidate)| {
        let of_rule = (candidate.rule.advisory, candidate.act.is_none());
        Some(((at.distance(&candidate)?, guarded, of_rule, candidate.span.start), candidate))
    });
    let nearest = ranked.min_by_key(|(rank, _)| *rank);
    nearest
        .map(|(_, candidate)| candidate)
        .ok_or_else(|| Refusal(format!("nothing at {file}:{line} is a finding, or a write that something guards")))
}

struct At<'s, 'v> {
    scope: &'s Scope<'v>,
    source: SourceId,
    line: u32,
}

impl At<'_, '_> {
    fn distance(&self, candidate: &Candidate) -> Option<u8> {
        let mut labels = candidate.labels.iter().map(|label| label.span).chain([candidate.span]);
        let starts = candidate.span.source == self.source && self.scope.sources.line(candidate.span) == self.line;
        match () {
            () if starts => Some(0),
            () if labels.any(|span| self.covers(span)) => Some(1),
            () if self.covers(self.scope.program.source(candidate.function).whole) => Some(2),
            () => None,
        }
    }

    fn covers(&self, span: Span) -> bool {
        let lines = &self.scope.sources.get(span.source).lines;
        span.source == self.source && (lines.line(span.start)..=lines.line(span.end)).contains(&self.line)
    }
}
