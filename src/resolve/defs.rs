//! Definitions: signatures, fields, statics and traits with their types.

use std::sync::Arc;

use super::ids::{Ids, ImplId};
use super::prelude::known;
use super::scope::{Item, ScopeId, World};
use super::types::{Context, param};
use super::{AdtDef, AdtId, BoundTy, CrateRole, FnContainer, FnDef, Place, StaticDef, TraitDef, TraitId, Ty, marks};
use crate::intern::Symbol;
use crate::ir::{self, Container};

/// The trait of an impl.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ImplTrait {
    Inherent,
    Local(TraitId, Arc<[Ty]>),
    Library(Symbol),
    Unknown,
}

/// An impl block with its types.
#[derive(Debug)]
pub(super) struct ImplDef {
    pub(super) params: Vec<(Symbol, Ty)>,
    pub(super) self_ty: Ty,
    pub(super) trait_: ImplTrait,
    pub(super) assoc: Vec<(Symbol, Ty)>,
    /// In test code.
    pub(super) test: bool,
}

/// Every definition of the program.
#[derive(Debug, Default)]
pub(super) struct Defs {
    pub(super) functions: Vec<FnDef>,
    pub(super) adts: Vec<AdtDef>,
    pub(super) traits: Vec<TraitDef>,
    pub(super) statics: Vec<StaticDef>,
    pub(super) impls: Vec<ImplDef>,
    /// What each trait inherits: traits of the program, and of libraries.
    pub(super) supertraits: Vec<Vec<BoundTy>>,
}

/// Types all definitions.
pub(super) fn define(world: World<'_>) -> Defs {
    let mut defs = Defs::default();
    for (number, file) in (0u32..).zip(world.files) {
        for item in &file.impls {
            defs.impls.push(define_impl(world, number, item));
        }
        for (index, item) in (0u32..).zip(&file.traits) {
            let (def, supertraits) = define_trait(world, Place { file: number, index }, item);
            defs.traits.push(def);
            defs.supertraits.push(supertraits);
        }
    }
    for (number, file) in (0u32..).zip(world.files) {
        for (index, item) in (0u32..).zip(&file.structs) {
            defs.adts.push(define_struct(world, Place { file: number, index }, item));
        }
        for (index, item) in (0u32..).zip(&file.enums) {
            defs.adts.push(define_enum(world, Place { file: number, index }, item));
        }
        for (index, item) in (0u32..).zip(&file.functions) {
            let place = Place { file: number, index };
            defs.functions.push(define_function(world, &defs.impls, place, item));
        }
        for (index, item) in (0u32..).zip(&file.statics) {
            let place = Place { file: number, index };
            defs.statics.push(define_static(world, &defs.impls, place, item));
        }
    }
    defs
}

/// The scope of a module of a file.
pub(super) fn module_scope(world: World<'_>, file: u32, module: u32) -> ScopeId {
    ScopeId(world.tree.at(file, module).0)
}

fn define_impl(world: World<'_>, file: u32, item: &ir::Impl) -> ImplDef {
    let module = world.tree.at(file, item.module);
    let mut context = Context::new(world, file, ScopeId(module.0));
    context.declare(&item.generics);
    let self_ty = context.ty(item.self_ty);
    context.self_ty = Some(self_ty.clone());
    for (name, ty) in &item.assoc_types {
        let ty = context.ty(*ty);
        context.assoc.push((*name, ty));
    }
    let trait_ = match item.trait_ {
        None => ImplTrait::Inherent,
        Some(path) => context.implemented(path),
    };
    let test = world.tree.module(module).test || marks::is_test_code(&item.attrs) || is_test_crate(world, module);
    ImplDef { params: context.params, self_ty, trait_, assoc: context.assoc, test }
}

fn is_test_crate(world: World<'_>, module: super::ModuleId) -> bool {
    let role = world.tree.crates[world.tree.module(module).krate.0 as usize].role;
    !matches!(role, CrateRole::Library | CrateRole::Binary)
}

