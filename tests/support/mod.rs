//! What the tests over `fixtures/` share: finding the cases, reading their expectations, running racelint on them.

pub mod cases;
pub mod expect;
pub mod rename;
pub mod run;
