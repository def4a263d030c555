//! Applies the edits of cures. Texts change in memory, round by round; the disk is written once, at the end.
//!
//! A cure is applied whole or not at all, in all its files. What it leaves behind must parse, or the file keeps its text and is reported.

mod diff;
mod plan;
mod write;

use std::collections::{BTreeMap, HashSet};

use crate::finding::Finding;
use crate::source::{LineIndex, Source, SourceId, Sources};

pub use diff::diff;
pub use plan::{Plan, Refused, plan};
pub use write::{Failed, write};

/// How far edits may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Only what changes nothing but the window (`--fix`).
    Safe,
    /// Also what may change behaviour (`--fix --unsafe-fixes`).
    Unsafe,
}

/// Edits that overlap wait for the next round, and a cure may open the way for another; real code is done after two or three.
pub const ROUNDS: usize = 10;

/// What fixing came to.
#[derive(Debug)]
pub struct Fixed {
    /// All sources with their new texts, under the same ids.
    pub sources: Sources,
    /// What is left to report, in the new texts.
    pub findings: Vec<Finding>,
    /// How many cures were applied.
    pub applied: usize,
    pub refused: Vec<Refused>,
}

/// Applies cures until none is left to apply, `analyse`ing the new texts after each round.
pub fn until_stable(
    sources: Sources,
    findings: Vec<Finding>,
    allowed: Allowed,
    mut analyse: impl FnMut(&Sources) -> Vec<Finding>,
) -> Fixed {
    let mut fixed = Fixed { sources, findings, applied: 0, refused: Vec::new() };
    // A cure that brings back a text of an earlier round would go in circles.
    let mut seen: HashSet<(SourceId, String)> = HashSet::new();
    let mut closed: BTreeMap<SourceId, String> = BTreeMap::new();
    for _ in 0..ROUNDS {
        let mut plan = plan(&fixed.findings, &fixed.sources, allowed, &closed);
        for refused in plan.refused.drain(..) {
            closed.insert(refused.source, refused.reason.clone());
            fixed.refused.push(refused);
        }
        if plan.texts.is_empty() {
            break;
        }
        if plan.texts.iter().any(|(id, text)| seen.contains(&(*id, text.clone()))) {
            break;
        }
        seen.extend(plan.texts.keys().map(|id| (*id, fixed.sources.get(*id).text.clone())));
        fixed.applied += plan.applied;
        fixed.sources = with_texts(&fixed.sources, plan.texts);
        fixed.findings = analyse(&fixed.sources);
    }
    fixed
}

/// The sources with some texts replaced.
pub fn with_texts(sources: &Sources, mut texts: BTreeMap<SourceId, String>) -> Sources {
    let mut out = Sources::default();
    for (id, source) in sources.iter() {
        out.push(match texts.remove(&id) {
            Some(text) => Source { lines: LineIndex::new(&text), text, ..source.clone() },
            None => source.clone(),
        });
    }
    out
}

/// The sources whose text is no longer what was read.
fn changed<'a>(before: &'a Sources, after: &'a Sources) -> impl Iterator<Item = (&'a Source, &'a Source)> {
    let pairs = before.iter().zip(after.iter()).map(|((_, before), (_, after))| (before, after));
    pairs.filter(|(before, after)| before.text != after.text)
}

#[cfg(test)]
mod tests {
    use super::plan::tests::{edit, finding, fix, sources};
    use super::*;
    use crate::finding::Applicability::{Safe, Unsafe};

    fn text(fixed: &Fixed) -> &str {
        &fixed.sources.get(SourceId(0)).text
    }

    #[test]
    fn rounds_go_on_until_nothing_is_left() {
        let sources = sources(&["fn a() { one(one(one())) }"]);
        let cure = |sources: &Sources| {
            let text = &sources.get(SourceId(0)).text;
            let Some(at) = text.find("one") else { return vec![] };
            vec![finding(vec![fix(Safe, vec![edit(0, at as u32, at as u32 + 3, "two")])])]
        };
        let first = cure(&sources);
        let fixed = until_stable(sources, first, Allowed::Safe, cure);
        assert_eq!(text(&fixed), "fn a() { two(two(two())) }");
        assert_eq!((fixed.applied, fixed.findings.len(), fixed.refused.len()), (3, 0, 0));
    }

    #[test]
    fn cures_that_undo_each_other_end() {
        let sources = sources(&["fn a() {}"]);
        let flip = |sources: &Sources| {
            let other = if sources.get(SourceId(0)).text.contains("a()") { "b" } else { "a" };
            vec![finding(vec![fix(Safe, vec![edit(0, 3, 4, other)])])]
        };
        let first = flip(&sources);
        let fixed = until_stable(sources, first, Allowed::Safe, flip);
        assert_eq!((text(&fixed), fixed.applied), ("fn b() {}", 1));
    }

    #[test]
    fn a_cure_that_always_finds_more_is_bounded() {
        let sources = sources(&["fn a() {}"]);
        let grow = |_: &Sources| vec![finding(vec![fix(Safe, vec![edit(0, 0, 0, "\n")])])];
        let fixed = until_stable(sources, grow(&Sources::default()), Allowed::Safe, grow);
        assert_eq!(fixed.applied, ROUNDS);
    }

    #[test]
    fn unsafe_cures_wait_to_be_allowed() {
        let cures = || vec![finding(vec![fix(Unsafe, vec![edit(0, 3, 4, "b")])])];
        let fixed = until_stable(sources(&["fn a() {}"]), cures(), Allowed::Safe, |_| panic!("nothing changed"));
        assert_eq!((text(&fixed), fixed.findings.len()), ("fn a() {}", 1));
        let fixed = until_stable(sources(&["fn a() {}"]), cures(), Allowed::Unsafe, |_| vec![]);
        assert_eq!(text(&fixed), "fn b() {}");
    }
}
