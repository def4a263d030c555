//! SQL text → [`Statement`]: what one statement reads, compares, writes and locks.
//!
//! A leaf of the crate: it knows nothing of Rust, of schemas or of handles. Query builders fill the same type step by step, so that a
//! `SELECT … FOR UPDATE` means the same whether it was written as text, as a diesel expression or as a sea-orm chain.

mod control;
mod dialect;
mod facts;
mod lower;
mod names;
mod parse;
mod prepare;
mod scan;
pub(crate) mod split;
#[cfg(test)]
mod tests;
pub(crate) mod token;

use serde::{Deserialize, Serialize};

use crate::intern::Symbol;

pub use parse::{parse, parse_all};

/// Which grammar and which rules of locking a text follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    #[default]
    Unknown,
    Postgres,
    Mysql,
    Sqlite,
}

/// What kind of statement a text is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Kind {
    Select,
    Insert,
    Update,
    Delete,
    /// `BEGIN`, `START TRANSACTION`, with the level it names; SQLite's `IMMEDIATE` and `EXCLUSIVE` are told apart.
    Begin(Isolation),
    Commit,
    Rollback,
    /// SAVEPOINT, RELEASE, ROLLBACK TO: the transaction goes on.
    Savepoint,
    /// `SET TRANSACTION ISOLATION LEVEL …`, and the session-wide form.
    SetIsolation(Isolation),
    /// `SET LOCAL …`
    SetLocal,
    /// `LOCK TABLE …`, `LOCK TABLES …`
    LockTable,
    /// CREATE, ALTER, DROP and their like.
    Ddl,
    /// Understood and of no interest (PRAGMA, EXPLAIN, NOTIFY …).
    Other,
    /// Not understood; [`Statement::evidence`] is then `Scanned` or `Unknown`.
    #[default]
    Unknown,
}

/// An isolation level, or SQLite's way to begin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    #[default]
    Default,
    ReadUncommitted,
    ReadCommitted,
    RepeatableRead,
    Serializable,
    /// The write lock is taken at once: SQLite `BEGIN IMMEDIATE` or `BEGIN EXCLUSIVE`, and embedded stores with one writer. Nothing can be lost at the commit.
    Immediate,
}

/// How far the facts of a statement can be trusted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Evidence {
    /// The text was not available (built at run time), or nothing was recognised in it.
    #[default]
    Unknown,
    /// The parser refused the text; a tolerant scan found kind, table and some columns.
    Scanned,
    /// Parsed, but with holes: an interpolated `{}` stands for a table or a piece of the text.
    Partial,
    /// Parsed whole.
    Parsed,
}

/// A column as a statement names it. `table` is the real table (aliases resolved), when it can be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Column {
    pub table: Option<Symbol>,
    pub name: Symbol,
}

/// One side of a comparison or the right side of an assignment.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Operand {
    /// A bound value, by its place in [`crate::sql::Statement::params`] order, from 0.
    Param(u16),
    /// A literal as written, normalised: strings without quotes, keywords in lower case (`null`, `true`).
    Literal(Symbol),
    Column(Column),
    /// Anything computed; with the columns and parameters it mentions. `subselect` when it reads rows itself.
    Expr {
        columns: Vec<Column>,
        params: Vec<u16>,
        text: Symbol,
        subselect: bool,
    },
    /// `EXCLUDED.x`, `VALUES(x)`: the row that was to be inserted.
    Excluded(Symbol),
    /// `DEFAULT`, `nextval(…)`, `gen_random_uuid()`, `now()`: made by the database.
    Generated(Symbol),
}

/// A comparison operator; text is folded (`<>` is `Ne`, `IS` with a value is `Eq`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    In,
    NotIn,
    IsNull,
    IsNotNull,
    Like,
    /// Any other test (BETWEEN, a function, JSON operators).
    Other,
}

/// A condition of WHERE (or of ON, HAVING).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Predicate {
    /// `column op right`. A comparison written the other way round is turned, `c - x >= y` too. A bare boolean column is `Eq true`, `NOT c` is `Eq false`.
    /// Casts are looked through, and so are `lower(c)`, `upper(c)`, `trim(c)`.
    Compare { column: Column, op: Op, right: Operand },
    /// A list with one of its members holding.
    Or(Vec<Predicate>),
    /// Members that hold together, inside an `Or`.
    And(Vec<Predicate>),
    /// `EXISTS (SELECT …)` or `NOT EXISTS`; the inner statement is also in [`Statement::inner`].
    Exists { negated: bool, inner: usize },
    /// Anything else; with the columns and parameters it mentions.
    Other { columns: Vec<Column>, params: Vec<u16> },
}

