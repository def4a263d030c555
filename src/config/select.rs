//! Which rules run where, and how severe they are there.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::{Config, Override};
use crate::rule::{Group, Rule, Severity};

/// A name that is no rule's and no group's, and the one that was probably meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownName {
    pub name: String,
    pub closest: Option<&'static str>,
}

impl std::fmt::Display for UnknownName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "no rule or group is called `{}`", self.name)?;
        match self.closest {
            Some(closest) => write!(f, "; did you mean `{closest}`?"),
            None => write!(f, "; `racelint rules` lists them"),
        }
    }
}

impl Config {
    /// The first name that is nobody's, wherever it stands.
    pub fn check_names(&self, all: &[&'static Rule]) -> Result<(), UnknownName> {
        let selections = self.select.iter().chain(&self.ignore).chain(self.overrides.iter().flat_map(|o| &o.ignore));
        for name in selections {
            if name != "all" && group_of(name).is_none() && !all.iter().any(|rule| rule.name == name) {
                return Err(UnknownName { name: name.clone(), closest: closest(name, all, true) });
            }
        }
        for name in self.severity.keys().chain(self.overrides.iter().flat_map(|o| o.severity.keys())) {
            if group_of(name).is_none() && !all.iter().any(|rule| rule.name == name) {
                return Err(UnknownName { name: name.clone(), closest: closest(name, all, true) });
            }
        }
        Ok(())
    }

    /// The rules that run, in the order of `all`.
    pub fn rules(&self, all: &[&'static Rule]) -> Vec<&'static Rule> {
        all.iter().copied().filter(|rule| self.runs(rule)).collect()
    }

    fn runs(&self, rule: &Rule) -> bool {
        let selected = if self.select.is_empty() { Mention::All } else { mention(&self.select, rule) };
        // Where both name the rule equally closely, the narrower report is taken.
        selected > mention(&self.ignore, rule)
    }

    /// The first line that is no pattern, with what is wrong with it.
    pub(super) fn check_patterns(&self) -> Result<(), String> {
        let lines = self.exclude.iter().chain(self.overrides.iter().flat_map(|one| &one.paths));
        for line in lines {
            let added = GitignoreBuilder::new(&self.base).add_line(None, line).map(drop);
            added.map_err(|error| format!("`{line}` is no pattern: {error}"))?;
        }
        Ok(())
    }

    /// The exclusions as a matcher.
    pub fn excludes(&self) -> Gitignore {
        matcher(&self.base, &self.exclude)
    }

    /// The overrides as matchers.
    pub fn scopes(&self) -> Scopes<'_> {
        Scopes {
            config: self,
            scopes: self.overrides.iter().map(|one| (matcher(&self.base, &one.paths), one)).collect(),
        }
    }
}

/// The overrides of a configuration, ready to be asked about files.
#[derive(Debug)]
pub struct Scopes<'c> {
    config: &'c Config,
    scopes: Vec<(Gitignore, &'c Override)>,
}

/// What is configured of a rule's findings in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    Off,
    /// They keep the severity that the rule gives them.
    Own,
    As(Severity),
}

impl Scopes<'_> {
    /// What is configured of a rule in a file, by its absolute path.
    pub fn setting(&self, rule: &Rule, file: &Path) -> Setting {
        if !self.config.runs(rule) {
            return Setting::Off;
        }
        let mut severity = severity_in(&self.config.severity, rule);
        for (matcher, scope) in &self.scopes {
            if !file.starts_with(matcher.path()) || !matcher.matched_path_or_any_parents(file, false).is_ignore() {
                continue;
            }
            if mention(&scope.ignore, rule) != Mention::None {
                return Setting::Off;
            }
            severity = severity_in(&scope.severity, rule).or(severity);
        }
        severity.map_or(Setting::Own, Setting::As)
    }
}

/// How closely a list of names speaks of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Mention {
    None,
    All,
    Group,
    Name,
}

fn mention(names: &[String], rule: &Rule) -> Mention {
    let of = |name: &String| match name.as_str() {
        name if name == rule.name => Mention::Name,
        "all" => Mention::All,
        name if group_of(name) == Some(rule.group) => Mention::Group,
        _ => Mention::None,
    };
    names.iter().map(of).max().unwrap_or(Mention::None)
}

