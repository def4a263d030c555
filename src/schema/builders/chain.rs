//! Chains of builder calls as values: what they start from, each call with its arguments, names of tables and columns.

use std::collections::HashMap;

use crate::intern::Symbol;
use crate::ir::{Body, ExprId, ExprKind, Lit, LocalId, MacroKind, UnOp};
use crate::resolve::{Def, FnId, Program, Typed};
use crate::source::Span;

/// How many helpers may stand inside each other.
const DEPTH: u32 = 4;

/// Methods that hand on what they are called on.
const SAME: &[&str] =
    &["to_owned", "take", "clone", "into", "as_ref", "borrow", "into_iden", "to_string", "as_str", "into_table_ref"];

#[derive(Clone, Debug)]
pub(super) enum Value {
    Chain(Chain),
    /// A table, a column, or a text.
    Name(Symbol),
    /// A number, a bool: as it is written in SQL.
    Plain(String),
    List(Vec<Value>),
    Unknown,
}

/// `Table::create().table(x).col(y)`.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// The last two segments of the path it starts from (`Table::create`), or the function's name.
    pub head: String,
    pub args: Vec<Value>,
    pub calls: Vec<Step>,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub(super) struct Step {
    pub name: Symbol,
    pub args: Vec<Value>,
    pub span: Span,
}

impl Chain {
    /// The arguments of the calls of that name, in order.
    pub fn all<'c>(&'c self, name: &'c str) -> impl Iterator<Item = &'c Step> {
        self.calls.iter().filter(move |step| step.name == name)
    }

    pub fn has(&self, name: &str) -> bool {
        self.all(name).next().is_some()
    }

    /// The first argument of the first call of that name.
    pub fn first(&self, name: &str) -> Option<&Value> {
        self.calls.iter().find(|step| step.name == name)?.args.first()
    }
}

impl Value {
    /// The name; the last of several, since a schema may stand before a table.
    pub fn name(&self) -> Option<Symbol> {
        match self {
            Value::Name(name) => Some(*name),
            Value::List(members) => members.last()?.name(),
            _ => None,
        }
    }

    pub fn names(&self) -> Vec<Symbol> {
        match self {
            Value::List(members) => members.iter().filter_map(Value::name).collect(),
            one => one.name().into_iter().collect(),
        }
    }
}

/// Reads the values of one function's expressions.
pub(super) struct Reader<'p> {
    program: &'p Program,
    id: FnId,
    locals: HashMap<LocalId, Value>,
    depth: u32,
}

impl<'p> Reader<'p> {
    pub fn new(program: &'p Program, id: FnId) -> Reader<'p> {
        Reader { program, id, locals: HashMap::new(), depth: 0 }
    }

    pub fn body(&self) -> &'p Body {
        self.program.source(self.id).body.as_ref().expect("only functions with a body are read")
    }

