//! The intermediate representation: what a reader would need to retell the code, made of ids, arenas and interned names.
//!
//! `lower` builds one [`File`] from one source and drops the syntax tree; nothing after it knows syn. Locals are resolved here. So is the end of temporaries:
//! a [`ExprKind::TempScope`] stands wherever Rust drops temporaries, by the edition of the package, so that no later stage needs to know Rust's scopes:
//! around statement expressions, `let` initialisers, operands of `&&` and `||`, conditions of `if` and `while` that hold no `let`, match guards, match arms,
//! branches of `if`, bodies of loops, functions and closures, and, since edition 2024, block tails and an `if let` without its `else`. Where nothing inside
//! can make a temporary (a literal, a local, a block that ends in a statement) it is left out. A temporary that Rust extends (`let x = &mut *lock().await`)
//! is bound by a `let` of its own just before, to a local named `<temporary>`. Temporaries of a condition with `let` live through the branch: in `while` to
//! the end of the iteration, in `if` see [`ExprKind::If`]. A local lives to the end of the [`Block`] that declares it, and locals of a block are dropped in
//! reverse order.

use serde::{Deserialize, Serialize};

use crate::intern::Symbol;
use crate::source::{SourceId, Span};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub u32);
    )* };
}

ids! {
    /// An expression of one [`Body`].
    ExprId,
    /// A pattern of one [`Body`].
    PatId,
    /// A local variable of one [`Body`]; shadowing makes a new one.
    LocalId,
    /// A written type of one [`File`].
    TypeRef,
    /// A path of one [`File`].
    PathRef,
}

/// One source, lowered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct File {
    pub source: SourceId,
    /// Inner attributes of the file (`#![cfg(test)]`).
    pub attrs: Vec<Attr>,
    pub types: Vec<Type>,
    pub paths: Vec<Path>,
    /// All modules of the file; the first is the file itself. Items name their module by its place here.
    pub modules: Vec<Module>,
    pub functions: Vec<Function>,
    pub structs: Vec<Struct>,
    pub enums: Vec<Enum>,
    pub traits: Vec<Trait>,
    pub impls: Vec<Impl>,
    pub statics: Vec<Static>,
    pub aliases: Vec<Alias>,
    pub uses: Vec<Use>,
    pub includes: Vec<Include>,
    pub macros: Vec<MacroRules>,
    /// `diesel::table!` declarations.
    pub tables: Vec<TableDecl>,
    pub not_understood: Vec<NotUnderstood>,
    /// Comments, for suppressions; in order of the text.
    pub comments: Vec<Comment>,
}

/// What of a file outlives its analysis: where its comments, functions and modules stand.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outline {
    pub source: SourceId,
    pub comments: Vec<CommentOutline>,
    pub functions: Vec<FunctionOutline>,
    pub modules: Vec<Module>,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct CommentOutline {
    pub span: Span,
    pub doc: bool,
}

#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct FunctionOutline {
    /// The first byte of its name.
    pub name: u32,
    /// From the first attribute to the end of the body.
    pub whole: Span,
}

impl File {
    pub fn outline(&self) -> Outline {
        let comment = |comment: &Comment| CommentOutline { span: comment.span, doc: comment.doc };
        let function = |function: &Function| FunctionOutline { name: function.name_span.start, whole: function.whole };
        Outline {
            source: self.source,
            comments: self.comments.iter().map(comment).collect(),
            functions: self.functions.iter().map(function).collect(),
            modules: self.modules.clone(),
        }
    }
}

/// A construct that lowering does not know.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NotUnderstood {
    /// What it is: `macro foo!`, `item gen fn`.
    pub what: Symbol,
    pub span: Span,
}

/// A comment with its text (without the comment marks); `doc` for `///`, `//!` and their block forms.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Comment {
    pub span: Span,
    pub text: String,
    pub doc: bool,
}

