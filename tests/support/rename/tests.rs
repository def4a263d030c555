//! What the renaming keeps and what it replaces.

use std::collections::{BTreeMap, BTreeSet};

use super::*;

fn keep(methods: &[&str], crates: &[&str], words: &[&str]) -> Keep {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    Keep { methods: set(methods), crates: set(crates), words: set(words) }
}

fn case(files: &[(&str, &str)]) -> Case {
    let files = files.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    Case { name: "case".to_owned(), files: files.collect() }
}

fn library() -> Keep {
    keep(&["bind", "get", "execute", "fetch_one", "load"], &["sqlx", "std", "diesel", "tokio", "redis"], &["status"])
}

fn renamed(text: &str) -> String {
    let renamed = rename(&case(&[("src/lib.rs", text)]), &library());
    let out = renamed.case.files["src/lib.rs"].clone();
    assert_eq!(out.lines().count(), text.lines().count());
    assert!(syn::parse_file(&out).is_ok(), "{out}");
    out
}

/// The text with each name that got a new one put back: what is left must be the old text.
fn restored(text: &str) -> String {
    let renamed = rename(&case(&[("src/lib.rs", text)]), &library());
    let back: BTreeMap<_, _> = renamed.names.iter().map(|(old, new)| (new.clone(), old.clone())).collect();
    assert_eq!(back.len(), renamed.names.len(), "two names became one");
    let mut out = renamed.case.files["src/lib.rs"].clone();
    for (new, old) in back.iter().rev() {
        let mut whole = String::new();
        let mut rest = out.as_str();
        while let Some(at) = rest.find(new.as_str()) {
            let (before, from) = rest.split_at(at);
            whole.push_str(before);
            whole.push_str(if from[new.len()..].starts_with(char::is_alphanumeric) { new } else { old });
            rest = &from[new.len()..];
        }
        out = whole + rest;
    }
    out
}

const SHOP: &str = r#"use sqlx::{PgPool, Row};
use std::sync::Mutex;

#[derive(sqlx::FromRow)]
struct Article { id: i64, amount: i64, status: String }

pub struct Shop { pool: PgPool, seen: Mutex<Vec<i64>> }

impl Shop {
    /// The amount of `article` (not `status`).
    pub async fn amount_of(&self, article: i64) -> sqlx::Result<i64> {
        let row = sqlx::query("SELECT amount, status FROM articles WHERE id = $1").bind(article).fetch_one(&self.pool).await?;
        self.note(article);
        Ok(row.get("amount"))
    }

    fn note(&self, article: i64) {
        self.seen.lock().unwrap().push(article);
        println!("{article} {article:?} {{article}}");
    }

    fn get(&self) -> Article { Self::empty() }

    fn empty() -> Article { Article { id: 0, amount: 0, status: String::new() } }
}
"#;

#[test]
fn own_names_go_and_library_names_stay() {
    let text = renamed(SHOP);
    for gone in [
        "Article",
        "amount_of",
        "articles",
        "amount,",
        "Shop",
        "self.seen",
        "fn note",
        ".note(",
        "\"amount\"",
        "self.pool",
        "row.",
    ] {
        assert!(!text.replace("/// The amount of `article`", "").contains(gone), "{gone} in\n{text}");
    }
    for kept in [
        "sqlx::query(",
        ".bind(",
        ".fetch_one(",
        ".get(",
        "fn get(",
        "status FROM",
        "status: String",
        "PgPool",
        "Mutex<Vec<i64>>",
        ".lock().unwrap().push(",
        "sqlx::FromRow",
        "{{article}}",
        "/// The amount of `article` (not `status`).",
    ] {
        assert!(text.contains(kept), "{kept} not in\n{text}");
    }
    assert_eq!(restored(SHOP), SHOP);
}

#[test]
fn one_name_stays_one_name() {
    let names = rename(&case(&[("src/lib.rs", SHOP)]), &library()).names;
    let text = renamed(SHOP);
    let amount = &names["amount"];
    assert_eq!(text.matches(&format!("{amount},")).count(), 1);
    assert!(text.contains(&format!("(\"{amount}\")")) && text.contains(&format!("{amount}: i64")), "{text}");
    let article = &names["article"];
    assert!(text.contains(&format!("\"{{{article}}} {{{article}:?}} {{{{article}}}}\"")), "{text}");
    assert_eq!(names["Article"], article.replacen("zq", "Zq", 1));
}

