//! Names: what each module and function body declares and imports, and what a path leads to.

use std::collections::{HashMap, HashSet};

use super::crates::{Extern, Tree};
use super::ids::{AliasId, Ids};
use super::library::Library;
use super::tables::Tables;
use super::{AdtId, FnId, ModuleId, StaticId, TableId, TraitId, prelude};
use crate::intern::Symbol;
use crate::ir;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Item {
    Module(ModuleId),
    Adt(AdtId),
    Variant(AdtId, Symbol),
    Trait(TraitId),
    Alias(AliasId),
    Fn(FnId),
    Static(StaticId),
    /// The module that `diesel::table!` makes, with `table`, `dsl`, `columns` and the columns in it.
    TableModule(TableId),
    /// Its `dsl`: the table under its own name, and the columns.
    TableDsl(TableId),
    Table(TableId),
    Column(TableId, Symbol),
    /// The enum whose variants are the columns.
    ColumnEnum(TableId),
    Record(TableId),
    /// Anything of a library, by the path it is reached by.
    Ext(Symbol),
}

/// Types, modules and traits have one namespace, functions, statics and constructors another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ns {
    Type,
    Value,
}

/// A scope: the module of the same number, or a function body, numbered after all modules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct ScopeId(pub(super) u32);

#[derive(Clone, Copy, Debug)]
enum Glob {
    Module(ModuleId),
    Item(Item),
    Library(Symbol),
}

#[derive(Debug, Default)]
struct Scope {
    types: HashMap<Symbol, Item>,
    values: HashMap<Symbol, Item>,
    globs: Vec<Glob>,
    /// What encloses a function body.
    parent: Option<ScopeId>,
    module: u32,
}

impl Scope {
    fn names(&self, ns: Ns) -> &HashMap<Symbol, Item> {
        match ns {
            Ns::Type => &self.types,
            Ns::Value => &self.values,
        }
    }
}

/// All scopes.
#[derive(Debug, Default)]
pub(super) struct Names {
    scopes: Vec<Scope>,
    bodies: HashMap<(u32, u32), ScopeId>,
    variants: HashSet<(AdtId, Symbol)>,
    /// What `macro_rules!` of any file defines.
    pub(super) macros: HashSet<Symbol>,
    /// Functions of one path that `cfg` chooses between, by the first.
    pub(super) twins: HashMap<FnId, Vec<FnId>>,
}

/// A path as far as it was followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) item: Item,
    /// How many segments it took; the rest are associated items.
    pub(super) used: usize,
}

/// What names are looked up in.
#[derive(Clone, Copy)]
pub(super) struct World<'a> {
    pub(super) files: &'a [ir::File],
    pub(super) tree: &'a Tree,
    pub(super) ids: &'a Ids,
    pub(super) names: &'a Names,
    pub(super) tables: &'a Tables,
    pub(super) library: &'a Library<'a>,
}

/// How often a chain of re-exports is followed round after round before it is given up.
const ROUNDS: usize = 12;

impl Names {
    /// Scopes with what files declare, before any `use` is followed.
    pub(super) fn declare(files: &[ir::File], tree: &Tree, ids: &Ids) -> Names {
        let mut names = Names::default();
        for number in 0..tree.modules.len() as u32 {
            names.scopes.push(Scope { module: number, ..Scope::default() });
        }
        for (number, module) in tree.modules.iter().enumerate() {
            for (name, children) in &module.children {
                names.scopes[number].types.insert(*name, Item::Module(children[0]));
                // Twins under `cfg` are joined: what the first lacks, the others may have.
                let others = children[1..].iter().filter(|other| **other != children[0]);
                let globs: Vec<Glob> = others.map(|other| Glob::Module(*other)).collect();
                names.scopes[children[0].0 as usize].globs.extend(globs);
            }
        }
        for (number, file) in (0u32..).zip(files) {
            names.macros.extend(file.macros.iter().map(|rules| rules.name));
            names.declare_bodies(number, file, tree);
            names.declare_items(number, file, tree, ids);
        }
        names
    }

