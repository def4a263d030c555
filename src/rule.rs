//! What a rule is: a static of plain data. When a rule fires is in `rules/<name>.rs`, what it says to users in its page.

use serde::{Deserialize, Serialize};

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Note,
    Warning,
    Error,
}

/// How sure racelint is of a finding. `Low` is shown only with `--pedantic`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

impl Confidence {
    /// One step less sure.
    pub fn lower(self) -> Confidence {
        match self {
            Confidence::High => Confidence::Medium,
            Confidence::Medium | Confidence::Low => Confidence::Low,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Group {
    Database,
    Transaction,
    Store,
    Memory,
    Filesystem,
    Request,
    Test,
    Schema,
    Meta,
}

impl Group {
    pub const ALL: [Group; 9] = [
        Group::Database,
        Group::Transaction,
        Group::Store,
        Group::Memory,
        Group::Filesystem,
        Group::Request,
        Group::Test,
        Group::Schema,
        Group::Meta,
    ];

    /// The name that users type in `--select`.
    pub fn name(self) -> &'static str {
        match self {
            Group::Database => "database",
            Group::Transaction => "transaction",
            Group::Store => "store",
            Group::Memory => "memory",
            Group::Filesystem => "filesystem",
            Group::Request => "request",
            Group::Test => "test",
            Group::Schema => "schema",
            Group::Meta => "meta",
        }
    }
}

/// An item of the review checklist, C1 to C7.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Item {
    C1,
    C2,
    C3,
    C4,
    C5,
    C6,
    C7,
}

impl Item {
    pub const ALL: [Item; 7] = [Item::C1, Item::C2, Item::C3, Item::C4, Item::C5, Item::C6, Item::C7];

    /// What a reviewer asks.
    pub fn question(self) -> &'static str {
        match self {
            Item::C1 => "Is every check-then-act on shared state atomic: conditional update, lock, or constraint?",
            Item::C2 => {
                "Is uniqueness (and every invariant that must never break) held by a database constraint, not only by an `if`?"
            }
            Item::C3 => "Does every request that may be sent twice (payment, webhook, retry) carry an idempotency key?",
            Item::C4 => "Does losing a conflict become an explicit error or a retry, never a silent write?",
            Item::C5 => "Is there a test that fires concurrent requests and asserts the invariant?",
            Item::C6 => "Does one transaction enclose the read and the write, with no commit in the window?",
            Item::C7 => "Is the lock as narrow (a row, a key) and as short (no outside call) as it can be?",
        }
    }
}

/// A rule. Everything that names a rule reads its static: nothing here is written a second time anywhere.
#[derive(Debug)]
pub struct Rule {
    /// The name that users type: in `--select`, in suppressions, in `explain`.
    pub name: &'static str,
    pub group: Group,
    pub severity: Severity,
    /// The checklist item that a finding violates; none for the rules about the run itself.
    pub item: Option<Item>,
    /// Speaks of defence in depth or once a package; its findings count only where asked for in expectation comments.
    pub advisory: bool,
    /// One sentence for lists.
    pub summary: &'static str,
    /// The page that `explain` prints.
    pub page: &'static str,
}
