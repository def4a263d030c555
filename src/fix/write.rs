//! New texts → disk: each file whole or not at all.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::fix::changed;
use crate::source::Sources;

/// A file that could not be written, and why; it is as it was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    pub file: String,
    pub reason: String,
}

/// Writes every changed text. Files are independent: one that fails does not keep the others from being written.
pub fn write(before: &Sources, after: &Sources) -> Vec<Failed> {
    let mut failed = Vec::new();
    for (old, new) in changed(before, after) {
        if let Err(error) = replace(&old.path, &old.text, &new.text) {
            failed.push(Failed { file: old.name.clone(), reason: error.to_string() });
        }
    }
    failed
}

/// Puts a new file in the place of one that still holds `old`, with its permissions. A reader sees the old text or the new, never a part.
///
/// Between the comparison and the rename another program could still write the file: no portable call closes that. It is made short instead, the new file
/// stands ready before the comparison.
fn replace(path: &Path, old: &str, new: &str) -> io::Result<()> {
    // The link stays and what it points to changes.
    let path = path.canonicalize()?;
    let (mut file, temporary) = create_beside(&path)?;
    let written = file
        .write_all(new.as_bytes())
        .and_then(|()| file.set_permissions(fs::metadata(&path)?.permissions()))
        .and_then(|()| file.sync_all())
        .and_then(|()| unchanged(&path, old))
        // racelint: allow(fs-check-then-use) -- the window that is left is described above
        .and_then(|()| fs::rename(&temporary, &path));
    if written.is_err() {
        // The first error is the one to tell.
        let _ = fs::remove_file(&temporary);
    }
    written
}

fn unchanged(path: &Path, old: &str) -> io::Result<()> {
    if fs::read(path)? == old.as_bytes() {
        return Ok(());
    }
    Err(io::Error::other("it changed while racelint ran"))
}

/// A new file that nobody else can read yet, in the same folder, because a rename does not cross file systems.
fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    for attempt in 0..100 {
        let temporary = path.with_file_name(format!(".{name}.racelint-{}-{attempt}", std::process::id()));
        match options.open(&temporary) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            opened => return opened.map(|file| (file, temporary)),
        }
    }
    Err(io::Error::from(ErrorKind::AlreadyExists))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_new_text_takes_the_place_of_the_old() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rs");
        fs::write(&path, "old").unwrap();
        replace(&path, "old", "new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(names(folder.path()), ["a.rs"]);
    }

    #[test]
    fn a_file_that_changed_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.rs");
        fs::write(&path, "edited meanwhile").unwrap();
        let error = replace(&path, "old", "new").unwrap_err();
        assert!(error.to_string().contains("changed while"), "{error}");
        assert_eq!(fs::read_to_string(&path).unwrap(), "edited meanwhile");
        assert_eq!(names(folder.path()), ["a.rs"]);
        fs::remove_file(&path).unwrap();
        assert_eq!(replace(&path, "old", "new").unwrap_err().kind(), ErrorKind::NotFound);
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }

    #[cfg(unix)]
    #[test]
    fn permissions_and_links_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a.rs"), folder.path().join("link.rs"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o751)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        replace(&link, "old", "new").unwrap();
        assert!(link.symlink_metadata().unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o751);
    }
}
