//! Crates and their module trees: `mod` declarations followed from the crate roots through the files.
//!
//! A file belongs to the first crate that reaches it, libraries before binaries before tests; a later `mod` of the same file leads to the same modules.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};

use super::layout::{DependsOn, Layout, Package};
use super::{Crate, CrateId, CrateRole, ModuleId, marks};
use crate::intern::Symbol;
use crate::ir;

/// A module of a crate.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) krate: CrateId,
    pub(super) parent: Option<ModuleId>,
    /// `crate::a::b`, the crate by its name.
    pub(super) path: String,
    /// Under `#[cfg(test)]`.
    pub(super) test: bool,
    /// By name; several where `cfg` chooses between twins.
    pub(super) children: HashMap<Symbol, Vec<ModuleId>>,
}

/// What a name in front of `::` may be when nothing in scope has it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extern {
    Crate(CrateId),
    Library(Symbol),
}

/// All crates with their modules.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) crates: Vec<Crate>,
    /// The root module of each crate.
    pub(super) roots: Vec<ModuleId>,
    pub(super) modules: Vec<Module>,
    /// The names by which each crate calls others.
    pub(super) externs: Vec<HashMap<Symbol, Extern>>,
    /// Any library crate of the run by its name, for files whose manifest is not known.
    pub(super) members: HashMap<Symbol, CrateId>,
    by_place: HashMap<(u32, u32), ModuleId>,
}

impl Tree {
    pub(super) fn module(&self, id: ModuleId) -> &Module {
        &self.modules[id.0 as usize]
    }

    /// The module of an item, by its file and its place in [`ir::File::modules`].
    pub(super) fn at(&self, file: u32, module: u32) -> ModuleId {
        let found = self.by_place.get(&(file, module)).or_else(|| self.by_place.get(&(file, 0)));
        *found.expect("every file is placed in some crate")
    }

    pub(super) fn root_of(&self, module: ModuleId) -> ModuleId {
        self.roots[self.module(module).krate.0 as usize]
    }
}

/// Follows all `mod` declarations.
pub(super) fn build(files: &[ir::File], layout: &Layout) -> Tree {
    let mut builder = Builder::new(files, layout);
    for (number, package) in (0u32..).zip(&layout.packages) {
        builder.package(number, package);
    }
    builder.orphans();
    builder.link();
    builder.tree
}

/// A file that is to be placed.
struct Pending {
    file: u32,
    module: ModuleId,
    /// Where `mod x;` of this file looks for `x.rs`.
    children_dir: PathBuf,
}

struct Builder<'a> {
    files: &'a [ir::File],
    layout: &'a Layout,
    paths: Vec<PathBuf>,
    by_path: HashMap<&'a Path, u32>,
    by_source: HashMap<crate::source::SourceId, u32>,
    /// The package of each crate.
    packages: Vec<Option<u32>>,
    /// The library (or main) crate of each package.
    main_crates: HashMap<u32, CrateId>,
    placed: Vec<bool>,
    tree: Tree,
}

impl<'a> Builder<'a> {
    fn new(files: &'a [ir::File], layout: &'a Layout) -> Self {
        let by_source: HashMap<_, _> = files.iter().map(|file| file.source).zip(0u32..).collect();
        let mut paths = vec![PathBuf::new(); files.len()];
        let mut by_path = HashMap::new();
        for (source, path) in &layout.files {
            if let Some(&file) = by_source.get(source) {
                paths[file as usize] = path.clone();
                by_path.entry(path.as_path()).or_insert(file);
            }
        }
        let placed = vec![false; files.len()];
        let (packages, main_crates, tree) = (Vec::new(), HashMap::new(), Tree::default());
        Builder { files, layout, paths, by_path, by_source, packages, main_crates, placed, tree }
    }

    fn package(&mut self, number: u32, package: &Package) {
        let mut targets: Vec<_> = package.targets.iter().collect();
        targets.sort_by_key(|target| rank(target.role));
        for target in targets {
            let Some(&file) = self.by_source.get(&target.root) else { continue };
            if self.placed[file as usize] {
                continue;
            }
            let krate = self.add_crate(target.name, package.name, target.role, package.edition, Some(number));
            self.main_crates.entry(number).or_insert(krate);
            if target.role == CrateRole::Library {
                self.tree.members.entry(target.name).or_insert(krate);
            }
            self.add_root(krate, file);
        }
    }

    fn add_crate(&mut self, name: Symbol, package: Symbol, role: CrateRole, edition: u16, of: Option<u32>) -> CrateId {
        let edition = if edition == 0 { 2021 } else { edition };
        self.tree.crates.push(Crate { name, package, role, edition });
        self.packages.push(of);
        CrateId(self.tree.crates.len() as u32 - 1)
    }

    fn add_root(&mut self, krate: CrateId, file: u32) {
        let path = self.tree.crates[krate.0 as usize].name.to_string();
        let root = self.add_module(krate, None, path, false);
        self.tree.roots.push(root);
        let children_dir = parent_dir(&self.paths[file as usize]);
        self.place(Pending { file, module: root, children_dir });
    }

