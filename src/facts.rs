//! Facts about the whole program: who writes which column, which functions call which, what is a test.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::flow::event::{EventKind, Summary};
use crate::flow::value::Value;
use crate::intern::Symbol;
use crate::resolve::{CrateRole, FnId, Program};
use crate::sql::{ConflictAction, Kind, Statement};

#[derive(Debug, Default)]
pub struct Facts {
    /// Columns that an UPDATE (or an upsert) somewhere sets.
    updated: HashSet<(Symbol, Symbol)>,
    /// Tables of which some write could not be told apart by columns.
    updated_whole: HashSet<Symbol>,
    /// Some write names no table.
    dynamic: bool,
    deleted: HashSet<Symbol>,
    /// Whom each function is called by, tests left out.
    pub callers: HashMap<FnId, Vec<FnId>>,
}

impl Facts {
    pub fn collect(program: &Program, summaries: &[Option<Arc<Summary>>]) -> Facts {
        let mut facts = Facts::default();
        for (index, summary) in summaries.iter().enumerate() {
            let id = FnId(index as u32);
            let Some(summary) = summary else { continue };
            if is_test(program, id) {
                continue;
            }
            facts.callers_of(program, id);
            for event in &summary.events {
                if let EventKind::Sql(sql) = &event.kind {
                    facts.add_statement(&sql.statement, sql.whole.is_some_and(|whole| is_written(summary, whole)));
                }
            }
        }
        facts
    }

    fn callers_of(&mut self, program: &Program, id: FnId) {
        let typed = program.typed(id);
        let mut called: Vec<FnId> =
            typed.targets.values().flat_map(|target| target.functions.iter().copied()).collect();
        called.extend(typed.defs.values().filter_map(|def| match def {
            crate::resolve::Def::Fn(function) => Some(*function),
            _ => None,
        }));
        called.sort();
        called.dedup();
        for function in called {
            self.callers.entry(function).or_default().push(id);
        }
    }

    fn add_statement(&mut self, statement: &Statement, whole: bool) {
        for part in statement.walk() {
            let Some(table) = part.table else {
                self.dynamic |= matches!(part.kind, Kind::Update | Kind::Unknown)
                    && part.evidence != crate::sql::Evidence::Parsed
                    && part.kind != Kind::Unknown;
                continue;
            };
            match part.kind {
                Kind::Update => self.updated.extend(part.sets.iter().map(|set| (table, set.column))),
                Kind::Delete => {
                    self.deleted.insert(table);
                }
                Kind::Insert => match part.conflict.as_ref().map(|conflict| &conflict.action) {
                    Some(ConflictAction::Update { sets, .. }) => {
                        self.updated.extend(sets.iter().map(|set| (table, set.column)))
                    }
                    Some(ConflictAction::Replace) => {
                        self.updated.extend(part.sets.iter().map(|set| (table, set.column)));
                    }
                    _ => {}
                },
                _ => {}
            }
            if whole
                && matches!(part.kind, Kind::Update | Kind::Insert)
                && (part.kind == Kind::Update || part.conflict.is_some())
            {
                self.updated_whole.insert(table);
            }
        }
    }

    /// Whether anything in the program may change the column of a row that is there.
    pub fn is_updated(&self, table: Symbol, column: Symbol) -> bool {
        self.dynamic || self.updated_whole.contains(&table) || self.updated.contains(&(table, column))
    }

    pub fn is_deleted(&self, table: Symbol) -> bool {
        self.dynamic || self.deleted.contains(&table)
    }
}

fn is_written(summary: &Summary, whole: crate::flow::value::ValueId) -> bool {
    !matches!(summary.arena.get(whole), Value::Unknown(_))
}

/// In a test, or in code that only builds, shows or measures.
pub fn is_test(program: &Program, id: FnId) -> bool {
    let def = program.function(id);
    def.test || !matches!(program.crates[def.krate.0 as usize].role, CrateRole::Library | CrateRole::Binary)
}
