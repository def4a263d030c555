//! The folder that holds the entries: reads, writes, bounds and empties it. Knows nothing of what is in them.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use xxhash_rust::xxh3::xxh3_64;

use super::FORM;
use super::digest::Key;
use crate::discover::read_bytes;

/// The most bytes that all entries may hold together.
const LARGEST: u64 = 256 * 1024 * 1024;
/// The most entries: each new one looks at all of them.
const MOST: usize = 1000;
/// An entry that no run has asked for so long is dropped.
const OLDEST: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How old the mark of the last use may grow before it is renewed.
const RENEWED: Duration = Duration::from_secs(60 * 60);

const MAGIC: &[u8; 8] = b"racelint";
/// The magic, the form, the key, the checksum of the rest.
const HEAD: usize = MAGIC.len() + 1 + 16 + 8;
const TAG: &str = "Signature: 8a477f597d28d172789f06886806bc55\n# What racelint keeps of earlier runs; `racelint cache clean` removes it.\n";
const IGNORE: &str = "*\n";

/// A folder of entries, which need not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    path: PathBuf,
}

/// What cleaning has removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cleaned {
    pub entries: usize,
    pub bytes: u64,
}

impl Folder {
    pub fn new(path: PathBuf) -> Folder {
        Folder { path }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What was stored under a key, if all of it is still there.
    pub(super) fn load(&self, key: Key) -> Option<Vec<u8>> {
        let path = self.entry(key);
        let mut bytes = read_bytes(&path, LARGEST).ok()?;
        let payload = bytes.get(HEAD..)?;
        if bytes[..HEAD] != head(key, payload) {
            return None;
        }
        // racelint: allow(fs-check-then-use) -- only a time is renewed, and an entry that was dropped meanwhile stays dropped
        let _ = renew(&path);
        bytes.drain(..HEAD);
        Some(bytes)
    }

    /// Stores under a key; where that fails nothing is stored.
    pub(super) fn store(&self, key: Key, payload: &[u8]) {
        if self.write(key, payload).is_ok() {
            self.prune(SystemTime::now(), LARGEST);
        }
    }

    fn write(&self, key: Key, payload: &[u8]) -> io::Result<()> {
        self.create()?;
        let (mut file, beside) = self.create_temporary(key)?;
        let written = file
            .write_all(&head(key, payload))
            .and_then(|()| file.write_all(payload))
            .and_then(|()| fs::rename(&beside, self.entry(key)));
        if written.is_err() {
            let _ = fs::remove_file(&beside);
        }
        written
    }

    /// Makes the folder. A new one is marked as a cache and ignored by git; one that was there belongs to somebody and gets no marks.
    fn create(&self) -> io::Result<()> {
        if let Some(above) = self.path.parent() {
            private(true).create(above)?;
        }
        if private(false).create(&self.path).is_ok() {
            for (name, text) in [("CACHEDIR.TAG", TAG), (".gitignore", IGNORE)] {
                let mut file = OpenOptions::new().write(true).create_new(true).open(self.path.join(name))?;
                file.write_all(text.as_bytes())?;
            }
        }
        private(true).create(self.entries())
    }

    /// A file that no other run writes to.
    fn create_temporary(&self, key: Key) -> io::Result<(File, PathBuf)> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = self.entries().join(format!("{key}.{}-{number}.tmp", std::process::id()));
        Ok((OpenOptions::new().write(true).create_new(true).open(&path)?, path))
    }

    /// Drops what nobody asks for any more, and of the rest the oldest until it fits.
    fn prune(&self, now: SystemTime, largest: u64) {
        let mut kept = 0;
        for (number, (path, bytes, used)) in self.listed().into_iter().enumerate() {
            kept += bytes;
            let unused = now.duration_since(used).unwrap_or_default();
            let abandoned = path.extension().is_some() && unused > RENEWED;
            if number >= MOST || kept > largest || unused > OLDEST || abandoned {
                let _ = fs::remove_file(path);
            }
        }
    }

    /// Removes every entry, and the folder where it holds nothing else.
    pub fn clean(&self) -> io::Result<Cleaned> {
        let mut cleaned = Cleaned::default();
        for (path, bytes, _) in self.listed() {
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => cleaned = Cleaned { entries: cleaned.entries + 1, bytes: cleaned.bytes + bytes },
            }
        }
        for (name, text) in [("CACHEDIR.TAG", TAG), (".gitignore", IGNORE)] {
            let path = self.path.join(name);
            if read_bytes(&path, text.len() as u64 + 1).is_ok_and(|bytes| bytes == text.as_bytes()) {
                // racelint: allow(fs-check-then-use) -- a mark that somebody makes their own while they have the cache removed is lost
                let _ = fs::remove_file(path);
            }
        }
        // A folder with other things in it stays.
        // racelint: allow(fs-check-then-use) -- what is not empty is not removed, whatever was seen in it
        let _ = fs::remove_dir(self.entries());
        let _ = fs::remove_dir(&self.path);
        Ok(cleaned)
    }

    /// Entries and files that were to become one, with size and last use; the newest first.
    fn listed(&self) -> Vec<(PathBuf, u64, SystemTime)> {
        let mut listed = Vec::new();
        for entry in fs::read_dir(self.entries()).into_iter().flatten().flatten() {
            let Ok(data) = entry.metadata() else { continue };
            if data.is_file() && is_own(&entry.file_name()) {
                listed.push((entry.path(), data.len(), data.modified().unwrap_or(SystemTime::UNIX_EPOCH)));
            }
        }
        listed.sort_by(|a, b| (b.2, &b.0).cmp(&(a.2, &a.0)));
        listed
    }

    fn entries(&self) -> PathBuf {
        self.path.join("entries")
    }

    fn entry(&self, key: Key) -> PathBuf {
        self.entries().join(key.to_string())
    }
}

