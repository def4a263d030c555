//! What has changed since a revision, asked of the git command line, and whether a finding has to do with it.
//!
//! A finding does where one of its places, or the function that one of them stands in, has a line that changed: a race opens as well by taking a guard away
//! as by adding an act. A change elsewhere that opens it (a constraint dropped in a migration) shows only in a run over everything.

mod diff;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::discover::Overlay;
use crate::finding::Finding;
use crate::ir;
use crate::source::{SourceId, Sources, Span};

/// The changed files, by absolute path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    files: BTreeMap<PathBuf, Changed>,
}

/// What changed in a file; lines count from 1 in the new text.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Changed {
    Whole,
    Lines(Vec<RangeInclusive<u32>>),
}

/// Why git gave no answer.
#[derive(Debug)]
pub enum Error {
    NoGit(io::Error),
    NoRepository(PathBuf),
    NoSuchRevision(String),
    /// The same, in a clone that does not have all commits.
    NotFetched(String),
    Failed(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoGit(error) => write!(f, "cannot run git: {error}"),
            Error::NoRepository(folder) => write!(f, "{} is not in a git repository", folder.display()),
            Error::NoSuchRevision(revision) => write!(f, "git knows no revision `{revision}`"),
            Error::NotFetched(revision) => {
                write!(f, "git knows no revision `{revision}`; this clone is shallow, so `git fetch` it first")
            }
            Error::Failed(message) => write!(f, "git failed: {message}"),
        }
    }
}

impl std::error::Error for Error {}

/// What differs between the working tree (untracked files included) and the place where it left `revision`.
pub fn since(folder: &Path, revision: &str) -> Result<Changes, Error> {
    let root = root(folder)?;
    let commit = format!("{revision}^{{commit}}");
    let Ok(commit) = git(&root, &["rev-parse", "--verify", "--quiet", "--end-of-options", &commit]) else {
        let shallow = git(&root, &["rev-parse", "--is-shallow-repository"]).is_ok_and(|answer| answer.trim() == "true");
        let error = if shallow { Error::NotFetched } else { Error::NoSuchRevision };
        return Err(error(revision.to_owned()));
    };
    let commit = commit.trim();
    // What others have added to the branch meanwhile is no change of this tree.
    let base = git(&root, &["merge-base", commit, "HEAD"]).unwrap_or_else(|_| commit.to_owned());
    let mut changes = diff::parse(&root, &diff(&root, &[base.trim()])?);
    for name in names(&git(&root, &["ls-files", "--others", "--exclude-standard", "--full-name", "-z"])?) {
        changes.files.insert(root.join(name), Changed::Whole);
    }
    Ok(changes)
}

/// What the next commit changes.
pub fn staged(folder: &Path) -> Result<Changes, Error> {
    let root = root(folder)?;
    Ok(diff::parse(&root, &diff(&root, &["--cached"])?))
}

/// The staged text of the sources whose working copy differs from it.
pub fn staged_texts(folder: &Path) -> Result<Vec<Overlay>, Error> {
    let root = root(folder)?;
    let mut overlays = Vec::new();
    for name in names(&git(&root, &["diff-files", "--name-only", "--ignore-submodules", "-z"])?) {
        if name.ends_with(".rs") || name.ends_with(".sql") {
            let text = git(&root, &["cat-file", "blob", &format!(":{name}")])?;
            overlays.push(Overlay { path: root.join(name), text });
        }
    }
    Ok(overlays)
}

impl Changes {
    /// Whether the finding has to do with what changed; `files` are the outlines of the sources.
    pub fn touch(&self, finding: &Finding, sources: &Sources, files: &[ir::Outline]) -> bool {
        let mut spans = std::iter::once(finding.span).chain(finding.labels.iter().map(|label| label.span));
        spans.any(|span| self.touch_span(span, sources) || self.touch_function(span, sources, files))
    }

    fn touch_function(&self, span: Span, sources: &Sources, files: &[ir::Outline]) -> bool {
        let file = files.iter().find(|file| file.source == span.source);
        let around = file.into_iter().flat_map(|file| &file.functions).filter(|function| function.whole.contains(span));
        around.map(|function| function.whole).any(|whole| self.touch_span(whole, sources))
    }

