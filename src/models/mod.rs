//! What racelint knows of libraries: rows of `rules/models/*.toml`, validated on load, and the index that finds the row of a call.

pub mod row;