/// An attribute: its path (`tokio::test`, `derive`, `sea_orm`) and the tokens after it, as text: of `#[a(b, c = 1)]` it is `b, c = 1`, of `#[a = "b"]` it is
/// `"b"`, of `#[a]` nothing. One space after `,`, one on each side of `=`, none around `::`; comments and line breaks are gone. Doc comments are left out.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Attr {
    pub path: Symbol,
    pub tokens: Symbol,
}

/// `mod x { … }` (inline), `mod x;` (elsewhere), or the file itself (first, without a name).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Module {
    pub name: Symbol,
    /// The module of the same file it stands in; the file's own module is its own parent.
    pub parent: u32,
    pub inline: bool,
    /// `#[path = "…"]`
    pub path_attr: Option<Symbol>,
    pub attrs: Vec<Attr>,
    pub span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Visibility {
    Private,
    Crate,
    Public,
}

/// Where a function stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Container {
    Module,
    /// By its place in [`File::impls`].
    Impl(u32),
    /// By its place in [`File::traits`].
    Trait(u32),
    /// A nested function, by the place of the outer one in [`File::functions`].
    Function(u32),
}

/// `self`, as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Receiver {
    Value,
    Ref,
    RefMut,
    /// `self: Arc<Self>` and the like.
    Typed(TypeRef),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    pub name: Symbol,
    /// The signature from `fn` (or `pub`, `async`) to its end, without attributes.
    pub span: Span,
    /// The name alone.
    pub name_span: Span,
    /// From the first attribute to the end of the body.
    pub whole: Span,
    pub module: u32,
    pub container: Container,
    pub visibility: Visibility,
    pub attrs: Vec<Attr>,
    pub is_async: bool,
    pub generics: Vec<Generic>,
    pub receiver: Option<Receiver>,
    /// Without the receiver. In the body, the receiver is local 0 where there is one.
    pub params: Vec<Param>,
    pub ret: Option<TypeRef>,
    pub body: Option<Body>,
}

/// A type parameter with its bounds, those of the `where` clause included; `impl Trait` in argument position stays a [`Type::Impl`]. Const parameters stand
/// among them, without bounds, so that arguments keep their places. A function's `where` clause on a parameter of its impl adds one more, at the end.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Generic {
    pub name: Symbol,
    pub bounds: Vec<Bound>,
}

