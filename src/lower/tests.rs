//! Lowering as a whole.

use super::*;

#[test]
fn every_source_of_this_crate_is_lowered_whole() {
    with_stack(|| {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/src");
        let sources = walkdir::WalkDir::new(root).into_iter().map(|entry| entry.unwrap());
        let mut functions = 0;
        for entry in sources.filter(|entry| entry.path().extension().is_some_and(|name| name == "rs")) {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            let lowered = lower(SourceId(0), &text, 2024).unwrap();
            assert_eq!(lowered.skipped, [], "{}", entry.path().display());
            functions += lowered.file.functions.len();
            assert!(!dump(&lowered.file).is_empty() || lowered.file.functions.is_empty());
        }
        assert!(functions > 100, "{functions}");
    });
}
