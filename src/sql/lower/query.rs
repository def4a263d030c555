//! SELECT, set operations, CTEs.

use sqlparser::ast::{
    self, Expr, GroupByExpr, JoinConstraint, JoinOperator, Select, SelectItem, SetExpr, TableFactor, TableWithJoins,
};

use super::operand::{bare, literal};
use super::scope::{Cx, Derived, Rows, Scope};
use super::{Lowering, gather_reads};
use crate::intern::Symbol;
use crate::sql::{Column, Evidence, Kind, Operand, Predicate, Projection, RowLock, Statement};

/// How a join's condition narrows the rows.
#[derive(Clone, Copy, PartialEq, Eq)]
enum JoinKind {
    Inner,
    /// Rows without a partner stay: the condition is no filter.
    Outer,
}

impl Lowering<'_> {
    pub(super) fn query_into(&self, query: &ast::Query, parent: Option<&Scope<'_>>, out: &mut Statement) {
        out.kind = Kind::Select;
        let with = self.with(query.with.as_ref(), parent, out);
        self.body(&query.body, &with, out);
        tail(query, out);
    }

    /// A query, with the value of each of its columns where it is a plain SELECT without `*`.
    pub(super) fn query_with_values(&self, query: &ast::Query, parent: &Scope<'_>) -> (Statement, Vec<Operand>) {
        let mut values = Vec::new();
        let SetExpr::Select(select) = &*query.body else { return (self.query(query, Some(parent)), values) };
        let mut out = Statement { kind: Kind::Select, evidence: Evidence::Parsed, ..Statement::default() };
        let with = self.with(query.with.as_ref(), Some(parent), &mut out);
        self.select(select, &with, &mut out, Some(&mut values));
        tail(query, &mut out);
        self.note_advisory(query, Some(parent), &mut out);
        gather_reads(&mut out);
        (out, values)
    }

    fn body(&self, body: &SetExpr, with: &Scope<'_>, out: &mut Statement) {
        match body {
            SetExpr::Select(select) => self.select(select, with, out, None),
            SetExpr::Query(inner) => self.query_into(inner, Some(with), out),
            SetExpr::SetOperation { left, right, .. } => self.set_operation(left, right, with, out),
            SetExpr::Insert(statement)
            | SetExpr::Update(statement)
            | SetExpr::Delete(statement)
            | SetExpr::Merge(statement) => {
                self.statement(statement, Some(with), out);
            }
            SetExpr::Table(table) => {
                let name = table.table_name.as_ref().and_then(|name| self.name(name));
                self.use_table(name, out);
                out.projections.push(Projection { name: None, columns: vec![star(name)], aggregate: None, test: None });
            }
            SetExpr::Values(_) => {}
        }
    }

    /// The CTEs of a WITH, lowered into `out`; each sees those before it.
    fn with<'s>(&self, with: Option<&ast::With>, parent: Option<&'s Scope<'s>>, out: &mut Statement) -> Scope<'s> {
        let mut scope = Scope::within(parent);
        let Some(with) = with else { return scope };
        for cte in &with.cte_tables {
            let Some(name) = self.name(&cte.alias.name) else { continue };
            if with.recursive {
                scope.ctes.push((name, Derived::default()));
            }
            let statement = self.query(&cte.query, Some(&scope));
            let columns: Vec<Symbol> = cte.alias.columns.iter().filter_map(|column| self.name(&column.name)).collect();
            scope.ctes.push((name, Derived::of(&statement).renamed(&columns)));
            out.inner.push(statement);
        }
        scope
    }

    /// UNION and its like: both sides are inner statements, because no filter of one holds for the rows of the other.
    fn set_operation(&self, left: &SetExpr, right: &SetExpr, with: &Scope<'_>, out: &mut Statement) {
        for side in [left, right] {
            let mut statement = Statement { kind: Kind::Select, evidence: Evidence::Parsed, ..Statement::default() };
            self.body(side, with, &mut statement);
            gather_reads(&mut statement);
            if out.table.is_none() {
                out.table = statement.table;
            }
            if out.projections.is_empty() {
                out.projections = statement.projections.clone();
            }
            out.inner.push(statement);
        }
    }

    fn select(&self, select: &Select, with: &Scope<'_>, out: &mut Statement, mut values: Option<&mut Vec<Operand>>) {
        let mut scope = Scope::within(Some(with));
        for table in &select.from {
            self.add_tables(table, &mut scope, out);
        }
        let own = out.table;
        let mut inner = std::mem::take(&mut out.inner);
        let mut cx = Cx { lowering: self, scope: &scope, own, inner: &mut inner };
        for item in &select.projection {
            self.projection(item, &mut cx, &mut out.projections, values.as_deref_mut());
        }
        if let Some(selection) = &select.selection {
            cx.conjunction(selection, &mut out.filters);
        }
        for table in &select.from {
            joins(table, &mut cx, &mut out.filters);
        }
        if let Some(having) = &select.having {
            let having = cx.other(having);
            out.filters.push(having);
        }
        out.grouped = !matches!(&select.group_by, GroupByExpr::Expressions(list, _) if list.is_empty());
        out.distinct = select.distinct.as_ref().is_some_and(|distinct| *distinct != ast::Distinct::All);
        out.inner = inner;
        if out.table.is_none() {
            out.table = out.inner.iter().find_map(|inner| inner.table);
        }
    }

    fn use_table(&self, table: Option<Symbol>, out: &mut Statement) {
        let Some(table) = table else { return };
        if !out.reads.contains(&table) {
            out.reads.push(table);
        }
        out.table = out.table.or(Some(table));
    }

    /// Brings the tables of one FROM item into scope.
    pub(super) fn add_tables(&self, table: &TableWithJoins, scope: &mut Scope<'_>, out: &mut Statement) {
        self.add_factor(&table.relation, scope, out);
        for join in &table.joins {
            self.add_factor(&join.relation, scope, out);
        }
    }

    pub(super) fn add_factor(&self, factor: &TableFactor, scope: &mut Scope<'_>, out: &mut Statement) {
        let alias_of = |alias: &Option<ast::TableAlias>| alias.as_ref().and_then(|alias| self.name(&alias.name));
        let anonymous = Symbol::new("");
        match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                let table = self.table_name(name);
                let as_ = alias_of(alias).or(table).unwrap_or(anonymous);
                match table.and_then(|table| scope.cte(table)).filter(|_| name.0.len() == 1) {
                    Some(rows) => {
                        let rows = Rows::Derived(rows.clone());
                        scope.add(as_, rows);
                    }
                    None => {
                        self.use_table(table, out);
                        scope.add(as_, Rows::Table(table));
                    }
                }
            }
            TableFactor::Derived { subquery, alias, .. } => {
                let statement = self.query(subquery, Some(scope));
                scope.add(alias_of(alias).unwrap_or(anonymous), Rows::Derived(Derived::of(&statement)));
                out.inner.push(statement);
            }
            TableFactor::NestedJoin { table_with_joins, .. } => self.add_tables(table_with_joins, scope, out),
            TableFactor::Table { alias, .. }
            | TableFactor::TableFunction { alias, .. }
            | TableFactor::Function { alias, .. }
            | TableFactor::UNNEST { alias, .. }
            | TableFactor::JsonTable { alias, .. } => {
                scope.add(alias_of(alias).unwrap_or(anonymous), Rows::Derived(Derived::default()));
            }
            _ => {}
        }
    }

    /// Adds an item of a SELECT list or of RETURNING, and its value to `values` where that is asked for.
    pub(super) fn projection(
        &self,
        item: &SelectItem,
        cx: &mut Cx<'_, '_>,
        into: &mut Vec<Projection>,
        values: Option<&mut Vec<Operand>>,
    ) {
        let all = |column| Projection { name: None, columns: vec![column], aggregate: None, test: None };
        let (expr, alias) = match item {
            SelectItem::UnnamedExpr(expr) => (expr, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias)),
            SelectItem::ExprWithAliases { expr, .. } => (expr, None),
            SelectItem::Wildcard(_) => return into.push(all(star(cx.only_table()))),
            SelectItem::QualifiedWildcard(kind, _) => {
                let qualifier = match kind {
                    ast::SelectItemQualifiedWildcardKind::ObjectName(name) => self.table_name(name),
                    ast::SelectItemQualifiedWildcardKind::Expr(_) => None,
                };
                let column =
                    qualifier.map_or(star(None), |qualifier| cx.scope.column(Some(qualifier), Symbol::new("*")));
                return into.push(all(column));
            }
        };
        if self.is_hole(expr) && !cx.scope.sources.is_empty() {
            return into.push(all(star(cx.only_table())));
        }
        let mentions = cx.mentions(expr);
        if let Some(values) = values {
            values.push(if mentions.subselect { cx.computed_from(&mentions, expr) } else { cx.operand(expr) });
        }
        let own_name = || match bare(expr) {
            Expr::Identifier(ident) => self.name(ident),
            Expr::CompoundIdentifier(parts) => self.name(parts.last()?),
            _ => None,
        };
        let name = alias.and_then(|alias| self.name(alias)).or_else(own_name).map(without_override);
        let test = if mentions.subselect { None } else { cx.comparison(expr) };
        into.push(Projection { name, columns: mentions.columns, aggregate: mentions.aggregate, test });
    }
}

