//! What `check` writes into sources: fixes and suppressions.

use anyhow::bail;

use super::check::{Run, analyse, outcome};
use super::{Outcome, print};
use crate::discover::Inventory;
use crate::finding::Finding;
use crate::fix::{self, Allowed, Fixed};
use crate::report::plural;
use crate::source::Sources;
use crate::{Analysis, suppress};

/// Applies the fixes; inventory and analysis then are those of the new texts.
pub fn fix(run: &Run, inventory: &mut Inventory, analysis: &mut Analysis) -> anyhow::Result<()> {
    let before = inventory.sources.clone();
    let fixed = fixed(run, inventory, analysis)?;
    for refused in &fixed.refused {
        run.note(&format!("{}: not fixed: {}", fixed.sources.get(refused.source).name, refused.reason));
    }
    write(&before, &fixed.sources)?;
    inventory.sources = fixed.sources;
    match fixed.applied {
        0 => {}
        1 => run.note("applied 1 fix"),
        applied => run.note(&format!("applied {applied} fixes")),
    }
    Ok(())
}

/// Prints what fixing would change. Nothing is written, so what is found is still there.
pub fn print_diff(run: &Run, inventory: &Inventory, mut analysis: Analysis) -> anyhow::Result<Outcome> {
    let outcome = outcome(run, &analysis);
    let fixed = fixed(run, inventory, &mut analysis)?;
    print::patch(&fix::diff(&inventory.sources, &fixed.sources))?;
    Ok(outcome)
}

fn fixed(run: &Run, inventory: &Inventory, analysis: &mut Analysis) -> anyhow::Result<Fixed> {
    let allowed = if run.args.change.unsafe_fixes { Allowed::Unsafe } else { Allowed::Safe };
    let mut inner = inventory.clone();
    let mut failed = None;
    let fixed = fix::until_stable(inventory.sources.clone(), findings(analysis), allowed, |sources| {
        inner.sources = sources.clone();
        match analyse(run, &inner) {
            Ok(new) => {
                *analysis = new;
                findings(analysis)
            }
            Err(error) => {
                failed = Some(error);
                Vec::new()
            }
        }
    });
    failed.map_or(Ok(fixed), Err)
}

/// Writes a suppression above every finding.
pub fn add_suppressions(run: &Run, inventory: &Inventory, analysis: Analysis) -> anyhow::Result<Outcome> {
    let reason = run.args.change.reason.as_deref().unwrap_or_default().trim();
    if reason.is_empty() || reason.contains(['\n', '\r']) {
        bail!("--reason wants one line that says why");
    }
    let additions = suppress::additions(&findings(&analysis), reason, &inventory.sources);
    let texts = suppress::with_additions(&additions, &inventory.sources);
    let after = Inventory { sources: fix::with_texts(&inventory.sources, texts), ..inventory.clone() };
    // A comment that would end up inside a string suppresses nothing, and may break the program.
    let checked = analyse(run, &after)?;
    if let Some((finding, _)) = checked.findings.first() {
        let name = &after.sources.get(finding.span.source).name;
        bail!(
            "nothing was written: a comment above {name}:{} would not suppress {}",
            after.sources.line(finding.span),
            finding.rule.name
        );
    }
    write(&inventory.sources, &after.sources)?;
    let (written, of) = (plural(additions.len(), "suppression"), plural(analysis.findings.len(), "finding"));
    run.note(&format!("wrote {written} for {of}"));
    Ok(Outcome::Clean)
}

fn findings(analysis: &Analysis) -> Vec<Finding> {
    analysis.findings.iter().map(|(finding, _)| finding.clone()).collect()
}

fn write(before: &Sources, after: &Sources) -> anyhow::Result<()> {
    let failed = fix::write(before, after);
    if failed.is_empty() {
        return Ok(());
    }
    let lines: Vec<_> =
        failed.iter().map(|failed| format!("cannot write {}: {}", failed.file, failed.reason)).collect();
    bail!("{}", lines.join("\n"))
}
