//! Tests of the whole stage on snippets.

mod bodies;
mod calls;
mod names;
mod tables;
