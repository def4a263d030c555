//! Callers of `board` (src/lib.rs:8) race for ferry.aboard.
//!
//! Keep this file at src/board_races.rs and name it in src/lib.rs: `#[cfg(test)] mod board_races;`. What only you know is marked TODO.

#[allow(unused_imports)]
use super::*;

/// How many callers there are.
const CALLERS: usize = 8;

/// How many orders of their steps are tried.
const ORDERS: u64 = 200;

/// What all callers share.
#[allow(dead_code)]
struct Prepared {
    ferry: Ferry,
    places: u32,
}

/// Makes a state in which a caller with places = 1 reads ferry.aboard = 39: anew at each call, and reachable by nothing else.
fn prepare() -> Prepared {
    todo!("TODO: make a state in which a caller with places = 1 reads ferry.aboard = 39; give back ferry, places")
}

/// One request, by its number; whether it was told that it succeeded. Callers that must differ (in who asks, not in what for) take that from the number.
#[allow(unreachable_code, unused_variables)]
fn call(prepared: &Prepared, caller: usize) -> bool {
    prepared.ferry.board(prepared.places)
}

/// Reads ferry.aboard, as a number.
#[allow(unused_variables)]
fn measured(prepared: &Prepared) -> i64 {
    todo!("TODO: read ferry.aboard, as a number")
}

/// What holds whatever the order.
#[allow(unused_variables)]
fn must_hold(prepared: &Prepared, winners: i64, order: &str) {
    let after = measured(prepared);
    let most = 40;
    assert!(after <= most, "ferry.aboard came to {after}, above {most}: {order}");
}

/// All callers begin when the last one is ready.
#[test]
fn callers_released_at_once() {
    let prepared = prepare();
    let winners = race(&prepared, 0);
    must_hold(&prepared, winners, "all at once");
}

/// Each caller begins a little later than the others, by a time drawn from a seed: a failure names the seed.
#[test]
fn callers_in_many_orders() {
    for seed in 1..=ORDERS {
        let prepared = prepare();
        let winners = race(&prepared, seed);
        must_hold(&prepared, winners, &format!("seed {seed}"));
    }
}

/// Runs all callers, each on its own thread; gives how many succeeded.
fn race(prepared: &Prepared, seed: u64) -> i64 {
    let start = std::sync::Barrier::new(CALLERS);
    std::thread::scope(|scope| {
        let start = &start;
        let callers: Vec<_> = (0..CALLERS)
            .map(|caller| {
                scope.spawn(move || {
                    let delay = if seed == 0 { 0 } else { next(&mut (seed * 31 + caller as u64 + 1)) % 2000 };
                    start.wait();
                    (0..delay).for_each(|_| std::hint::spin_loop());
                    call(prepared, caller)
                })
            })
            .collect();
        callers.into_iter().map(|caller| i64::from(caller.join().expect("no caller panics"))).sum()
    })
}

/// The next number of a row that looks like chance (xorshift).
fn next(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state
}