impl Cx<'_, '_> {
    /// The table whose columns `*` stands for, if there is one source.
    fn only_table(&self) -> Option<Symbol> {
        match self.scope.tables() {
            1 => self.scope.column(None, Symbol::new("*")).table,
            _ => None,
        }
    }
}

impl Lowering<'_> {
    /// A list of columns that is interpolated is read as all of them.
    pub(super) fn is_hole(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Identifier(ident) if self.names.is_hole(&ident.value))
    }
}

fn star(table: Option<Symbol>) -> Column {
    Column { table, name: Symbol::new("*") }
}

/// The name without what sqlx's macros read from it: `"total!: i64"`, `"left?"`, `"kind: _"`.
fn without_override(name: Symbol) -> Symbol {
    let text = name.as_str();
    let end = text.find(['!', '?', ':']).unwrap_or(text.len());
    Symbol::new(text[..end].trim())
}

/// Adds the conditions of the joins: comparisons with values where they narrow the rows, else what they mention.
pub(super) fn joins(table: &TableWithJoins, cx: &mut Cx<'_, '_>, into: &mut Vec<Predicate>) {
    if let TableFactor::NestedJoin { table_with_joins, .. } = &table.relation {
        joins(table_with_joins, cx, into);
    }
    for join in &table.joins {
        let (kind, constraint) = match &join.join_operator {
            JoinOperator::Join(c)
            | JoinOperator::Inner(c)
            | JoinOperator::CrossJoin(c)
            | JoinOperator::StraightJoin(c) => (JoinKind::Inner, c),
            JoinOperator::Left(c)
            | JoinOperator::LeftOuter(c)
            | JoinOperator::Right(c)
            | JoinOperator::RightOuter(c)
            | JoinOperator::FullOuter(c) => (JoinKind::Outer, c),
            _ => continue,
        };
        match constraint {
            JoinConstraint::On(condition) => on(condition, kind, cx, into),
            JoinConstraint::Using(names) => {
                let names = names.iter().filter_map(|name| cx.lowering.table_name(name));
                into.push(Predicate::Other {
                    columns: names.map(|name| Column { table: None, name }).collect(),
                    params: Vec::new(),
                });
            }
            _ => {}
        }
    }
}

