//! A schema as text, one line a fact whatever its names hold: what `racelint schema` prints.

use std::fmt::{self, Display, Formatter, Write};

use super::{Check, ColumnDef, Filled, ForeignKey, Origin, Schema, SchemaSet, Table, Unique, UniquePart};
use crate::clean;
use crate::intern::Symbol;

impl Display for SchemaSet {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (i, schema) in self.schemas.iter().enumerate() {
            if i > 0 {
                f.write_char('\n')?;
            }
            line(f, format_args!("schema {}", schema.place))?;
            write!(f, "{schema}")?;
        }
        Ok(())
    }
}

impl Display for Schema {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.tables.values().try_for_each(|table| write!(f, "{table}"))
    }
}

impl Display for Table {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let known = match self.origin {
            Origin::Sql => "",
            Origin::Inline => " (created by the program)",
            Origin::RustComplete => " (declared in Rust)",
            Origin::RustPartial => " (declared in Rust, constraints not known)",
            Origin::Altered => " (its CREATE TABLE was not seen)",
        };
        line(f, format_args!("table {}{known}", self.name))?;
        self.columns.iter().try_for_each(|column| line(f, format_args!("  column {column}")))?;
        self.uniques.iter().try_for_each(|unique| line(f, format_args!("  {unique}")))?;
        self.checks.iter().try_for_each(|check| line(f, format_args!("  {check}")))?;
        self.foreign_keys.iter().try_for_each(|key| line(f, format_args!("  {key}")))?;
        self.triggers.iter().try_for_each(|trigger| line(f, format_args!("  trigger {trigger}")))
    }
}

fn line(f: &mut Formatter<'_>, fact: fmt::Arguments<'_>) -> fmt::Result {
    writeln!(f, "{}", clean::line(&fact.to_string()))
}

impl Display for ColumnDef {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)?;
        if !self.ty.as_str().is_empty() {
            write!(f, " {}", self.ty)?;
        }
        if self.not_null {
            f.write_str(" not null")?;
        }
        if let Some(default) = self.default {
            write!(f, " default {default}")?;
        }
        f.write_str(match self.filled {
            Filled::ByWriter => "",
            Filled::BySequence => " from a sequence",
            Filled::AsRowid => " from a sequence on SQLite",
            Filled::ByExpression => " computed",
        })
    }
}

impl Display for UniquePart {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            UniquePart::Column(name) => write!(f, "{name}"),
            UniquePart::Expression { text, .. } => write!(f, "{text}"),
        }
    }
}

impl Display for Unique {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let kind = match (self.primary, self.exclusion) {
            (true, _) => "primary key",
            (false, true) => "exclude",
            (false, false) => "unique",
        };
        let parts: Vec<String> = self.columns.iter().map(ToString::to_string).collect();
        write!(f, "{kind} ({})", parts.join(", "))?;
        if self.nulls_conflict {
            f.write_str(" nulls not distinct")?;
        }
        self.predicate_text.map_or(Ok(()), |text| write!(f, " where {text}"))
    }
}

impl Display for Check {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "check ({})", self.text)
    }
}

impl Display for ForeignKey {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "foreign key ({}) references {}", list(&self.columns), self.table)?;
        if self.foreign_columns.is_empty() { Ok(()) } else { write!(f, " ({})", list(&self.foreign_columns)) }
    }
}

fn list(names: &[Symbol]) -> String {
    let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    names.join(", ")
}
