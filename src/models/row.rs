//! The rows of `rules/models/*.toml`: what a library's types are and what its calls mean.
//!
//! Plain data with a closed set of meanings ([`Does`]). Unknown keys are refused, and `load` refuses keys that a meaning does not use.
//! `rules/README.md` documents the format for people who add a library.

use serde::Deserialize;

pub use super::words::{Does, Effect, Gives, Mode, Outcome, Runs, Step, TypeRole};
use crate::sql::Dialect;

/// One file: one library, or several that share an idiom.
#[derive(Clone, Debug)]
pub struct Library {
    /// The name by which reports and tests speak of it.
    pub library: String,
    pub types: Vec<TypeRow>,
    pub calls: Vec<CallRow>,
    pub derives: Vec<DeriveRow>,
    pub commands: Vec<CommandRow>,
}

/// What a type is.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeRow {
    /// Public paths of the type or trait; the first is canonical, the others are re-exports.
    pub path: Vec<String>,
    /// The type it is an alias of, with its arguments: `sqlx::Pool<sqlx::Postgres>`.
    #[serde(default)]
    pub alias: Option<String>,
    #[serde(default)]
    pub role: Option<TypeRole>,
    /// Traits of the library that it implements, by canonical path: their rows hold for its values too.
    #[serde(default)]
    pub implements: Vec<String>,
    /// What it dereferences to: `$0` is its first type argument. A pool's manager dereferences to its connection, so that `PooledConnection<M>` may say `$0`.
    #[serde(default)]
    pub deref: Option<String>,
    /// What awaiting it gives (`JoinHandle`).
    #[serde(default)]
    pub awaits: Option<String>,
    /// What iterating over it by value gives; over a reference to it, references to that.
    #[serde(default)]
    pub item: Option<String>,
    /// What indexing it gives.
    #[serde(default)]
    pub index: Option<String>,
    /// For enums: the fields of its tuple variants.
    #[serde(default)]
    pub variants: std::collections::BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub dialect: Option<Dialect>,
    /// A clone is the same place or handle (`Arc`, pools, channels), and other threads may hold one.
    #[serde(default)]
    pub shared: bool,
    /// For a store's handle that stands for one set of items, as a collection does (a client reaches the same keys as any other): the part of an item that the
    /// store itself keeps unique, `_id`.
    #[serde(default)]
    pub unique_part: Option<String>,
}

/// What a derive or attribute macro on a struct makes of it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeriveRow {
    /// The last segment of the derive: `DeriveEntityModel`, `Insertable`.
    pub derive: String,
    /// The attribute that names the table, and the key in it: `sea_orm` and `table_name`.
    pub attr: String,
    #[serde(default)]
    pub table_key: Option<String>,
    /// The attribute key on a field that names its column.
    #[serde(default)]
    pub column_key: Option<String>,
    /// Attribute words on a field: part of the primary key, unique.
    #[serde(default)]
    pub key_word: Option<String>,
    #[serde(default)]
    pub unique_word: Option<String>,
    /// Types that the derive adds to the module: name → canonical model path, e.g. `Entity = "sea_orm::EntityTrait"`.
    #[serde(default)]
    pub adds: std::collections::BTreeMap<String, String>,
    /// Of those in `adds`, the one whose variants or consts are the columns, in UpperCamelCase.
    #[serde(default)]
    pub columns: Option<String>,
    /// Traits of the library that the struct then implements, by canonical path.
    #[serde(default)]
    pub implements: Vec<String>,
    /// Values of this struct are rows to be written (all of its fields are columns).
    #[serde(default)]
    pub writes: bool,
    /// Values of this struct are rows that were read.
    #[serde(default)]
    pub reads: bool,
    /// An enum of names: `Table` is the table that is called like the enum, every other variant a column, in snake_case; `attr` may say otherwise.
    #[serde(default)]
    pub names: bool,
}

