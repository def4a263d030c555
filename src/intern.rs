//! Interned names. A [`Symbol`] is a small copyable stand-in for a string that lives as long as the process.
//!
//! The table only ever grows and holds nothing but text, so it is the one global of the crate. The number of a symbol depends on
//! which thread came first: never sort or hash output by it, only by [`Symbol::as_str`].

use std::fmt;
use std::hash::BuildHasher;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{LazyLock, Mutex, OnceLock, PoisonError};

use foldhash::fast::FixedState;
use hashbrown::HashTable;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A map whose keys nobody outside chooses: quick, and the same in each run.
pub type Map<K, V> = std::collections::HashMap<K, V, FixedState>;
/// The same without values.
pub type Set<K> = std::collections::HashSet<K, FixedState>;

/// An interned string; equal text gives an equal symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(u32);

/// Numbers are looked up under one of this many locks, by the hash of the text: threads seldom meet.
const SHARDS: usize = 64;
/// The first piece of the texts holds this many, each further one twice as many as the one before.
const FIRST_PIECE: usize = 1 << 12;
const PIECES: usize = 21;

type Piece = Box<[OnceLock<&'static str>]>;

struct Table {
    ids: [Mutex<HashTable<u32>>; SHARDS],
    next: AtomicU32,
    /// Texts by number, in pieces that never move: they are read without a lock.
    texts: [OnceLock<Piece>; PIECES],
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table {
    ids: std::array::from_fn(|_| Mutex::default()),
    next: AtomicU32::new(0),
    texts: std::array::from_fn(|_| OnceLock::new()),
});

impl Table {
    fn id(&self, text: &str) -> u32 {
        let hash = FixedState::default().hash_one(text);
        let shard = &self.ids[hash as usize % SHARDS];
        let mut ids = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&id) = ids.find(hash, |&id| self.text(id) == text) {
            return id;
        }
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (piece, at) = place(id);
        let texts = self.texts[piece].get_or_init(|| (0..FIRST_PIECE << piece).map(|_| OnceLock::new()).collect());
        texts[at].get_or_init(|| Box::leak(text.to_owned().into_boxed_str()));
        ids.insert_unique(hash, id, |&id| FixedState::default().hash_one(self.text(id)));
        id
    }

    fn text(&self, id: u32) -> &'static str {
        let (piece, at) = place(id);
        let text = self.texts[piece].get().and_then(|texts| texts[at].get());
        text.expect("a number is given out when its text stands")
    }
}

/// The piece that holds the text of a number, and where in it.
fn place(id: u32) -> (usize, usize) {
    let at = id as usize + FIRST_PIECE;
    let piece = (at.ilog2() - FIRST_PIECE.ilog2()) as usize;
    (piece, at - (FIRST_PIECE << piece))
}

impl Symbol {
    /// The symbol of `text`.
    pub fn new(text: &str) -> Self {
        Symbol(TABLE.id(text))
    }

    /// The text of the symbol.
    pub fn as_str(self) -> &'static str {
        TABLE.text(self.0)
    }
}

impl fmt::Display for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Symbol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

impl From<&str> for Symbol {
    fn from(text: &str) -> Self {
        Symbol::new(text)
    }
}

impl PartialEq<str> for Symbol {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Symbol {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl Serialize for Symbol {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Symbol {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Symbol::new(&String::deserialize(deserializer)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_text_has_one_number_for_all_threads() {
        let names: Vec<String> = (0..3 * FIRST_PIECE).map(|n| format!("name {n}")).collect();
        let intern = || names.iter().map(|name| Symbol::new(name)).collect::<Vec<_>>();
        let (first, second) = std::thread::scope(|scope| {
            let other = scope.spawn(intern);
            (intern(), other.join().unwrap())
        });
        assert_eq!(first, second);
        assert!(first.iter().zip(&names).all(|(symbol, name)| symbol.as_str() == name));
    }

    #[test]
    fn pieces_follow_each_other() {
        let first = FIRST_PIECE as u32;
        assert_eq!(place(0), (0, 0));
        assert_eq!(place(first - 1), (0, FIRST_PIECE - 1));
        assert_eq!(place(first), (1, 0));
        assert_eq!(place(3 * first), (2, 0));
        assert!(place(u32::MAX).0 < PIECES);
    }
}