    /// A scope for each function body that holds items or imports.
    fn declare_bodies(&mut self, number: u32, file: &ir::File, tree: &Tree) {
        let nested = file.functions.iter().filter_map(|function| outer(function.container));
        let statics = file.statics.iter().filter_map(|item| outer(item.container));
        let mut bodies: Vec<u32> =
            nested.chain(statics).chain(file.uses.iter().filter_map(|item| item.function)).collect();
        bodies.sort_unstable();
        bodies.dedup();
        for index in bodies {
            let Some(function) = file.functions.get(index as usize) else { continue };
            let module = tree.at(number, function.module);
            let id = ScopeId(self.scopes.len() as u32);
            // Filled in below, when the scope of the outer function is known.
            self.scopes.push(Scope { parent: Some(ScopeId(module.0)), module: module.0, ..Scope::default() });
            self.bodies.insert((number, index), id);
        }
        for (index, function) in (0u32..).zip(&file.functions) {
            let (Some(outer), Some(&id)) = (outer(function.container), self.bodies.get(&(number, index))) else {
                continue;
            };
            if outer != index
                && let Some(&parent) = self.bodies.get(&(number, outer))
            {
                self.scopes[id.0 as usize].parent = Some(parent);
            }
        }
    }

    fn declare_items(&mut self, number: u32, file: &ir::File, tree: &Tree, ids: &Ids) {
        let module = |index: u32| ScopeId(tree.at(number, index).0);
        for (index, item) in (0u32..).zip(&file.structs) {
            let (scope, id) = (module(item.module), ids.structure(number, index));
            self.add(scope, Ns::Type, item.name, Item::Adt(id));
            if item.tuple || item.fields.is_empty() {
                self.add(scope, Ns::Value, item.name, Item::Adt(id));
            }
        }
        for (index, item) in (0u32..).zip(&file.enums) {
            let id = ids.enumeration(number, index);
            self.add(module(item.module), Ns::Type, item.name, Item::Adt(id));
            self.variants.extend(item.variants.iter().map(|variant| (id, variant.name)));
        }
        for (index, item) in (0u32..).zip(&file.traits) {
            self.add(module(item.module), Ns::Type, item.name, Item::Trait(ids.trait_(number, index)));
        }
        for (index, item) in (0u32..).zip(&file.aliases) {
            self.add(module(item.module), Ns::Type, item.name, Item::Alias(ids.alias(number, index)));
        }
        for (index, item) in (0u32..).zip(&file.statics) {
            if let Some(scope) = self.scope_for(number, item.container, module(item.module)) {
                self.add(scope, Ns::Value, item.name, Item::Static(ids.static_(number, index)));
            }
        }
        for (index, item) in (0u32..).zip(&file.functions) {
            if let Some(scope) = self.scope_for(number, item.container, module(item.module)) {
                self.add_function(scope, item.name, ids.function(number, index));
            }
        }
    }

    fn scope_for(&self, file: u32, container: ir::Container, module: ScopeId) -> Option<ScopeId> {
        match container {
            ir::Container::Module => Some(module),
            ir::Container::Function(outer) => Some(self.bodies.get(&(file, outer)).copied().unwrap_or(module)),
            ir::Container::Impl(_) | ir::Container::Trait(_) => None,
        }
    }

    fn add_function(&mut self, scope: ScopeId, name: Symbol, id: FnId) {
        match self.scopes[scope.0 as usize].values.get(&name) {
            Some(Item::Fn(first)) => self.twins.entry(*first).or_default().push(id),
            _ => {
                self.add(scope, Ns::Value, name, Item::Fn(id));
            }
        }
    }

    /// The first declaration of a name stands; `cfg` twins come later in the text.
    pub(super) fn add(&mut self, scope: ScopeId, ns: Ns, name: Symbol, item: Item) -> bool {
        let scope = &mut self.scopes[scope.0 as usize];
        let names = match ns {
            Ns::Type => &mut scope.types,
            Ns::Value => &mut scope.values,
        };
        match names.entry(name) {
            std::collections::hash_map::Entry::Occupied(_) => false,
            std::collections::hash_map::Entry::Vacant(slot) => {
                slot.insert(item);
                true
            }
        }
    }

