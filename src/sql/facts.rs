//! Questions that a [`Statement`] answers about itself.

use super::{Column, Conflict, ConflictAction, Kind, Op, Operand, Predicate, Statement};
use crate::intern::Symbol;

impl Statement {
    /// The columns of the statement's own table that pick its rows: compared by `=`, `IN` or `IS NULL` with a value that the table does not give.
    pub fn key_columns(&self) -> Vec<Symbol> {
        let mut found = Vec::new();
        for predicate in &self.filters {
            if let Predicate::Compare { column, op: Op::Eq | Op::In | Op::IsNull, right } = predicate
                && self.is_own(column)
                && !matches!(right, Operand::Column(other) if self.is_own(other))
            {
                push_new(&mut found, column.name);
            }
        }
        found
    }

    /// Whether some condition of the statement compares or mentions the column of its own table.
    pub fn compares(&self, column: &str) -> bool {
        self.filters
            .iter()
            .any(|predicate| mentions(predicate, &|mentioned| mentioned.name == column && self.is_own(mentioned)))
    }

    /// The columns the statement writes, those of an upsert included. `*` stands for columns that the text does not name.
    pub fn writes(&self) -> Vec<Symbol> {
        let mut found = Vec::new();
        self.sets.iter().for_each(|set| push_new(&mut found, set.column));
        if let Some(Conflict { action: ConflictAction::Update { sets, .. }, .. }) = &self.conflict {
            sets.iter().for_each(|set| push_new(&mut found, set.column));
        }
        found
    }

    /// Whether it changes rows, by itself or in a CTE.
    pub fn is_write(&self) -> bool {
        self.walk().any(|statement| matches!(statement.kind, Kind::Insert | Kind::Update | Kind::Delete))
    }

    /// The statement that says what the text is about: a data-modifying CTE under a SELECT; the statement inside `SELECT EXISTS (…)`, `SELECT (SELECT …)`
    /// and `SELECT … FROM (…)`; else the statement itself.
    pub fn effective(&self) -> &Statement {
        if self.kind != Kind::Select {
            return self;
        }
        if let Some(writing) = self.inner.iter().find(|inner| inner.is_write()) {
            return writing.effective();
        }
        let reads_by_itself = !self.filters.is_empty() || self.lock.is_some() || self.own_reads().next().is_some();
        match self.inner.as_slice() {
            [only] if !reads_by_itself => only.effective(),
            _ => self,
        }
    }

    /// Every column whose value the statement looks at: results, conditions, and what it computes its writes from; inner statements too.
    /// `*` stands for all columns of a table.
    pub fn read_columns(&self) -> Vec<Column> {
        let mut found = Vec::new();
        for statement in self.walk() {
            statement
                .projections
                .iter()
                .for_each(|p| p.columns.iter().for_each(|column| push_new(&mut found, *column)));
            statement.filters.iter().for_each(|predicate| columns_of(predicate, &mut found));
            statement.sets.iter().for_each(|set| operand_columns(&set.value, &mut found));
            if let Some(Conflict { action: ConflictAction::Update { sets, filter }, .. }) = &statement.conflict {
                sets.iter().for_each(|set| operand_columns(&set.value, &mut found));
                filter.iter().for_each(|predicate| columns_of(predicate, &mut found));
            }
        }
        found
    }

    /// Whether the statement reads the column `name` of `table`, by name or through `*`.
    pub fn reads_column(&self, table: Symbol, name: &str) -> bool {
        let matches =
            |column: &Column| column.table.is_none_or(|of| of == table) && (column.name == name || column.name == "*");
        self.read_columns().iter().any(matches)
    }

    /// The statement and all those inside it, outermost first.
    pub fn walk(&self) -> impl Iterator<Item = &Statement> {
        let mut left_to_do = vec![self];
        std::iter::from_fn(move || {
            let next = left_to_do.pop()?;
            left_to_do.extend(next.inner.iter().rev());
            Some(next)
        })
    }

    /// Whether a column is of the statement's own table; one of an unknown table may be.
    fn is_own(&self, column: &Column) -> bool {
        column.table.is_none() || column.table == self.table
    }

    /// The tables that the statement reads outside its inner statements.
    fn own_reads(&self) -> impl Iterator<Item = &Symbol> {
        self.reads.iter().filter(|table| !self.inner.iter().any(|inner| inner.reads.contains(table)))
    }
}

impl Predicate {
    /// The columns that the condition mentions, of its operands too.
    pub fn columns(&self) -> Vec<Column> {
        let mut found = Vec::new();
        columns_of(self, &mut found);
        found
    }
}

fn push_new<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        list.push(item);
    }
}

fn mentions(predicate: &Predicate, wanted: &dyn Fn(&Column) -> bool) -> bool {
    predicate.columns().iter().any(wanted)
}

fn operand_columns(operand: &Operand, into: &mut Vec<Column>) {
    match operand {
        Operand::Column(column) => push_new(into, *column),
        Operand::Expr { columns, .. } => columns.iter().for_each(|column| push_new(into, *column)),
        Operand::Param(_) | Operand::Literal(_) | Operand::Excluded(_) | Operand::Generated(_) => {}
    }
}

fn columns_of(predicate: &Predicate, into: &mut Vec<Column>) {
    match predicate {
        Predicate::Compare { column, right, .. } => {
            push_new(into, *column);
            operand_columns(right, into);
        }
        Predicate::Or(members) | Predicate::And(members) => members.iter().for_each(|member| columns_of(member, into)),
        Predicate::Other { columns, .. } => columns.iter().for_each(|column| push_new(into, *column)),
        Predicate::Exists { .. } => {}
    }
}