impl Context<'_> {
    fn implemented(&self, path: ir::PathRef) -> ImplTrait {
        let path = self.path(path);
        let args = || path.segments.last().map(|last| last.args.iter().map(|ty| self.ty(*ty)).collect());
        match self.trait_item(path) {
            Some(Item::Trait(id)) => ImplTrait::Local(id, args().unwrap_or_else(|| Arc::from([]))),
            Some(Item::Ext(path)) => ImplTrait::Library(self.world.library.canonical(path)),
            _ => ImplTrait::Unknown,
        }
    }
}

/// The context of an impl's items, or of a trait's.
pub(super) fn container_context<'a>(
    world: World<'a>,
    impls: &[ImplDef],
    file: u32,
    module: u32,
    container: Container,
) -> Context<'a> {
    let mut context = Context::new(world, file, module_scope(world, file, module));
    match container {
        Container::Impl(index) => {
            if let Some(def) = impls.get(impl_id(world.ids, file, index).0 as usize) {
                context.params = def.params.clone();
                context.self_ty = Some(def.self_ty.clone());
                context.assoc = def.assoc.clone();
            }
        }
        Container::Trait(index) => {
            let item = &world.files[file as usize].traits[index as usize];
            context.declare(&item.generics);
            let args = context.params.iter().map(|(_, ty)| ty.clone()).collect();
            let bound = BoundTy::Local(world.ids.trait_(file, index), args);
            context.self_ty = Some(param(known().self_type, vec![bound]));
        }
        Container::Module | Container::Function(_) => {}
    }
    context
}

fn impl_id(ids: &Ids, file: u32, index: u32) -> ImplId {
    ids.implementation(file, index)
}

/// The context of a function's signature.
pub(super) fn function_context<'a>(world: World<'a>, impls: &[ImplDef], place: Place) -> Context<'a> {
    let item = &world.files[place.file as usize].functions[place.index as usize];
    let mut context = container_context(world, impls, place.file, item.module, item.container);
    context.declare(&item.generics);
    context
}

fn define_function(world: World<'_>, impls: &[ImplDef], place: Place, item: &ir::Function) -> FnDef {
    let context = function_context(world, impls, place);
    let module = world.tree.at(place.file, item.module);
    let container = match item.container {
        Container::Module | Container::Function(_) => FnContainer::Free,
        Container::Trait(index) => FnContainer::Trait(world.ids.trait_(place.file, index)),
        Container::Impl(index) => match &impls[impl_id(world.ids, place.file, index).0 as usize].trait_ {
            ImplTrait::Inherent => FnContainer::Inherent,
            ImplTrait::Local(id, _) => FnContainer::TraitImpl(Some(*id)),
            ImplTrait::Library(_) | ImplTrait::Unknown => FnContainer::TraitImpl(None),
        },
    };
    let unit = || Ty::Tuple(Arc::from([]));
    FnDef {
        place,
        krate: world.tree.module(module).krate,
        path: function_path(world, place.file, item, &context),
        container,
        test: is_test_function(world, impls, place.file, item),
        test_entry: marks::is_test_entry(&item.attrs),
        params: item.params.iter().map(|param| context.ty(param.ty)).collect(),
        ret: item.ret.map_or_else(unit, |ty| context.ty(ty)),
        self_ty: context.self_ty.unwrap_or_default(),
    }
}

fn function_path(world: World<'_>, file: u32, item: &ir::Function, context: &Context<'_>) -> String {
    let ir = &world.files[file as usize];
    let module = &world.tree.module(world.tree.at(file, item.module)).path;
    match item.container {
        Container::Module => format!("{module}::{}", item.name),
        Container::Function(outer) => format!("{module}::{}::{}", ir.functions[outer as usize].name, item.name),
        Container::Trait(index) => format!("{module}::{}::{}", ir.traits[index as usize].name, item.name),
        Container::Impl(_) => {
            let owner = context.self_ty.as_ref().map_or_else(|| "_".to_owned(), |ty| type_name(world, ty));
            format!("{module}::{owner}::{}", item.name)
        }
    }
}

