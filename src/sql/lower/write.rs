//! INSERT, UPDATE, DELETE, MERGE.

use sqlparser::ast::{
    self, AssignmentTarget, Expr, MergeAction, MergeInsertKind, MergeUpdateKind, OnConflictAction, OnInsert,
    SelectItem, SetExpr,
};

use super::operand::{EXCLUDED, arguments, bare, function_name, literal};
use super::query::joins;
use super::scope::{Cx, Rows, Scope};
use super::{Lowering, gather_reads};
use crate::intern::Symbol;
use crate::sql::{Assign, Column, Conflict, ConflictAction, Kind, Operand, Statement};

impl Lowering<'_> {
    pub(super) fn update(&self, update: &ast::Update, parent: Option<&Scope<'_>>, out: &mut Statement) {
        out.kind = Kind::Update;
        let mut scope = Scope::within(parent);
        self.add_tables(&update.table, &mut scope, out);
        let from = match &update.from {
            Some(ast::UpdateTableFromKind::BeforeSet(tables) | ast::UpdateTableFromKind::AfterSet(tables)) => {
                tables.as_slice()
            }
            None => &[],
        };
        from.iter().for_each(|table| self.add_tables(table, &mut scope, out));
        out.limit = update.limit.as_ref().map(number);
        self.with_cx(&scope, out, |cx, out| {
            cx.assignments(&update.assignments, &mut out.sets);
            if let Some(selection) = &update.selection {
                cx.conjunction(selection, &mut out.filters);
            }
            for table in std::iter::once(&update.table).chain(from) {
                joins(table, cx, &mut out.filters);
            }
            returning(update.returning.as_deref(), update.output.as_ref(), cx, out);
        });
    }

    pub(super) fn delete(&self, delete: &ast::Delete, parent: Option<&Scope<'_>>, out: &mut Statement) {
        out.kind = Kind::Delete;
        let mut scope = Scope::within(parent);
        let (ast::FromTable::WithFromKeyword(tables) | ast::FromTable::WithoutKeyword(tables)) = &delete.from;
        let using = delete.using.as_deref().unwrap_or_default();
        tables.iter().chain(using).for_each(|table| self.add_tables(table, &mut scope, out));
        // MySQL's `DELETE a FROM a JOIN b` names what it deletes from by alias.
        if let Some(target) = delete.tables.first().and_then(|name| self.table_name(name)) {
            out.table = scope.column(Some(target), target).table;
        }
        out.limit = delete.limit.as_ref().map(number);
        self.with_cx(&scope, out, |cx, out| {
            if let Some(selection) = &delete.selection {
                cx.conjunction(selection, &mut out.filters);
            }
            tables.iter().chain(using).for_each(|table| joins(table, cx, &mut out.filters));
            returning(delete.returning.as_deref(), delete.output.as_ref(), cx, out);
        });
    }

    pub(super) fn insert(&self, insert: &ast::Insert, parent: Option<&Scope<'_>>, out: &mut Statement) {
        out.kind = Kind::Insert;
        out.table = match &insert.table {
            ast::TableObject::TableName(name) => self.table_name(name),
            _ => None,
        };
        let columns: Vec<Symbol> = match insert.columns.as_slice() {
            // A hole alone is a list.
            [only] if self.hole(only).is_some() => vec![every()],
            several => several.iter().map(|name| self.table_name(name).unwrap_or_else(every)).collect(),
        };
        let mut scope = Scope::within(parent);
        if let Some(source) = &insert.source {
            self.source(source, &columns, &scope, out);
        }
        let alias = insert.table_alias.as_ref().and_then(|alias| self.name(&alias.alias));
        scope.add(alias.or(out.table).unwrap_or_else(|| Symbol::new("")), Rows::Table(out.table));
        let new = insert.insert_alias.as_ref().and_then(|alias| self.table_name(&alias.row_alias));
        scope.add(new.unwrap_or_else(|| Symbol::new(EXCLUDED)), Rows::Table(Some(Symbol::new(EXCLUDED))));
        self.with_cx(&scope, out, |cx, out| {
            cx.assignments(&insert.assignments, &mut out.sets);
            out.conflict = cx.conflict(insert);
            returning(insert.returning.as_deref(), insert.output.as_ref(), cx, out);
        });
    }

    /// The rows of an INSERT: the first row of VALUES, or what a SELECT gives for each column.
    fn source(&self, source: &ast::Query, columns: &[Symbol], scope: &Scope<'_>, out: &mut Statement) {
        if let (SetExpr::Values(values), None) = (&*source.body, &source.with) {
            let Some(row) = values.rows.first() else { return };
            return self.with_cx(scope, out, |cx, out| {
                let values: Vec<Operand> = row.content.iter().map(|value| cx.operand(value)).collect();
                out.sets.extend(named_values(columns, values));
            });
        }
        let (statement, values) = self.query_with_values(source, scope);
        // `SELECT *` and UNION do not say what goes where.
        let unknown =
            Operand::Expr { columns: Vec::new(), params: Vec::new(), text: Symbol::new("select"), subselect: true };
        let known = if columns.is_empty() { !values.is_empty() } else { values.len() == columns.len() };
        let values = if known { values } else { vec![unknown; columns.len().max(1)] };
        out.sets.extend(named_values(columns, values));
        out.inner.push(statement);
        out.source = Some(out.inner.len() - 1);
    }

    pub(super) fn merge(&self, merge: &ast::Merge, parent: Option<&Scope<'_>>, out: &mut Statement) {
        let mut scope = Scope::within(parent);
        self.add_factor(&merge.table, &mut scope, out);
        self.add_factor(&merge.source, &mut scope, out);
        out.kind = Kind::Insert;
        self.with_cx(&scope, out, |cx, out| {
            cx.conjunction(&merge.on, &mut out.filters);
            for clause in &merge.clauses {
                match &clause.action {
                    MergeAction::Update(update) => {
                        out.kind = Kind::Update;
                        if let MergeUpdateKind::Set(assignments) = &update.kind {
                            cx.assignments(assignments, &mut out.sets);
                        }
                    }
                    MergeAction::Delete { .. } if out.kind == Kind::Insert => out.kind = Kind::Delete,
                    MergeAction::Insert(insert) if out.sets.is_empty() => {
                        let columns: Vec<Symbol> =
                            insert.columns.iter().filter_map(|name| self.table_name(name)).collect();
                        if let MergeInsertKind::Values(values) = &insert.kind {
                            let row = values.rows.first().map(|row| row.content.as_slice()).unwrap_or_default();
                            let values = row.iter().map(|value| cx.operand(value)).collect();
                            out.sets.extend(named_values(&columns, values));
                        }
                    }
                    _ => {}
                }
            }
            returning(None, merge.output.as_ref(), cx, out);
        });
    }

    /// The parameter of a name that is a hole and nothing else.
    fn hole(&self, name: &ast::ObjectName) -> Option<u16> {
        let ident = name.0.last()?.as_ident()?;
        self.names.param(&ident.value)
    }

    /// Lends `out.inner` to a context while `out` is filled.
    fn with_cx(&self, scope: &Scope<'_>, out: &mut Statement, fill: impl FnOnce(&mut Cx<'_, '_>, &mut Statement)) {
        let mut inner = std::mem::take(&mut out.inner);
        let mut cx = Cx { lowering: self, scope, own: out.table, inner: &mut inner };
        fill(&mut cx, out);
        out.inner = inner;
        gather_reads(out);
    }
}

