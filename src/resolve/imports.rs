//! Follows every `use`: round after round, since one import may lead to another.

use super::crates::Tree;
use super::ids::Ids;
use super::library::Library;
use super::scope::{Glob, Item, Names, Ns, ScopeId, World, join};
use super::tables::Tables;
use crate::intern::Symbol;
use crate::ir;

/// How often a chain of re-exports is followed round after round before it is given up.
const ROUNDS: usize = 12;

/// An import that is still to be followed.
struct Import<'a> {
    scope: ScopeId,
    import: &'a ir::Use,
    done: bool,
}

/// Follows every `use`.
pub(super) fn follow(
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
            names.settle();
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
    names.settle();
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

impl World<'_> {
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
}
