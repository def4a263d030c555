//! Names, types and call targets, without a compiler: files → [`Program`], and for each body a [`Typed`].
//!
//! Every answer carries its [`Evidence`]; the weakest caps a finding's confidence. A method whose receiver is unknown is resolved by its name only if one
//! function of the program has that name and no model and no std type does.

mod asserting;
mod crates;
mod defs;
mod doubles;
mod fanout;
mod identifiers;
mod ids;
mod impls;
mod imports;
mod index;
mod infer;
pub mod layout;
mod library;
mod link;
mod lookup;
mod marks;
mod prelude;
mod scope;
mod tables;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
mod ty;
mod types;
mod values;

pub use layout::Layout;
pub use link::resolve;

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::intern::Symbol;
use crate::ir::{self, ExprId, LocalId, PatId};
use crate::source::Span;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);
    )* };
}

ids! {
    /// A function of the program, by its place in [`Program::functions`]; in the order of files and of the text.
    FnId,
    /// A struct or enum of the program.
    AdtId,
    TraitId,
    /// A static, const or thread-local.
    StaticId,
    /// A table that Rust code declares: diesel `table!`, a sea-orm entity.
    TableId,
    CrateId,
    ModuleId,
}

/// How an answer was come by, weakest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Evidence {
    #[default]
    Unknown,
    /// One function of the program has this name.
    UniqueName,
    /// Followed through expressions whose types the models or the program's own signatures give.
    Inferred,
    /// Written: a path, a declared type.
    Declared,
}

/// A type as far as it can be told. References are kept apart only where flow must see them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ty {
    #[default]
    Unknown,
    /// A struct or enum of the program.
    Adt(AdtId, Arc<[Ty]>),
    /// A type of a library or of std, by its canonical path (`tokio::sync::RwLock`), with its type arguments.
    Ext(Symbol, Arc<[Ty]>),
    Ref(bool, Arc<Ty>),
    Tuple(Arc<[Ty]>),
    Slice(Arc<Ty>),
    /// `dyn Trait`, `impl Trait`, or a type parameter taken at its bounds; `name` is the parameter's.
    Bound {
        name: Option<Symbol>,
        bounds: Arc<[BoundTy]>,
    },
    /// The type of a closure expression of the same body, or a named function.
    Closure(ExprId),
    Fn(FnId),
    /// A future of the type, before it is awaited.
    Future(Arc<Ty>),
    /// A table that the program declares in Rust, as a value or type (`members::table`, `tour::Entity`).
    Table(TableId),
    /// A column of it (`members::points`, `tour::Column::Places`).
    Column(TableId, Symbol),
    /// A row of it that is to be written (`tour::ActiveModel`).
    Record(TableId),
    Never,
}

/// One bound of a [`Ty::Bound`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BoundTy {
    /// A trait of the program, with its arguments.
    Local(TraitId, Arc<[Ty]>),
    /// A trait of a library, by canonical path, with its arguments.
    Ext(Symbol, Arc<[Ty]>),
    /// `Fn(A) -> R`
    Fn(Arc<[Ty]>, Arc<Ty>),
    /// `Item = T`, `Output = T` of the bound before it.
    Assoc(Symbol, Arc<Ty>),
}

/// What a path that is no local names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Def {
    Fn(FnId),
    Static(StaticId),
    /// An enum and its variant.
    Variant(AdtId, Symbol),
    /// A variant, function or const of a library, by its canonical path: `std::option::Option::None`, `sqlx::query`.
    Ext(Symbol),
    /// A unit or tuple struct.
    Adt(AdtId),
    Table(TableId),
    Column(TableId, Symbol),
    Unknown,
}

/// What a call may run.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// Functions of the program; several for a trait method with several implementations. Test doubles are left out where a real one exists.
    pub functions: Vec<FnId>,
    /// The model row of the call, by its place in [`crate::models::Models::calls`].
    pub row: Option<u32>,
    /// The closure expression of this body that is called.
    pub closure: Option<ExprId>,
    /// The type before `::` of a call by path (`tour::Entity::find()`), or of a method's receiver.
    pub self_ty: Option<Ty>,
    /// The types of the turbofish.
    pub fish: Vec<Ty>,
    pub evidence: Evidence,
}

/// The types and targets of one body.
#[derive(Clone, Debug, Default)]
pub struct Typed {
    pub exprs: Vec<Ty>,
    pub locals: Vec<Ty>,
    /// For expressions of kind `Call`, `MethodCall` and `Macro`, and for binary operators and indexing that the program overloads.
    pub targets: HashMap<ExprId, Target>,
    /// For expressions of kind `Path` and for struct expressions.
    pub defs: HashMap<ExprId, Def>,
    /// For patterns that name a path.
    pub pat_defs: HashMap<PatId, Def>,
}

impl Typed {
    pub fn expr(&self, id: ExprId) -> &Ty {
        &self.exprs[id.0 as usize]
    }

