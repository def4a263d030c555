//! All Rust sources of a run → lowered files, in the order of the sources.

use std::collections::HashSet;
use std::path::Path;

use crate::discover::Inventory;
use crate::finding::{Applicability, Finding, Fix, Skipped};
use crate::ir;
use crate::lower::{self, Lowered, Skip};
use crate::rule::Confidence;
use crate::rules::meta::UNPARSABLE_SOURCE;
use crate::source::{Source, SourceId, SourceKind, Span};
use crate::work;

/// What came of parsing.
#[derive(Debug, Default)]
pub struct Parsed {
    pub files: Vec<ir::File>,
    pub skipped: Vec<Skipped>,
    /// The same as findings.
    pub findings: Vec<Finding>,
    /// Files that were not understood whole.
    pub unparsed: HashSet<SourceId>,
}

/// Parses and lowers every Rust source, on at most `jobs` threads.
pub fn all(inventory: &Inventory, jobs: usize) -> Parsed {
    let sources: Vec<(SourceId, &Source)> =
        inventory.sources.iter().filter(|(_, source)| source.kind == SourceKind::Rust).collect();
    let lowered = work::map(
        &sources,
        jobs,
        |(_, source)| source.text.len(),
        |(id, source)| lower::lower(*id, &source.text, edition(inventory, &source.path)),
    );
    let mut parsed = Parsed::default();
    for ((id, source), result) in sources.into_iter().zip(lowered) {
        parsed.add(id, source, result);
    }
    parsed
}

impl Parsed {
    fn add(&mut self, id: SourceId, source: &Source, result: Result<Lowered, Skip>) {
        let left_out = match result {
            Ok(lowered) => {
                self.files.push(lowered.file);
                lowered.skipped
            }
            Err(skip) => vec![skip],
        };
        if !left_out.is_empty() {
            self.unparsed.insert(id);
        }
        for skip in left_out {
            self.skipped.push(Skipped { file: source.name.clone(), reason: reason(source, &skip) });
            self.findings.push(finding(id, &skip));
        }
    }
}

fn reason(source: &Source, skip: &Skip) -> String {
    match skip.span {
        Some(span) => format!("line {}: {}", source.lines.line(span.start), skip.reason),
        None => skip.reason.clone(),
    }
}

fn finding(source: SourceId, skip: &Skip) -> Finding {
    let title = "mend the source, or leave it out with `exclude` in racelint.toml".to_owned();
    Finding {
        rule: &UNPARSABLE_SOURCE,
        severity: UNPARSABLE_SOURCE.severity,
        confidence: Confidence::High,
        message: format!("not parsed, so its races stay unseen: {}", skip.reason),
        resource: String::new(),
        span: skip.span.unwrap_or(Span { source, start: 0, end: 0 }),
        labels: Vec::new(),
        witness: Vec::new(),
        fixes: vec![Fix { title, applicability: Applicability::Advice, edits: Vec::new() }],
        function: String::new(),
        act: skip.reason.clone(),
    }
}

/// The edition of the innermost package around a file.
fn edition(inventory: &Inventory, path: &Path) -> u16 {
    let layout = &inventory.layout;
    let around = layout.packages.iter().filter(|package| path.starts_with(&package.dir));
    around
        .max_by_key(|package| package.dir.components().count())
        .map_or(layout.loose_edition, |package| package.edition)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::PathBuf;

    use super::*;
    use crate::discover::{Request, discover};

    #[test]
    fn files_come_in_order_and_broken_ones_are_told() {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [("a.rs", "fn a() {}"), ("b.rs", "fn b( {"), ("c.rs", "fn c() {}"), ("d.sql", "select 1;")]
        {
            fs::write(dir.path().join(name), text).unwrap();
        }
        let inventory = discover(&Request::new(dir.path(), vec![PathBuf::from(".")])).unwrap();
        for jobs in [1, 4] {
            let parsed = all(&inventory, jobs);
            let names: Vec<_> = parsed.files.iter().flat_map(|file| &file.functions).map(|f| f.name.as_str()).collect();
            assert_eq!(names, ["a", "c"]);
            assert_eq!(parsed.unparsed, HashSet::from([SourceId(1)]));
            assert_eq!((parsed.skipped[0].file.as_str(), parsed.findings[0].span.source), ("b.rs", SourceId(1)));
        }
    }

    #[test]
    fn the_innermost_package_says_the_edition() {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in [
            ("Cargo.toml", "[package]\nname = 'outer'\nedition = '2018'\n"),
            ("src/lib.rs", ""),
            ("inner/Cargo.toml", "[package]\nname = 'inner'\nedition = '2024'\n"),
            ("inner/src/lib.rs", ""),
        ] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let inventory = discover(&Request::new(dir.path(), vec![PathBuf::from(".")])).unwrap();
        let editions: Vec<_> = inventory.sources.iter().map(|(_, source)| edition(&inventory, &source.path)).collect();
        assert_eq!(editions, [2024, 2018]);
        assert_eq!(edition(&inventory, Path::new("/elsewhere/a.rs")), 0);
    }
}
