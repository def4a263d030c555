//! DDL that is built in Rust: `Table::create().table(Users::Table).col(…)` of sea-query, as sea-orm's migrations use it.
//!
//! A statement is put back into SQL text, with the place of each piece, and read as any other. What stands in a `down` is left out. Statements run in the
//! order of their files' names and of the text, which is how migrations are named; a helper that is given the table's name is read at its calls.

mod chain;
mod text;

use crate::ir::{Container, ExprId, ExprKind, Function, PatKind, Stmt};
use crate::resolve::{FnId, Program};
use crate::source::Span;
use chain::{Reader, Value};
pub(super) use text::Text;

/// What the builders of one program say, in the order in which it runs.
#[derive(Debug, Default)]
pub struct Built {
    /// Each statement with the file it stands in.
    pub(super) statements: Vec<Statement>,
    /// The code of migrations, where DDL in strings takes part in the same order.
    pub(super) migrations: Vec<(Span, Direction)>,
}

#[derive(Debug)]
pub(super) struct Statement {
    pub span: Span,
    pub text: Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    Up,
    Down,
}

/// Every statement that the functions of a program build, apart from tests and the way down.
pub fn built(program: &Program) -> Built {
    let mut built = Built::default();
    let downs = only_down(program);
    for id in (0..program.functions.len() as u32).map(FnId) {
        let function = program.source(id);
        built.migrations.extend(direction(program, id).map(|direction| (function.whole, direction)));
        if !downs[id.0 as usize] && !program.function(id).test && names_builders(program, id) {
            Walk { reader: Reader::new(program, id), found: &mut built.statements }.function(function);
        }
    }
    built
}

/// Whether the file imports anything of the builders' crates; others may have a `Table::create` too.
fn names_builders(program: &Program, id: FnId) -> bool {
    let crates = ["sea_query", "sea_orm", "sea_orm_migration"];
    program.file(id).uses.iter().any(|item| item.path.first().is_some_and(|name| crates.contains(&name.as_str())))
}

/// The method of a migration that the function is.
fn direction(program: &Program, id: FnId) -> Option<Direction> {
    let (file, function) = (program.file(id), program.source(id));
    let Container::Impl(place) = function.container else { return None };
    let of = file.impls[place as usize].trait_?;
    let name = file.paths[of.0 as usize].segments.last()?.name;
    match (name.as_str(), function.name.as_str()) {
        ("MigrationTrait", "up") => Some(Direction::Up),
        ("MigrationTrait", "down") => Some(Direction::Down),
        _ => None,
    }
}

/// For each function, whether only the way down leads to it.
fn only_down(program: &Program) -> Vec<bool> {
    let ids = || (0..program.functions.len() as u32).map(FnId);
    let mut downs: Vec<bool> = ids().map(|id| direction(program, id) == Some(Direction::Down)).collect();
    let (mut by_down, mut by_other) = (vec![false; downs.len()], vec![false; downs.len()]);
    for id in ids() {
        let called = program.typed(id).targets.values().flat_map(|target| &target.functions);
        let seen = if downs[id.0 as usize] { &mut by_down } else { &mut by_other };
        called.for_each(|callee| seen[callee.0 as usize] = true);
    }
    for (at, down) in downs.iter_mut().enumerate() {
        *down |= by_down[at] && !by_other[at];
    }
    downs
}

/// Finds the statements of one function: chains that are given to something else than a chain.
struct Walk<'p, 'f> {
    reader: Reader<'p>,
    found: &'f mut Vec<Statement>,
}

impl Walk<'_, '_> {
    fn function(&mut self, function: &Function) {
        if let Some(root) = function.body.as_ref().and_then(|body| body.root) {
            self.expr(root);
        }
    }

    fn expr(&mut self, id: ExprId) {
        if !matches!(self.reader.value(id), Value::Unknown) {
            return;
        }
        for child in children(&self.reader.body().expr(id).kind.clone()) {
            match child {
                Child::Let(pat, init) => self.bind(pat, init),
                Child::Statement(expr) => self.statement(expr),
                Child::Argument(expr) => self.argument(expr),
                Child::Part(expr) => self.expr(expr),
            }
        }
    }