/// What a command of a store means, where the command is data: `redis::cmd("SET").arg(key).arg(value).arg("NX")`, a DynamoDB `PutItem`.
///
/// A `query` row with the step `command` starts one, `arg` adds words, `by_key`, `values`, `filter` and `table` add parts by name, and a `run` row runs it.
/// Then the command's first word finds its row here; upper and lower case are the same. Words count from 0 at the command's name.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandRow {
    pub name: Vec<String>,
    /// `read`, `write`, `atomic`, `probe`, `atomic_group`, `nothing` …
    pub does: Does,
    /// The place of the key among the words; all words from there on where `keys` is set (`DEL a b`).
    #[serde(default)]
    pub key: Option<usize>,
    /// Every word from `key` on is a key.
    #[serde(default)]
    pub keys: bool,
    /// The place of the field, member or index within the key.
    #[serde(default)]
    pub column: Option<usize>,
    /// The place of the value that is written.
    #[serde(default)]
    pub value: Option<usize>,
    #[serde(default)]
    pub effect: Option<Effect>,
    #[serde(default)]
    pub mode: Option<Mode>,
    #[serde(default)]
    pub result: Option<Outcome>,
    #[serde(default)]
    pub conditional: bool,
    #[serde(default)]
    pub expires: bool,
    /// Words among the later arguments that make the command conditional (`NX`, `XX`), give it a time to live (`EX`) or give back what was there (`GET`).
    #[serde(default)]
    pub conditional_words: Vec<String>,
    #[serde(default)]
    pub expires_words: Vec<String>,
    #[serde(default)]
    pub previous_words: Vec<String>,
}

/// An argument: a number from 0 (without the receiver, also where a method is called by its path), or one of [`ArgName`].
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(
    untagged,
    expecting = "expected the number of an argument, from 0, or `receiver`, `rest`, `turbofish`, `self_type`"
)]
pub enum Arg {
    Nth(usize),
    Named(ArgName),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgName {
    Receiver,
    /// All arguments that no other key names.
    Rest,
    /// The first type of the turbofish.
    Turbofish,
    /// The type before `::` of the path, or `Self`.
    SelfType,
}

/// What one call means.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallRow {
    /// Free and associated functions, by public path; the canonical one or a re-export. `Type::method` for associated ones.
    #[serde(default)]
    pub path: Vec<String>,
    /// Macros, by path without the `!`.
    #[serde(default, rename = "macro")]
    pub macros: Vec<String>,
    /// Methods, together with `on`. Called by a path (`Arc::clone(&x)`), the first argument is the receiver.
    /// `*` is any method of the type that no other row names: for builders with a method a parameter.
    #[serde(default)]
    pub method: Vec<String>,
    /// Receiver types or traits (canonical paths); a type also matches what it implements and what it dereferences to. Tables and columns of `diesel::table!`
    /// count as `diesel::Table` and `diesel::Column`, those of an entity as what its derive's `adds` says.
    /// `*` matches any receiver, an unknown one too: only for names that nothing else has.
    #[serde(default)]
    pub on: Vec<String>,
    /// How many arguments it takes, where that tells two calls of one name apart (`.read()` against `io::Read::read(buf)`).
    #[serde(default)]
    pub arity: Option<usize>,
    /// The row holds for receivers whose type could not be told, with low evidence, when the arity fits too.
    #[serde(default)]
    pub unknown_receiver: bool,
    /// What settles it: with this type among the arguments, the row holds for unknown receivers without any doubt (`std::sync::atomic::Ordering`), and
    /// without it not at all.
    #[serde(default)]
    pub given: Option<String>,
    pub does: Does,

