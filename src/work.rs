//! Work shared out among threads, with results that do not depend on how many there are.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
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
    fn heavy_items_come_first() {
        let begun = Mutex::new(Vec::new());
        map(&[3, 9, 1, 9], 1, |item| *item, |item| begun.lock().unwrap().push(*item));
        assert_eq!(*begun.lock().unwrap(), [9, 9, 3, 1]);
    }
}
