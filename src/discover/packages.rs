//! Which package owns a file, which workspace a package belongs to, and which packages a run must read because others depend on them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use ignore::gitignore::Gitignore;

use super::manifest::{self, DependencyTable, Edition, Manifest, PackageTable};
use super::read::read_if_there;
use super::walk::Walked;
use crate::resolve::layout::normalize;

/// Every manifest looked at so far, by its folder, and the folders of the packages to read.
#[derive(Debug, Default)]
pub struct Packages {
    manifests: HashMap<PathBuf, Option<Manifest>>,
    /// The folder of the package that owns the files of a folder: most share theirs with others.
    owners: HashMap<PathBuf, Option<PathBuf>>,
    wanted: BTreeSet<PathBuf>,
    broken: BTreeMap<PathBuf, String>,
}

impl Packages {
    /// Wants the packages of all files walked so far and those that they depend on, and walks what that adds.
    pub fn gather(&mut self, walked: &mut Walked, exclude: &Gitignore) {
        let files: Vec<PathBuf> = walked.files.keys().cloned().collect();
        let mut queue: Vec<PathBuf> = files.iter().filter_map(|file| self.owner(file)).collect();
        while let Some(folder) = queue.pop() {
            if !self.wanted.insert(folder.clone()) {
                continue;
            }
            let top = self.workspace_of(&folder).unwrap_or_else(|| folder.clone());
            for place in [top, folder.clone()] {
                if !walked.covers(&place) {
                    walked.add_folder(&place, exclude);
                }
            }
            queue.extend(self.path_dependencies(&folder).into_iter().map(|(_, to)| to));
        }
    }

    /// The folder of the package that owns a path: that of the nearest manifest above it with a `[package]`.
    pub fn owner(&mut self, path: &Path) -> Option<PathBuf> {
        let folder = path.parent()?;
        if let Some(known) = self.owners.get(folder) {
            return known.clone();
        }
        let owner = folder.ancestors().find(|above| self.package(above).is_some()).map(Path::to_owned);
        self.owners.insert(folder.to_owned(), owner.clone());
        owner
    }

    /// Whether the file belongs to a package that is read whole.
    pub fn wants(&mut self, path: &Path) -> bool {
        self.owner(path).is_some_and(|owner| self.wanted.contains(&owner))
    }

    /// Whether the path lies in the folder of a package that is read.
    pub fn owns(&self, path: &Path) -> bool {
        path.ancestors().any(|folder| self.wanted.contains(folder))
    }

    /// Manifests that do not parse, with the reason.
    pub fn broken(&self) -> impl Iterator<Item = (&PathBuf, &String)> {
        self.broken.iter()
    }

    /// The folders of the packages that are read, in order.
    pub fn wanted(&self) -> Vec<PathBuf> {
        self.wanted.iter().cloned().collect()
    }

    /// The package whose manifest lies in this folder.
    pub fn package(&mut self, folder: &Path) -> Option<&PackageTable> {
        self.manifest(folder)?.package.as_ref()
    }

    /// The edition of the package in this folder; 2021 where no manifest says.
    pub fn edition(&mut self, folder: &Path) -> u16 {
        let written = self.package(folder).map_or(Edition::Absent, |package| package.edition);
        let inherited = match written {
            Edition::Inherited => self.workspace_of(folder).and_then(|top| self.workspace_edition(&top)),
            _ => None,
        };
        match inherited.unwrap_or(written) {
            Edition::Written(year) => year,
            Edition::Absent | Edition::Inherited => 2021,
        }
    }

    /// The dependencies of a package that are folders on this disk: the key in its manifest and the folder.
    pub fn path_dependencies(&mut self, folder: &Path) -> Vec<(String, PathBuf)> {
        let all = self.dependencies(folder);
        all.into_iter().filter_map(|(key, _, path)| Some((key, path?))).collect()
    }

    /// All dependencies of a package: key, real name, and the folder of those that are packages on this disk.
    pub fn dependencies(&mut self, folder: &Path) -> Vec<(String, String, Option<PathBuf>)> {
        let top = self.workspace_of(folder);
        let shared = top.as_deref().map_or_else(Vec::new, |top| self.workspace_dependencies(top));
        let own: Vec<_> = match self.package(folder) {
            Some(package) => package.dependencies.iter().map(Written::from).collect(),
            None => Vec::new(),
        };
        let mut all = Vec::new();
        for dependency in own {
            let inherited = shared.iter().find(|shared| dependency.inherited && shared.key == dependency.key);
            let (from, dependency) = match (inherited, &top) {
                (Some(shared), Some(top)) => (top.as_path(), shared.clone()),
                _ => (folder, dependency),
            };
            let path =
                dependency.path.map(|path| normalize(&from.join(path))).filter(|path| self.package(path).is_some());
            let name = dependency.package.unwrap_or_else(|| dependency.key.clone());
            all.push((dependency.key, name, path));
        }
        all
    }

    /// The folder of the workspace that a package belongs to: the nearest one above that does not exclude it.
    fn workspace_of(&mut self, folder: &Path) -> Option<PathBuf> {
        if let Some(pointed) = self.package(folder).and_then(|package| package.workspace.clone()) {
            return Some(normalize(&folder.join(pointed)));
        }
        for above in folder.ancestors() {
            let Some(workspace) = self.manifest(above).and_then(|manifest| manifest.workspace.as_ref()) else {
                continue;
            };
            let excluded = workspace.exclude.iter().any(|path| folder.starts_with(normalize(&above.join(path))));
            return (!excluded).then(|| above.to_owned());
        }
        None
    }

    fn workspace_edition(&mut self, top: &Path) -> Option<Edition> {
        Some(self.manifest(top)?.workspace.as_ref()?.edition)
    }

    fn workspace_dependencies(&mut self, top: &Path) -> Vec<Written> {
        let workspace = self.manifest(top).and_then(|manifest| manifest.workspace.as_ref());
        workspace.map_or_else(Vec::new, |workspace| workspace.dependencies.iter().map(Written::from).collect())
    }

    fn manifest(&mut self, folder: &Path) -> Option<&Manifest> {
        if !self.manifests.contains_key(folder) {
            let read = self.read_manifest(folder);
            self.manifests.insert(folder.to_owned(), read);
        }
        self.manifests.get(folder)?.as_ref()
    }

    fn read_manifest(&mut self, folder: &Path) -> Option<Manifest> {
        let path = folder.join("Cargo.toml");
        match read_if_there(&path)?.and_then(|text| manifest::parse(&text, folder)) {
            Ok(manifest) => Some(manifest),
            Err(reason) => {
                self.broken.insert(path, format!("taken as absent: {reason}"));
                None
            }
        }
    }
}

/// A dependency as one manifest writes it, copied out so that another manifest can be read meanwhile.
#[derive(Clone, Debug)]
struct Written {
    key: String,
    package: Option<String>,
    path: Option<PathBuf>,
    inherited: bool,
}

impl From<&DependencyTable> for Written {
    fn from(table: &DependencyTable) -> Self {
        let DependencyTable { key, package, path, inherited } = table;
        Written { key: key.clone(), package: package.clone(), path: path.clone(), inherited: *inherited }
    }
}
