//! Names: what each module and function body declares. `imports` adds what they import, `lookup` follows paths.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use super::crates::Tree;
use super::ids::{AliasId, Ids};
use super::library::Library;
use super::tables::Tables;
use super::{AdtId, FnId, ModuleId, StaticId, TableId, TraitId};
use crate::intern::{Map, Symbol};
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Glob {
    Module(ModuleId),
    Item(Item),
    Library(Symbol),
}

#[derive(Debug, Default)]
pub(super) struct Scope {
    types: HashMap<Symbol, Item>,
    values: HashMap<Symbol, Item>,
    pub(super) globs: Vec<Glob>,
    /// What encloses a function body.
    pub(super) parent: Option<ScopeId>,
    pub(super) module: u32,
}

/// A scope with this many globs is a hub: what it offers is gathered once, not looked for in each of them again for each name.
const MANY_GLOBS: usize = 16;

/// What the globs of a hub lead to.
#[derive(Debug, Default)]
pub(super) struct Hub {
    types: Map<Symbol, Item>,
    values: Map<Symbol, Item>,
    /// Enums and tables whose members are imported, and libraries, in the order in which they are met.
    pub(super) others: Vec<Glob>,
}

impl Hub {
    pub(super) fn names(&self, ns: Ns) -> &Map<Symbol, Item> {
        match ns {
            Ns::Type => &self.types,
            Ns::Value => &self.values,
        }
    }

    /// Adds what a scope names; what is there already stands.
    pub(super) fn add(&mut self, scope: &Scope) {
        for (own, names) in [(&mut self.types, &scope.types), (&mut self.values, &scope.values)] {
            for (name, item) in names {
                own.entry(*name).or_insert(*item);
            }
        }
    }
}

impl Scope {
    pub(super) fn names(&self, ns: Ns) -> &HashMap<Symbol, Item> {
        match ns {
            Ns::Type => &self.types,
            Ns::Value => &self.values,
        }
    }
}

/// All scopes.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub(super) scopes: Vec<Scope>,
    pub(super) bodies: HashMap<(u32, u32), ScopeId>,
    pub(super) variants: HashSet<(AdtId, Symbol)>,
    /// What `macro_rules!` of any file defines.
    pub(super) macros: HashSet<Symbol>,
    /// Functions of one path that `cfg` chooses between, by the first.
    pub(super) twins: HashMap<FnId, Vec<FnId>>,
    /// The scopes with many globs, each with what they lead to once it was asked for. Holds as long as no name is added.
    pub(super) hubs: Map<ScopeId, OnceLock<Hub>>,
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

    /// Says that no name is added for a while: what hubs offer may be remembered.
    pub(super) fn settle(&mut self) {
        let hubs = (0u32..).zip(&self.scopes).filter(|(_, scope)| scope.globs.len() >= MANY_GLOBS);
        self.hubs = hubs.map(|(id, _)| (ScopeId(id), OnceLock::new())).collect();
    }

    /// A name that means something else than its declaration says.
    pub(super) fn replace(&mut self, scope: ScopeId, name: Symbol, item: Item) {
        let scope = &mut self.scopes[scope.0 as usize];
        scope.types.insert(name, item);
        scope.values.insert(name, item);
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