/// A bound: a trait path, or the sugar of `Fn(A) -> R` (as a [`Type::Fn`]).
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub enum Bound {
    Trait(PathRef),
    Fn(TypeRef),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Param {
    /// In the arena of the body; absent where the function has no body.
    pub pat: Option<PatId>,
    /// The name, when the pattern is a single one.
    pub name: Option<Symbol>,
    pub ty: TypeRef,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Struct {
    pub name: Symbol,
    pub span: Span,
    pub module: u32,
    pub attrs: Vec<Attr>,
    pub generics: Vec<Generic>,
    pub fields: Vec<Field>,
    /// Fields have no names (`struct P(T)`): they are called `0`, `1`.
    pub tuple: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Field {
    pub name: Symbol,
    pub ty: TypeRef,
    pub attrs: Vec<Attr>,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Enum {
    pub name: Symbol,
    pub span: Span,
    pub module: u32,
    pub attrs: Vec<Attr>,
    pub generics: Vec<Generic>,
    pub variants: Vec<Variant>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Variant {
    pub name: Symbol,
    pub attrs: Vec<Attr>,
    pub fields: Vec<Field>,
    pub tuple: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Trait {
    pub name: Symbol,
    pub span: Span,
    pub module: u32,
    pub attrs: Vec<Attr>,
    pub generics: Vec<Generic>,
    pub supertraits: Vec<Bound>,
    /// Associated types with their bounds.
    pub assoc_types: Vec<Generic>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Impl {
    pub span: Span,
    pub module: u32,
    pub attrs: Vec<Attr>,
    pub generics: Vec<Generic>,
    pub self_ty: TypeRef,
    /// `impl Trait for …`
    pub trait_: Option<PathRef>,
    /// Associated types: `type Target = T`.
    pub assoc_types: Vec<(Symbol, TypeRef)>,
}

/// A `static`, a `const`, or an entry of `lazy_static!` or `thread_local!`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Static {
    pub name: Symbol,
    pub span: Span,
    pub module: u32,
    /// The impl or trait of an associated const, or the function it is declared in.
    pub container: Container,
    pub kind: StaticKind,
    pub ty: TypeRef,
    pub attrs: Vec<Attr>,
    /// The initialiser is lowered as a body without parameters.
    pub init: Option<Body>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StaticKind {
    Static,
    Const,
    ThreadLocal,
    TaskLocal,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Alias {
    pub name: Symbol,
    pub module: u32,
    pub generics: Vec<Generic>,
    pub ty: TypeRef,
}

/// One leaf of a `use` tree: `use a::b::{c as d, e::*}` gives `a::b::c` as `d` and the glob `a::b::e`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Use {
    pub module: u32,
    /// The function it stands in, when it stands in a body.
    pub function: Option<u32>,
    pub path: Vec<Symbol>,
    /// The name it binds; `None` for a glob, `_` for `as _`.
    pub name: Option<Symbol>,
    pub public: bool,
    pub attrs: Vec<Attr>,
}

/// `include!("x.rs")` among items: those of that file stand in the module.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Include {
    pub module: u32,
    /// As written: from the directory of the file.
    pub path: Symbol,
}

/// A `macro_rules!` definition.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MacroRules {
    pub name: Symbol,
    /// Its body contains `return`: a call may leave the function.
    pub exits: bool,
}

/// `diesel::table! { name (keys) { column -> Type, } }`
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TableDecl {
    /// The Rust name of the module.
    pub name: Symbol,
    /// `#[sql_name = "…"]`, or the Rust name.
    pub sql_name: Symbol,
    pub module: u32,
    pub keys: Vec<Symbol>,
    pub columns: Vec<Column>,
    pub span: Span,
}

/// A column of a `table!`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Column {
    pub name: Symbol,
    /// `#[sql_name = "…"]`, or the name.
    pub sql_name: Symbol,
    /// `Nullable<Text>`
    pub ty: TypeRef,
    pub span: Span,
}

/// A path as written: `std::sync::Arc<T>`, `<T as Trait>::f`, `Self::new`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Path {
    pub global: bool,
    /// `<T>::` or `<T as Trait>::`; the trait's segments then lead `segments`, and `trait_len` says how many there are.
    pub qself: Option<TypeRef>,
    pub trait_len: u8,
    pub segments: Vec<Segment>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Segment {
    pub name: Symbol,
    /// Generic arguments that are types; `Fn(A) -> R` has its inputs, then its output.
    pub args: Vec<TypeRef>,
    /// `Item = T`
    pub bindings: Vec<(Symbol, TypeRef)>,
}

/// A type as written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Type {
    Path(PathRef),
    Ref {
        mutable: bool,
        inner: TypeRef,
    },
    Ptr(TypeRef),
    Tuple(Vec<TypeRef>),
    Slice(TypeRef),
    Array(TypeRef),
    Fn {
        params: Vec<TypeRef>,
        ret: Option<TypeRef>,
    },
    Dyn(Vec<Bound>),
    Impl(Vec<Bound>),
    Never,
    /// `_`, a lifetime-only or const argument, or a macro in type position.
    Infer,
}

impl Eq for Bound {}
impl PartialEq for Bound {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Bound::Trait(a), Bound::Trait(b)) => a == b,
            (Bound::Fn(a), Bound::Fn(b)) => a == b,
            _ => false,
        }
    }
}

/// The code of a function, or of a static's initialiser.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Body {
    pub exprs: Vec<Expr>,
    pub pats: Vec<Pat>,
    pub locals: Vec<Local>,
    /// The value of the body: always a [`ExprKind::Block`] or a [`ExprKind::TempScope`] around one.
    pub root: Option<ExprId>,
}

impl Body {
    pub fn expr(&self, id: ExprId) -> &Expr {
        &self.exprs[id.0 as usize]
    }

    pub fn pat(&self, id: PatId) -> &Pat {
        &self.pats[id.0 as usize]
    }

