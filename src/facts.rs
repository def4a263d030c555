//! Facts about the whole program: who writes which column, which functions call which, what is a test.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::flow::event::{EventKind, SqlEvent, Summary};
use crate::flow::value::{Value, ValueId};
use crate::intern::Symbol;
use crate::ir::{ExprId, ExprKind, Lit};
use crate::models::Models;
use crate::models::row::TypeRole;
use crate::resolve::{CrateRole, FnId, Program, Ty};
use crate::sql::{Assign, ConflictAction, Evidence, Kind, Operand, Statement};

#[derive(Debug, Default)]
pub struct Facts {
    /// Columns that an UPDATE (or an upsert) somewhere sets.
    updated: HashSet<(Symbol, Symbol)>,
    /// Tables of which some write could not be told apart by columns.
    updated_whole: HashSet<Symbol>,
    /// Some write names no table.
    dynamic: bool,
    deleted: HashSet<Symbol>,
    /// The literals that an UPDATE somewhere sets a column to.
    states: HashMap<(Symbol, Symbol), Vec<Symbol>>,
    /// Whom each function is called by, tests left out. To be named, as a router names its handlers, is not to be called.
    pub callers: HashMap<FnId, Vec<FnId>>,
    /// Every semaphore that is made has several permits, or as many as somebody sets: none is a lock.
    pub permits_are_many: bool,
}

impl Facts {
    pub fn collect(program: &Program, models: &Models, summaries: &[Option<Arc<Summary>>]) -> Facts {
        let mut facts = Facts::default();
        let ids = || (0..summaries.len() as u32).map(FnId).filter(|id| !is_test(program, *id));
        let made: Vec<bool> = ids().flat_map(|id| one_permit(program, models, id)).collect();
        facts.permits_are_many = !made.is_empty() && !made.contains(&true);
        for id in ids().filter(|id| summaries[id.0 as usize].is_some()) {
            facts.callers_of(program, id);
        }
        for id in ids() {
            let Some(summary) = &summaries[id.0 as usize] else { continue };
            let passed_in = facts.callers.contains_key(&id);
            for event in &summary.events {
                if let EventKind::Sql(sql) = &event.kind {
                    facts.add_states(summary, sql);
                    facts.add_write(program, summary, sql, passed_in);
                }
            }
        }
        facts
    }

    fn add_states(&mut self, summary: &Summary, sql: &SqlEvent) {
        for part in sql.statement.walk().filter(|part| part.kind == Kind::Update) {
            let Some(table) = part.table else { continue };
            for set in &part.sets {
                let given = |n: u16| sql.args.get(usize::from(n)).copied().flatten();
                let state = match &set.value {
                    Operand::Literal(text) => Some(*text),
                    Operand::Param(n) => given(*n).and_then(|value| match summary.arena.get(value) {
                        Value::Lit(text) | Value::Const(text) => Some(*text),
                        _ => None,
                    }),
                    _ => None,
                };
                self.states.entry((table, set.column)).or_default().extend(state);
            }
        }
    }

    /// Notes what a write changes. What a function only passes on is judged where its callers say what it is; what is written back as it was read
    /// changes nothing.
    fn add_write(&mut self, program: &Program, summary: &Summary, sql: &SqlEvent, passed_in: bool) {
        let kept = |value: ValueId| is_copy(summary, value) || passed_in && is_input(summary, value);
        for part in sql.statement.walk() {
            let Some(table) = part.table else {
                // A write whose table is only known at run time may be to any.
                self.dynamic |= part.kind == Kind::Update && part.evidence != Evidence::Parsed;
                continue;
            };
            if part.kind == Kind::Insert && is_new(program, summary, sql, part) {
                continue;
            }
            let conflict = match part.conflict.as_ref().map(|conflict| &conflict.action) {
                // The whole row that is inserted is put over the one that is there.
                Some(ConflictAction::Update { sets, .. }) if sets.iter().any(|set| set.column == "*") => &part.sets,
                Some(ConflictAction::Update { sets, .. }) => sets.as_slice(),
                Some(ConflictAction::Replace) => part.sets.as_slice(),
                _ => &[],
            };
            let sets: &[Assign] = if part.kind == Kind::Update { &part.sets } else { conflict };
            for set in sets {
                let value = match &set.value {
                    Operand::Param(n) => sql.args.get(*n as usize).copied().flatten(),
                    Operand::Excluded(column) => inserted(sql, part, *column),
                    _ => None,
                };
                if !value.is_some_and(kept) {
                    self.updated.insert((table, set.column));
                }
            }
            if part.kind == Kind::Delete {
                self.deleted.insert(table);
            }
            let overwrites = part.kind == Kind::Update || part.kind == Kind::Insert && part.conflict.is_some();
            if overwrites
                && sql.whole.is_some_and(|whole| !kept(whole) && !matches!(summary.arena.get(whole), Value::Unknown(_)))
            {
                self.updated_whole.insert(table);
            }
        }
    }

