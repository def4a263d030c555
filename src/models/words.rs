//! The closed sets of words in which model rows speak. What each does to a program is for `flow` to say.

use serde::Deserialize;

/// What a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypeRole {
    /// Hands out connections; each statement on it is a transaction of its own.
    Pool,
    /// One connection: autocommit unless a transaction is open on it.
    Connection,
    /// An open transaction; dropping it rolls back.
    Transaction,
    /// A bound that stands for any of the three (`sqlx::Executor`, `sea_orm::ConnectionTrait`).
    Executor,
    /// A connection to a store that is no SQL database (redis, etcd).
    Store,
    /// An embedded store or its tree (sled, redb): one process owns it.
    EmbeddedStore,
    /// A mutex or reader-writer lock around its first argument.
    Lock,
    /// What a lock gives while it is held.
    Guard,
    /// A permit of a semaphore, or the lock on a file.
    Permit,
    Semaphore,
    /// A map or set that may be used from several threads without a lock (`DashMap`), or a cache.
    ConcurrentMap,
    /// A handle on an entry of a map, held exclusively.
    Entry,
    Atomic,
    /// A shared slot that is loaded and stored as a whole (`ArcSwap`, `watch::Sender`, `OnceCell`).
    Slot,
    /// `RefCell`, `Cell`: one thread.
    Cell,
    Channel,
    /// `Arc`, `Rc`, `Weak`.
    Pointer,
    /// A plain collection (`HashMap`, `Vec`): a place only where something shared owns it.
    Collection,
    /// `Option`, `Result`, futures, iterators: wrappers that the flow knows how to look into.
    Option,
    Result,
    Future,
    Iterator,
    /// A database row, from which columns are taken by name or number.
    Row,
    /// A statement that is being built or is ready to run.
    Query,
    /// Commands of a store that are put together and sent at once (`redis::Pipeline`): what rows say of its methods happens when the group runs.
    Group,
    /// A column or an expression over columns.
    Column,
    /// An extractor of a web framework: its argument is what the handler sees.
    Extractor,
    /// A client of something outside (HTTP, mail, payment, queue).
    External,
    /// An open file.
    File,
    /// Ways to open a file (`OpenOptions`, `DirBuilder`).
    FileOptions,
    /// A path on disk.
    Path,
}

/// The closed set of meanings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Does {
    /// Starts or extends a statement (`step` says how); nothing runs yet.
    Query,
    /// Runs a statement: `sql` and `binds` given here, or the query value of the receiver.
    Run,
    /// A comparison on a column; the value is a predicate or an assignment.
    Predicate,
    /// Arithmetic on a column expression (`Expr::col(x).sub(1)`).
    Operator,
    /// Opens a transaction on `resource`; the value is its handle.
    Begin,
    Commit,
    Rollback,
    /// Runs `closure` inside a transaction opened on `resource`.
    Transaction,
    /// Sets the isolation level of what `resource` will begin, or has begun.
    Isolation,
    /// A value that says how a later call is done: an isolation level, the strength of a lock, NX, a time to live. Unit variants and consts match by `path` too.
    /// The call that takes it names it in `options`. A method of such a value keeps what its receiver said, and adds.
    Setting,
    /// Hands out a connection of a pool.
    Connect,
    /// Takes a lock; the value is the guard. With `closure`, holds it while the closure runs.
    Acquire,
    /// Gives a lock or permit back.
    Release,
    /// Drops its argument.
    Drop,
    /// Reads a place, key or file.
    Read,
    /// Writes one.
    Write,
    /// Reads and writes in one step (`fetch_add`, `entry`, `remove_if`, `SET NX`, `create_new`).
    Atomic,
    /// Asks about state that may change at once (`len`, `is_full`, `exists`).
    Probe,
    /// Uses a resource without changing it (opening a file to read, sending on a channel).
    Use,
    /// Speaks to something outside: HTTP, mail, payment, queue.
    External,
    Sleep,
    /// Starts `closure` concurrently.
    Spawn,
    /// Runs `closure` again until it succeeds.
    Retry,
    /// Waits for several at once (`join_all`, `Barrier`).
    Concurrent,
    /// The same value as its receiver or `value` (clone, as_ref, to_owned, Arc::new, Some, into_inner). With `result`, seen in another form:
    /// a missing row's error as `None` (`optional()`), a result as its count (`rows_affected()`); asked of a handle, of the last statement on it.
    Same,
    /// A new value computed from receiver and arguments, of no further interest.
    Compute,
    /// Runs `closure` on what it is called on; `runs` says when.
    Combinator,
    /// Unwraps an Option or Result, or panics.
    Unwrap,
    /// Wraps (`Some`, `Ok`, `Err`): `op` says which variant.
    Wrap,
    /// Takes a column out of a row: `column` is its name or number.
    Column,
    /// Asks an error what it is: a variant or const to compare with (`sqlx::Error::RowNotFound`), or a method (`is_unique_violation()`). `op` says which:
    /// not_found, exists, unique, foreign_key, check, serialization, deadlock, busy, conflict; `code` and `constraint` give the code or the name that is
    /// then compared, `kind` a value that such variants are compared with, `database` the error of the database inside.
    Error,
    /// Makes an atomic group of store commands (`redis::pipe().atomic()`), or a script that runs as one.
    AtomicGroup,
    /// Registers a function as one that many requests enter.
    Entry,
    /// Sets how a file will be opened, on a builder that is changed in place: `op` says what (`create_new`, `truncate`, `mode`), `value` is the argument that
    /// says to what. The call that opens names the builder in `options`.
    Option,
    /// Code that a test runner explores over interleavings (`loom::model`).
    Model,
    /// Known, and without any meaning here.
    Nothing,
}

