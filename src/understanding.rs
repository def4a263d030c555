//! What was understood of a program, as text: the trace of each function, and counts of what stayed dark. For those who work on racelint or on models.

mod counts;
mod trace;

pub use counts::counts;
pub use trace::traces;