    pub fn local(&self, id: LocalId) -> &Local {
        &self.locals[id.0 as usize]
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Local {
    pub name: Symbol,
    pub span: Span,
    pub mutable: bool,
    /// The type written at its `let`, parameter or closure parameter, when its pattern is the single name.
    pub ty: Option<TypeRef>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Expr {
    pub kind: ExprKind,
    pub span: Span,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Lit {
    Str(Symbol),
    Bytes,
    Int(i128),
    Float,
    Bool(bool),
    Char(char),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum BinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum UnOp {
    Not,
    Neg,
    Deref,
}

/// Where a jump goes: the loop or block that carries the label, or the innermost loop.
pub type LabelName = Option<Symbol>;

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ExprKind {
    /// Not understood; counted in [`File::not_understood`]. Also the condition under which an unknown macro runs an argument that leaves: `some_or!(x, return)`.
    Missing,
    Lit(Lit),
    Local(LocalId),
    /// A path that is no local: function, const, static, variant, unit struct.
    Path(PathRef),
    /// `base.name`; tuple fields are named `0`, `1`.
    Field {
        base: ExprId,
        name: Symbol,
    },
    Index {
        base: ExprId,
        index: ExprId,
    },
    Call {
        callee: ExprId,
        args: Vec<ExprId>,
    },
    MethodCall {
        receiver: ExprId,
        name: Symbol,
        name_span: Span,
        generics: Vec<TypeRef>,
        args: Vec<ExprId>,
    },
    /// A macro call that is not desugared below; see [`MacroCall`].
    Macro(MacroCall),
    Struct {
        path: PathRef,
        fields: Vec<(Symbol, ExprId)>,
        base: Option<ExprId>,
    },
    Tuple(Vec<ExprId>),
    Array(Vec<ExprId>),
    /// `[value; n]`, `vec![value; n]`
    Repeat {
        value: ExprId,
        len: ExprId,
    },
    Unary {
        op: UnOp,
        operand: ExprId,
    },
    Ref {
        mutable: bool,
        operand: ExprId,
    },
    /// `&&` and `||` too: their right side runs only sometimes.
    Binary {
        op: BinOp,
        left: ExprId,
        right: ExprId,
    },
    /// `place = value` or `place op= value`. The place of `_ = value` is the path `_`: the value is dropped at once.
    Assign {
        op: Option<BinOp>,
        place: ExprId,
        value: ExprId,
    },
    Cast {
        operand: ExprId,
        ty: TypeRef,
    },
    Block(Block),
    /// `if`. A condition may hold [`ExprKind::Let`] joined by `&&`. `assert!(c)`, `ensure!(c, …)` are `if !c { panic or return Err }`.
    If {
        condition: ExprId,
        then: ExprId,
        otherwise: Option<ExprId>,
        /// Temporaries of the `let`s in the condition end with `then` and before `otherwise` (edition 2024), instead of living through both.
        let_temps_end_before_else: bool,
    },
    /// `let pat = scrutinee` in a condition, and `matches!`; its value is a bool, its bindings hold where it is true.
    Let {
        pat: PatId,
        scrutinee: ExprId,
    },
    Match {
        scrutinee: ExprId,
        arms: Vec<Arm>,
    },
    Loop {
        label: LabelName,
        body: ExprId,
    },
    While {
        label: LabelName,
        condition: ExprId,
        body: ExprId,
    },
    For {
        label: LabelName,
        pat: PatId,
        iter: ExprId,
        body: ExprId,
    },
    Break {
        label: LabelName,
        value: Option<ExprId>,
    },
    Continue {
        label: LabelName,
    },
    Return(Option<ExprId>),
    /// `panic!`, `unreachable!`, `todo!` and their like: control does not go on.
    Panic(Vec<ExprId>),
    /// `operand?`
    Try(ExprId),
    Await(ExprId),
    Closure(Closure),
    Range {
        start: Option<ExprId>,
        end: Option<ExprId>,
    },
    /// Temporaries made inside are dropped when the inner expression has its value.
    TempScope(ExprId),
    /// `tokio::select!` and `futures::select!`.
    Select {
        arms: Vec<SelectArm>,
        otherwise: Option<ExprId>,
    },
    /// `yield`
    Yield(Option<ExprId>),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Block {
    pub kind: BlockKind,
    pub label: LabelName,
    pub stmts: Vec<Stmt>,
    pub tail: Option<ExprId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BlockKind {
    Plain,
    Unsafe,
    /// `async { }`, `async move { }`: runs when awaited or spawned.
    Async,
    Const,
    Try,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum Stmt {
    /// `let pat: ty = init else { … };`
    Let { pat: PatId, ty: Option<TypeRef>, init: Option<ExprId>, otherwise: Option<ExprId>, span: Span },
    /// With or without a semicolon; a block's value is its `tail`.
    Expr(ExprId),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Arm {
    pub pat: PatId,
    pub guard: Option<ExprId>,
    pub body: ExprId,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SelectArm {
    pub pat: PatId,
    pub future: ExprId,
    pub guard: Option<ExprId>,
    pub body: ExprId,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Closure {
    pub params: Vec<PatId>,
    /// The written type of each parameter.
    pub types: Vec<Option<TypeRef>>,
    pub ret: Option<TypeRef>,
    pub is_async: bool,
    pub is_move: bool,
    pub body: ExprId,
}

/// A macro call kept as a call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct MacroCall {
    pub path: PathRef,
    pub kind: MacroKind,
    /// The expressions among its tokens, in order; `key: value` and `key => value` give a tuple. For `Format` and `Log` the text is not among them, and those of
    /// the inline arguments (`{name}`) follow the written ones. For all others every written argument keeps its place, so that `query!("…", a)` has the text
    /// at 0 and `query_as!(Row, "…", a)` the type, as a path, at 0. String literals joined by `+` are one literal.
    pub args: Vec<ExprId>,
    /// For macros with one pattern-free literal first (`format!`, `println!`, `query!`): that text.
    pub text: Option<Symbol>,
    /// A `macro_rules!` of the same file by this name contains `return`; other files are looked up in resolve.
    pub exits: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum MacroKind {
    /// `format!` and whatever has its grammar and makes a value (`concat!`, `format_args!`).
    Format,
    /// `println!`, `write!`, `tracing::info!`, `log::warn!`: arguments are read, nothing is decided.
    Log,
    /// `vec![a, b]`; `vec![a; n]` is a [`ExprKind::Repeat`].
    Vec,
    /// `json!`, `doc!`: an object is one `Json` call whose arguments are tuples of key and value, an array an [`ExprKind::Array`].
    Json,
    /// `join!` and `try_join!`: the arguments run at once; the value is a tuple.
    Join,
    TryJoin,
    /// `pin!(future)`, `dbg!(value)`: the value of the first argument. `stream!`, `try_stream!`: an async block.
    Wrapper,
    /// `include_str!("…")`: the path is `text`.
    Include,
    /// Anything else. Its tokens parsed as expressions, as statements (one block), or as the `{}` groups it holds (blocks).
    Other,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Pat {
    pub kind: PatKind,
    pub span: Span,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum PatKind {
    Wild,
    Rest,
    /// A name, perhaps with `@ pat`.
    Bind {
        local: LocalId,
        by_ref: bool,
        sub: Option<PatId>,
    },
    /// A const, unit variant or unit struct. A lone name is one if it starts upper-case or the file's items say so.
    Path(PathRef),
    TupleStruct {
        path: PathRef,
        elems: Vec<PatId>,
    },
    Struct {
        path: PathRef,
        fields: Vec<(Symbol, PatId)>,
    },
    Tuple(Vec<PatId>),
    Slice(Vec<PatId>),
    Ref(PatId),
    Lit(Lit),
    Range,
    /// Each alternative binds the same locals.
    Or(Vec<PatId>),
    /// `pat if condition`, where it does not stand in an arm.
    Guard(PatId, ExprId),
    Missing,
}