    fn add_module(&mut self, krate: CrateId, parent: Option<ModuleId>, path: String, test: bool) -> ModuleId {
        self.tree.modules.push(Module { krate, parent, path, test, children: HashMap::new() });
        ModuleId(self.tree.modules.len() as u32 - 1)
    }

    /// Places a file and all it reaches.
    fn place(&mut self, first: Pending) {
        let mut queue = VecDeque::from([first]);
        while let Some(pending) = queue.pop_front() {
            self.place_one(&pending, &mut queue);
        }
    }

    fn place_one(&mut self, pending: &Pending, queue: &mut VecDeque<Pending>) {
        let file = pending.file;
        self.placed[file as usize] = true;
        self.tree.by_place.insert((file, 0), pending.module);
        let ir = &self.files[file as usize];
        if marks::is_test_code(&ir.attrs) {
            self.tree.modules[pending.module.0 as usize].test = true;
        }
        // The directory in which the children of each inline module are looked for.
        let mut dirs = vec![pending.children_dir.clone()];
        for (index, declared) in (0u32..).zip(&ir.modules).skip(1) {
            let parent_index = if declared.parent < index { declared.parent } else { 0 };
            let parent = self.tree.at(file, parent_index);
            let parent_dir = dirs[parent_index as usize].clone();
            dirs.push(inline_dir(&parent_dir, declared));
            if declared.inline {
                let module = self.child(parent, declared);
                self.tree.by_place.insert((file, index), module);
            } else if let Some((target, children_dir)) = self.find(file, parent_index, &parent_dir, declared) {
                self.declare(parent, declared, target, children_dir, queue);
            }
        }
        for include in &ir.includes {
            self.include(file, include, queue);
        }
    }

    /// The items of an included file stand in the module that includes it; the first that does, where there are several.
    fn include(&mut self, file: u32, include: &ir::Include, queue: &mut VecDeque<Pending>) {
        let Some(target) = self.included(file, include).filter(|target| !self.placed[*target as usize]) else { return };
        let children_dir = parent_dir(&self.paths[target as usize]);
        self.placed[target as usize] = true;
        queue.push_back(Pending { file: target, module: self.tree.at(file, include.module), children_dir });
    }

    fn included(&self, file: u32, include: &ir::Include) -> Option<u32> {
        let path = super::layout::normalize(&parent_dir(&self.paths[file as usize]).join(include.path.as_str()));
        self.by_path.get(path.as_path()).copied()
    }

    fn child(&mut self, parent: ModuleId, declared: &ir::Module) -> ModuleId {
        let above = self.tree.module(parent);
        let (krate, path) = (above.krate, format!("{}::{}", above.path, declared.name));
        let test = above.test || marks::is_test_code(&declared.attrs);
        let module = self.add_module(krate, Some(parent), path, test);
        self.tree.modules[parent.0 as usize].children.entry(declared.name).or_default().push(module);
        module
    }

    fn declare(
        &mut self,
        parent: ModuleId,
        declared: &ir::Module,
        file: u32,
        children_dir: PathBuf,
        queue: &mut VecDeque<Pending>,
    ) {
        if self.placed[file as usize] {
            let module = self.tree.at(file, 0);
            self.tree.modules[parent.0 as usize].children.entry(declared.name).or_default().push(module);
            return;
        }
        let module = self.child(parent, declared);
        self.placed[file as usize] = true;
        self.tree.by_place.insert((file, 0), module);
        queue.push_back(Pending { file, module, children_dir });
    }

    /// The file of `mod x;` and the directory of its children.
    fn find(&self, file: u32, parent: u32, dir: &Path, declared: &ir::Module) -> Option<(u32, PathBuf)> {
        if let Some(written) = declared.path_attr {
            // At the top of a file the attribute counts from the file's directory, inside an inline module from that module's.
            let from = if parent == 0 { parent_dir(&self.paths[file as usize]) } else { dir.to_path_buf() };
            let path = super::layout::normalize(&from.join(written.as_str()));
            let found = *self.by_path.get(path.as_path())?;
            return Some((found, parent_dir(&path)));
        }
        let name = declared.name.as_str();
        let name = name.strip_prefix("r#").unwrap_or(name);
        let children_dir = dir.join(name);
        let beside = dir.join(format!("{name}.rs"));
        let inside = children_dir.join("mod.rs");
        let found = self.by_path.get(beside.as_path()).or_else(|| self.by_path.get(inside.as_path()))?;
        Some((*found, children_dir))
    }

    /// Files that no root reaches: modules that a macro declares join the main crate of their package, all others become crates of their own.
    fn orphans(&mut self) {
        let mut left: Vec<u32> = (0..self.files.len() as u32).filter(|&file| !self.placed[file as usize]).collect();
        let children: std::collections::HashSet<u32> = left.iter().flat_map(|&file| self.declared_by(file)).collect();
        left.sort_by_key(|file| children.contains(file));
        for file in left {
            if !self.placed[file as usize] {
                self.orphan(file);
            }
        }
    }