    fn callers_of(&mut self, program: &Program, id: FnId) {
        let typed = program.typed(id);
        let mut called: Vec<FnId> =
            typed.targets.values().flat_map(|target| target.functions.iter().copied()).collect();
        called.sort();
        called.dedup();
        for function in called {
            self.callers.entry(function).or_default().push(id);
        }
    }

    /// Whether anything in the program may change the column of a row that is there.
    pub fn is_updated(&self, table: Symbol, column: Symbol) -> bool {
        self.dynamic || self.updated_whole.contains(&table) || self.updated.contains(&(table, column))
    }

    /// The literals and constants that some UPDATE sets the column to.
    pub fn states(&self, table: Symbol, column: Symbol) -> impl Iterator<Item = Symbol> {
        self.states.get(&(table, column)).into_iter().flatten().copied()
    }

    pub fn is_deleted(&self, table: Symbol) -> bool {
        self.dynamic || self.deleted.contains(&table)
    }
}

/// The semaphores that a function makes: whether each may have a single permit.
fn one_permit(program: &Program, models: &Models, id: FnId) -> Vec<bool> {
    let Some(body) = program.source(id).body.as_ref() else { return Vec::new() };
    let typed = program.typed(id);
    let calls = body.exprs.iter().enumerate().filter_map(|(index, expr)| match &expr.kind {
        ExprKind::Call { args, .. } => Some((ExprId(index as u32), args)),
        _ => None,
    });
    let made = calls.filter(|(call, _)| match typed.expr(*call) {
        Ty::Ext(path, _) => models.type_role(path.as_str()) == Some(TypeRole::Semaphore),
        _ => false,
    });
    made.map(|(_, args)| match args.as_slice() {
        [permits] => match &body.expr(*permits).kind {
            ExprKind::Lit(Lit::Int(number)) => *number == 1,
            kind => matches!(kind, ExprKind::Path(_)),
        },
        _ => true,
    })
    .collect()
}

/// The value that an INSERT has for a column.
fn inserted(sql: &SqlEvent, statement: &Statement, column: Symbol) -> Option<ValueId> {
    match &statement.sets.iter().find(|set| set.column == column)?.value {
        Operand::Param(n) => sql.args.get(*n as usize).copied().flatten(),
        _ => None,
    }
}

/// The key that the row is inserted under was made here: no row has it yet.
fn is_new(program: &Program, summary: &Summary, sql: &SqlEvent, statement: &Statement) -> bool {
    let target = statement.conflict.as_ref().map(|conflict| conflict.columns.as_slice()).unwrap_or_default();
    let declared = program.tables.iter().find(|def| Some(def.name) == statement.table).map(|def| def.keys.as_slice());
    let keys = if target.is_empty() { declared.unwrap_or_default() } else { target };
    let made = |key: &Symbol| inserted(sql, statement, *key).is_some_and(|value| is_made(summary, value, 4));
    !keys.is_empty() && keys.iter().any(made)
}

/// It comes from nowhere in the program: an id or a token that a library makes up.
fn is_made(summary: &Summary, value: ValueId, depth: u32) -> bool {
    if depth == 0 {
        return false;
    }
    match summary.arena.get(value) {
        Value::Unknown(_) => true,
        Value::Wrap(_, inner) => is_made(summary, *inner, depth - 1),
        Value::Record { fields, base: None, .. } => {
            !fields.is_empty() && fields.iter().all(|(_, field)| is_made(summary, *field, depth - 1))
        }
        _ => false,
    }
}

/// What was read from a row, unchanged.
fn is_copy(summary: &Summary, value: ValueId) -> bool {
    let root = root(summary, value);
    match summary.arena.get(root) {
        Value::Outcome(event) => matches!(summary.events[event.0 as usize].kind, EventKind::Sql(_)),
        Value::Phi(arms) => arms.iter().all(|(_, arm)| *arm != root && is_copy(summary, *arm)),
        Value::Const(path) => *path == "None",
        _ => false,
    }
}

/// A parameter, or a part of one.
fn is_input(summary: &Summary, value: ValueId) -> bool {
    matches!(summary.arena.get(root(summary, value)), Value::Param(_))
}

fn root(summary: &Summary, value: ValueId) -> ValueId {
    let mut at = value;
    for _ in 0..12 {
        at = match summary.arena.get(at) {
            Value::Field(base, _) | Value::Element(base) | Value::Wrap(_, base) | Value::Content(base) => *base,
            _ => return at,
        };
    }
    at
}

/// In a test, or in code that only builds, shows or measures.
pub fn is_test(program: &Program, id: FnId) -> bool {
    let def = program.function(id);
    def.test || !matches!(program.crates[def.krate.0 as usize].role, CrateRole::Library | CrateRole::Binary)
}
