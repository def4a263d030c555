//! The binary.

fn main() {}
