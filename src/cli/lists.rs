//! `explain`, `rules` and `config-schema`: what racelint says of itself.

use std::fmt::Write;

use anyhow::bail;
use serde::Serialize;

use super::Outcome;
use super::args::ListFormat;
use super::print;
use crate::config::{closest, json_schema};
use crate::rule::{Group, Item, Rule, Severity};
use crate::rules::ALL;

/// Prints the page of a rule.
pub fn explain(name: &str) -> anyhow::Result<Outcome> {
    let Some(rule) = ALL.iter().find(|rule| rule.name == name) else {
        match closest(name, ALL, false) {
            Some(closest) => bail!("no rule is called `{name}`; did you mean `{closest}`?"),
            None => bail!("no rule is called `{name}`; `racelint rules` lists them"),
        }
    };
    print::out(&format!("{}\n", rule.page.trim_end()))?;
    Ok(Outcome::Clean)
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    group: &'static str,
    severity: Severity,
    item: Option<Item>,
    advisory: bool,
    summary: &'static str,
}

/// Prints the list of the rules.
pub fn rules(format: ListFormat) -> anyhow::Result<Outcome> {
    match format {
        ListFormat::Human => print::out(&for_people())?,
        ListFormat::Json => {
            let listed: Vec<_> = ALL.iter().map(|rule| listed(rule)).collect();
            print::out(&format!("{}\n", serde_json::to_string_pretty(&listed)?))?;
        }
    }
    Ok(Outcome::Clean)
}

fn listed(rule: &Rule) -> Listed {
    let Rule { name, group, severity, item, advisory, summary, page: _ } = *rule;
    Listed { name, group: group.name(), severity, item, advisory, summary }
}

fn for_people() -> String {
    let width = ALL.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut text = String::new();
    for group in Group::ALL {
        let rules: Vec<_> = ALL.iter().filter(|rule| rule.group == group).collect();
        if rules.is_empty() {
            continue;
        }
        let _ = writeln!(text, "{}{}", if text.is_empty() { "" } else { "\n" }, group.name());
        for rule in rules {
            let severity = severity_name(rule.severity);
            let item = rule.item.map_or_else(|| "  ".to_owned(), |item| format!("{item:?}"));
            let _ = writeln!(text, "  {:width$}  {severity:7}  {item}  {}", rule.name, rule.summary);
        }
    }
    text
}

fn severity_name(severity: Severity) -> &'static str {
    match severity {
        Severity::Note => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

/// Prints the JSON Schema of the configuration.
pub fn config_schema() -> anyhow::Result<Outcome> {
    print::out(&schema_text()?)?;
    Ok(Outcome::Clean)
}

fn schema_text() -> anyhow::Result<String> {
    Ok(format!("{}\n", serde_json::to_string_pretty(&json_schema(ALL))?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_in_the_repository_is_the_one_printed() {
        let kept = include_str!("../../racelint.schema.json");
        assert!(kept == schema_text().unwrap(), "write it anew: cargo run -- config-schema > racelint.schema.json");
    }
}
