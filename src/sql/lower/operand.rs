//! Expressions → [`Operand`]s, and what an expression mentions.

use std::ops::ControlFlow;

use sqlparser::ast::{self, Expr, UnaryOperator, Value, Visit, Visitor};

use super::scope::Cx;
use crate::intern::Symbol;
use crate::sql::{Aggregate, Column, Operand};

/// The qualifier that marks the row which an upsert could not insert.
pub(super) const EXCLUDED: &str = "excluded";
/// Longer expressions are kept by their start; nothing compares them past it.
const LONGEST_TEXT: usize = 200;

/// Functions and keywords whose value the database makes.
const GENERATED: &[&str] = &[
    "now",
    "current_timestamp",
    "current_date",
    "current_time",
    "localtimestamp",
    "localtime",
    "clock_timestamp",
    "statement_timestamp",
    "transaction_timestamp",
    "nextval",
    "gen_random_uuid",
    "uuid_generate_v4",
    "uuid_generate_v7",
    "uuidv7",
    "uuid",
    "uuid_to_bin",
    "random",
    "rand",
    "randomblob",
    "utc_timestamp",
    "sysdate",
    "unixepoch",
    "unix_timestamp",
    "last_insert_id",
    "last_insert_rowid",
    "curdate",
    "curtime",
    "gen_random_bytes",
];
/// SQLite's clock is a function of text: made by the database when its text is `now`.
const CLOCKS: &[&str] = &["datetime", "date", "time", "strftime", "julianday"];

/// Everything that an expression mentions at its own level.
#[derive(Default)]
pub(super) struct Mentions {
    pub columns: Vec<Column>,
    pub params: Vec<u16>,
    pub subselect: bool,
    pub generated: bool,
    pub aggregate: Option<Aggregate>,
}

/// Without casts, collations and parentheses, none of which changes what is compared.
pub(super) fn bare(mut expr: &Expr) -> &Expr {
    loop {
        expr = match expr {
            Expr::Nested(inner) => inner,
            Expr::Cast { expr, .. } | Expr::Collate { expr, .. } => expr,
            other => return other,
        };
    }
}

/// The name of a function, lower case, without its schema.
pub(super) fn function_name(function: &ast::Function) -> String {
    let last = function.name.0.last().and_then(|part| part.as_ident());
    last.map(|ident| ident.value.to_lowercase()).unwrap_or_default()
}

/// The arguments of a function that are expressions.
pub(super) fn arguments(function: &ast::Function) -> Vec<&Expr> {
    let ast::FunctionArguments::List(list) = &function.args else { return Vec::new() };
    let argument = |arg| match arg {
        &ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(ref expr)) => Some(expr),
        ast::FunctionArg::Named { arg: ast::FunctionArgExpr::Expr(expr), .. } => Some(expr),
        _ => None,
    };
    list.args.iter().filter_map(argument).collect()
}

impl Cx<'_, '_> {
    /// The column that an expression is, if it is nothing else.
    pub fn column(&self, expr: &Expr) -> Option<Column> {
        let (qualifier, ident) = match bare(expr) {
            Expr::Identifier(ident) if !is_keyword(ident) => (None, ident),
            Expr::CompoundIdentifier(parts) => {
                let (last, before) = parts.split_last()?;
                (Some(before.last()?), last)
            }
            _ => return None,
        };
        if self.lowering.names.param(&ident.value).is_some() {
            return None;
        }
        let name = self.lowering.name(ident)?;
        match qualifier {
            // A qualifier that is interpolated without a name says nothing.
            Some(qualifier) => match self.lowering.name(qualifier) {
                Some(qualifier) => Some(self.scope.column(Some(qualifier), name)),
                None => Some(Column { table: None, name }),
            },
            None => Some(self.scope.column(None, name)),
        }
    }

    /// The column inside `lower(c)`, `trim(c)` too: an equality on such a form still picks rows by that column.
    pub fn compared_column(&self, expr: &Expr) -> Option<Column> {
        if let Expr::Function(function) = bare(expr)
            && matches!(function_name(function).as_str(), "lower" | "upper" | "trim" | "btrim")
            && let [argument] = arguments(function).as_slice()
        {
            return self.column(argument);
        }
        self.column(expr)
    }

    pub fn param(&self, expr: &Expr) -> Option<u16> {
        match bare(expr) {
            Expr::Identifier(ident) => self.lowering.names.param(&ident.value),
            _ => None,
        }
    }

    pub fn operand(&mut self, expr: &Expr) -> Operand {
        let peeled = bare(expr);
        if let Some(index) = self.param(peeled) {
            return Operand::Param(index);
        }
        if let Some(literal) = literal(peeled) {
            return Operand::Literal(literal);
        }
        if let Expr::Identifier(ident) = peeled
            && is_keyword(ident)
        {
            return Operand::Generated(Symbol::new(&ident.value.to_lowercase()));
        }
        if let Some(column) = self.column(peeled) {
            let excluded = column.table.is_some_and(|table| table == EXCLUDED);
            return if excluded { Operand::Excluded(column.name) } else { Operand::Column(column) };
        }
        if let Some(name) = self.values_function(peeled) {
            return Operand::Excluded(name);
        }
        self.computed(peeled)
    }

    /// MySQL's `VALUES(c)`.
    fn values_function(&self, expr: &Expr) -> Option<Symbol> {
        let Expr::Function(function) = expr else { return None };
        match arguments(function).as_slice() {
            [argument] if function_name(function) == "values" => self.column(argument).map(|column| column.name),
            _ => None,
        }
    }

    fn computed(&mut self, expr: &Expr) -> Operand {
        let mentions = self.mentions(expr);
        self.computed_from(&mentions, expr)
    }

