//! Work shared out among threads, with results that do not depend on how many there are.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};
use std::thread;

use crate::lower::with_stack;

/// The results of `work` on each item, in the order of the items. Heavier items are handed out first, so that none is begun when the others are done; at
/// most `jobs` run at once, each on a deep stack. A panic of `work` goes on in the caller.
pub fn map<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    weight: impl Fn(&T) -> usize,
    work: impl Fn(&T) -> R + Sync,
) -> Vec<R> {
    let mut order: Vec<usize> = (0..items.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(weight(&items[index])));
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, R)>> = Mutex::new(Vec::with_capacity(items.len()));
    let one_worker = || {
        while let Some(&index) = order.get(next.fetch_add(1, Ordering::Relaxed)) {
            let result = work(&items[index]);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((index, result));
        }
    };
    thread::scope(|scope| {
        for _ in 1..jobs.clamp(1, items.len().max(1)) {
            scope.spawn(|| with_stack(one_worker));
        }
        with_stack(one_worker);
    });
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(index, _)| *index);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Runs `work` on the numbers below `waits_for.len()`, each once all that it waits for are done; at most `jobs` at once, each on a deep stack. What a number
/// waits for, over any number of steps, may not be itself. A panic of `work` goes on in the caller.
pub fn in_order(waits_for: &[Vec<u32>], jobs: usize, work: impl Fn(usize) + Sync) {
    let plan = Plan::new(waits_for);
    let one_worker = || {
        while let Some(number) = plan.next() {
            let open = Open(&plan);
            work(number as usize);
            std::mem::forget(open);
            plan.done(number);
        }
    };
    thread::scope(|scope| {
        for _ in 1..jobs.clamp(1, waits_for.len().max(1)) {
            scope.spawn(|| with_stack(one_worker));
        }
        with_stack(one_worker);
    });
}

/// What may be begun, and who waits for whom.
struct Plan {
    state: Mutex<PlanState>,
    changed: Condvar,
    /// By number: those that wait for it.
    waiting: Vec<Vec<u32>>,
}

struct PlanState {
    /// The smallest number comes first.
    ready: BinaryHeap<Reverse<u32>>,
    /// How many each still waits for.
    missing: Vec<u32>,
    /// How many are not done.
    left: usize,
}

impl Plan {
    fn new(waits_for: &[Vec<u32>]) -> Plan {
        let mut waiting = vec![Vec::new(); waits_for.len()];
        for (number, others) in (0u32..).zip(waits_for) {
            for other in others {
                waiting[*other as usize].push(number);
            }
        }
        let missing: Vec<u32> = waits_for.iter().map(|others| others.len() as u32).collect();
        let ready = (0u32..).zip(&missing).filter(|(_, missing)| **missing == 0).map(|(number, _)| Reverse(number));
        let state = PlanState { ready: ready.collect(), left: missing.len(), missing };
        Plan { state: Mutex::new(state), changed: Condvar::new(), waiting }
    }

    /// Waits until there is something to do; none when everything is done.
    fn next(&self) -> Option<u32> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let idle = |state: &mut PlanState| state.ready.is_empty() && state.left > 0;
        let mut state = self.changed.wait_while(state, idle).unwrap_or_else(PoisonError::into_inner);
        state.ready.pop().map(|Reverse(number)| number)
    }

    fn done(&self, number: u32) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        for &other in &self.waiting[number as usize] {
            state.missing[other as usize] -= 1;
            if state.missing[other as usize] == 0 {
                state.ready.push(Reverse(other));
            }
        }
        state.left = state.left.saturating_sub(1);
        self.changed.notify_all();
    }

    /// Nothing more is begun.
    fn give_up(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.ready.clear();
        state.left = 0;
        self.changed.notify_all();
    }
}

/// Work that was begun. Dropped, it was left by a panic: nobody may wait for it any more.
struct Open<'p>(&'p Plan);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.give_up();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_keep_the_order_for_any_number_of_threads() {
        let items: Vec<usize> = (0..100).collect();
        for jobs in [0, 1, 2, 7, 1000] {
            let squares = map(&items, jobs, |item| *item % 13, |item| item * item);
            assert_eq!(squares, items.iter().map(|item| item * item).collect::<Vec<_>>());
        }
        assert!(map(&[] as &[usize], 4, |item| *item, |item| *item).is_empty());
    }

    #[test]
    fn nothing_begins_before_what_it_waits_for() {
        // Each waits for the two at half and a third of its number.
        let waits_for: Vec<Vec<u32>> = (0..500u32).map(|n| if n < 2 { vec![] } else { vec![n / 2, n / 3] }).collect();
        let waits_for: Vec<Vec<u32>> = waits_for
            .into_iter()
            .map(|mut of| {
                of.dedup();
                of
            })
            .collect();
        for jobs in [0, 1, 3, 16] {
            let done: Mutex<Vec<u32>> = Mutex::default();
            in_order(&waits_for, jobs, |number| {
                let mut done = done.lock().unwrap();
                assert!(waits_for[number].iter().all(|other| done.contains(other)), "{number}");
                done.push(number as u32);
            });
            assert_eq!(done.lock().unwrap().len(), 500);
        }
        in_order(&[], 4, |_| unreachable!());
    }

    #[test]
    fn a_panic_ends_the_others() {
        let waits_for: Vec<Vec<u32>> = (0..50u32).map(|n| if n == 0 { vec![] } else { vec![n - 1] }).collect();
        let run = || in_order(&waits_for, 4, |number| assert!(number < 10));
        assert!(std::panic::catch_unwind(run).is_err());
    }

    #[test]
    fn heavy_items_come_first() {
        let begun = Mutex::new(Vec::new());
        map(&[3, 9, 1, 9], 1, |item| *item, |item| begun.lock().unwrap().push(*item));
        assert_eq!(*begun.lock().unwrap(), [9, 9, 3, 1]);
    }
}
