//! Fingerprints: names of findings that survive edits elsewhere in the file.

use std::collections::HashMap;

use crate::finding::Finding;
use crate::source::Sources;

/// The fingerprint of each finding. `findings` are all of the run, sorted; to leave some out first changes the ordinals of their equals.
pub fn all(findings: &[Finding], sources: &Sources) -> Vec<String> {
    let mut seen: HashMap<u128, u64> = HashMap::new();
    findings
        .iter()
        .map(|finding| {
            let base = identity(finding, sources);
            let ordinal = seen.entry(base).or_default();
            let print = eat(base, &ordinal.to_le_bytes());
            *ordinal += 1;
            format!("{print:032x}")
        })
        .collect()
}

/// What two findings share only if they are the same race of the same function. A finding outside any function belongs to its file.
fn identity(finding: &Finding, sources: &Sources) -> u128 {
    let owner = match finding.function.as_str() {
        "" => &sources.get(finding.span.source).name,
        function => function,
    };
    let parts = [finding.rule.name, owner, &finding.act];
    parts.iter().fold(BASIS, |hash, part| eat(eat(hash, part.as_bytes()), &[0xff]))
}

/// FNV-1a over 128 bits: the same on every machine and in every version, which the hashers of std do not promise.
fn eat(hash: u128, bytes: &[u8]) -> u128 {
    bytes.iter().fold(hash, |hash, byte| (hash ^ u128::from(*byte)).wrapping_mul(PRIME))
}

const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_hash_is_fnv() {
        assert_eq!(eat(BASIS, b""), BASIS);
        assert_eq!(eat(BASIS, b"a"), 0xd228_cb69_6f1a_8caf_7891_2b70_4e4a_8964);
    }

    #[test]
    fn equals_are_counted_and_lines_do_not_matter() {
        let sample = sample::Sample::new();
        let mut findings = vec![sample.findings[0].clone(), sample.findings[0].clone()];
        let before = all(&findings, &sample.sources);
        assert_ne!(before[0], before[1]);
        findings[0].span.start += 1;
        findings[0].message = "told otherwise".to_owned();
        assert_eq!(all(&findings, &sample.sources), before);
    }

    #[test]
    fn each_part_counts() {
        let sample = sample::Sample::new();
        let one = sample.findings[0].clone();
        let edits: [fn(&mut Finding); 2] = [|f| f.function.push('x'), |f| f.act.push('x')];
        let prints: Vec<_> = std::iter::once(one.clone())
            .chain(edits.iter().map(|edit| {
                let mut other = one.clone();
                edit(&mut other);
                other
            }))
            .map(|finding| all(&[finding], &sample.sources).remove(0))
            .collect();
        let distinct: std::collections::HashSet<_> = prints.iter().collect();
        assert_eq!(distinct.len(), prints.len());
    }
}