    /// The operand of an expression whose mentions are known; they must not be gathered twice, or its sub-selects are lowered twice.
    pub fn computed_from(&self, mentions: &Mentions, expr: &Expr) -> Operand {
        let text = self.text(expr);
        if mentions.generated && mentions.columns.is_empty() && mentions.params.is_empty() && !mentions.subselect {
            return Operand::Generated(text);
        }
        Operand::Expr {
            columns: mentions.columns.clone(),
            params: mentions.params.clone(),
            text,
            subselect: mentions.subselect,
        }
    }

    /// The text of an expression, cut to a bound.
    fn text(&self, expr: &Expr) -> Symbol {
        let restored = self.lowering.names.restore_text(&expr.to_string());
        let cut = restored.char_indices().nth(LONGEST_TEXT).map_or(restored.len(), |(at, _)| at);
        Symbol::new(&restored[..cut])
    }

    /// What `expr` mentions; its sub-selects are lowered into the statement.
    pub fn mentions(&mut self, expr: &Expr) -> Mentions {
        let mut gather = Gather { cx: self, depth: 0, found: Mentions::default() };
        let _ = expr.visit(&mut gather);
        gather.found
    }
}

struct Gather<'g, 'c, 's> {
    cx: &'g mut Cx<'c, 's>,
    /// How many queries inside the expression the visit is in.
    depth: usize,
    found: Mentions,
}

impl Gather<'_, '_, '_> {
    fn add_column(&mut self, column: Column) {
        if !self.found.columns.contains(&column) {
            self.found.columns.push(column);
        }
    }

    fn function(&mut self, function: &ast::Function) {
        let name = function_name(function);
        self.found.generated |=
            GENERATED.contains(&name.as_str()) || (CLOCKS.contains(&name.as_str()) && says_now(function));
        if self.found.aggregate.is_none() {
            self.found.aggregate = aggregate(&name).or(function.over.as_ref().map(|_| Aggregate::Other));
        }
    }
}

impl Visitor for Gather<'_, '_, '_> {
    type Break = ();

    fn pre_visit_query(&mut self, query: &ast::Query) -> ControlFlow<()> {
        if self.depth == 0 {
            let statement = self.cx.lowering.query(query, Some(self.cx.scope));
            self.found.subselect = true;
            for projection in &statement.projections {
                projection.columns.iter().for_each(|column| self.add_column(*column));
            }
            if let ([only], None) = (statement.projections.as_slice(), self.found.aggregate) {
                self.found.aggregate = only.aggregate;
            }
            self.cx.inner.push(statement);
        }
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &ast::Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        if let Expr::Identifier(ident) = expr
            && let Some(index) = self.cx.lowering.names.param(&ident.value)
            && !self.found.params.contains(&index)
        {
            self.found.params.push(index);
        }
        if self.depth > 0 {
            return ControlFlow::Continue(());
        }
        match expr {
            Expr::Identifier(ident) if is_keyword(ident) => self.found.generated = true,
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                if let Some(column) = self.cx.column(expr) {
                    self.add_column(column);
                }
            }
            Expr::Function(function) => self.function(function),
            Expr::Exists { .. } if self.found.aggregate.is_none() => self.found.aggregate = Some(Aggregate::Exists),
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

fn aggregate(name: &str) -> Option<Aggregate> {
    Some(match name {
        "count" => Aggregate::Count,
        "sum" | "total" => Aggregate::Sum,
        "max" => Aggregate::Max,
        "min" => Aggregate::Min,
        "avg" => Aggregate::Avg,
        "array_agg" | "json_agg" | "jsonb_agg" | "string_agg" | "group_concat" | "bool_or" | "bool_and" | "every"
        | "json_object_agg" | "jsonb_object_agg" | "json_group_array" | "json_group_object" | "json_arrayagg"
        | "stddev" | "variance" | "percentile_cont" | "bit_or" | "bit_and" => Aggregate::Other,
        _ => return None,
    })
}

fn says_now(function: &ast::Function) -> bool {
    let texts = arguments(function).into_iter().filter_map(literal);
    texts.into_iter().any(|text| text.as_str().eq_ignore_ascii_case("now"))
}

/// Words that parse as names and are none.
fn is_keyword(ident: &ast::Ident) -> bool {
    let word = ident.value.to_ascii_lowercase();
    ident.quote_style.is_none()
        && matches!(word.as_str(), "default" | "current_timestamp" | "current_date" | "current_time" | "current_user")
}

/// A literal, without quotes; a typed one (`INTERVAL '1 day'`) by its text.
pub(super) fn literal(expr: &Expr) -> Option<Symbol> {
    match bare(expr) {
        Expr::Value(value) => Some(value_text(&value.value)),
        Expr::TypedString(typed) => Some(value_text(&typed.value.value)),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => Some(Symbol::new(&format!("-{}", literal(expr)?))),
        Expr::UnaryOp { op: UnaryOperator::Plus, expr } => literal(expr),
        Expr::Prefixed { value, .. } => literal(value),
        Expr::Interval(interval) => literal(&interval.value).map(|_| Symbol::new(&interval.to_string())),
        Expr::Identifier(ident) if ident.quote_style.is_none() => {
            let word = ident.value.to_lowercase();
            matches!(word.as_str(), "true" | "false" | "null").then(|| Symbol::new(&word))
        }
        _ => None,
    }
}

fn value_text(value: &Value) -> Symbol {
    match value {
        Value::Boolean(true) => Symbol::new("true"),
        Value::Boolean(false) => Symbol::new("false"),
        Value::Null => Symbol::new("null"),
        Value::Number(number, _) => Symbol::new(&number.to_string()),
        other => match other.clone().into_string() {
            Some(text) => Symbol::new(&text),
            None => Symbol::new(&other.to_string()),
        },
    }
}
