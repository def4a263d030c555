//! Runs the same work for many numbers on several threads with deep stacks; the answers come back in order.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, Builder, ScopedJoinHandle};

/// Bodies nest as deep as lowering admits; most of this is never touched.
const STACKS: [usize; 2] = [256 << 20, 64 << 20];
/// How many numbers a thread takes at once.
const BATCH: usize = 32;

/// `work` for every number below `count`, on at most `jobs` threads.
pub(super) fn each<R: Send>(count: usize, jobs: usize, work: impl Fn(u32) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let run = || {
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(BATCH, Ordering::Relaxed);
            if start >= count {
                return done;
            }
            done.extend((start..count.min(start + BATCH)).map(|number| (number, work(number as u32))));
        }
    };
    let threads = jobs.min(count.div_ceil(BATCH)).max(1);
    let mut all: Vec<(usize, R)> = thread::scope(|scope| {
        let spawn = || STACKS.iter().find_map(|size| Builder::new().stack_size(*size).spawn_scoped(scope, run).ok());
        let workers: Vec<ScopedJoinHandle<'_, _>> = (0..threads).filter_map(|_| spawn()).collect();
        let done = workers.into_iter().flat_map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        done.collect()
    });
    // Where no thread could be had, or the last one ended early, the rest is done here.
    all.extend(run());
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, value)| value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_come_in_order() {
        for jobs in [0, 1, 3] {
            let answers = each(1000, jobs, |number| number * 2);
            assert_eq!(answers.len(), 1000);
            assert!(answers.iter().enumerate().all(|(at, answer)| *answer == at as u32 * 2));
        }
        assert!(each(0, 2, |number| number).is_empty());
    }
}
