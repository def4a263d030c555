//! DDL of three dialects and of many tools, against the schema it must leave.

mod alter;
mod create;
mod folders;
mod rust;

use super::*;
use crate::source::{LineIndex, Source, SourceId, SourceKind, Sources};

fn sources(files: &[(&str, &str)]) -> Sources {
    let mut sources = Sources::default();
    for (name, text) in files {
        let kind = if name.ends_with(".sql") { SourceKind::Sql } else { SourceKind::Rust };
        let (lines, text) = (LineIndex::new(text), (*text).to_owned());
        sources.push(Source { name: (*name).to_owned(), path: name.into(), kind, text, lines, reported: true });
    }
    sources
}

fn set(files: &[(&str, &str)]) -> SchemaSet {
    build(&sources(files), &[])
}

/// The schema that one migration leaves.
fn schema(text: &str) -> Schema {
    let set = set(&[("migrations/0001_init.sql", text)]);
    assert_eq!(set.skipped, [], "{text}");
    set.all().clone()
}

/// The lines that the schema is printed as.
fn lines(text: &str) -> Vec<String> {
    schema(text).to_string().lines().map(|line| line.trim_start().to_owned()).collect()
}

/// The lines about constraints.
fn constraints(text: &str) -> Vec<String> {
    lines(text).into_iter().filter(|line| !line.starts_with("column ") && !line.starts_with("table ")).collect()
}

fn columns(text: &str) -> Vec<String> {
    lines(text).iter().filter_map(|line| line.strip_prefix("column ").map(str::to_owned)).collect()
}

fn covers(schema: &Schema, table: &str, columns: &[&str]) -> Option<String> {
    let columns: Vec<Symbol> = columns.iter().map(|name| Symbol::new(name)).collect();
    schema.covering_unique(table.into(), &columns).map(ToString::to_string)
}