    /// The scope of a function's body, or of the nearest that encloses it.
    pub(super) fn body(&self, files: &[ir::File], tree: &Tree, file: u32, index: u32) -> ScopeId {
        let (mut at, functions) = (index, &files[file as usize].functions);
        // Functions nest a few deep; the bound is for a broken file only.
        for _ in 0..64 {
            if let Some(&scope) = self.bodies.get(&(file, at)) {
                return scope;
            }
            match outer(functions[at as usize].container) {
                Some(outer) if outer < at => at = outer,
                _ => break,
            }
        }
        ScopeId(tree.at(file, functions[index as usize].module).0)
    }
}

fn outer(container: ir::Container) -> Option<u32> {
    match container {
        ir::Container::Function(outer) => Some(outer),
        _ => None,
    }
}

/// An import that is still to be followed.
struct Import<'a> {
    scope: ScopeId,
    import: &'a ir::Use,
    done: bool,
}

/// Follows every `use`.
pub(super) fn import(
    names: &mut Names,
    files: &[ir::File],
    tree: &Tree,
    ids: &Ids,
    tables: &Tables,
    library: &Library<'_>,
) {
    let mut imports = Vec::new();
    for (number, file) in (0u32..).zip(files) {
        for import in &file.uses {
            let body = import.function.and_then(|function| names.bodies.get(&(number, function)).copied());
            let scope = body.unwrap_or(ScopeId(tree.at(number, import.module).0));
            imports.push(Import { scope, import, done: import.path.is_empty() });
        }
    }
    // Names of the program come first: only what stays unresolved after them is taken for a library's.
    for assume in [Assume::Nothing, Assume::Library] {
        for _ in 0..ROUNDS {
            let world = World { files, tree, ids, names, tables, library };
            let found: Vec<(usize, Vec<Step>)> = imports
                .iter()
                .enumerate()
                .filter(|(_, import)| !import.done)
                .map(|(at, import)| (at, world.follow(import, assume)))
                .filter(|(_, steps)| !steps.is_empty())
                .collect();
            let mut changed = false;
            for (at, steps) in found {
                changed |= names.apply(&mut imports[at], steps);
            }
            if !changed {
                break;
            }
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Assume {
    Nothing,
    Library,
}

/// What following an import adds to its scope.
enum Step {
    Name(Ns, Symbol, Item),
    Glob(Glob),
    /// Nothing more can come of it.
    Done,
}

impl Names {
    fn apply(&mut self, import: &mut Import<'_>, steps: Vec<Step>) -> bool {
        let mut changed = false;
        for step in steps {
            match step {
                Step::Name(ns, name, item) => changed |= self.add(import.scope, ns, name, item),
                Step::Glob(glob) => {
                    self.scopes[import.scope.0 as usize].globs.push(glob);
                    changed = true;
                }
                Step::Done => import.done = true,
            }
        }
        changed
    }
}

impl<'a> World<'a> {
    fn follow(&self, import: &Import<'_>, assume: Assume) -> Vec<Step> {
        let path = &import.import.path;
        match import.import.name {
            None => self.follow_glob(import.scope, path, assume),
            Some(name) if name == "_" => Vec::new(),
            Some(name) => {
                let mut steps = Vec::new();
                for ns in [Ns::Type, Ns::Value] {
                    if let Some(item) = self.import_path(import.scope, path, ns, assume) {
                        steps.push(Step::Name(ns, name, item));
                        if let Item::Ext(_) = item {
                            steps.push(Step::Done);
                        }
                    }
                }
                steps
            }
        }
    }

    fn follow_glob(&self, scope: ScopeId, path: &[Symbol], assume: Assume) -> Vec<Step> {
        let Some(item) = self.import_path(scope, path, Ns::Type, assume) else { return Vec::new() };
        let glob = match item {
            Item::Module(module) => Glob::Module(module),
            Item::Ext(prefix) => Glob::Library(prefix),
            item => Glob::Item(item),
        };
        vec![Step::Glob(glob), Step::Done]
    }

    /// The item of a whole import path; in the 2015 edition it starts from the crate root.
    fn import_path(&self, scope: ScopeId, path: &[Symbol], ns: Ns, assume: Assume) -> Option<Item> {
        let first = *path.first()?;
        let root = self.root(scope);
        if self.edition(scope) < 2018
            && let Some(item) = self.member(Item::Module(root), first, if path.len() == 1 { ns } else { Ns::Type })
        {
            let found = self.walk(item, path, 1, ns);
            return (found.used == path.len()).then_some(found.item);
        }
        // `use a::b as a` must not find itself.
        let found = self.resolve(scope, path, ns).filter(|found| found.used == path.len());
        match found {
            Some(found) => Some(found.item),
            None if assume == Assume::Library => self.assumed(scope, path).map(Item::Ext),
            None => None,
        }
    }

    /// A path nobody in the program declares, as one of a library.
    fn assumed(&self, scope: ScopeId, path: &[Symbol]) -> Option<Symbol> {
        let first = path.first()?.as_str();
        let local = matches!(first, "crate" | "self" | "super" | "Self" | "$crate")
            || self.lexical(scope, path[0], Ns::Type).is_some_and(|item| !matches!(item, Item::Ext(_)));
        (!local).then(|| Symbol::new(&join(path)))
    }

    fn root(&self, scope: ScopeId) -> ModuleId {
        self.tree.root_of(ModuleId(self.names.scopes[scope.0 as usize].module))
    }

    fn edition(&self, scope: ScopeId) -> u16 {
        let krate = self.tree.module(ModuleId(self.names.scopes[scope.0 as usize].module)).krate;
        self.tree.crates[krate.0 as usize].edition
    }

    pub(super) fn module_of(&self, scope: ScopeId) -> ModuleId {
        ModuleId(self.names.scopes[scope.0 as usize].module)
    }

    /// What a path leads to, as far as names go: `Type::function` stops at the type.
    pub(super) fn resolve(&self, scope: ScopeId, path: &[Symbol], ns: Ns) -> Option<Found> {
        let first = *path.first()?;
        let ns_of_first = if path.len() == 1 { ns } else { Ns::Type };
        let mut used = 1;
        let item = match first.as_str() {
            "crate" | "$crate" => Item::Module(self.root(scope)),
            "self" => Item::Module(self.module_of(scope)),
            "super" => {
                let mut module = self.parent(self.module_of(scope));
                while path.get(used).is_some_and(|name| *name == "super") {
                    module = self.parent(module);
                    used += 1;
                }
                Item::Module(module)
            }
            _ => match self.lexical(scope, first, ns_of_first) {
                Some(item) => item,
                None => return self.through_glob(scope, path),
            },
        };
        Some(self.walk(item, path, used, ns))
    }

    fn parent(&self, module: ModuleId) -> ModuleId {
        self.tree.module(module).parent.unwrap_or(module)
    }

    fn walk(&self, mut item: Item, path: &[Symbol], mut used: usize, ns: Ns) -> Found {
        while used < path.len() {
            let last = used + 1 == path.len();
            let next = match self.member(item, path[used], if last { ns } else { Ns::Type }) {
                None if last && ns == Ns::Value => self.constructor(item, path[used]),
                next => next,
            };
            let Some(next) = next else { break };
            item = next;
            used += 1;
        }
        Found { item, used }
    }

    /// A struct that is imported as a type only is a constructor too.
    fn constructor(&self, item: Item, name: Symbol) -> Option<Item> {
        self.member(item, name, Ns::Type)
            .filter(|found| matches!(found, Item::Adt(_) | Item::Alias(_) | Item::Table(_)))
    }

    /// A name as code of a scope sees it.
    pub(super) fn lexical(&self, scope: ScopeId, name: Symbol, ns: Ns) -> Option<Item> {
        let mut at = Some(scope);
        while let Some(id) = at {
            if let Some(item) = self.inside(id, name, ns, &mut Vec::new()) {
                return Some(item);
            }
            at = self.names.scopes[id.0 as usize].parent;
        }
        if ns == Ns::Value {
            return prelude::value(name).map(Item::Ext);
        }
        self.external(scope, name).or_else(|| prelude::ty(name).map(Item::Ext))
    }

    /// The root of another crate.
    fn external(&self, scope: ScopeId, name: Symbol) -> Option<Item> {
        let krate = self.tree.module(self.module_of(scope)).krate;
        match self.tree.externs[krate.0 as usize].get(&name) {
            Some(Extern::Crate(krate)) => return Some(Item::Module(self.tree.roots[krate.0 as usize])),
            Some(Extern::Library(name)) => return Some(Item::Ext(*name)),
            None => {}
        }
        match name.as_str() {
            "std" | "core" | "alloc" => Some(Item::Ext(Symbol::new("std"))),
            _ if self.library.has_crate(name) => Some(Item::Ext(name)),
            _ => self.tree.members.get(&name).map(|krate| Item::Module(self.tree.roots[krate.0 as usize])),
        }
    }

    /// A name declared in, or imported into, one scope.
    fn inside(&self, scope: ScopeId, name: Symbol, ns: Ns, seen: &mut Vec<ScopeId>) -> Option<Item> {
        let found = &self.names.scopes[scope.0 as usize];
        if let Some(item) = found.names(ns).get(&name) {
            return Some(*item);
        }
        if found.globs.is_empty() || seen.contains(&scope) {
            return None;
        }
        seen.push(scope);
        let local = found.globs.iter().find_map(|glob| match glob {
            Glob::Module(module) => self.inside(ScopeId(module.0), name, ns, seen),
            Glob::Item(item) => self.member(*item, name, ns),
            Glob::Library(_) => None,
        });
        local.or_else(|| found.globs.iter().find_map(|glob| self.in_library(glob, name)))
    }

    fn in_library(&self, glob: &Glob, name: Symbol) -> Option<Item> {
        let Glob::Library(prefix) = glob else { return None };
        self.library.member(*prefix, name).map(Item::Ext)
    }

    /// `mpsc::channel` after `use tokio::sync::*`.
    fn through_glob(&self, scope: ScopeId, path: &[Symbol]) -> Option<Found> {
        if path.len() < 2 {
            return None;
        }
        let tail = join(path);
        let mut at = Some(scope);
        while let Some(id) = at {
            let scope = &self.names.scopes[id.0 as usize];
            for glob in &scope.globs {
                let Glob::Library(prefix) = glob else { continue };
                if let Some(full) = self.library.known(&format!("{prefix}::{tail}")) {
                    return Some(Found { item: Item::Ext(full), used: path.len() });
                }
            }
            at = scope.parent;
        }
        None
    }

    /// `::krate::x`
    pub(super) fn external_path(&self, scope: ScopeId, path: &[Symbol]) -> Option<Found> {
        let item = self.external(scope, *path.first()?)?;
        Some(self.walk(item, path, 1, Ns::Value))
    }

    /// A path that starts with a name nobody declares, taken for a crate that neither manifest nor models speak of.
    pub(super) fn library_path(&self, path: &[Symbol]) -> Option<Found> {
        let first = path.first()?.as_str();
        let crate_like = first.starts_with(char::is_lowercase) && !matches!(first, "crate" | "self" | "super");
        (path.len() > 1 && crate_like).then(|| Found { item: Item::Ext(Symbol::new(&join(path))), used: path.len() })
    }

    pub(super) fn is_variant(&self, id: AdtId, name: Symbol) -> bool {
        self.names.variants.contains(&(id, name))
    }

    /// The type parameters of a struct or enum.
    pub(super) fn generics(&self, id: AdtId) -> &'a [ir::Generic] {
        let (place, is_enum) = self.ids.place_of_adt(id);
        let file = &self.files[place.file as usize];
        if is_enum { &file.enums[place.index as usize].generics } else { &file.structs[place.index as usize].generics }
    }

    /// A member of a module, enum, table or library path.
    pub(super) fn member(&self, item: Item, name: Symbol, ns: Ns) -> Option<Item> {
        match item {
            Item::Module(module) => match name.as_str() {
                "self" => Some(item),
                "super" => Some(Item::Module(self.parent(module))),
                _ => self.inside(ScopeId(module.0), name, ns, &mut Vec::new()),
            },
            Item::Adt(id) => self.names.variants.contains(&(id, name)).then_some(Item::Variant(id, name)),
            Item::TableModule(_) | Item::TableDsl(_) | Item::ColumnEnum(_) => self.tables.member(item, name),
            Item::Ext(path) => Some(Item::Ext(Symbol::new(&format!("{path}::{name}")))),
            _ => None,
        }
    }
}

/// A path as text.
pub(super) fn join(path: &[Symbol]) -> String {
    let mut text = String::new();
    for name in path {
        if !text.is_empty() {
            text.push_str("::");
        }
        text.push_str(name.as_str());
    }
    text
}
