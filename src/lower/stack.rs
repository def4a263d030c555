//! Room for recursion: the parser and the tree's destructor use up to 15 KB of stack a level, and an overflow ends the process.

use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::{self, Builder};

const MB: usize = 1 << 20;

/// The stack of a thread that lowers.
pub const STACK: usize = 256 * MB;
/// Where that much address space is not to be had.
pub const SMALL_STACK: usize = 64 * MB;

/// Runs `work` on a thread of its own with a stack of [`STACK`] bytes, or [`SMALL_STACK`], and gives its value. A panic goes on in the caller.
pub fn with_stack<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    let work = Mutex::new(Some(work));
    let run = || {
        let taken = work.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.map(|work| work())
    };
    let done = thread::scope(|scope| {
        let spawned =
            [STACK, SMALL_STACK].iter().find_map(|&size| Builder::new().stack_size(size).spawn_scoped(scope, run).ok());
        spawned.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    // Without any thread the work is still there and runs here.
    done.unwrap_or_else(run).expect("the work is taken once")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn deep(n: u32) -> u64 {
        let room = std::hint::black_box([n as u64; 512]);
        if n == 0 { room[0] } else { deep(n - 1) + room[511] }
    }

    #[test]
    fn the_stack_holds_what_a_test_thread_would_not() {
        assert!(with_stack(|| deep(10_000)) > 0);
    }

    #[test]
    fn a_panic_reaches_the_caller() {
        let caught = std::panic::catch_unwind(|| with_stack(|| panic!("out")));
        assert_eq!(caught.unwrap_err().downcast_ref::<&str>(), Some(&"out"));
    }
}