impl Cx<'_, '_> {
    pub fn assignments(&mut self, assignments: &[ast::Assignment], into: &mut Vec<Assign>) {
        for assignment in assignments {
            match &assignment.target {
                AssignmentTarget::ColumnName(name) => {
                    let assign = self.assign(name, &assignment.value);
                    into.push(assign);
                }
                AssignmentTarget::Tuple(names) => {
                    let values: Vec<&Expr> = match bare(&assignment.value) {
                        Expr::Tuple(values) if values.len() == names.len() => values.iter().collect(),
                        whole => vec![whole; names.len()],
                    };
                    for (name, value) in names.iter().zip(values) {
                        let assign = self.assign(name, value);
                        into.push(assign);
                    }
                }
            }
        }
    }

    fn assign(&mut self, name: &ast::ObjectName, value: &Expr) -> Assign {
        let hole = self.lowering.hole(name);
        let value = self.operand(value);
        // `SET {}` was made an assignment of the hole to itself.
        let is_list = hole.is_some_and(|hole| value == Operand::Param(hole));
        let column = self.lowering.table_name(name).filter(|_| !is_list).unwrap_or_else(every);
        let is_target = |c: &Column| c.name == column && (c.table.is_none() || c.table == self.own);
        let relative = match &value {
            Operand::Column(mentioned) => is_target(mentioned),
            Operand::Expr { columns, params, .. } => {
                columns.iter().any(is_target) || hole.is_some_and(|hole| params.contains(&hole))
            }
            _ => false,
        };
        Assign { column, value, relative }
    }

