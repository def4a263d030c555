//! Which names a case gives itself, and what they become.

use std::collections::{BTreeMap, BTreeSet};

use super::collect::{self, Collected};
use super::{super::cases::Case, sql};

/// What must not be renamed.
#[derive(Clone, Debug, Default)]
pub struct Keep {
    /// Names of methods that libraries have: a call of one cannot be told from a call of the case's own.
    pub methods: BTreeSet<String>,
    /// Names of crates.
    pub crates: BTreeSet<String>,
    /// Words that pages say their rules read; a name that holds one as a part stays.
    pub words: BTreeSet<String>,
}

/// The names of a case.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub collected: Collected,
    /// Tables, columns, aliases.
    pub sql: BTreeSet<String>,
    new: BTreeMap<String, String>,
}

/// What std gives without a `use`, and what macros and derives give or look for without its being written.
const GIVEN: &[&str] = &[
    "self",
    "Self",
    "main",
    "Result",
    "Option",
    "Some",
    "None",
    "Ok",
    "Err",
    "Vec",
    "String",
    "Box",
    "Iterator",
    "Default",
    "Clone",
    "Copy",
    "Drop",
    "Send",
    "Sync",
    "From",
    "Into",
    "AsRef",
    "ToString",
    "Debug",
    "Display",
    "Entity",
    "ActiveModel",
    "Model",
    "Column",
    "Relation",
    "PrimaryKey",
    "Table",
    "dsl",
    "table",
    "columns",
    "all_columns",
    "excluded",
    "str",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "f32",
    "f64",
    "bool",
    "char",
    "id",
    "_",
];

impl Names {
    pub fn of(case: &Case, keep: &Keep) -> Names {
        let mut names = Names::default();
        for (file, text) in case.sources() {
            if file.ends_with(".rs") {
                collect::rust(text, &mut names.collected);
            } else {
                sql::collect(text, &mut names.sql, &mut names.collected.kept);
            }
        }
        for text in std::mem::take(&mut names.collected.sql_texts) {
            sql::collect(&text, &mut names.sql, &mut names.collected.kept);
        }
        let declared = std::mem::take(&mut names.collected.tables);
        names.sql.extend(declared);
        names.choose(keep);
        names
    }

    fn choose(&mut self, keep: &Keep) {
        let own = &self.collected;
        let fixed = |name: &str| {
            GIVEN.contains(&name)
                || own.kept.contains(name)
                || keep.crates.contains(name)
                || (own.methods.contains(name) && keep.methods.contains(name))
                || words(name).iter().any(|word| keep.words.contains(word))
                || syn::parse_str::<syn::Ident>(name).is_err()
        };
        let stays = |name: &str| fixed(name) || (own.columns.contains(name) && fixed(&words(name).join("_")));
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        for name in own.idents.iter().chain(&self.sql).filter(|name| !stays(name)) {
            let count = numbers.len() + 1;
            let number = *numbers.entry(words(name).join("_")).or_insert(count);
            self.new.insert(name.clone(), cased(name, number));
        }
    }

    /// The new name of something the case names, if it gets one.
    pub fn new_name(&self, name: &str) -> Option<&str> {
        self.new.get(name).map(String::as_str)
    }

    pub fn module(&self, name: &str) -> Option<&str> {
        self.new_name(name).filter(|_| self.collected.heads.contains(name))
    }

    pub fn replaced(self) -> BTreeMap<String, String> {
        self.new
    }
}

/// The words of a name in lower case, whatever its style. `Rating` is the column `rating`: names of the same words get the same number, for derives
/// make the one from the other.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars() {
        let breaks = c == '_' || (c.is_uppercase() && lower_before);
        if breaks && words.last().is_some_and(|word| !word.is_empty()) {
            words.push(String::new());
        }
        if c != '_' {
            words.last_mut().expect("never empty").extend(c.to_lowercase());
        }
        lower_before = c.is_lowercase() || c.is_numeric();
    }
    words
}

/// The style of the old name and a number that no real word has.
fn cased(name: &str, number: usize) -> String {
    let plain = name.trim_start_matches('_');
    let lead = &name[..name.len() - plain.len()];
    let upper = plain.starts_with(char::is_uppercase);
    let shout = upper && plain.len() > 1 && !plain.contains(char::is_lowercase);
    match (shout, upper) {
        (true, _) => format!("{lead}ZQ{number}X"),
        (_, true) => format!("{lead}Zq{number}x"),
        _ => format!("{lead}zq{number}x"),
    }
}
