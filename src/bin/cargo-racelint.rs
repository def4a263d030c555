//! `cargo racelint`.

fn main() {}
