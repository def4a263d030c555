//! A digest of everything that a result follows from.

use std::fmt;

use serde::Serialize;
use xxhash_rust::xxh3::Xxh3;

use super::FORM;
use crate::discover::Inventory;
use crate::source::Source;

/// The name of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(pub u128);

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", self.0)
    }
}

/// Pieces, each with its length before it, so that no two lists of pieces are one.
struct Digest(Xxh3);

impl Digest {
    /// Starts with what tells builds apart.
    fn new(what: &str) -> Digest {
        let mut digest = Digest(Xxh3::new());
        digest.bytes(&[FORM]);
        digest.bytes(env!("CARGO_PKG_VERSION").as_bytes());
        digest.bytes(env!("RACELINT_BUILD").as_bytes());
        digest.bytes(what.as_bytes());
        digest
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// None for what has no lasting form: a path that is no text.
    fn value(&mut self, value: &impl Serialize) -> Option<()> {
        self.bytes(&postcard::to_allocvec(value).ok()?);
        Some(())
    }

    fn key(&self) -> Key {
        Key(self.0.digest128())
    }
}

/// The key of what is found in an inventory with the rows of users' model files, given by name and text.
///
/// Which files are reported on has no part in it: that is asked afterwards.
pub fn of_run(inventory: &Inventory, models: &[(String, String)]) -> Option<Key> {
    let Inventory { sources, layout, databases, skipped } = inventory;
    let mut digest = Digest::new("run");
    digest.value(&sources.len())?;
    for (_, source) in sources.iter() {
        let Source { name, path, kind, text, lines: _, reported: _ } = source;
        digest.value(&(name, path, kind))?;
        digest.bytes(text.as_bytes());
    }
    digest.value(&(layout, databases, skipped, models))?;
    Some(digest.key())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::discover::Database;
    use crate::finding::Skipped;
    use crate::source::{LineIndex, SourceKind, Sources};

    fn inventory(files: &[(&str, &str)]) -> Inventory {
        let mut sources = Sources::default();
        for (name, text) in files {
            let (text, lines) = ((*text).to_owned(), LineIndex::new(text));
            let (path, kind) = (format!("/p/{name}").into(), SourceKind::Rust);
            sources.push(Source { name: (*name).to_owned(), path, kind, text, lines, reported: true });
        }
        Inventory { sources, ..Inventory::default() }
    }

    #[test]
    fn whatever_is_read_counts() {
        let key = |inventory: &Inventory| of_run(inventory, &[]).unwrap();
        let files = [("a.rs", "fn a() {}"), ("b.rs", "")];
        let one = inventory(&files);
        assert_eq!(key(&one), key(&one.clone()));
        let mut others = vec![
            inventory(&files[..1]),
            inventory(&[("a.rs", ""), ("b.rs", "fn a() {}")]),
            inventory(&[("a.rs", "fn a() {}"), ("c.rs", "")]),
            inventory(&[("a.rs", "fn a() {} "), ("b.rs", "")]),
        ];
        others.push(Inventory { databases: vec![Database::default()], ..one.clone() });
        let skipped = Skipped { file: "c.rs".to_owned(), reason: "not UTF-8".to_owned() };
        others.push(Inventory { skipped: vec![skipped], ..one.clone() });
        let mut edition = one.clone();
        edition.layout.loose_edition = 2018;
        others.push(edition);
        let mut keys: Vec<_> = others.iter().map(key).chain([key(&one)]).map(|key| key.0).collect();
        for models in [("m.toml", ""), ("m.toml", "library = 'x'"), ("n.toml", "")] {
            keys.push(of_run(&one, &[(models.0.to_owned(), models.1.to_owned())]).unwrap().0);
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), others.len() + 4);
    }

    #[cfg(unix)]
    #[test]
    fn a_path_that_is_no_text_has_no_lasting_name() {
        use std::os::unix::ffi::OsStringExt;
        let mut sources = Sources::default();
        let (path, lines) = (std::ffi::OsString::from_vec(vec![b'/', 0xff]).into(), LineIndex::new(""));
        let name = "odd".to_owned();
        sources.push(Source { name, path, kind: SourceKind::Rust, text: String::new(), lines, reported: true });
        assert_eq!(of_run(&Inventory { sources, ..Inventory::default() }, &[]), None);
    }
}