fn head(key: Key, payload: &[u8]) -> Vec<u8> {
    [MAGIC.as_slice(), &[FORM], &key.0.to_le_bytes(), &xxh3_64(payload).to_le_bytes()].concat()
}

/// Marks an entry as used. Where that cannot be written it grows old sooner.
fn renew(path: &Path) -> io::Result<()> {
    let file = OpenOptions::new().append(true).open(path)?;
    if file.metadata()?.modified()?.elapsed().unwrap_or_default() > RENEWED {
        file.set_modified(SystemTime::now())?;
    }
    Ok(())
}

/// `0123…cdef` or `0123…cdef.4711-0.tmp`
fn is_own(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    let (key, rest) = name.split_at_checked(32).unwrap_or_default();
    let is_key = key.len() == 32 && key.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_key && (rest.is_empty() || rest.starts_with('.') && rest.ends_with(".tmp"))
}

/// Entries quote code: they are for nobody else to read.
fn private(recursive: bool) -> DirBuilder {
    let mut builder = DirBuilder::new();
    builder.recursive(recursive);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder() -> (tempfile::TempDir, Folder) {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path().join("above/cache"));
        (dir, folder)
    }

    fn used(folder: &Folder, key: Key, ago: Duration) {
        let file = OpenOptions::new().append(true).open(folder.entry(key)).unwrap();
        file.set_modified(SystemTime::now() - ago).unwrap();
    }

    #[test]
    fn what_is_stored_is_found_under_its_key_alone() {
        let (_dir, folder) = folder();
        assert_eq!(folder.load(Key(1)), None);
        folder.store(Key(1), b"one");
        folder.store(Key(2), b"");
        assert_eq!(folder.load(Key(1)).as_deref(), Some(b"one".as_slice()));
        assert_eq!(folder.load(Key(2)).as_deref(), Some(b"".as_slice()));
        assert_eq!(folder.load(Key(3)), None);
        fs::copy(folder.entry(Key(1)), folder.entry(Key(3))).unwrap();
        assert_eq!(folder.load(Key(3)), None);
        folder.store(Key(1), b"another");
        assert_eq!(folder.load(Key(1)).as_deref(), Some(b"another".as_slice()));
    }

    #[test]
    fn the_oldest_are_dropped_when_it_grows_too_large_or_they_too_old() {
        const HOUR: Duration = Duration::from_secs(60 * 60);
        let (_dir, folder) = folder();
        for n in 0..6 {
            folder.store(Key(n), &[0; 1000]);
            used(&folder, Key(n), HOUR * (n as u32 + 1));
        }
        used(&folder, Key(0), OLDEST + HOUR);
        let beside = folder.entries().join(format!("{}.1-0.tmp", Key(9)));
        fs::write(&beside, "").unwrap();
        fs::write(folder.entries().join("notes.txt"), [0; 5000]).unwrap();
        folder.prune(SystemTime::now(), 3 * (1000 + HEAD as u64));
        let kept: Vec<_> = (0..6).filter(|&n| folder.entry(Key(n)).exists()).collect();
        assert_eq!(kept, [1, 2, 3]);
        assert!(beside.exists() && folder.entries().join("notes.txt").exists());
        folder.prune(SystemTime::now() + HOUR * 2, LARGEST);
        assert!(!beside.exists());
    }

    #[test]
    fn an_entry_that_is_asked_for_stays_young() {
        let (_dir, folder) = folder();
        folder.store(Key(1), b"one");
        used(&folder, Key(1), OLDEST - RENEWED);
        assert!(folder.load(Key(1)).is_some());
        folder.prune(SystemTime::now() + RENEWED * 2, LARGEST);
        assert!(folder.load(Key(1)).is_some());
    }

    #[cfg(unix)]
    #[test]
    fn nobody_else_can_look_into_it() {
        use std::os::unix::fs::PermissionsExt;
        let (_dir, folder) = folder();
        folder.store(Key(1), b"one");
        for path in [folder.path.clone(), folder.entries()] {
            assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }
}