#[test]
fn paths_belong_to_who_gives_their_head() {
    let text = "\
mod stock { pub fn take() {} pub enum Kind { Small } pub struct List(pub Vec<u8>); }
use stock::{Kind, take as grab};
use tokio::time::{sleep, Duration};
fn run(sleep_for: u64) { take(); grab(); stock::take(); self::stock::take(); redis::cmd(\"GET\"); let _ = Kind::Small; let redis = 1; let _ = redis; }
fn take() {}
async fn nap() { sleep(Duration::from_secs(1)).await; tokio::time::take(); std::mem::take(&mut 1); Vec::<stock::List>::take(); }
";
    let out = renamed(text);
    for kept in [
        "redis::cmd(",
        "tokio::time::take()",
        "std::mem::take(",
        "Vec::<",
        ">::take()",
        "use tokio::time::{sleep, Duration};",
        "sleep(Duration::from_secs(1))",
    ] {
        assert!(out.contains(kept), "{kept} not in\n{out}");
    }
    for gone in ["stock", "Kind", "Small", "fn take", "List", " take();", "fn nap", "sleep_for"] {
        assert!(!out.contains(gone), "{gone} in\n{out}");
    }
}

#[test]
fn methods_that_a_trait_of_others_prescribes_stay() {
    let text = "\
trait Store { fn put(&self); fn load(&self); }
struct Disk;
impl Store for Disk { fn put(&self) {} fn load(&self) {} }
impl std::fmt::Display for Disk { fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { self.put(); f.write_str(\"x\") } }
";
    let out = renamed(text);
    assert!(
        out.contains("fn fmt(&self") && out.contains("fn load(&self)") && out.contains("std::fmt::Display"),
        "{out}"
    );
    assert!(!out.contains("put") && !out.contains("Store") && !out.contains("Disk"), "{out}");
}

#[test]
fn tables_and_columns_are_the_same_in_rust_and_sql() {
    let sql = "-- the carts\nCREATE TABLE IF NOT EXISTS carts (\n  id BIGINT PRIMARY KEY,\n  places INT CHECK (places >= 0), -- //~ some-rule\n  name TEXT DEFAULT 'places'\n);\nCREATE INDEX ON carts (lower(places));\n";
    let rust = "fn a(places: i64, name: i64) { let _ = \"SELECT c.places, c.name, count(*) FROM carts c WHERE c.id = :places\"; let _ = \" AND places >= \"; let _ = \"places\"; }\n";
    let out = rename(&case(&[("src/lib.rs", rust), ("migrations/1.sql", sql)]), &library());
    let (places, carts) = (&out.names["places"], &out.names["carts"]);
    let new_sql = &out.case.files["migrations/1.sql"];
    assert!(new_sql.starts_with(&format!("-- the carts\nCREATE TABLE IF NOT EXISTS {carts} (\n")), "{new_sql}");
    assert!(
        new_sql.contains(&format!(
            "  {places} INT CHECK ({places} >= 0), -- //~ some-rule\n  name TEXT DEFAULT 'places'\n"
        )),
        "{new_sql}"
    );
    assert!(new_sql.ends_with(&format!("CREATE INDEX ON {carts} (lower({places}));\n")), "{new_sql}");
    let new_rust = &out.case.files["src/lib.rs"];
    let c = &out.names["c"];
    assert!(
        new_rust.contains(&format!("SELECT {c}.{places}, {c}.name, count(*) FROM {carts} {c} WHERE")),
        "{new_rust}"
    );
    assert!(new_rust.contains("= :places\"") && new_rust.contains(&format!("\" AND {places} >= \"")), "{new_rust}");
    assert!(new_rust.contains(", name: i64") && new_rust.contains(&format!("\"{places}\"")), "{new_rust}");
}

#[test]
fn what_derives_and_macros_make_follows() {
    let orm = "\
mod player {
    #[derive(DeriveEntityModel)]
    #[sea_orm(table_name = \"players\", belongs_to = \"super::team::Entity\")]
    pub struct Model { #[sea_orm(primary_key)] pub id: i64, pub best_score: i64 }
}
mod team {}
fn a() { let _ = player::Entity::find().filter(player::Column::BestScore.eq(1)).filter(player::Column::Id.eq(2)); }
";
    let out = renamed(orm);
    assert!(
        !out.contains("layer") && !out.contains("est_score") && !out.contains("BestScore") && !out.contains("team"),
        "{out}"
    );
    assert!(
        out.contains("pub struct Model") && out.contains("::Entity::find().filter(") && out.contains("primary_key"),
        "{out}"
    );
    let table = "diesel::table! {\n    vans (id) {\n        id -> Int8,\n        trips -> Int4,\n    }\n}\n#[derive(Queryable)]\n#[diesel(table_name = vans)]\nstruct Van { trips: i32 }\nfn a() { vans::table.find(1).filter(vans::trips.eq(1)); }\n";
    let out = renamed(table);
    assert!(!out.contains("van") && !out.contains("trips") && out.contains("#[diesel(table_name = zq"), "{out}");
    assert!(
        out.contains("::table.find(1).filter(") && out.contains("-> Int8") && out.contains("diesel::table!"),
        "{out}"
    );
}

#[test]
fn module_files_move_and_crate_roots_stay() {
    let files = [
        ("src/main.rs", "mod cart;\nfn main() { cart::lines::sum(); }\n"),
        ("src/cart/mod.rs", "pub mod lines;\n"),
        ("src/cart/lines.rs", "pub fn sum() {}\n"),
        ("src/bin/cart.rs", "fn main() {}\n"),
        ("tests/cart.rs", "#[test]\nfn adds() {}\n"),
    ];
    let out = rename(&case(&files), &library());
    let (cart, lines) = (&out.names["cart"], &out.names["lines"]);
    assert_eq!(out.files["src/cart/lines.rs"], format!("src/{cart}/{lines}.rs"));
    assert_eq!(out.files["src/cart/mod.rs"], format!("src/{cart}/mod.rs"));
    assert_eq!(out.files["src/bin/cart.rs"], "src/bin/cart.rs");
    assert_eq!(out.files["tests/cart.rs"], "tests/cart.rs");
    assert!(out.case.files["src/main.rs"].contains(&format!("mod {cart};\nfn main() {{ {cart}::{lines}::")));
}
