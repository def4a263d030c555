//! Builds a [`Program`] from lowered files: modules, imports, tables, definitions, methods, then the types of each body.

use std::collections::{HashMap, HashSet};

use super::asserting;
use super::crates;
use super::defs::{self, Defs, ImplTrait};
use super::ids::Ids;
use super::impls::Impls;
use super::imports;
use super::index::Index;
use super::layout::Layout;
use super::library::Library;
use super::scope::{Names, World};
use super::tables::{self, Tables};
use super::{AdtId, FnId, Program, StaticId, TableId, Ty, fanout, infer, marks};
use crate::intern::Symbol;
use crate::ir::{self, ExprKind};
use crate::models::Models;
use crate::models::row::TypeRole;

/// Links all files, on at most `jobs` threads.
pub fn resolve(mut files: Vec<ir::File>, layout: &Layout, models: &Models, jobs: usize) -> Program {
    mark_exits(&mut files);
    let library = Library::new(models);
    let tree = crates::build(&files, layout);
    let ids = Ids::new(&files);
    let mut names = Names::declare(&files, &tree, &ids);
    let mut tables = tables::declare(&files, &tree, &ids, &mut names, &library);
    imports::follow(&mut names, &files, &tree, &ids, &tables, &library);
    let mapped = tables::map_structs(World {
        files: &files,
        tree: &tree,
        ids: &ids,
        names: &names,
        tables: &tables,
        library: &library,
    });
    let of_structs = tables.apply(mapped);
    let world = World { files: &files, tree: &tree, ids: &ids, names: &names, tables: &tables, library: &library };
    let mut defs = defs::define(world);
    let impls = Impls::build(&files, &ids, &defs);
    complete(&files, &mut defs, &impls, &of_structs);
    mark_extractors(world, &mut defs);
    told_by_bodies(world, &mut defs, &impls, jobs);
    let columns = column_types(&tables, &defs);
    let crates = tree.crates.clone();
    let mut table_defs = tables.defs.clone();
    for (table, types) in table_defs.iter_mut().zip(columns) {
        for (column, ty) in table.columns.iter_mut().zip(types) {
            column.2 = ty;
        }
    }
    let ix = Index { world, defs: &defs, impls: &impls };
    let typed = fanout::each(defs.functions.len(), jobs, |id| infer::function(ix, FnId(id)));
    let typed_statics = fanout::each(defs.statics.len(), jobs, |id| infer::static_(ix, StaticId(id)));
    let Defs { mut functions, adts, traits, statics, .. } = defs;
    asserting::mark(&files, &typed, &mut functions);
    Program { files, crates, functions, adts, traits, statics, tables: table_defs, typed, typed_statics }
}

/// A macro of any file whose body contains `return` may leave the function that calls it.
fn mark_exits(files: &mut [ir::File]) {
    let exits: HashSet<Symbol> =
        files.iter().flat_map(|file| &file.macros).filter(|rules| rules.exits).map(|rules| rules.name).collect();
    if exits.is_empty() {
        return;
    }
    for file in files {
        let (paths, functions, statics) = (&file.paths, &mut file.functions, &mut file.statics);
        let bodies = functions.iter_mut().filter_map(|function| function.body.as_mut());
        let bodies = bodies.chain(statics.iter_mut().filter_map(|item| item.init.as_mut()));
        for expr in bodies.flat_map(|body| &mut body.exprs) {
            if let ExprKind::Macro(call) = &mut expr.kind {
                let name = paths[call.path.0 as usize].segments.last().map(|segment| segment.name);
                call.exits |= name.is_some_and(|name| exits.contains(&name));
            }
        }
    }
}

/// Functions whose value is written `_` (`#[auto_type]`) have it from their bodies; one may call another.
fn told_by_bodies(world: World<'_>, defs: &mut Defs, impls: &Impls, jobs: usize) {
    let open: Vec<u32> =
        (0u32..).zip(&defs.functions).filter(|(_, def)| is_open(world, def)).map(|(id, _)| id).collect();
    for _ in 0..if open.is_empty() { 0 } else { 2 } {
        let ix = Index { world, defs, impls };
        let found = fanout::each(open.len(), jobs, |at| {
            let id = FnId(open[at as usize]);
            let typed = infer::function(ix, id);
            let root = ix.source(id).body.as_ref().and_then(|body| body.root);
            root.map(|root| typed.expr(root).clone()).unwrap_or_default()
        });
        for (id, ty) in open.iter().zip(found) {
            defs.functions[*id as usize].ret = ty;
        }
    }
}