    pub fn local(&self, id: LocalId) -> &Ty {
        &self.locals[id.0 as usize]
    }
}

/// A crate of the program: a library, binary, test, example, bench or build script of a package.
#[derive(Clone, Debug)]
pub struct Crate {
    /// With `_` for `-`; the package's name for its library and main binary.
    pub name: Symbol,
    pub package: Symbol,
    pub role: CrateRole,
    pub edition: u16,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum CrateRole {
    Library,
    Binary,
    Test,
    Example,
    Bench,
    BuildScript,
}

/// Where an item stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub file: u32,
    pub index: u32,
}

#[derive(Clone, Debug)]
pub struct FnDef {
    pub place: Place,
    pub krate: CrateId,
    /// `crate::module::Type::name`, for messages and fingerprints.
    pub path: String,
    pub container: FnContainer,
    /// In a test function, a `#[cfg(test)]` module, or a test, example, bench or build-script crate; or it asserts and only such functions call it.
    pub test: bool,
    /// The function itself is a test (`#[test]`, `#[tokio::test]`, `#[sqlx::test]` …).
    pub test_entry: bool,
    /// The type of `self` (the implementing type, the trait's `Self` as a bound).
    pub self_ty: Ty,
    /// Types of the parameters, without the receiver.
    pub params: Vec<Ty>,
    /// What it gives when called and, for an async function, awaited.
    pub ret: Ty,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FnContainer {
    Free,
    /// A method or associated function of an inherent impl.
    Inherent,
    /// Of a trait impl; the trait where it is the program's.
    TraitImpl(Option<TraitId>),
    /// The declaration (perhaps with a default body) in a trait.
    Trait(TraitId),
}

#[derive(Clone, Debug)]
pub struct AdtDef {
    pub place: Place,
    pub is_enum: bool,
    pub krate: CrateId,
    pub path: String,
    pub name: Symbol,
    /// For structs: fields with their types (type parameters as [`Ty::Bound`] with a name).
    pub fields: Vec<(Symbol, Ty)>,
    /// For enums: variants with their fields.
    pub variants: Vec<(Symbol, Vec<(Symbol, Ty)>)>,
    pub generics: Vec<Symbol>,
    /// The table that its derive maps it to, with what the derive says of writing and reading.
    pub table: Option<TableId>,
    /// `Deref::Target` of the type, where the program implements it.
    pub deref: Option<Ty>,
    /// The function with which a web framework makes it of a request (`FromRequestParts`).
    pub extracted_by: Option<FnId>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub struct TraitDef {
    pub place: Place,
    pub krate: CrateId,
    pub name: Symbol,
    pub path: String,
    /// Every implementing type, test doubles last.
    pub impls: Vec<(Ty, bool)>,
}

#[derive(Clone, Debug)]
pub struct StaticDef {
    pub place: Place,
    pub krate: CrateId,
    pub path: String,
    pub kind: ir::StaticKind,
    pub ty: Ty,
}

/// A table declared in Rust.
#[derive(Clone, Debug)]
pub struct TableDef {
    /// The name in the database.
    pub name: Symbol,
    /// The Rust name of each column and its name in the database, with the column's Rust type where known.
    pub columns: Vec<(Symbol, Symbol, Ty)>,
    pub keys: Vec<Symbol>,
    /// Columns declared unique in Rust.
    pub unique: Vec<Symbol>,
    pub span: Span,
    /// The declaration lists every constraint of the table (sea-orm entities name unique columns; diesel's `table!` does not).
    pub complete: bool,
}

/// All files, linked.
#[derive(Debug, Default)]
pub struct Program {
    pub files: Vec<ir::File>,
    pub crates: Vec<Crate>,
    pub functions: Vec<FnDef>,
    pub adts: Vec<AdtDef>,
    pub traits: Vec<TraitDef>,
    pub statics: Vec<StaticDef>,
    pub tables: Vec<TableDef>,
    /// One a function, in the order of `functions`; empty for those without a body.
    pub typed: Vec<Typed>,
    /// For each static with an initialiser.
    pub typed_statics: Vec<Typed>,
}

impl Program {
    pub fn function(&self, id: FnId) -> &FnDef {
        &self.functions[id.0 as usize]
    }

    /// The lowered function.
    pub fn source(&self, id: FnId) -> &ir::Function {
        let place = self.function(id).place;
        &self.files[place.file as usize].functions[place.index as usize]
    }

    pub fn file(&self, id: FnId) -> &ir::File {
        &self.files[self.function(id).place.file as usize]
    }

    pub fn typed(&self, id: FnId) -> &Typed {
        &self.typed[id.0 as usize]
    }

    pub fn adt(&self, id: AdtId) -> &AdtDef {
        &self.adts[id.0 as usize]
    }

    pub fn static_(&self, id: StaticId) -> &StaticDef {
        &self.statics[id.0 as usize]
    }

    pub fn table(&self, id: TableId) -> &TableDef {
        &self.tables[id.0 as usize]
    }
}