/// One column that a statement sets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Assign {
    pub column: Symbol,
    pub value: Operand,
    /// The new value is computed by the database from the old one (`quantity = quantity - 1`).
    pub relative: bool,
}

/// A row lock taken by a SELECT.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RowLock {
    /// `FOR SHARE`, `FOR KEY SHARE`, `LOCK IN SHARE MODE`.
    pub shared: bool,
    pub skip_locked: bool,
    pub nowait: bool,
}

/// What an INSERT does when it meets a row that is there.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Conflict {
    /// The columns of the conflict target, those inside expressions too; empty for `ON CONFLICT DO NOTHING`, `ON CONSTRAINT`, `INSERT IGNORE`,
    /// `ON DUPLICATE KEY`.
    pub columns: Vec<Symbol>,
    pub action: ConflictAction,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ConflictAction {
    /// `DO NOTHING`, `INSERT IGNORE`, `OR IGNORE`, and the no-op `ON DUPLICATE KEY UPDATE id = id`.
    Nothing,
    /// `DO UPDATE SET …`, `ON DUPLICATE KEY UPDATE …`, with its WHERE.
    Update { sets: Vec<Assign>, filter: Vec<Predicate> },
    /// `REPLACE`, `INSERT OR REPLACE`: the old row is deleted.
    Replace,
}

/// What a projection computes over rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aggregate {
    Count,
    Sum,
    Max,
    Min,
    Avg,
    Exists,
    Other,
}

/// One column of a result.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Projection {
    /// The name under which Rust sees it, without sqlx's `!`, `?` and `: Type`.
    pub name: Option<Symbol>,
    /// The columns it is computed from; `*` is the single column named `*`.
    pub columns: Vec<Column>,
    pub aggregate: Option<Aggregate>,
    /// The comparison that it answers, where it is one (`used_at IS NOT NULL`).
    pub test: Option<Predicate>,
}

/// An advisory lock that a statement takes or gives back (`pg_advisory_xact_lock`, `GET_LOCK` …).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Advisory {
    /// Ends with the transaction (`xact`), or must be given back.
    pub transaction: bool,
    /// `pg_try_…`: the answer tells whether it was got.
    pub attempt: bool,
    pub release: bool,
    pub shared: bool,
    pub key: Vec<Operand>,
}

/// One SQL statement, as facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Statement {
    pub kind: Kind,
    pub evidence: Evidence,
    /// The table that INSERT, UPDATE, DELETE write, or the first one SELECT reads. Lower case unless quoted; schema prefix dropped.
    pub table: Option<Symbol>,
    /// Every table read anywhere in the statement, the target of UPDATE and DELETE included, inner statements too.
    pub reads: Vec<Symbol>,
    pub projections: Vec<Projection>,
    /// WHERE as a conjunction.
    pub filters: Vec<Predicate>,
    /// SET of an UPDATE; columns and values of an INSERT (the first row). The column is `*` where the text does not name it: no list of columns, `SET {}`.
    /// A MERGE is an `Update` if it updates (with those sets), else an `Insert`; its ON is the filter.
    pub sets: Vec<Assign>,
    /// `INSERT … SELECT`: the index of the SELECT in `inner`.
    pub source: Option<usize>,
    pub conflict: Option<Conflict>,
    pub lock: Option<RowLock>,
    /// The tables or aliases of `FOR UPDATE OF a, b`; empty where the lock is on all of them.
    pub lock_of: Vec<Symbol>,
    pub advisory: Option<Advisory>,
    /// RETURNING or OUTPUT.
    pub returning: bool,
    /// `LIMIT n`, when n is a literal; `Some(0)` for a limit that is not.
    pub limit: Option<u64>,
    pub grouped: bool,
    pub distinct: bool,
    /// CTEs, then derived tables, then the sub-selects of expressions, each in order of the text.
    pub inner: Vec<Statement>,
    /// How many placeholders the text has; named ones count once, in order of first sight. Interpolated `{}` come last, after all that is bound.
    pub params: u16,
    /// The names of named placeholders by index (`:name`, `@p`, `{name}`), where they have one.
    pub param_names: Vec<Option<Symbol>>,
}