fn is_open(world: World<'_>, def: &super::FnDef) -> bool {
    let file = &world.files[def.place.file as usize];
    let ret = file.functions[def.place.index as usize].ret;
    ret.is_some_and(|ty| file.types[ty.0 as usize] == ir::Type::Infer)
}

/// Fills in what needs the index of impls: implementing types, `Deref` targets, tables of structs.
fn complete(files: &[ir::File], defs: &mut Defs, impls: &Impls, of_structs: &HashMap<AdtId, TableId>) {
    let deref = |id, def| own_deref(defs, impls, AdtId(id), def).or_else(|| derived_deref(files, def));
    let derefs: Vec<_> = (0u32..).zip(&defs.adts).map(|(id, def)| deref(id, def)).collect();
    for ((id, def), deref) in (0u32..).zip(&mut defs.adts).zip(derefs) {
        def.deref = deref;
        def.table = of_structs.get(&AdtId(id)).copied();
    }
    for (id, def) in (0u32..).zip(&mut defs.traits) {
        let mut found: Vec<_> = impls
            .of_trait(super::TraitId(id))
            .iter()
            .filter(|of| matches!(defs.impls[of.0 as usize].trait_, ImplTrait::Local(..)))
            .map(|of| (defs.impls[of.0 as usize].self_ty.clone(), impls.is_double(*of)))
            .collect();
        found.sort_by_key(|(_, double)| *double);
        def.impls = found;
    }
}

/// Types that a web framework makes of a request by a function of the program.
fn mark_extractors(world: World<'_>, defs: &mut Defs) {
    for (number, file) in (0u32..).zip(world.files) {
        for (index, function) in (0u32..).zip(&file.functions) {
            let ir::Container::Impl(of) = function.container else { continue };
            let def = &defs.impls[world.ids.implementation(number, of).0 as usize];
            let (ImplTrait::Library(path), Ty::Adt(adt, _)) = (&def.trait_, &def.self_ty) else { continue };
            let role = world.library.role(&Ty::ext(*path, Vec::new()));
            if role == Some(TypeRole::Extractor) && function.receiver.is_none() {
                defs.adts[adt.0 as usize].extracted_by = Some(world.ids.function(number, index));
            }
        }
    }
}

/// What a type dereferences to, with its own parameters in place of the impl's.
fn own_deref(defs: &Defs, impls: &Impls, id: AdtId, def: &super::AdtDef) -> Option<super::Ty> {
    let args = def.generics.iter().map(|name| super::types::param(*name, Vec::new())).collect();
    impls.library_assoc(defs, &super::Ty::Adt(id, args), "Deref", "Target")
}

/// `derive(Deref)` of the crates that offer it: the marked field, or the only one.
fn derived_deref(files: &[ir::File], def: &super::AdtDef) -> Option<super::Ty> {
    if def.is_enum {
        return None;
    }
    let item = &files[def.place.file as usize].structs[def.place.index as usize];
    let derives = marks::derives(&item.attrs);
    if !derives.iter().any(|name| *name == "Deref" || *name == "Shrinkwrap") {
        return None;
    }
    let marked = item
        .fields
        .iter()
        .position(|field| field.attrs.iter().any(|attr| attr.path == "deref" || attr.path == "shrinkwrap"));
    let at = marked.or(if item.fields.len() == 1 { Some(0) } else { None })?;
    def.fields.get(at).map(|(_, ty)| ty.clone())
}

/// The Rust types of the columns of each table, from the struct it is made of.
fn column_types(tables: &Tables, defs: &Defs) -> Vec<Vec<super::Ty>> {
    let types = tables.defs.iter().zip(&tables.models).map(|(table, model)| {
        let fields = model.map_or(&[][..], |id| defs.adts[id.0 as usize].fields.as_slice());
        let of = |name: Symbol| fields.iter().find(|(field, _)| *field == name).map(|(_, ty)| ty.clone());
        table.columns.iter().map(|(rust, _, _)| of(*rust).unwrap_or_default()).collect()
    });
    types.collect()
}
