//! Interned names. A [`Symbol`] is a small copyable stand-in for a string that lives as long as the process.
//!
//! The table only ever grows and holds nothing but text, so it is the one global of the crate. The number of a symbol depends on
//! which thread came first: never sort or hash output by it, only by [`Symbol::as_str`].

use std::collections::HashMap;
use std::fmt;
use std::sync::{LazyLock, RwLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An interned string; equal text gives an equal symbol.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symbol(u32);

#[derive(Default)]
struct Table {
    ids: HashMap<&'static str, u32>,
    texts: Vec<&'static str>,
}

static TABLE: LazyLock<RwLock<Table>> = LazyLock::new(RwLock::default);

impl Symbol {
    /// The symbol of `text`.
    pub fn new(text: &str) -> Self {
        if let Some(&id) = read().ids.get(text) {
            return Symbol(id);
        }
        let mut table = TABLE.write().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(&id) = table.ids.get(text) {
            return Symbol(id);
        }
        let id = u32::try_from(table.texts.len()).expect("fewer than 2^32 distinct names");
        let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
        table.texts.push(kept);
        table.ids.insert(kept, id);
        Symbol(id)
    }

    /// The text of the symbol.
    pub fn as_str(self) -> &'static str {
        read().texts[self.0 as usize]
    }
}

fn read() -> std::sync::RwLockReadGuard<'static, Table> {
    TABLE.read().unwrap_or_else(|poisoned| poisoned.into_inner())
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
