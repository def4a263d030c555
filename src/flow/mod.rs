//! Flow: a typed program → for each function its trace of events and the summary that its callers need.
//!
//! A function is walked once, in the order of its code, on symbolic values. Calls of program functions replay the callee's summary with the caller's values, so that a
//! handle, a key or a condition means what it means at that call; functions are never cloned, and summaries are computed from the callees upwards. A closure runs where the model
//! of the call that takes it says. Loops are walked once.

pub mod assign;
pub mod bits;
pub mod call;
pub mod combinator;
pub mod command;
mod compact;
pub mod cond;
pub mod control;
pub mod event;
pub mod instantiate;
pub mod model;
pub mod pattern;
pub mod query;
pub mod solve;
pub mod state;
pub mod value;
pub mod walk;