    // What is touched.
    /// The place, path or handle acted on; the receiver where it is not said.
    #[serde(default)]
    pub resource: Option<Arg>,
    /// The key under which it is touched. With the steps that begin a statement: the primary key. With `same`: the part of the receiver that it names (a tree, a collection).
    #[serde(default)]
    pub key: Option<Arg>,
    #[serde(default)]
    pub value: Option<Arg>,
    /// Settings that hold for this call, made by `setting` rows: `Some(IsolationLevel::Serializable)`, `SetOptions::default().conditional_set(NX)`.
    #[serde(default)]
    pub options: Option<Arg>,
    /// Where a second resource goes: the target of rename, copy, hard_link.
    #[serde(default)]
    pub target: Option<Arg>,
    /// The handle that a statement runs on. On a `query` row: the statement remembers it (`conn.prepare(…)`) and runs there when a `run` row names none.
    #[serde(default)]
    pub executor: Option<Arg>,
    /// The SQL text, or a statement prepared or built before; for the steps `command` and `sql_file` the command's name and the file.
    #[serde(default)]
    pub sql: Option<Arg>,
    /// Bound values: one argument, a tuple, slice or `params![]` of them, or `rest`.
    #[serde(default)]
    pub binds: Option<Arg>,
    /// The table: an argument, the receiver, the turbofish or the type before `::`.
    #[serde(default)]
    pub table: Option<Arg>,
    /// Columns or expressions (for steps of a query). In a store the field, member or index within the key (`HSET key field value`).
    #[serde(default)]
    pub column: Option<Arg>,
    /// The closure (or function, or async block) that the call runs; `runs` says when.
    #[serde(default)]
    pub closure: Option<Arg>,
    /// A second closure, which runs where the first does not, and is given the error if there is one (`map_or_else`).
    #[serde(default)]
    pub otherwise: Option<Arg>,

    // How.
    /// For `query`: what it adds. A `run` row with a step applies it, then runs (`model.delete(db)`, `query.count(db)`).
    #[serde(default)]
    pub step: Option<Step>,
    /// For the step `command`: the command's name, where it is the call itself and no argument.
    #[serde(default)]
    pub command: Option<String>,
    /// For `predicate`: eq, ne, lt, le, gt, ge, in, not_in, is_null, is_not_null, like, between, other; `and`, `or`, `not` of predicates; `member` adds
    /// `value` to the group that the receiver is. For `operator`: add, sub, mul, div, max, min, coalesce, other; `sql` is an expression written as text.
    /// For `wrap`: the variant. For `error`: which. For `setting` and `option`: what is set. For `combinator` and `unwrap`: the
    /// method of Option, Result or Iterator that it is like, where its own name is another (`context` is `map_err`). For `entry`: the HTTP method. For `external`: what is spoken to. For
    /// `acquire`: `upgrade` or `downgrade` of a guard that is held on.
    #[serde(default)]
    pub op: Option<String>,
    #[serde(default)]
    pub effect: Option<Effect>,
    #[serde(default)]
    pub mode: Option<Mode>,
    /// What comes back of a read or write.
    #[serde(default)]
    pub result: Option<Outcome>,
    /// The call fails or answers at once instead of waiting (`try_lock`).
    #[serde(default)]
    pub attempt: bool,
    /// When the closure runs, and how often.
    #[serde(default)]
    pub runs: Option<Runs>,
    /// What the closure's parameters are, in order.
    #[serde(default)]
    pub gives: Vec<Gives>,
    /// The types of the closure's parameters, in the words of `returns`.
    #[serde(default)]
    pub params: Vec<String>,
    /// The isolation level that `begin`, `transaction` or `isolation` sets: a level's name.
    #[serde(default)]
    pub isolation: Option<crate::sql::Isolation>,
    /// The write happens only if this holds (`NX`, `create_new`, `insert if absent`).
    #[serde(default)]
    pub conditional: bool,
    /// The key or file that is written gets a time to live in the same step.
    #[serde(default)]
    pub expires: bool,
    #[serde(default)]
    pub skip_locked: bool,
    #[serde(default)]
    pub nowait: bool,
    /// The type of the value, in the words of [`TypeExpr`](super::typeexpr::TypeExpr): `$0` the receiver's first type argument, `$self`, `$arg0`,
    /// `$fish0`, `$ret` the closure's value.
    #[serde(default)]
    pub returns: Option<String>,
    /// The value must be awaited before anything happens; `returns` says what awaiting it gives.
    #[serde(default)]
    pub is_async: bool,
}
