//! sqlparser's tree → [`Statement`]; the one place, with `schema`, that names sqlparser's types.

mod condition;
mod operand;
mod query;
mod scope;
mod write;

use std::ops::ControlFlow;

use sqlparser::ast::{self, Expr, ObjectName, TableFactor, Visit, Visitor};

use self::operand::{arguments, function_name};
use self::scope::{Cx, Scope};
use super::names::Names;
use super::prepare::Prepared;
use super::{Advisory, Evidence, Kind, Statement};
use crate::intern::Symbol;

/// What the whole text gives to the lowering of its parts.
pub(crate) struct Lowering<'p> {
    names: &'p Names,
    /// The text names an advisory lock function somewhere.
    advisory: bool,
}

/// The facts of a parsed statement.
pub(crate) fn lower(parsed: &ast::Statement, prepared: &Prepared) -> Statement {
    let text = prepared.text.to_ascii_lowercase();
    let advisory = ["advisory", "get_lock", "release_lock", "release_all_locks"].iter().any(|word| text.contains(word));
    let lowering = Lowering { names: &prepared.names, advisory };
    let mut statement = Statement::default();
    lowering.statement(parsed, None, &mut statement);
    statement.evidence = if prepared.names.has_holes() { Evidence::Partial } else { Evidence::Parsed };
    statement.params = prepared.names.params;
    statement.param_names = prepared.names.param_names.clone();
    if statement.lock.is_some() || statement.inner.iter().any(|inner| inner.lock.is_some()) {
        set_locked(&mut statement, prepared, &lowering);
    }
    statement
}

/// `OF a, b` belongs to the innermost lock; texts with two locks that both name tables are not worth telling apart.
fn set_locked(statement: &mut Statement, prepared: &Prepared, lowering: &Lowering<'_>) {
    let names = prepared.locked.iter().filter_map(|name| lowering.written_name(name)).collect();
    match statement.inner.iter_mut().find(|inner| inner.lock.is_some()) {
        Some(inner) if statement.lock.is_none() => inner.lock_of = names,
        _ => statement.lock_of = names,
    }
}

impl Lowering<'_> {
    fn statement(&self, parsed: &ast::Statement, parent: Option<&Scope<'_>>, out: &mut Statement) {
        match parsed {
            ast::Statement::Query(query) => self.query_into(query, parent, out),
            ast::Statement::Insert(insert) => self.insert(insert, parent, out),
            ast::Statement::Update(update) => self.update(update, parent, out),
            ast::Statement::Delete(delete) => self.delete(delete, parent, out),
            ast::Statement::Merge(merge) => self.merge(merge, parent, out),
            _ => out.kind = Kind::Other,
        }
        self.note_advisory(parsed, parent, out);
        gather_reads(out);
    }

    fn query(&self, query: &ast::Query, parent: Option<&Scope<'_>>) -> Statement {
        let mut out = Statement { evidence: Evidence::Parsed, ..Statement::default() };
        self.query_into(query, parent, &mut out);
        self.note_advisory(query, parent, &mut out);
        gather_reads(&mut out);
        out
    }

    /// A name as the crate writes it: lower case unless it stands in double quotes. Backticks keep nothing, because MySQL compares column names without case.
    pub(super) fn name(&self, ident: &ast::Ident) -> Option<Symbol> {
        let restored = self.names.restore(&ident.value)?;
        let kept = ident.quote_style == Some('"') || restored.contains('{');
        Some(Symbol::new(&if kept { restored } else { restored.to_lowercase() }))
    }

    fn written_name(&self, written: &str) -> Option<Symbol> {
        let quote = written.chars().next().filter(|c| matches!(c, '"' | '`'));
        let value = written.trim_matches(['"', '`']).to_owned();
        self.name(&ast::Ident { value, quote_style: quote, span: sqlparser::tokenizer::Span::empty() })
    }

    /// The last part of a dotted name.
    pub(super) fn table_name(&self, name: &ObjectName) -> Option<Symbol> {
        self.name(name.0.last()?.as_ident()?)
    }

    /// The advisory lock that some expression of `node` takes or gives back.
    fn note_advisory<V: Visit>(&self, node: &V, parent: Option<&Scope<'_>>, out: &mut Statement) {
        if !self.advisory || out.advisory.is_some() {
            return;
        }
        let mut finder = AdvisoryFinder { lowering: self, parent, found: None };
        let _ = node.visit(&mut finder);
        out.advisory = finder.found;
    }
}

/// Adds the tables that the inner statements read, once each.
fn gather_reads(out: &mut Statement) {
    let inner: Vec<Symbol> = out.inner.iter().flat_map(|inner| inner.reads.iter().copied()).collect();
    for table in inner {
        if !out.reads.contains(&table) {
            out.reads.push(table);
        }
    }
}

struct AdvisoryFinder<'f> {
    lowering: &'f Lowering<'f>,
    parent: Option<&'f Scope<'f>>,
    found: Option<Advisory>,
}

impl AdvisoryFinder<'_> {
    fn take(&mut self, name: &str, arguments: Vec<&Expr>) -> ControlFlow<()> {
        let Some(mut advisory) = advisory_function(name) else { return ControlFlow::Continue(()) };
        let scope = Scope::within(self.parent);
        let mut inner = Vec::new();
        let mut cx = Cx { lowering: self.lowering, scope: &scope, own: None, inner: &mut inner };
        // The second argument of MySQL's GET_LOCK is how long to wait.
        let keys = if name == "get_lock" { 1 } else { arguments.len() };
        advisory.key = arguments.into_iter().take(keys).map(|argument| cx.operand(argument)).collect();
        self.found = Some(advisory);
        ControlFlow::Break(())
    }
}

impl Visitor for AdvisoryFinder<'_> {
    type Break = ();

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Function(function) => self.take(&function_name(function), arguments(function)),
            _ => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<()> {
        let (name, args) = match factor {
            TableFactor::Table { name, args: Some(args), .. } => (name, &args.args),
            TableFactor::Function { name, args, .. } => (name, args),
            _ => return ControlFlow::Continue(()),
        };
        let name =
            name.0.last().and_then(|part| part.as_ident()).map(|ident| ident.value.to_lowercase()).unwrap_or_default();
        let expr = |arg| match arg {
            &ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(ref expr)) => Some(expr),
            _ => None,
        };
        self.take(&name, args.iter().filter_map(expr).collect())
    }
}

fn advisory_function(name: &str) -> Option<Advisory> {
    let lock = |transaction, attempt, release| Advisory {
        transaction,
        attempt,
        release,
        shared: name.contains("_shared"),
        key: Vec::new(),
    };
    match name {
        "get_lock" => Some(lock(false, true, false)),
        "release_lock" | "release_all_locks" => Some(lock(false, false, true)),
        _ if name.starts_with("pg_advisory_unlock") => Some(lock(false, false, true)),
        _ if name.starts_with("pg_advisory_") || name.starts_with("pg_try_advisory_") => {
            Some(lock(name.contains("_xact_"), name.starts_with("pg_try_"), false))
        }
        _ => None,
    }
}
