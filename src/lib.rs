//! racelint finds check-then-act races in Rust source.

pub mod finding;
pub mod intern;
pub mod ir;
pub mod lower;
pub mod models;
pub mod resolve;
pub mod rule;
pub mod source;
pub mod sql;
