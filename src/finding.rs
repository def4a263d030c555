//! A finding: what every report renders and no report changes.

use serde::{Deserialize, Serialize};

use crate::rule::{Confidence, Item, Rule, Severity};
use crate::source::Span;

/// What a labelled place plays in the race.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Check,
    Decision,
    Act,
    Call,
    Guard,
    Transaction,
    Schema,
    Function,
}

/// A place and what it plays.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Label {
    pub role: Role,
    pub span: Span,
    pub message: String,
}

/// One step of the interleaving that breaks the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// `A` or `B`; empty for the sentence that says how it ends.
    pub actor: &'static str,
    pub text: String,
    pub span: Option<Span>,
}

/// How far an edit may be trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Applicability {
    /// Nothing but the window changes.
    Safe,
    /// The edit is mechanical, but behaviour may change.
    Unsafe,
    /// Words and code to write by hand; no edits.
    Advice,
}

/// A replacement of the bytes of `span` by `text`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edit {
    pub span: Span,
    pub text: String,
}

/// One way to close the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// What to do, in the code's own names; may hold lines of code after the first line.
    pub title: String,
    pub applicability: Applicability,
    pub edits: Vec<Edit>,
}

/// What a rule found.
#[derive(Clone, Debug)]
pub struct Finding {
    pub rule: &'static Rule,
    pub severity: Severity,
    pub confidence: Confidence,
    /// Lower-case start, no full stop at the end.
    pub message: String,
    /// `tickets.quantity`, `self.sessions`; may be empty.
    pub resource: String,
    pub span: Span,
    pub labels: Vec<Label>,
    pub witness: Vec<Step>,
    /// Best first.
    pub fixes: Vec<Fix>,
    /// The crate-qualified function it stands in, or the package that it is about; empty for a finding about a file. Part of the fingerprint.
    pub function: String,
    /// Resource and act with locals numbered and white space removed: the other part of the fingerprint.
    pub act: String,
}

/// A file that could not be read or parsed, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Skipped {
    pub file: String,
    pub reason: String,
}

/// A place where a checklist item is met: a window that something protects, a test that races its subject.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub item: Item,
    /// What holds, in the code's own names; lower-case start, no full stop at the end.
    pub text: String,
    pub span: Span,
}

/// A finding that a comment in the code, with its reason, keeps out of the report.
#[derive(Clone, Debug)]
pub struct Suppressed {
    pub finding: Finding,
    pub reason: Option<String>,
}