    fn bind(&mut self, pat: crate::ir::PatId, init: ExprId) {
        let value = self.reader.value(init);
        if matches!(value, Value::Unknown) {
            self.expr(init);
        } else if let PatKind::Bind { local, .. } = self.reader.body().pat(pat).kind {
            self.reader.bind(local, value);
        }
    }

    /// `table.col(…);` adds to the chain that the local holds.
    fn statement(&mut self, expr: ExprId) {
        match (self.reader.root_local(expr), self.reader.value(expr)) {
            (Some(local), value @ Value::Chain(_)) => self.reader.bind(local, value),
            (_, Value::Unknown) => self.expr(expr),
            _ => {}
        }
    }

    fn argument(&mut self, expr: ExprId) {
        let members = match self.reader.value(expr) {
            Value::Unknown => return self.expr(expr),
            Value::List(members) => members,
            value => vec![value],
        };
        for value in members {
            if let Value::Chain(chain) = value
                && let Some(text) = text::statement(&chain)
            {
                self.found.push(Statement { span: chain.span, text });
            }
        }
    }
}

/// What an expression is made of, in the order in which it runs.
enum Child {
    Let(crate::ir::PatId, ExprId),
    Statement(ExprId),
    Argument(ExprId),
    Part(ExprId),
}

fn children(kind: &ExprKind) -> Vec<Child> {
    let arguments = |args: &[ExprId]| args.iter().map(|arg| Child::Argument(*arg)).collect::<Vec<_>>();
    let parts = |parts: &[ExprId]| parts.iter().map(|part| Child::Part(*part)).collect::<Vec<_>>();
    match kind {
        ExprKind::Block(block) => {
            let mut all: Vec<Child> = block.stmts.iter().filter_map(of_statement).collect();
            all.extend(block.tail.map(Child::Part));
            all
        }
        ExprKind::Call { callee, args } => [parts(&[*callee]), arguments(args)].into_iter().flatten().collect(),
        ExprKind::MethodCall { receiver, args, .. } => {
            [parts(&[*receiver]), arguments(args)].into_iter().flatten().collect()
        }
        ExprKind::Macro(call) => arguments(&call.args),
        ExprKind::Tuple(all) | ExprKind::Array(all) | ExprKind::Panic(all) => parts(all),
        ExprKind::If { condition, then, otherwise, .. } => {
            let mut all = parts(&[*condition, *then]);
            all.extend(otherwise.map(Child::Part));
            all
        }
        ExprKind::Match { scrutinee, arms } => {
            let mut all = parts(&[*scrutinee]);
            all.extend(arms.iter().map(|arm| Child::Part(arm.body)));
            all
        }
        ExprKind::Let { scrutinee, .. } => parts(&[*scrutinee]),
        ExprKind::Loop { body, .. } => parts(&[*body]),
        ExprKind::While { condition, body, .. } => parts(&[*condition, *body]),
        ExprKind::For { iter, body, .. } => parts(&[*iter, *body]),
        ExprKind::Closure(closure) => parts(&[closure.body]),
        ExprKind::Ref { operand: inner, .. }
        | ExprKind::Unary { operand: inner, .. }
        | ExprKind::Cast { operand: inner, .. }
        | ExprKind::Assign { value: inner, .. }
        | ExprKind::Try(inner)
        | ExprKind::Await(inner)
        | ExprKind::TempScope(inner)
        | ExprKind::Return(Some(inner))
        | ExprKind::Break { value: Some(inner), .. } => parts(&[*inner]),
        _ => Vec::new(),
    }
}

fn of_statement(stmt: &Stmt) -> Option<Child> {
    match stmt {
        Stmt::Let { pat, init, .. } => init.map(|init| Child::Let(*pat, init)),
        Stmt::Expr(expr) => Some(Child::Statement(*expr)),
    }
}