    fn declared_by(&self, file: u32) -> Vec<u32> {
        let dir = loose_children_dir(&self.paths[file as usize]);
        let ir = &self.files[file as usize];
        let declared = ir.modules.iter().skip(1).filter(|module| !module.inline);
        let found = declared.filter_map(|module| self.find(file, 0, &dir, module)).map(|(found, _)| found);
        found.chain(ir.includes.iter().filter_map(|include| self.included(file, include))).collect()
    }

    fn orphan(&mut self, file: u32) {
        let path = self.paths[file as usize].clone();
        let children_dir = loose_children_dir(&path);
        let stem = Symbol::new(path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("file"));
        let owner = self.owner(&path);
        let role = role_by_place(owner.map(|number| self.layout.packages[number as usize].dir.as_path()), &path);
        let main = owner.and_then(|number| self.main_crates.get(&number)).copied();
        if let (Some(main), CrateRole::Library) = (main, role) {
            let root = self.tree.roots[main.0 as usize];
            let path = format!("{}::{stem}", self.tree.module(root).path);
            let module = self.add_module(main, Some(root), path, false);
            return self.place(Pending { file, module, children_dir });
        }
        let (package, edition) = match owner.map(|number| &self.layout.packages[number as usize]) {
            Some(package) => (package.name, package.edition),
            None => (stem, self.layout.loose_edition),
        };
        let krate = self.add_crate(stem, package, role, edition, owner);
        let root = self.add_module(krate, None, stem.to_string(), false);
        self.tree.roots.push(root);
        self.place(Pending { file, module: root, children_dir });
    }

    /// The package with the nearest manifest above a path.
    fn owner(&self, path: &Path) -> Option<u32> {
        let packages = (0u32..).zip(&self.layout.packages).filter(|(_, package)| path.starts_with(&package.dir));
        packages.max_by_key(|(_, package)| package.dir.components().count()).map(|(number, _)| number)
    }

    /// Gives each crate the names of others.
    fn link(&mut self) {
        for of in &self.packages {
            let mut externs = HashMap::new();
            if let Some(number) = *of {
                let package = &self.layout.packages[number as usize];
                for dependency in &package.dependencies {
                    let to = match dependency.to {
                        DependsOn::Member(member) => self.library_of(member).map(|(_, krate)| Extern::Crate(krate)),
                        DependsOn::External(name) => Some(Extern::Library(name)),
                    };
                    // A library target with a name of its own is called by that, unless the dependency renames it.
                    if let DependsOn::Member(member) = dependency.to
                        && let Some((name, krate)) = self.library_of(member)
                    {
                        externs.entry(name).or_insert(Extern::Crate(krate));
                    }
                    if let Some(to) = to {
                        externs.insert(dependency.name, to);
                    }
                }
                if let Some((name, krate)) = self.library_of(number) {
                    externs.insert(name, Extern::Crate(krate));
                }
            }
            self.tree.externs.push(externs);
        }
    }

    fn library_of(&self, package: u32) -> Option<(Symbol, CrateId)> {
        let krate = *self.main_crates.get(&package)?;
        let found = &self.tree.crates[krate.0 as usize];
        (found.role == CrateRole::Library).then_some((found.name, krate))
    }
}

/// A library owns the files it shares with a binary.
fn rank(role: CrateRole) -> u8 {
    match role {
        CrateRole::Library => 0,
        CrateRole::Binary => 1,
        CrateRole::BuildScript => 2,
        CrateRole::Test => 3,
        CrateRole::Example => 4,
        CrateRole::Bench => 5,
    }
}

fn role_by_place(package: Option<&Path>, path: &Path) -> CrateRole {
    let inside = package.and_then(|dir| path.strip_prefix(dir).ok()).unwrap_or(path);
    match inside.components().next().and_then(|first| first.as_os_str().to_str()) {
        Some("tests") => CrateRole::Test,
        Some("examples") => CrateRole::Example,
        Some("benches") => CrateRole::Bench,
        Some("build.rs") => CrateRole::BuildScript,
        _ => CrateRole::Library,
    }
}

fn parent_dir(path: &Path) -> PathBuf {
    path.parent().map(Path::to_path_buf).unwrap_or_default()
}

/// Where the children of a file lie, judged by its name alone.
fn loose_children_dir(path: &Path) -> PathBuf {
    let dir = parent_dir(path);
    match path.file_stem().and_then(|stem| stem.to_str()) {
        Some("mod" | "lib" | "main" | "build") | None => dir,
        Some(stem) => dir.join(stem),
    }
}

fn inline_dir(parent: &Path, declared: &ir::Module) -> PathBuf {
    parent.join(declared.path_attr.unwrap_or(declared.name).as_str())
}
