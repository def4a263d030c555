//! What the manifests say: packages, their crates and who depends on whom. Plain data that `discover` fills; no file is read here.
//!
//! Which file belongs to which crate is not in it: that is found by following `mod` declarations from the crate roots.

use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use super::CrateRole;
use crate::intern::Symbol;
use crate::source::SourceId;

/// The packages of a run and where every Rust file lies.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Layout {
    pub packages: Vec<Package>,
    /// The path of every Rust source, normalised by [`normalize`]; all of them absolute, or all relative to the same directory.
    pub files: Vec<(SourceId, PathBuf)>,
    /// The edition of files that no package owns; 0 means 2021.
    pub loose_edition: u16,
}

/// One `Cargo.toml` with a `[package]`.
#[derive(Clone, Debug, Serialize)]
pub struct Package {
    /// As written, with `-`.
    pub name: Symbol,
    pub edition: u16,
    /// The directory of the manifest, normalised as [`Layout::files`] are.
    pub dir: PathBuf,
    /// Of `[dependencies]`, `[dev-dependencies]`, `[build-dependencies]` and their `target.*` forms, each once.
    pub dependencies: Vec<Dependency>,
    pub targets: Vec<TargetRoot>,
}

/// One dependency of a package.
#[derive(Clone, Debug, Serialize)]
pub struct Dependency {
    /// The key in the manifest, with `_` for `-`: the name by which code calls the crate.
    pub name: Symbol,
    pub to: DependsOn,
}

/// What a dependency is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum DependsOn {
    /// A package of this run, by its place in [`Layout::packages`].
    Member(u32),
    /// A package from elsewhere, by its real name with `_` for `-`; differs from the key where the manifest says `package = "…"`.
    External(Symbol),
}

/// A crate root: `src/lib.rs`, `src/main.rs`, `src/bin/*`, `tests/*`, `examples/*`, `benches/*`, `build.rs`, or as the manifest says.
#[derive(Clone, Debug, Serialize)]
pub struct TargetRoot {
    /// The target's name with `_` for `-`.
    pub name: Symbol,
    pub role: CrateRole,
    pub root: SourceId,
}

impl Layout {
    /// A layout without manifests: every file is followed from the roots that its directory suggests, or stands alone.
    pub fn loose(files: Vec<(SourceId, PathBuf)>) -> Layout {
        let files = files.into_iter().map(|(id, path)| (id, normalize(&path))).collect();
        Layout { packages: Vec::new(), files, loose_edition: 0 }
    }
}

/// The path without `.` and, as far as it can be told without looking at the disk, without `..`.
pub fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if matches!(out.components().next_back(), Some(Component::Normal(_))) => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_normalised_without_the_disk() {
        assert_eq!(normalize(Path::new("./src/a/../b.rs")), PathBuf::from("src/b.rs"));
        assert_eq!(normalize(Path::new("../a/./b.rs")), PathBuf::from("../a/b.rs"));
        assert_eq!(normalize(Path::new("/x/../y")), PathBuf::from("/y"));
    }
}
