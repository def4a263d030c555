//! The configuration: one struct, filled from `racelint.toml` or a manifest's metadata, with the command line written over it.

mod load;
mod schema;
mod select;

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::discover;
use crate::rule::{Confidence, Severity};

pub use load::{Error, find, load};
pub use schema::json_schema;
pub use select::{Scopes, Setting, UnknownName, closest};

/// What a project says of how it wants to be checked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Config {
    /// Names and groups of the rules that run; all of them where it is empty.
    pub select: Vec<String>,
    /// Names and groups of rules that do not run. A rule's own name weighs more than its group's.
    pub ignore: Vec<String>,
    /// Severities other than the rules' own.
    pub severity: BTreeMap<String, Severity>,
    /// What is left out below the given paths, in the language of `.gitignore`.
    pub exclude: Vec<String>,
    /// Files with model rows of one's own, relative to `base`.
    pub models: Vec<PathBuf>,
    /// Databases whose schema does not lie beside the code that uses it.
    pub databases: Vec<Database>,
    /// A file of findings that are known, relative to `base`.
    pub baseline: Option<PathBuf>,
    /// The folder of the cache, relative to `base`.
    pub cache_dir: Option<PathBuf>,
    pub fail_on: Option<FailOn>,
    pub min_confidence: Option<Confidence>,
    /// Settings for parts of the tree; of several that speak of a file, the last wins.
    pub overrides: Vec<Override>,
    /// The folder that paths are relative to: that of the file this was read from.
    #[serde(skip)]
    pub base: PathBuf,
}

/// One database.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Database {
    /// Folders and files of SQL, in the order they are run; relative to `base`.
    pub schema: Vec<PathBuf>,
    /// Folders of the code that speaks to it, relative to `base`; all code where it is empty.
    #[serde(default)]
    pub used_by: Vec<PathBuf>,
}

/// Settings for the files that match.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub struct Override {
    /// In the language of `.gitignore`.
    pub paths: Vec<String>,
    pub ignore: Vec<String>,
    pub severity: BTreeMap<String, Severity>,
}

/// The least severe finding that makes a run fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailOn {
    Note,
    #[default]
    Warning,
    Error,
    Never,
}

impl FailOn {
    pub fn fails(self, severity: Severity) -> bool {
        match self {
            FailOn::Note => true,
            FailOn::Warning => severity >= Severity::Warning,
            FailOn::Error => severity == Severity::Error,
            FailOn::Never => false,
        }
    }
}

impl Config {
    /// Findings surer than this are shown.
    pub fn min_confidence(&self) -> Confidence {
        self.min_confidence.unwrap_or(Confidence::Medium)
    }

    /// The databases by absolute paths.
    pub fn databases(&self) -> Vec<discover::Database> {
        let whole =
            |paths: &[PathBuf]| paths.iter().map(|path| self.base.join(path).to_string_lossy().into_owned()).collect();
        let database = |one: &Database| discover::Database { schema: whole(&one.schema), used_by: whole(&one.used_by) };
        self.databases.iter().map(database).collect()
    }

    pub fn fail_on(&self) -> FailOn {
        self.fail_on.unwrap_or_default()
    }
}