fn severity_in(table: &std::collections::BTreeMap<String, Severity>, rule: &Rule) -> Option<Severity> {
    table.get(rule.name).or_else(|| table.get(rule.group.name())).copied()
}

fn group_of(name: &str) -> Option<Group> {
    Group::ALL.into_iter().find(|group| group.name() == name)
}

/// Loading has refused the lines that are no patterns; here they match nothing.
fn matcher(base: &Path, lines: &[String]) -> Gitignore {
    let mut builder = GitignoreBuilder::new(base);
    for line in lines {
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// The rule (or group) whose name is most like a mistyped one, if any is like it.
pub fn closest(name: &str, all: &[&'static Rule], groups: bool) -> Option<&'static str> {
    let groups = Group::ALL.into_iter().filter(|_| groups).map(Group::name);
    let all = all.iter().map(|rule| rule.name).chain(groups);
    nearest(name, all)
}

/// The candidate most like `name`; of equals the first.
pub(super) fn nearest<'a>(name: &str, candidates: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase().replace('_', "-");
    let scored = candidates.map(|candidate| (strsim::damerau_levenshtein(&name, candidate), candidate));
    let (distance, best) = scored.min_by_key(|(distance, _)| *distance)?;
    (distance <= 2.max(name.chars().count() / 3)).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::ALL;
    use crate::rules::meta::{UNKNOWN_NAME, UNUSED_SUPPRESSION};

    fn config(text: &str) -> Config {
        toml::from_str(text).unwrap()
    }

    fn names(config: &Config) -> Vec<&str> {
        config.rules(&[&UNUSED_SUPPRESSION, &UNKNOWN_NAME]).iter().map(|rule| rule.name).collect()
    }

    #[test]
    fn a_name_weighs_more_than_a_group() {
        assert_eq!(names(&config("")), ["unused-suppression", "unknown-name"]);
        assert_eq!(names(&config("select = ['unknown-name']\nignore = ['meta']")), ["unknown-name"]);
        assert_eq!(names(&config("select = ['meta']\nignore = ['unknown-name']")), ["unused-suppression"]);
        assert_eq!(names(&config("select = ['all']\nignore = ['meta']")), [""; 0]);
        assert_eq!(names(&config("select = ['unknown-name']\nignore = ['unknown-name']")), [""; 0]);
        assert_eq!(names(&config("select = ['database']")), [""; 0]);
    }

    #[test]
    fn unknown_names_are_found_wherever_they_stand() {
        for text in [
            "select = ['unknwn-name']",
            "ignore = ['unknwn-name']",
            "severity = { unknwn-name = 'note' }",
            "overrides = [{ ignore = ['unknwn-name'] }]",
            "overrides = [{ severity = { unknwn-name = 'note' } }]",
        ] {
            let error = config(text).check_names(ALL).unwrap_err();
            assert_eq!((error.name.as_str(), error.closest), ("unknwn-name", Some("unknown-name")), "{text}");
        }
        assert_eq!(config("select = ['unknown-name', 'memory', 'all']").check_names(ALL), Ok(()));
        assert_eq!(closest("zzzzzz", ALL, true), None);
        assert_eq!(closest("Databse", ALL, true), Some("database"));
    }

    #[test]
    fn severities_come_from_the_last_scope_that_speaks() {
        let mut config = config(
            "severity = { meta = 'error' }\n[[overrides]]\npaths = ['old/']\nseverity = { unknown-name = 'note' }\n\
             [[overrides]]\npaths = ['/old/x.rs']\nignore = ['unknown-name']\n",
        );
        config.base = "/p".into();
        let scopes = config.scopes();
        assert_eq!(scopes.setting(&UNKNOWN_NAME, Path::new("/p/src/a.rs")), Setting::As(Severity::Error));
        assert_eq!(scopes.setting(&UNKNOWN_NAME, Path::new("/p/src/old/a.rs")), Setting::As(Severity::Note));
        assert_eq!(scopes.setting(&UNKNOWN_NAME, Path::new("/p/old/x.rs")), Setting::Off);
        assert_eq!(scopes.setting(&UNKNOWN_NAME, Path::new("/elsewhere/old/x.rs")), Setting::As(Severity::Error));
        assert_eq!(Config::default().scopes().setting(&UNKNOWN_NAME, Path::new("/p/a.rs")), Setting::Own);
    }
}
