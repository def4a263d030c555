//! The packages of a run with their crate roots, as cargo would find them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::manifest::{PackageTable, TargetTable};
use super::packages::Packages;
use crate::intern::Symbol;
use crate::resolve::CrateRole;
use crate::resolve::layout::{Dependency, DependsOn, Layout, Package, TargetRoot, normalize};
use crate::source::{SourceId, SourceKind, Sources};

/// Describes the packages that own the sources.
pub fn layout(sources: &Sources, packages: &mut Packages) -> Layout {
    let rust = sources.iter().filter(|(_, source)| source.kind == SourceKind::Rust);
    let files: BTreeMap<PathBuf, SourceId> = rust.map(|(id, source)| (source.path.clone(), id)).collect();
    let folders = packages.wanted();
    let mut described = Vec::new();
    for folder in &folders {
        let dependencies = dependencies(folder, &folders, packages);
        let edition = packages.edition(folder);
        let Some(package) = packages.package(folder) else { continue };
        let targets = targets(folder, package, &files);
        described.push(Package {
            name: Symbol::new(&package.name),
            edition,
            dir: folder.clone(),
            dependencies,
            targets,
        });
    }
    let files = files.into_iter().map(|(path, id)| (id, path)).collect();
    Layout { packages: described, files, loose_edition: 0 }
}

fn dependencies(folder: &Path, folders: &[PathBuf], packages: &mut Packages) -> Vec<Dependency> {
    let mut seen = BTreeSet::new();
    let mut all = Vec::new();
    for (key, name, path) in packages.dependencies(folder) {
        if !seen.insert(key.clone()) {
            continue;
        }
        let member = path.and_then(|path| folders.iter().position(|folder| *folder == path));
        let to = match member {
            Some(place) => DependsOn::Member(place as u32),
            None => DependsOn::External(crate_name(&name)),
        };
        all.push(Dependency { name: crate_name(&key), to });
    }
    all
}

/// Written targets first, then those that cargo finds by their place. Switches like `autobins = false` are not looked at: a root more is a file that
/// would otherwise belong to nothing.
fn targets(folder: &Path, package: &PackageTable, files: &BTreeMap<PathBuf, SourceId>) -> Vec<TargetRoot> {
    let mut roots = Roots { folder, files, found: Vec::new() };
    let own = package.name.as_str();
    let lib_name = package.lib.as_ref().and_then(|lib| lib.name.as_deref()).unwrap_or(own);
    let lib_path = package.lib.as_ref().and_then(|lib| lib.path.clone());
    roots.add(CrateRole::Library, lib_name, &lib_path.unwrap_or_else(|| "src/lib.rs".into()));
    roots.add_written(CrateRole::Binary, &package.bins, "src/bin", own);
    roots.add_written(CrateRole::Test, &package.tests, "tests", own);
    roots.add_written(CrateRole::Example, &package.examples, "examples", own);
    roots.add_written(CrateRole::Bench, &package.benches, "benches", own);
    roots.add(CrateRole::Binary, own, Path::new("src/main.rs"));
    roots.add_by_place(CrateRole::Binary, "src/bin");
    roots.add_by_place(CrateRole::Test, "tests");
    roots.add_by_place(CrateRole::Example, "examples");
    roots.add_by_place(CrateRole::Bench, "benches");
    let build = package.build.clone().unwrap_or_else(|| "build.rs".into());
    roots.add(CrateRole::BuildScript, "build_script_build", &build);
    roots.found
}

struct Roots<'a> {
    folder: &'a Path,
    files: &'a BTreeMap<PathBuf, SourceId>,
    found: Vec<TargetRoot>,
}

impl Roots<'_> {
    /// Adds a root once, under the first name it is found by, if its file was read.
    fn add(&mut self, role: CrateRole, name: &str, path: &Path) {
        let Some(&root) = self.files.get(&normalize(&self.folder.join(path))) else { return };
        if !self.found.iter().any(|target| target.root == root) {
            self.found.push(TargetRoot { name: crate_name(name), role, root });
        }
    }

    fn add_written(&mut self, role: CrateRole, written: &[TargetTable], place: &str, package: &str) {
        for target in written {
            let name = target.name.as_deref().unwrap_or(package);
            if let Some(path) = &target.path {
                self.add(role, name, path);
                continue;
            }
            self.add(role, name, Path::new(&format!("{place}/{name}.rs")));
            self.add(role, name, Path::new(&format!("{place}/{name}/main.rs")));
        }
    }

    /// `place/x.rs` and `place/x/main.rs`
    fn add_by_place(&mut self, role: CrateRole, place: &str) {
        let folder = self.folder.join(place);
        let below: Vec<PathBuf> = self
            .files
            .range(folder.clone()..)
            .map(|(path, _)| path.clone())
            .take_while(|path| path.starts_with(&folder))
            .collect();
        for path in below {
            let Ok(inner) = path.strip_prefix(&folder) else { continue };
            let parts: Vec<_> = inner.iter().filter_map(|part| part.to_str()).collect();
            match parts.as_slice() {
                [file] => self.add(role, file.trim_end_matches(".rs"), &path),
                [name, "main.rs"] => self.add(role, name, &path),
                _ => {}
            }
        }
    }
}

fn crate_name(name: &str) -> Symbol {
    Symbol::new(&name.replace('-', "_"))
}
