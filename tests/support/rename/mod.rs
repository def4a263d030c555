//! Replaces every name that a case gives itself, and nothing else: functions, types, fields, locals, modules, tables, columns.
//!
//! What libraries give keeps its name: their paths, their methods, their attributes. So do the words that a rule's page says it reads. No line moves, so
//! that findings before and after can be compared by line. Where a name cannot surely be told from a library's, it stays: renaming too little makes the
//! test weaker, renaming too much makes it wrong.

mod collect;
mod names;
mod rust;
mod sql;
#[cfg(test)]
mod tests;
mod tokens;

use std::collections::BTreeMap;

use super::cases::Case;
pub use names::{Keep, Names};

/// A case under other names, and what its files are called now.
#[derive(Debug)]
pub struct Renamed {
    pub case: Case,
    /// Old file name → new.
    pub files: BTreeMap<String, String>,
    /// Old name → new: what was replaced.
    pub names: BTreeMap<String, String>,
}

/// Renames a case.
pub fn rename(case: &Case, keep: &Keep) -> Renamed {
    let names = Names::of(case, keep);
    let mut renamed = Case { name: case.name.clone(), files: BTreeMap::new() };
    let mut files = BTreeMap::new();
    for (file, text) in &case.files {
        let text = match file.rsplit('.').next() {
            Some("rs") => rust::rename(text, &names),
            Some("sql") => sql::rename(text, &names, sql::Text::File),
            _ => text.clone(),
        };
        let new = module_file(file, &names);
        files.insert(file.clone(), new.clone());
        renamed.files.insert(new, text);
    }
    Renamed { case: renamed, files, names: names.replaced() }
}

/// The files of renamed modules move with them. Files that start a crate (`src/bin/…`, `tests/…`) are no modules.
fn module_file(file: &str, names: &Names) -> String {
    let Some(rest) = file.strip_prefix("src/").filter(|rest| rest.ends_with(".rs") && !rest.starts_with("bin/")) else {
        return file.to_owned();
    };
    let parts = rest.strip_suffix(".rs").unwrap_or(rest).split('/');
    let parts: Vec<_> = parts.map(|part| names.module(part).unwrap_or(part)).collect();
    format!("src/{}.rs", parts.join("/"))
}
