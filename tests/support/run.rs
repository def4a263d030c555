//! Runs racelint on cases, through the library and at default settings.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use racelint::config::Config;
use racelint::discover::{Inventory, Request, discover};
use racelint::finding::Finding;
use racelint::fix::{Allowed, Fixed, until_stable};
use racelint::models::Models;
use racelint::report::{Format, Options, Report, Summary};
use racelint::rules::ALL;
use racelint::{Analysis, check};

use super::cases::Case;
use super::expect::Found;

/// The folder of the package.
pub fn package() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// What racelint finds in a case that lies alone in a new folder.
pub fn findings(case: &Case) -> Vec<Found> {
    let folder = tempfile::tempdir().expect("a new folder");
    case.write_to(folder.path());
    let (inventory, analysis) = analyse(folder.path(), 1);
    let found = analysis.findings.iter().map(|(finding, _)| Found {
        file: inventory.sources.get(finding.span.source).name.clone(),
        line: inventory.sources.line(finding.span),
        rule: finding.rule.name.to_owned(),
        advisory: finding.rule.advisory,
    });
    found.collect()
}

pub fn analyse(folder: &Path, jobs: usize) -> (Inventory, Analysis) {
    let inventory = discover(&Request::new(folder, vec![PathBuf::from(".")])).expect("the folder is there");
    let analysis = check(&inventory, Models::builtin(), &Config::default(), jobs);
    (inventory, analysis)
}

/// What every allowed edit makes of a case: the findings before and after, and how many cures were applied.
pub fn fixed(case: &Case) -> (Vec<Finding>, Fixed) {
    let folder = tempfile::tempdir().expect("a new folder");
    case.write_to(folder.path());
    let (mut inventory, analysis) = analyse(folder.path(), 1);
    let before: Vec<_> = analysis.findings.into_iter().map(|(finding, _)| finding).collect();
    let fixed = until_stable(inventory.sources.clone(), before.clone(), Allowed::Unsafe, |sources| {
        inventory.sources = sources.clone();
        let again = check(&inventory, Models::builtin(), &Config::default(), 1);
        again.findings.into_iter().map(|(finding, _)| finding).collect()
    });
    (before, fixed)
}

/// A whole report of a folder.
pub fn report(folder: &Path, jobs: usize, format: Format) -> String {
    let (inventory, analysis) = analyse(folder, jobs);
    let (findings, fingerprints): (Vec<_>, Vec<_>) = analysis.findings.into_iter().unzip();
    let report = Report {
        findings: &findings,
        fingerprints: &fingerprints,
        suppressed: &analysis.suppressed,
        skipped: &analysis.skipped,
        sources: &inventory.sources,
        summary: Summary { files: inventory.sources.len(), functions: analysis.functions, ..Summary::default() },
        rules: ALL,
        evidence: &analysis.evidence,
        options: Options { directory: folder.to_owned(), ..Options::default() },
    };
    let mut out = Vec::new();
    racelint::report::write(&report, format, &mut out).expect("memory takes every write");
    String::from_utf8(out).expect("reports are UTF-8")
}

/// The names of all rules that have a page.
pub fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(package().join("rules")).expect("the folder of pages").flatten() {
        let path = entry.path();
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if path.extension().is_some_and(|end| end == "md") && name != "README" {
            pages.push((name, std::fs::read_to_string(&path).expect("a page is text")));
        }
    }
    pages.sort();
    pages
}

/// The names of the folders in a folder.
pub fn folders(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there").flatten();
    let folders = entries.filter(|entry| entry.path().is_dir());
    folders.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// The files below `fixtures/` that its packages compile.
pub fn compiled() -> BTreeSet<String> {
    let root = package().join("fixtures/packages");
    let source =
        |name: String| std::fs::read_to_string(root.join(name).join("src/lib.rs")).expect("a package has its source");
    let sources: String = folders(&root).into_iter().map(source).collect();
    let paths = sources.lines().filter_map(|line| line.strip_prefix("#[path = \"../../../")?.strip_suffix("\"]"));
    paths.map(str::to_owned).collect()
}