/// A step of a query builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Starts from the SQL text in `sql`.
    Sql,
    /// Starts from the SQL file that `sql` names, relative to the package.
    SqlFile,
    /// Starts a command of a store: see [`CommandRow`].
    Command,
    /// Adds words to a command: `value`, or each member of it.
    Arg,
    /// Starts an empty group of commands, a value of the role `group`.
    Pipeline,
    /// The store runs the group as one; starts one where the receiver is none.
    Atomic,
    /// Names the table in `table`.
    Table,
    /// Takes over what another statement value holds: a lock clause, an `OnConflict`, a condition built apart.
    Merge,
    /// Appends SQL text (`QueryBuilder::push`).
    Push,
    /// Appends a placeholder with its value.
    PushBind,
    /// Binds the next placeholder.
    Bind,
    /// Narrowed by `value` where the call has one: the parent whose rows are meant.
    Select,
    Insert,
    /// An INSERT that leaves a row that is there (`insert_or_ignore_into`).
    InsertIgnore,
    /// An INSERT that replaces a row that is there.
    Replace,
    Update,
    Delete,
    /// Inserts a record whose key is not set, updates the row otherwise (`ActiveModel::save`).
    Save,
    /// Narrows: each argument is a predicate, a group of them, or a table with filters of its own.
    Filter,
    OrFilter,
    /// Narrows to the primary key given in `key`.
    ByKey,
    /// Chooses columns (`column`).
    Project,
    Count,
    Exists,
    Max,
    Min,
    Sum,
    Avg,
    Distinct,
    /// Assignments, a row to write, or a changeset.
    Set,
    /// Sets `column` to the expression `value`.
    SetColumn,
    Values,
    ConflictTarget,
    ConflictNothing,
    ConflictUpdate,
    /// Takes a row lock: `mode` says which, or `options`.
    Lock,
    SkipLocked,
    NoWait,
    Limit,
    Order,
    Group,
    Join,
    Returning,
    /// Another form of the same query (boxed, build, into_model). With `value`, that statement; with `closure`, each row is turned into the closure's value.
    Pass,
}

/// What a write does to its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Puts a value under a key, or makes a file, whether or not one was there.
    Put,
    /// Makes what was not there.
    Create,
    CreateDir,
    Remove,
    RemoveDir,
    Clear,
    /// Changes in place.
    Update,
    Increment,
    /// Adds at an end (`push`, `append`).
    Append,
    Rename,
    Copy,
    Link,
    Open,
    Truncate,
    Permissions,
    Expire,
    /// A message, a permit, a value sent.
    Send,
    Receive,
    /// Takes a value out and leaves nothing (`Option::take`, `mem::take`).
    Take,
    /// Takes several steps as one (`entry`).
    Entry,
}

/// How a lock is taken, or what a probe asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Mode {
    Shared,
    Exclusive,
    /// Shared, and may be upgraded without letting go.
    Upgradable,
    /// For probes: what is asked.
    Exists,
    Length,
    Full,
    Closed,
    Count,
    Locked,
    Metadata,
    SymlinkMetadata,
    Canonical,
    Content,
}

/// What comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Exactly one row, or an error.
    Row,
    /// A row or none.
    Optional,
    Rows,
    /// Something that tells the number of rows (`PgQueryResult`, a count).
    Affected,
    /// A value or none (`map.get`).
    Value,
    /// Whether it was there, or whether it was done.
    Bool,
    /// A number of things.
    Count,
    /// The value that was there before.
    Previous,
    /// `Ok` if it was done, `Err` if the condition did not hold.
    Won,
    /// The row that was written.
    Written,
    Nothing,
}

/// When a closure runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Runs {
    /// Here and now, once.
    Once,
    /// If the receiver is `Some` or `Ok`; the value is the closure's, wrapped again (`map`) or not (`and_then`).
    OnSome,
    /// If the receiver is `None` or `Err`.
    OnNone,
    /// For each element of the receiver.
    Each,
    /// For each element, and its bool decides which stay (`filter`, `any`, `position`).
    Test,
    /// Here and now, again until its answer stands (a compare-and-swap loop, WATCH and EXEC).
    Retried,
    /// Later or elsewhere; nothing is known of when.
    Later,
    /// Here, if the place or key is absent (`or_insert_with`, `get_with`).
    OnAbsent,
}

/// What a closure's parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Gives {
    /// The transaction or connection that was opened.
    Handle,
    /// The value inside the receiver.
    Inner,
    /// The error inside the receiver.
    Error,
    /// An element of the receiver.
    Element,
    /// What the lock guards, or what the place holds.
    Guarded,
    Unknown,
}
