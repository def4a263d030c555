//! What a name or path leads to, as code of a scope sees it.

use std::collections::HashSet;

use super::crates::Extern;
use super::scope::{Found, Glob, Hub, Item, Ns, ScopeId, World, join};
use super::{AdtId, ModuleId, prelude};
use crate::intern::Symbol;
use crate::ir;

impl<'a> World<'a> {
    pub(super) fn root(&self, scope: ScopeId) -> ModuleId {
        self.tree.root_of(ModuleId(self.names.scopes[scope.0 as usize].module))
    }

    pub(super) fn edition(&self, scope: ScopeId) -> u16 {
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

    pub(super) fn walk(&self, mut item: Item, path: &[Symbol], mut used: usize, ns: Ns) -> Found {
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
            if let Some(item) = self.inside(id, name, ns, &mut HashSet::new()) {
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
    fn inside(&self, scope: ScopeId, name: Symbol, ns: Ns, seen: &mut HashSet<ScopeId>) -> Option<Item> {
        let found = &self.names.scopes[scope.0 as usize];
        if let Some(item) = found.names(ns).get(&name) {
            return Some(*item);
        }
        if found.globs.is_empty() || !seen.insert(scope) {
            return None;
        }
        if let Some(hub) = self.hub(scope) {
            return self.through_hub(hub, name, ns);
        }
        let local = found.globs.iter().find_map(|glob| match glob {
            Glob::Module(module) => self.inside(ScopeId(module.0), name, ns, seen),
            Glob::Item(item) => self.member(*item, name, ns),
            Glob::Library(_) => None,
        });
        local.or_else(|| found.globs.iter().find_map(|glob| self.in_library(glob, name, ns)))
    }

    fn hub(&self, scope: ScopeId) -> Option<&'a Hub> {
        Some(self.names.hubs.get(&scope)?.get_or_init(|| self.gather(scope)))
    }

    fn through_hub(&self, hub: &Hub, name: Symbol, ns: Ns) -> Option<Item> {
        let of_item = |glob: &Glob| match glob {
            Glob::Item(item) => self.member(*item, name, ns),
            _ => None,
        };
        let named = hub.names(ns).get(&name).copied().or_else(|| hub.others.iter().find_map(of_item));
        named.or_else(|| hub.others.iter().find_map(|glob| self.in_library(glob, name, ns)))
    }

    /// Everything that the globs of a scope lead to, in the order in which [`Self::inside`] comes to it.
    fn gather(&self, scope: ScopeId) -> Hub {
        let mut hub = Hub::default();
        let (mut seen, mut known) = (HashSet::new(), HashSet::new());
        let mut todo = vec![scope];
        while let Some(at) = todo.pop() {
            if !seen.insert(at) {
                continue;
            }
            let scope = &self.names.scopes[at.0 as usize];
            hub.add(scope);
            for glob in scope.globs.iter().rev() {
                if let Glob::Module(module) = glob {
                    todo.push(ScopeId(module.0));
                }
            }
            let others = scope.globs.iter().filter(|glob| !matches!(glob, Glob::Module(_)));
            hub.others.extend(others.filter(|glob| known.insert(**glob)));
        }
        hub
    }

    fn in_library(&self, glob: &Glob, name: Symbol, ns: Ns) -> Option<Item> {
        let Glob::Library(prefix) = glob else { return None };
        // Variants of an enum of a library: rows seldom list them.
        let is_type = self.library.row(self.library.canonical(*prefix)).is_some();
        if ns == Ns::Value && is_type && name.as_str().starts_with(char::is_uppercase) && prelude::value(name).is_none()
        {
            return Some(Item::Ext(Symbol::new(&format!("{prefix}::{name}"))));
        }
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
                _ => self.inside(ScopeId(module.0), name, ns, &mut HashSet::new()),
            },
            Item::Adt(id) => self.names.variants.contains(&(id, name)).then_some(Item::Variant(id, name)),
            Item::TableModule(_) | Item::TableDsl(_) | Item::ColumnEnum(_) => self.tables.member(item, name),
            Item::Ext(path) => Some(Item::Ext(Symbol::new(&format!("{path}::{name}")))),
            _ => None,
        }
    }
}