    fn conflict(&mut self, insert: &ast::Insert) -> Option<Conflict> {
        let plain = |action| Some(Conflict { columns: Vec::new(), action });
        if insert.replace_into || insert.or == Some(ast::SqliteOnConflict::Replace) {
            return plain(ConflictAction::Replace);
        }
        match &insert.on {
            Some(OnInsert::DuplicateKeyUpdate(assignments)) => {
                if assignments.iter().all(|assignment| self.changes_nothing(assignment)) {
                    return plain(ConflictAction::Nothing);
                }
                let mut sets = Vec::new();
                self.assignments(assignments, &mut sets);
                plain(ConflictAction::Update { sets, filter: Vec::new() })
            }
            Some(OnInsert::OnConflict(on)) => {
                let columns = match &on.conflict_target {
                    Some(ast::ConflictTarget::Columns { columns, .. }) => {
                        columns.iter().filter_map(|column| self.lowering.name(column)).collect()
                    }
                    _ => Vec::new(),
                };
                Some(Conflict { columns, action: self.conflict_action(&on.action) })
            }
            _ if insert.ignore || insert.or == Some(ast::SqliteOnConflict::Ignore) => plain(ConflictAction::Nothing),
            _ => None,
        }
    }

    fn conflict_action(&mut self, action: &OnConflictAction) -> ConflictAction {
        let OnConflictAction::DoUpdate(update) = action else { return ConflictAction::Nothing };
        let (mut sets, mut filter) = (Vec::new(), Vec::new());
        self.assignments(&update.assignments, &mut sets);
        if let Some(selection) = &update.selection {
            self.conjunction(selection, &mut filter);
        }
        ConflictAction::Update { sets, filter }
    }

    /// `id = id` and `id = LAST_INSERT_ID(id)`: MySQL's ways to say DO NOTHING.
    fn changes_nothing(&self, assignment: &ast::Assignment) -> bool {
        let AssignmentTarget::ColumnName(name) = &assignment.target else { return false };
        let target = self.lowering.table_name(name);
        let value = match bare(&assignment.value) {
            Expr::Function(function) if function_name(function) == "last_insert_id" => {
                arguments(function).first().copied()
            }
            other => Some(other),
        };
        let column = value.and_then(|value| self.column(value));
        column.is_some_and(|column| Some(column.name) == target && column.table.is_none_or(|table| table != EXCLUDED))
    }
}

/// The columns that cannot be told, all of them at worst.
fn every() -> Symbol {
    Symbol::new("*")
}

/// Values with the columns they go to; without a list of columns each goes to `*`.
fn named_values(columns: &[Symbol], values: Vec<Operand>) -> impl Iterator<Item = Assign> {
    let names: Vec<Symbol> = (0..values.len()).map(|i| columns.get(i).copied().unwrap_or_else(every)).collect();
    names.into_iter().zip(values).map(|(column, value)| Assign { column, value, relative: false })
}

fn returning(
    items: Option<&[SelectItem]>,
    output: Option<&ast::OutputClause>,
    cx: &mut Cx<'_, '_>,
    out: &mut Statement,
) {
    let items = match output {
        Some(ast::OutputClause::Output { select_items, .. } | ast::OutputClause::Returning { select_items, .. }) => {
            Some(select_items.as_slice())
        }
        None => items,
    };
    let Some(items) = items else { return };
    out.returning = true;
    for item in items {
        let lowering = cx.lowering;
        lowering.projection(item, cx, &mut out.projections, None);
    }
}

fn number(expr: &Expr) -> u64 {
    literal(expr).and_then(|text| text.as_str().parse().ok()).unwrap_or(0)
}
