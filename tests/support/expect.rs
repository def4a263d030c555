//! Expectation comments: `//~ rule` where a finding starts, `//~^ rule` a line below it, `a|b` for either, `a, b` for both, `//~? rule` for a known miss,
//! `//~! rule` for a known false alarm, `-- //~ rule` in SQL.

use std::collections::BTreeSet;
use std::fmt;

use super::cases::Case;

/// What a comment says of its line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A finding is due.
    Due,
    /// One would be due, but racelint does not find it yet.
    KnownMiss,
    /// racelint reports one that is wrong.
    KnownFalseAlarm,
}

/// One expected finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expectation {
    pub kind: Kind,
    pub file: String,
    pub line: u32,
    /// Any one of these.
    pub rules: Vec<String>,
}

/// One finding, as far as expectations speak of it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    pub file: String,
    pub line: u32,
    pub rule: String,
    /// Counts only where the case names its rule.
    pub advisory: bool,
}

/// Where a case and its findings part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    Missed(Expectation),
    Unexpected(Found),
    MissNoMore(Expectation),
    AlarmNoMore(Expectation),
    Malformed { file: String, line: u32, why: String },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Missed(e) => write!(f, "missed      {}:{} {}", e.file, e.line, e.rules.join("|")),
            Difference::Unexpected(found) => write!(f, "unexpected  {}:{} {}", found.file, found.line, found.rule),
            Difference::MissNoMore(e) => {
                write!(f, "found now   {}:{} {}: drop the `?`", e.file, e.line, e.rules.join("|"))
            }
            Difference::AlarmNoMore(e) => {
                write!(f, "silent now  {}:{} {}: drop the comment", e.file, e.line, e.rules.join("|"))
            }
            Difference::Malformed { file, line, why } => write!(f, "malformed   {file}:{line} {why}"),
        }
    }
}

/// The expectations of a case, and the comments that start like one and are none: a forgotten or misspelt expectation must not pass.
pub fn read(case: &Case, is_rule: &dyn Fn(&str) -> bool) -> (Vec<Expectation>, Vec<Difference>) {
    let (mut expectations, mut malformed) = (Vec::new(), Vec::new());
    for (file, text) in case.sources() {
        for (number, line) in (1..).zip(text.lines()) {
            for mark in line.split("//~").skip(1) {
                match parse(mark, is_rule) {
                    Ok((kind, up, lists)) if up < number => {
                        expectations.extend(lists.into_iter().map(|rules| Expectation {
                            kind,
                            file: file.to_owned(),
                            line: number - up,
                            rules,
                        }))
                    }
                    Ok(_) => malformed.push(wrong(file, number, "points above the file".to_owned())),
                    Err(why) => malformed.push(wrong(file, number, why)),
                }
            }
        }
    }
    malformed.extend(broken_promise(case, &expectations));
    (expectations, malformed)
}

fn wrong(file: &str, line: u32, why: String) -> Difference {
    Difference::Malformed { file: file.to_owned(), line, why }
}

/// A case called `bad` must expect something, and one called `good` nothing but known false alarms.
fn broken_promise(case: &Case, expectations: &[Expectation]) -> Option<Difference> {
    let is = |word: &str| case.stem() == word || case.stem().starts_with(&format!("{word}_"));
    let due = expectations.iter().find(|e| e.kind != Kind::KnownFalseAlarm);
    match due {
        None if is("bad") => Some(wrong(&case.name, 0, "is called bad and expects nothing".to_owned())),
        Some(e) if is("good") => Some(wrong(&e.file, e.line, "is called good and expects a finding".to_owned())),
        _ => None,
    }
}

type Parsed = (Kind, u32, Vec<Vec<String>>);

/// What follows `//~`: marks, then names; text after the names is not allowed, for it may be a name misspelt.
fn parse(mark: &str, is_rule: &dyn Fn(&str) -> bool) -> Result<Parsed, String> {
    let names = mark.trim_start_matches(['^', '?', '!']);
    let marks = &mark[..mark.len() - names.len()];
    let up = marks.matches('^').count() as u32;
    let kind = match marks.replace('^', "").as_str() {
        "" => Kind::Due,
        "?" => Kind::KnownMiss,
        "!" => Kind::KnownFalseAlarm,
        other => return Err(format!("unknown mark `{other}`")),
    };
    let lists = names.split(',').map(|list| list.split('|').map(|name| name.trim().to_owned()).collect());
    let lists: Vec<Vec<String>> = lists.collect();
    match lists.iter().flatten().find(|name| !is_rule(name)) {
        Some(name) => Err(format!("`{name}` is no rule")),
        None => Ok((kind, up, lists)),
    }
}

/// Takes out what no rule could meet yet, and the findings on those lines, which another rule may report until then.
pub fn delivered(
    expectations: Vec<Expectation>,
    mut found: Vec<Found>,
    is_delivered: &dyn Fn(&str) -> bool,
) -> (Vec<Expectation>, Vec<Found>) {
    let (now, later): (Vec<_>, Vec<_>) =
        expectations.into_iter().partition(|e| e.rules.iter().any(|rule| is_delivered(rule)));
    found.retain(|f| !later.iter().any(|e| e.file == f.file && e.line == f.line));
    (now, found)
}

/// Compares what was expected with what was found. Each finding meets at most one expectation, known misses last.
pub fn compare(expectations: &[Expectation], found: &[Found]) -> Vec<Difference> {
    let named: BTreeSet<&str> = expectations.iter().flat_map(|e| e.rules.iter().map(String::as_str)).collect();
    let mut left: Vec<&Found> = found.iter().filter(|f| !f.advisory || named.contains(f.rule.as_str())).collect();
    let mut take = |e: &Expectation| {
        let place = left.iter().position(|f| f.file == e.file && f.line == e.line && e.rules.contains(&f.rule));
        place.map(|index| left.remove(index)).is_some()
    };
    // The choosy first: `a` must not lose its finding to an `a|b` that `b` would have met.
    let mut expectations: Vec<&Expectation> = expectations.iter().collect();
    expectations.sort_by_key(|e| e.rules.len());
    let mut differences = Vec::new();
    for e in expectations.iter().filter(|e| e.kind != Kind::KnownMiss) {
        match (take(e), e.kind) {
            (false, Kind::KnownFalseAlarm) => differences.push(Difference::AlarmNoMore((*e).clone())),
            (false, _) => differences.push(Difference::Missed((*e).clone())),
            (true, _) => {}
        }
    }
    for e in expectations.iter().filter(|e| e.kind == Kind::KnownMiss) {
        if take(e) {
            differences.push(Difference::MissNoMore((*e).clone()));
        }
    }
    differences.extend(left.into_iter().cloned().map(Difference::Unexpected));
    differences
}
