//! What lowering carries along: the file under construction, where in it we stand, and the body at hand with its names.

use std::collections::{HashMap, HashSet};

use proc_macro2::Ident;

use crate::intern::Symbol;
use crate::ir::{
    Body, Expr, ExprId, ExprKind, File, Local, LocalId, NotUnderstood, Pat, PatId, PatKind, Path, PathRef, Segment,
    Stmt, Type, TypeRef,
};
use crate::source::{SourceId, Span};

use super::offsets::Offsets;

/// The name of the local that holds a temporary whose life a `let` extends.
pub const TEMPORARY: &str = "<temporary>";

pub(super) struct Cx<'a> {
    pub at: Offsets<'a>,
    pub edition: u16,
    pub file: File,
    pub names: Names,
    /// The module and the function that we stand in.
    pub module: u32,
    pub function: Option<u32>,
    pub body: BodyCx,
    /// Macro calls around the tokens at hand.
    pub macro_depth: u32,
    symbols: HashMap<String, Symbol>,
}

/// Names that the items of the file give a meaning, collected before anything is lowered.
#[derive(Default)]
pub(super) struct Names {
    /// Consts, statics, unit structs: a lone name in a pattern is no binding.
    pub values: HashSet<Symbol>,
    /// `macro_rules!` of the file, and whether a call may leave the function.
    pub macros: HashMap<Symbol, bool>,
}

/// A body under construction.
#[derive(Default)]
pub(super) struct BodyCx {
    pub body: Body,
    visible: HashMap<Symbol, Vec<LocalId>>,
    declared: Vec<Symbol>,
    /// Expressions of the `let` at hand whose value outlives it, and the statements that keep them.
    pub extended: HashSet<*const syn::Expr>,
    pub before: Vec<Stmt>,
}

/// The names visible at a point; see [`Cx::leave`].
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

impl<'a> Cx<'a> {
    pub fn new(source: SourceId, edition: u16, at: Offsets<'a>) -> Self {
        Cx {
            at,
            edition,
            file: empty(source),
            names: Names::default(),
            module: 0,
            function: None,
            body: BodyCx::default(),
            macro_depth: 0,
            symbols: HashMap::new(),
        }
    }

    /// The symbol of a name, `r#` removed. The table of the process is shared by all threads, so names are remembered here first.
    pub fn symbol(&mut self, text: &str) -> Symbol {
        let text = text.strip_prefix("r#").unwrap_or(text);
        if let Some(&known) = self.symbols.get(text) {
            return known;
        }
        let symbol = Symbol::new(text);
        self.symbols.insert(text.to_owned(), symbol);
        symbol
    }

    /// The symbol of a text that is no name.
    pub fn text(&self, text: &str) -> Symbol {
        Symbol::new(text)
    }

    pub fn name(&mut self, ident: &Ident) -> Symbol {
        self.symbol(&ident.to_string())
    }

    pub fn not_understood(&mut self, what: &str, span: Span) {
        self.file.not_understood.push(NotUnderstood { what: Symbol::new(what), span });
    }

    pub fn missing(&mut self, what: &str, span: Span) -> ExprId {
        self.not_understood(what, span);
        self.expr(ExprKind::Missing, span)
    }

    pub fn expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        self.body.body.exprs.push(Expr { kind, span });
        ExprId(self.body.body.exprs.len() as u32 - 1)
    }

    pub fn kind(&self, id: ExprId) -> &ExprKind {
        &self.body.body.expr(id).kind
    }

    pub fn span(&self, id: ExprId) -> Span {
        self.body.body.expr(id).span
    }

    pub fn widen(&mut self, id: ExprId, span: Span) {
        self.body.body.exprs[id.0 as usize].span = span;
    }

    pub fn pat(&mut self, kind: PatKind, span: Span) -> PatId {
        self.body.body.pats.push(Pat { kind, span });
        PatId(self.body.body.pats.len() as u32 - 1)
    }

    pub fn type_(&mut self, ty: Type) -> TypeRef {
        self.file.types.push(ty);
        TypeRef(self.file.types.len() as u32 - 1)
    }

    pub fn path(&mut self, path: Path) -> PathRef {
        self.file.paths.push(path);
        PathRef(self.file.paths.len() as u32 - 1)
    }

    /// The path of a single name, without arguments.
    pub fn path_of(&mut self, name: Symbol) -> PathRef {
        let segments = vec![Segment { name, args: Vec::new(), bindings: Vec::new() }];
        self.path(Path { global: false, qself: None, trait_len: 0, segments })
    }

    pub fn local(&mut self, name: Symbol, span: Span, mutable: bool, ty: Option<TypeRef>) -> LocalId {
        let locals = &mut self.body.body.locals;
        locals.push(Local { name, span, mutable, ty });
        LocalId(locals.len() as u32 - 1)
    }

    /// Makes a local visible until [`Cx::leave`] goes back past this point.
    pub fn declare(&mut self, name: Symbol, local: LocalId) {
        self.body.visible.entry(name).or_default().push(local);
        self.body.declared.push(name);
    }

    pub fn find(&self, name: Symbol) -> Option<LocalId> {
        self.body.visible.get(&name)?.last().copied()
    }

    pub fn mark(&self) -> Mark {
        Mark(self.body.declared.len())
    }

    pub fn leave(&mut self, mark: Mark) {
        for name in self.body.declared.drain(mark.0..) {
            if let Some(locals) = self.body.visible.get_mut(&name) {
                locals.pop();
            }
        }
    }
}

fn empty(source: SourceId) -> File {
    File {
        source,
        attrs: Vec::new(),
        types: Vec::new(),
        paths: Vec::new(),
        modules: Vec::new(),
        functions: Vec::new(),
        structs: Vec::new(),
        enums: Vec::new(),
        traits: Vec::new(),
        impls: Vec::new(),
        statics: Vec::new(),
        aliases: Vec::new(),
        uses: Vec::new(),
        includes: Vec::new(),
        macros: Vec::new(),
        tables: Vec::new(),
        not_understood: Vec::new(),
        comments: Vec::new(),
    }
}
