//! A workspace of a fixed shape: services with tables, repositories behind traits, helpers, handlers, plain code and tests. Twice the services are twice the
//! code, and no service knows another.

use std::fs;
use std::io;
use std::path::Path;

const ENTITIES: [&str; 12] =
    ["Account", "Booking", "Coupon", "Device", "Event", "Folder", "Grant", "Hall", "Invoice", "Job", "Kiosk", "Ledger"];

/// Writes a workspace of so many services.
pub fn write(root: &Path, services: usize) -> io::Result<()> {
    let names: Vec<String> = (0..services).map(|n| format!("service{n}")).collect();
    let members = names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ");
    fs::write(root.join("Cargo.toml"), format!("[workspace]\nresolver = \"2\"\nmembers = [{members}]\n"))?;
    names.iter().try_for_each(|name| service(&root.join(name), name))
}

fn service(dir: &Path, name: &str) -> io::Result<()> {
    fs::create_dir_all(dir.join("src"))?;
    fs::create_dir_all(dir.join("migrations"))?;
    let manifest =
        "edition = \"2024\"\n\n[dependencies]\naxum = \"0.8\"\nserde = \"1\"\nsqlx = \"0.8\"\ntokio = \"1\"\n";
    fs::write(dir.join("Cargo.toml"), format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\n{manifest}"))?;
    let modules: String = ENTITIES.iter().map(|entity| format!("pub mod {};\n", entity.to_lowercase())).collect();
    fs::write(dir.join("src/lib.rs"), format!("{COMMON}{modules}"))?;
    for (number, entity) in ENTITIES.iter().enumerate() {
        let table = format!("{}s", entity.to_lowercase());
        let fill = |text: &str| text.replace("Entity", entity).replace("TABLE", &table);
        fs::write(dir.join("src").join(format!("{}.rs", entity.to_lowercase())), fill(ENTITY) + &plain(number))?;
        fs::write(dir.join("migrations").join(format!("{number:03}_{table}.sql")), fill(MIGRATION))?;
    }
    Ok(())
}

/// Code that touches nothing shared, as most code does.
fn plain(number: usize) -> String {
    (0..12).map(|n| PLAIN.replace("NUMBER", &format!("{number}_{n}"))).collect()
}

const COMMON: &str = r#"
use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use sqlx::PgPool;

#[derive(Clone)]
pub struct App {
    pub pool: PgPool,
    pub seen: Arc<Mutex<HashMap<i64, u32>>>,
}

#[derive(Debug)]
pub enum Error {
    Missing,
    Taken,
    Database(sqlx::Error),
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Error::Database(error)
    }
}

"#;

const MIGRATION: &str = "CREATE TABLE TABLE (id bigint PRIMARY KEY, owner text NOT NULL, left_over bigint NOT NULL, state text NOT NULL);\n";

const ENTITY: &str = r#"
use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State};
use serde::{Deserialize, Serialize};
use sqlx::PgPool;

use crate::{App, Error};

#[derive(Clone, Debug, Serialize, Deserialize, sqlx::FromRow)]
pub struct Entity {
    pub id: i64,
    pub owner: String,
    pub left_over: i64,
    pub state: String,
}

#[derive(Deserialize)]
pub struct Wanted {
    pub owner: String,
    pub amount: i64,
}

pub trait EntityRepository: Send + Sync {
    async fn find(&self, id: i64) -> Result<Option<Entity>, Error>;
    async fn named(&self, owner: &str) -> Result<Option<Entity>, Error>;
    async fn insert(&self, entity: &Entity) -> Result<(), Error>;
    async fn take(&self, id: i64, amount: i64) -> Result<u64, Error>;
    async fn set_state(&self, id: i64, state: &str) -> Result<(), Error>;
}

pub struct SqlEntityRepository {
    pool: PgPool,
}

impl EntityRepository for SqlEntityRepository {
    async fn find(&self, id: i64) -> Result<Option<Entity>, Error> {
        let row = sqlx::query_as::<_, Entity>("SELECT * FROM TABLE WHERE id = $1").bind(id);
        Ok(row.fetch_optional(&self.pool).await?)
    }

    async fn named(&self, owner: &str) -> Result<Option<Entity>, Error> {
        let row = sqlx::query_as::<_, Entity>("SELECT * FROM TABLE WHERE owner = $1").bind(owner);
        Ok(row.fetch_optional(&self.pool).await?)
    }

