//! racelint finds check-then-act races in Rust source.

pub mod baseline;
pub mod config;
pub mod discover;
pub mod finding;
pub mod fix;
pub mod intern;
pub mod ir;
pub mod models;
pub mod report;
pub mod resolve;
pub mod rule;
pub mod rules;
pub mod since;
pub mod source;
pub mod sql;
pub mod suppress;
