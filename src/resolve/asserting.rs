//! Functions that only tests call and that assert what came out: parts of tests, though they are built with the library.

use std::collections::HashSet;

use super::{FnDef, FnId, Typed};
use crate::ir::{self, Body, ExprKind};
use crate::source::Span;

/// One assertion states what a function needs; several, under tests alone, are what a test is made of.
const SEVERAL: usize = 2;

/// Marks them as test code. Such a function may call another.
pub(super) fn mark(files: &[ir::File], typed: &[Typed], functions: &mut [FnDef]) {
    let mut callers: Vec<Vec<FnId>> = vec![Vec::new(); functions.len()];
    for (caller, typed) in (0u32..).map(FnId).zip(typed) {
        for callee in typed.targets.values().flat_map(|target| &target.functions) {
            callers[callee.0 as usize].push(caller);
        }
    }
    let mut open: Vec<usize> = (0..functions.len())
        .filter(|id| !functions[*id].test && !callers[*id].is_empty())
        .filter(|id| body(files, &functions[*id]).is_some_and(|body| assertions(body) >= SEVERAL))
        .collect();
    loop {
        let (found, rest): (Vec<usize>, Vec<usize>) =
            open.iter().partition(|id| callers[**id].iter().all(|caller| functions[caller.0 as usize].test));
        if found.is_empty() {
            return;
        }
        for id in found {
            functions[id].test = true;
        }
        open = rest;
    }
}

fn body<'f>(files: &'f [ir::File], def: &FnDef) -> Option<&'f Body> {
    files[def.place.file as usize].functions[def.place.index as usize].body.as_ref()
}

/// `assert!` and its like are branches that panic, each with one span.
fn assertions(body: &Body) -> usize {
    let panics: HashSet<Span> =
        body.exprs.iter().filter(|expr| matches!(expr.kind, ExprKind::Panic(_))).map(|expr| expr.span).collect();
    body.exprs.iter().filter(|expr| matches!(expr.kind, ExprKind::If { .. }) && panics.contains(&expr.span)).count()
}

#[cfg(test)]
mod tests {
    use super::super::testing::app;

    #[test]
    fn what_only_tests_call_and_asserts_is_part_of_them() {
        let program = app(&[(
            "src/lib.rs",
            "pub fn works(n: u32) { assert_eq!(half(n), 2); assert!(step(n)); }
             pub fn half(n: u32) -> u32 { assert!(n > 1); n / 2 }
             pub fn step(n: u32) -> bool { assert!(n > 1); assert!(n < 9); n > 2 }
             pub fn used(n: u32) -> bool { step(n) }
             #[test] fn t() { works(4) }",
        )])
        .program;
        let tests = program.functions.iter().filter(|def| def.test).map(|def| def.path.as_str());
        assert_eq!(tests.collect::<Vec<_>>(), ["app::works", "app::t"]);
    }
}