    fn typed(&self) -> &'p Typed {
        self.program.typed(self.id)
    }

    pub fn bind(&mut self, local: LocalId, value: Value) {
        self.locals.insert(local, value);
    }

    /// The local that a chain of method calls starts from.
    pub fn root_local(&self, id: ExprId) -> Option<LocalId> {
        match &self.body().expr(id).kind {
            ExprKind::Local(local) => Some(*local),
            ExprKind::MethodCall { receiver, .. } => self.root_local(*receiver),
            ExprKind::TempScope(inner) | ExprKind::Ref { operand: inner, .. } => self.root_local(*inner),
            _ => None,
        }
    }

    pub fn value(&self, id: ExprId) -> Value {
        let expr = self.body().expr(id);
        match &expr.kind {
            ExprKind::Lit(Lit::Str(text)) => Value::Name(*text),
            ExprKind::Lit(Lit::Int(number)) => Value::Plain(number.to_string()),
            ExprKind::Lit(Lit::Bool(value)) => Value::Plain(value.to_string()),
            ExprKind::Local(local) => self.locals.get(local).cloned().unwrap_or(Value::Unknown),
            ExprKind::Path(_) => self.named(id).map_or(Value::Unknown, Value::Name),
            ExprKind::Tuple(members) | ExprKind::Array(members) if !members.is_empty() => self.list(members),
            ExprKind::Macro(call) if call.kind == MacroKind::Vec => self.list(&call.args),
            ExprKind::Ref { operand: inner, .. }
            | ExprKind::Unary { op: UnOp::Deref, operand: inner }
            | ExprKind::TempScope(inner) => self.value(*inner),
            ExprKind::Block(block) if block.stmts.is_empty() => {
                block.tail.map_or(Value::Unknown, |tail| self.value(tail))
            }
            ExprKind::Call { callee, args } => self.call(id, *callee, args, expr.span),
            ExprKind::MethodCall { receiver, name, args, name_span, .. } => {
                self.method(id, *receiver, *name, args, *name_span)
            }
            _ => Value::Unknown,
        }
    }

    fn values(&self, ids: &[ExprId]) -> Vec<Value> {
        ids.iter().map(|id| self.value(*id)).collect()
    }

    /// A list that says nothing is unknown, so that what is in it is looked at.
    fn list(&self, ids: &[ExprId]) -> Value {
        let members = self.values(ids);
        let known = members.iter().any(|member| !matches!(member, Value::Unknown));
        if known { Value::List(members) } else { Value::Unknown }
    }

    fn method(&self, id: ExprId, receiver: ExprId, name: Symbol, args: &[ExprId], span: Span) -> Value {
        let value = self.value(receiver);
        if SAME.contains(&name.as_str()) {
            return value;
        }
        match value {
            Value::Chain(mut chain) => {
                chain.calls.push(Step { name, args: self.values(args), span });
                Value::Chain(chain)
            }
            _ => self.inside(id, args).unwrap_or(Value::Unknown),
        }
    }

    fn call(&self, id: ExprId, callee: ExprId, args: &[ExprId], span: Span) -> Value {
        if let Some(value) = self.inside(id, args) {
            return value;
        }
        let ExprKind::Path(path) = self.body().expr(callee).kind else { return Value::Unknown };
        let segments = &self.program.file(self.id).paths[path.0 as usize].segments;
        let last: Vec<&str> = segments.iter().rev().take(2).rev().map(|segment| segment.name.as_str()).collect();
        let head = last.join("::");
        match head.as_str() {
            "Alias::new" | "String::from" | "Cow::Borrowed" => {
                args.first().map_or(Value::Unknown, |arg| self.value(*arg))
            }
            "Ok" | "Some" | "Err" => Value::Unknown,
            _ => {
                let head = if is_builder(&head) { head } else { last.last().copied().unwrap_or_default().to_owned() };
                let args = self.values(args);
                let says = is_builder(&head) || args.iter().any(|arg| matches!(arg, Value::Name(_) | Value::Chain(_)));
                if says { Value::Chain(Chain { head, args, calls: Vec::new(), span }) } else { Value::Unknown }
            }
        }
    }

    /// What a function of the program gives back; nothing if the call is of none.
    fn inside(&self, call: ExprId, args: &[ExprId]) -> Option<Value> {
        let [callee] = self.typed().targets.get(&call)?.functions[..] else { return None };
        let function = self.program.source(callee);
        let (Some(body), true) = (&function.body, self.depth < DEPTH) else { return Some(Value::Unknown) };
        let mut reader = Reader { program: self.program, id: callee, locals: HashMap::new(), depth: self.depth + 1 };
        let first = u32::from(function.receiver.is_some());
        for (local, arg) in (first..).zip(args).filter(|(local, _)| (*local as usize) < body.locals.len()) {
            reader.bind(LocalId(local), self.value(*arg));
        }
        body.root.map(|root| reader.last(root))
    }

    /// The value of a body: its tail, after what its statements bind.
    fn last(&mut self, id: ExprId) -> Value {
        match &self.body().expr(id).kind {
            ExprKind::TempScope(inner) => self.last(*inner),
            ExprKind::Block(block) => {
                for stmt in &block.stmts {
                    match stmt {
                        crate::ir::Stmt::Let { pat, init: Some(init), .. } => {
                            if let crate::ir::PatKind::Bind { local, .. } = self.body().pat(*pat).kind {
                                let value = self.value(*init);
                                self.bind(local, value);
                            }
                        }
                        crate::ir::Stmt::Expr(expr) => {
                            if let (Some(local), value @ Value::Chain(_)) = (self.root_local(*expr), self.value(*expr))
                            {
                                self.bind(local, value);
                            }
                        }
                        crate::ir::Stmt::Let { .. } => {}
                    }
                }
                block.tail.map_or(Value::Unknown, |tail| self.last(tail))
            }
            _ => self.value(id),
        }
    }

    /// What an item is called in the database.
    fn named(&self, id: ExprId) -> Option<Symbol> {
        match self.typed().defs.get(&id)? {
            Def::Variant(adt, variant) => Some(self.program.named_by_variant(*adt, *variant)),
            Def::Adt(adt) => Some(self.program.named_by_type(*adt)),
            Def::Table(table) => Some(self.program.table(*table).name),
            Def::Column(table, column) => {
                let columns = &self.program.table(*table).columns;
                Some(columns.iter().find(|(rust, ..)| rust == column).map_or(*column, |(_, name, _)| *name))
            }
            Def::Static(id) => {
                let place = self.program.static_(*id).place;
                let body = self.program.files[place.file as usize].statics[place.index as usize].init.as_ref()?;
                body.exprs.iter().find_map(|expr| match expr.kind {
                    ExprKind::Lit(Lit::Str(text)) => Some(text),
                    _ => None,
                })
            }
            _ => None,
        }
    }
}

/// Whether a chain may start so: what is started is a statement, a column or an expression.
pub(super) fn is_builder(head: &str) -> bool {
    let starts = [
        "Table::create",
        "Table::alter",
        "Table::drop",
        "Table::rename",
        "Index::create",
        "Index::drop",
        "ForeignKey::create",
        "ForeignKey::drop",
        "ForeignKeyCreateStatement::new",
        "TableForeignKey::new",
        "IndexCreateStatement::new",
        "TableCreateStatement::new",
        "ColumnDef::new",
        "ColumnDef::new_with_type",
        "Expr::col",
        "Expr::cust",
        "Expr::val",
        "Expr::value",
        "SimpleExpr::Custom",
    ];
    starts.contains(&head)
}
