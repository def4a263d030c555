//! What earlier runs found, kept on disk.
//!
//! An entry is found under a digest of everything that its content follows from, so it is never stale: what no longer holds is asked for under another name.
//! Whatever is wrong with an entry or with the folder, it is as if there were none. Entries are put in place whole, so any number of runs may share a folder.

mod digest;
mod folder;
mod run;

pub use folder::{Cleaned, Folder};
pub use run::Run;

/// Told apart by it are entries whose form has changed; the build alone would do so for released versions.
const FORM: u8 = 1;