/// The name of a type as paths of functions show it.
pub(super) fn type_name(world: World<'_>, ty: &Ty) -> String {
    match ty.unref() {
        Ty::Adt(id, _) => adt_name(world, *id).to_string(),
        Ty::Ext(path, _) => path.as_str().rsplit("::").next().unwrap_or_default().to_owned(),
        Ty::Table(table) => world.tables.defs[table.0 as usize].name.to_string(),
        Ty::Bound { name: Some(name), .. } => name.to_string(),
        _ => "_".to_owned(),
    }
}

fn adt_name(world: World<'_>, id: AdtId) -> Symbol {
    let (place, is_enum) = world.ids.place_of_adt(id);
    let file = &world.files[place.file as usize];
    if is_enum { file.enums[place.index as usize].name } else { file.structs[place.index as usize].name }
}

fn is_test_function(world: World<'_>, impls: &[ImplDef], file: u32, item: &ir::Function) -> bool {
    let module = world.tree.at(file, item.module);
    if world.tree.module(module).test || is_test_crate(world, module) || marks::is_test_code(&item.attrs) {
        return true;
    }
    match item.container {
        Container::Impl(index) => impls[impl_id(world.ids, file, index).0 as usize].test,
        Container::Trait(index) => marks::is_test_code(&world.files[file as usize].traits[index as usize].attrs),
        Container::Function(outer) => {
            // Outer functions stand before the ones inside them.
            let outer = &world.files[file as usize].functions[outer as usize];
            outer.span.start < item.span.start && is_test_function(world, impls, file, outer)
        }
        Container::Module => false,
    }
}

fn define_static(world: World<'_>, impls: &[ImplDef], place: Place, item: &ir::Static) -> StaticDef {
    let context = container_context(world, impls, place.file, item.module, item.container);
    let module = world.tree.module(context.world.tree.at(place.file, item.module));
    let ty = context.ty(item.ty);
    StaticDef { place, krate: module.krate, path: format!("{}::{}", module.path, item.name), kind: item.kind, ty }
}

fn define_trait(world: World<'_>, place: Place, item: &ir::Trait) -> (TraitDef, Vec<BoundTy>) {
    let module = world.tree.module(world.tree.at(place.file, item.module));
    let path = format!("{}::{}", module.path, item.name);
    let mut context = Context::new(world, place.file, module_scope(world, place.file, item.module));
    context.declare(&item.generics);
    context.self_ty = Some(param(known().self_type, Vec::new()));
    let supertraits = context.bound_list(&item.supertraits);
    (TraitDef { place, krate: module.krate, name: item.name, path, impls: Vec::new() }, supertraits)
}

fn define_struct(world: World<'_>, place: Place, item: &ir::Struct) -> AdtDef {
    let (mut def, context) = start_adt(world, place, item.name, item.module, &item.generics, item.span);
    def.fields = fields(&context, &item.fields);
    def
}

fn define_enum(world: World<'_>, place: Place, item: &ir::Enum) -> AdtDef {
    let (mut def, context) = start_adt(world, place, item.name, item.module, &item.generics, item.span);
    def.is_enum = true;
    let variants = item.variants.iter();
    def.variants = variants.map(|variant| (variant.name, fields(&context, &variant.fields))).collect();
    def
}

fn start_adt<'a>(
    world: World<'a>,
    place: Place,
    name: Symbol,
    module: u32,
    generics: &[ir::Generic],
    span: crate::source::Span,
) -> (AdtDef, Context<'a>) {
    let found = world.tree.module(world.tree.at(place.file, module));
    let mut context = Context::new(world, place.file, module_scope(world, place.file, module));
    context.declare(generics);
    let def = AdtDef {
        place,
        is_enum: false,
        krate: found.krate,
        path: format!("{}::{name}", found.path),
        name,
        fields: Vec::new(),
        variants: Vec::new(),
        generics: generics.iter().map(|generic| generic.name).collect(),
        table: None,
        deref: None,
        extracted_by: None,
        span,
    };
    (def, context)
}

fn fields(context: &Context<'_>, fields: &[ir::Field]) -> Vec<(Symbol, Ty)> {
    fields.iter().map(|field| (field.name, context.ty(field.ty))).collect()
}