    fn touch_span(&self, span: Span, sources: &Sources) -> bool {
        let (first, last) = lines(span.source, span, sources);
        match self.files.get(&sources.get(span.source).path) {
            None => false,
            Some(Changed::Whole) => true,
            Some(Changed::Lines(changed)) => {
                changed.iter().any(|lines| *lines.start() <= last && first <= *lines.end())
            }
        }
    }
}

fn lines(source: SourceId, span: Span, sources: &Sources) -> (u32, u32) {
    let index = &sources.get(source).lines;
    (index.line(span.start), index.line(span.end.max(span.start + 1) - 1))
}

fn root(folder: &Path) -> Result<PathBuf, Error> {
    match git(folder, &["rev-parse", "--show-toplevel"]) {
        Ok(root) => {
            let root = PathBuf::from(root.trim_end_matches(['\n', '\r']));
            Ok(root.canonicalize().unwrap_or(root))
        }
        Err(Error::Failed(_)) => Err(Error::NoRepository(folder.to_owned())),
        Err(error) => Err(error),
    }
}

/// The diff without context, in one form whatever the user's settings are.
fn diff(root: &Path, what: &[&str]) -> Result<String, Error> {
    let form = [
        "diff",
        "--unified=0",
        "--no-color",
        "--no-ext-diff",
        "--no-textconv",
        // What only moved is no change.
        "--find-renames",
        "--src-prefix=a/",
        "--dst-prefix=b/",
        "--ignore-submodules",
    ];
    git(root, &[&form, what, &["--"]].concat())
}

fn git(folder: &Path, arguments: &[&str]) -> Result<String, Error> {
    let mut command = Command::new("git");
    // A repository's own settings must not make git run other programs.
    command.arg("-C").arg(folder).args(["-c", "core.fsmonitor=false", "-c", "core.quotePath=false"]).args(arguments);
    let output = command.output().map_err(Error::NoGit)?;
    if !output.status.success() {
        return Err(Error::Failed(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn names(listed: &str) -> impl Iterator<Item = &str> {
    listed.split('\0').filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Label, Role};
    use crate::lower::{lower, with_stack};
    use crate::rule::Confidence;
    use crate::rules::meta::UNKNOWN_NAME;
    use crate::source::{LineIndex, Source, SourceKind};

    const TEXT: &str = "fn a() {\n    check();\n    between();\n    act();\n}\n\nfn b() {\n    other();\n}\n";

    fn touches(changed: Changed, spans: &[&str]) -> bool {
        let mut sources = Sources::default();
        let (name, path, kind) = ("a.rs".to_owned(), PathBuf::from("/r/a.rs"), SourceKind::Rust);
        let lines = LineIndex::new(TEXT);
        let id = sources.push(Source { name, path: path.clone(), kind, text: TEXT.to_owned(), lines, reported: true });
        let files = vec![with_stack(|| lower(id, TEXT, 2021)).unwrap().file.outline()];
        let span = |part: &str| {
            let start = TEXT.find(part).unwrap() as u32;
            Span { source: id, start, end: start + part.len() as u32 }
        };
        let label = |part: &&str| Label { role: Role::Check, span: span(part), message: String::new() };
        let finding = Finding {
            rule: &UNKNOWN_NAME,
            severity: UNKNOWN_NAME.severity,
            confidence: Confidence::High,
            message: String::new(),
            resource: String::new(),
            span: span(spans[0]),
            labels: spans[1..].iter().map(label).collect(),
            witness: Vec::new(),
            fixes: Vec::new(),
            function: String::new(),
            act: String::new(),
        };
        Changes { files: BTreeMap::from([(path, changed)]) }.touch(&finding, &sources, &files)
    }

    #[test]
    fn a_finding_is_touched_by_changes_of_its_functions() {
        assert!(touches(Changed::Whole, &["act()"]));
        assert!(touches(Changed::Lines(vec![4..=4]), &["act()"]));
        assert!(touches(Changed::Lines(vec![3..=3]), &["act()"]));
        assert!(!touches(Changed::Lines(vec![6..=8]), &["act()"]));
        assert!(touches(Changed::Lines(vec![8..=8]), &["act()", "other()"]));
        assert!(!touches(Changed::Lines(Vec::new()), &["act()"]));
    }
}
