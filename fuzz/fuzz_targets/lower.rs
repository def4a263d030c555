//! Any bytes as a Rust file: comments lie inside it and start like comments, functions and locals lie inside it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use racelint::lower::{lower, with_stack};
use racelint::source::SourceId;

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    with_stack(|| {
        let Ok(lowered) = lower(SourceId(0), text, 2021) else { return };
        for comment in &lowered.file.comments {
            let shown = &text[comment.span.start as usize..comment.span.end as usize];
            assert!(shown.starts_with("//") || shown.starts_with("/*"), "{shown:?}");
        }
        for function in &lowered.file.functions {
            assert!(text.get(function.whole.start as usize..function.whole.end as usize).is_some());
            for local in function.body.iter().flat_map(|body| &body.locals) {
                assert!(text.get(local.span.start as usize..local.span.end as usize).is_some());
            }
        }
    });
});