fn on(condition: &Expr, kind: JoinKind, cx: &mut Cx<'_, '_>, into: &mut Vec<Predicate>) {
    let mut found = Vec::new();
    cx.conjunction(condition, &mut found);
    for predicate in found {
        let narrows = kind == JoinKind::Inner && !joins_columns(&predicate);
        into.push(if narrows { predicate } else { weakened(predicate) });
    }
}

fn joins_columns(predicate: &Predicate) -> bool {
    matches!(predicate, Predicate::Compare { right: Operand::Column(_), .. })
}

/// What a predicate mentions, when it is no filter of its own.
fn weakened(predicate: Predicate) -> Predicate {
    match predicate {
        Predicate::Compare { column, right, .. } => {
            let (mut columns, mut params) = (vec![column], Vec::new());
            match right {
                Operand::Column(other) => columns.push(other),
                Operand::Param(param) => params.push(param),
                Operand::Expr { columns: more, params: used, .. } => {
                    columns.extend(more);
                    params.extend(used);
                }
                _ => {}
            }
            Predicate::Other { columns, params }
        }
        other => other,
    }
}

/// LIMIT and row locks, which stand after the body.
fn tail(query: &ast::Query, out: &mut Statement) {
    if let Some(limit) = limit(query) {
        out.limit = Some(limit);
    }
    if let Some(lock) = query.locks.first() {
        out.lock = Some(RowLock {
            shared: query.locks.iter().all(|lock| lock.lock_type == ast::LockType::Share),
            skip_locked: lock.nonblock == Some(ast::NonBlock::SkipLocked),
            nowait: lock.nonblock == Some(ast::NonBlock::Nowait),
        });
    }
}

/// The bound on the number of rows; 0 where it is no literal.
fn limit(query: &ast::Query) -> Option<u64> {
    let number = |expr: &Expr| literal(expr).and_then(|text| text.as_str().parse().ok()).unwrap_or(0);
    match &query.limit_clause {
        Some(
            ast::LimitClause::LimitOffset { limit: Some(limit), .. } | ast::LimitClause::OffsetCommaLimit { limit, .. },
        ) => Some(number(limit)),
        _ => query.fetch.as_ref().map(|fetch| fetch.quantity.as_ref().map_or(1, number)),
    }
}