    async fn insert(&self, entity: &Entity) -> Result<(), Error> {
        sqlx::query("INSERT INTO TABLE (id, owner, left_over, state) VALUES ($1, $2, $3, $4)")
            .bind(entity.id)
            .bind(&entity.owner)
            .bind(entity.left_over)
            .bind(&entity.state)
            .execute(&self.pool)
            .await?;
        Ok(())
    }

    async fn take(&self, id: i64, amount: i64) -> Result<u64, Error> {
        let done = sqlx::query("UPDATE TABLE SET left_over = left_over - $2 WHERE id = $1 AND left_over >= $2")
            .bind(id)
            .bind(amount)
            .execute(&self.pool)
            .await?;
        Ok(done.rows_affected())
    }

    async fn set_state(&self, id: i64, state: &str) -> Result<(), Error> {
        sqlx::query("UPDATE TABLE SET state = $2 WHERE id = $1").bind(id).bind(state).execute(&self.pool).await?;
        Ok(())
    }
}

pub struct EntityService<R: EntityRepository> {
    repository: Arc<R>,
    app: App,
}

impl<R: EntityRepository> EntityService<R> {
    pub fn new(repository: Arc<R>, app: App) -> Self {
        EntityService { repository, app }
    }

    async fn must_find(&self, id: i64) -> Result<Entity, Error> {
        self.repository.find(id).await?.ok_or(Error::Missing)
    }

    fn note(&self, id: i64) -> u32 {
        let mut seen = self.app.seen.lock().unwrap();
        let count = seen.entry(id).or_insert(0);
        *count += 1;
        *count
    }

    pub async fn register(&self, wanted: Wanted) -> Result<Entity, Error> {
        if self.repository.named(&wanted.owner).await?.is_some() {
            return Err(Error::Taken);
        }
        let entity = Entity { id: wanted.amount, owner: wanted.owner, left_over: wanted.amount, state: "open".to_owned() };
        self.repository.insert(&entity).await?;
        Ok(entity)
    }

    pub async fn take(&self, id: i64, amount: i64) -> Result<Entity, Error> {
        self.note(id);
        match self.repository.take(id, amount).await? {
            0 => Err(Error::Taken),
            _ => self.must_find(id).await,
        }
    }

    pub async fn close(&self, id: i64) -> Result<(), Error> {
        let entity = self.must_find(id).await?;
        if entity.state != "open" {
            return Err(Error::Taken);
        }
        self.repository.set_state(id, "closed").await
    }
}

fn service(app: App) -> EntityService<SqlEntityRepository> {
    let repository = SqlEntityRepository { pool: app.pool.clone() };
    EntityService::new(Arc::new(repository), app)
}

pub async fn post(State(app): State<App>, Json(wanted): Json<Wanted>) -> Result<Json<Entity>, Error> {
    service(app).register(wanted).await.map(Json)
}

pub async fn take(State(app): State<App>, Path((id, amount)): Path<(i64, i64)>) -> Result<Json<Entity>, Error> {
    service(app).take(id, amount).await.map(Json)
}

pub async fn close(State(app): State<App>, Path(id): Path<i64>) -> Result<(), Error> {
    service(app).close(id).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn amounts_add_up() {
        let one = Entity { id: 1, owner: "a".to_owned(), left_over: 3, state: "open".to_owned() };
        let two = Entity { left_over: 4, ..one.clone() };
        assert_eq!(one.left_over + two.left_over, 7);
        assert_ne!(one.left_over, two.left_over);
    }
}
"#;

const PLAIN: &str = r#"
/// A price list, ordered by size.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PricesNUMBER {
    entries: Vec<(u32, f64)>,
    currency: String,
}

impl PricesNUMBER {
    pub fn add(&mut self, size: u32, price: f64) -> &mut Self {
        match self.entries.binary_search_by_key(&size, |entry| entry.0) {
            Ok(at) => self.entries[at].1 = price,
            Err(at) => self.entries.insert(at, (size, price)),
        }
        self
    }

    pub fn price(&self, size: u32) -> Option<f64> {
        let mut best = None;
        for (bound, price) in &self.entries {
            if *bound > size {
                break;
            }
            best = Some(*price);
        }
        best
    }

    pub fn total(&self, sizes: &[u32]) -> Result<f64, String> {
        let mut sum = 0.0;
        for size in sizes {
            let Some(price) = self.price(*size) else {
                return Err(format!("no price for {size} in {}", self.currency));
            };
            sum += if sizes.len() > 10 { price * 0.9 } else { price };
        }
        Ok((sum * 100.0).round() / 100.0)
    }
}
"#;
