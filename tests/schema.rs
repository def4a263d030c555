//! What `racelint schema` makes of whole projects: migrations in Rust, several databases beside each other, statements that cannot be read.

use std::path::PathBuf;

use racelint::discover::{Database, Request, discover};
use racelint::models::Models;
use racelint::{Understood, Walked};

/// The schema of a project, and what of it was not understood.
fn read(files: &[(&str, &str)], databases: &[(&[&str], &[&str])]) -> (Understood, String, Vec<String>) {
    let folder = tempfile::tempdir().expect("a new folder");
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a file lies in a folder")).expect("a new folder is writable");
        std::fs::write(path, text).expect("a new folder is writable");
    }
    let whole = |names: &[&str]| names.iter().map(|name| folder.path().join(name).display().to_string()).collect();
    let databases =
        databases.iter().map(|(schema, used_by)| Database { schema: whole(schema), used_by: whole(used_by) });
    let request = Request { databases: databases.collect(), ..Request::new(folder.path(), vec![PathBuf::from(".")]) };
    let inventory = discover(&request).expect("the folder is there");
    let understood =
        racelint::lower::with_stack(|| racelint::understand(&inventory, Models::builtin(), Walked::Needed, 1));
    let text = understood.schemas.to_string();
    let skipped = racelint::skipped_statements(&inventory, &understood.schemas);
    let skipped = skipped.iter().map(|skipped| format!("{} {}", skipped.file, skipped.reason)).collect();
    (understood, text, skipped)
}

/// The lines of one table.
fn table<'s>(schema: &'s str, name: &str) -> Vec<&'s str> {
    let lines = schema.lines().skip_while(|line| *line != format!("table {name}"));
    lines.skip(1).take_while(|line| line.starts_with("  ")).map(str::trim).collect()
}

const CARGO: &str = "[package]\nname = \"migration\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

const FIRST: &str = r##"
use sea_orm_migration::{prelude::*, schema::*};

#[derive(DeriveMigrationName)]
pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .create_table(
                Table::create()
                    .table(Berths::Table)
                    .if_not_exists()
                    .col(ColumnDef::new(Berths::Id).big_integer().not_null().auto_increment().primary_key())
                    .col(ColumnDef::new(Berths::Label).string().not_null().unique_key())
                    .col(ColumnDef::new(Berths::FreeMetres).integer().not_null().default(0).check(Expr::col(Berths::FreeMetres).gte(0)))
                    .col(ColumnDef::new(Berths::HarbourId).big_unsigned())
                    .foreign_key(
                        ForeignKey::create()
                            .name("berths_harbour")
                            .from(Berths::Table, Berths::HarbourId)
                            .to(Harbour::Table, Harbour::Id)
                            .on_delete(ForeignKeyAction::Cascade),
                    )
                    .index(Index::create().unique().name("berths_place").col(Berths::HarbourId).col(Berths::Label))
                    .to_owned(),
            )
            .await?;
        let mut harbours = Table::create();
        harbours.table(Harbour::Table).col(pk_auto(Harbour::Id)).col(string_uniq(Harbour::Name));
        harbours.col(string_null(Harbour::Note));
        manager.create_table(harbours).await?;
        manager.create_table(links("berth_tags")).await?;
        manager.create_table(Table::create().table(Alias::new("leftovers")).col(&mut note()).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.drop_table(Table::drop().table(Berths::Table).to_owned()).await?;
        clear(manager).await
    }
}

async fn clear(manager: &SchemaManager) -> Result<(), DbErr> {
    manager.drop_table(Table::drop().table(Harbour::Table).to_owned()).await
}

fn note() -> ColumnDef {
    ColumnDef::new(Harbour::Note).text().to_owned()
}

fn links(table: &str) -> TableCreateStatement {
    Table::create()
        .table(Alias::new(table))
        .col(ColumnDef::new(Alias::new("berth")).big_integer().not_null())
        .col(ColumnDef::new(Alias::new("tag")).string().not_null())
        .primary_key(Index::create().col(Alias::new("berth")).col(Alias::new("tag")))
        .to_owned()
}

#[derive(DeriveIden)]
enum Berths {
    Table,
    Id,
    Label,
    FreeMetres,
    #[sea_orm(iden = "harbour")]
    HarbourId,
}

#[derive(Iden)]
#[iden = "harbours"]
enum Harbour {
    Table,
    Id,
    Name,
    Note,
}
"##;

const SECOND: &str = r##"
use sea_orm_migration::prelude::*;

pub struct Migration;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager
            .alter_table(
                Table::alter()
                    .table(Alias::new("berths"))
                    .add_column(ColumnDef::new(Alias::new("owner")).uuid().null())
                    .rename_column(Alias::new("label"), Alias::new("sign"))
                    .to_owned(),
            )
            .await?;
        manager
            .create_index(
                Index::create().unique().name("berths_owner").table(Alias::new("berths")).col(Alias::new("owner")).to_owned(),
            )
            .await?;
        manager.create_index(Index::create().name("slow").table(Alias::new("berths")).col(Alias::new("sign")).to_owned()).await?;
        manager.drop_table(Table::drop().table(Alias::new("leftovers")).to_owned()).await?;
        manager.get_connection().execute_unprepared("ALTER TABLE harbours ADD COLUMN city text NOT NULL").await?;
        manager.rename_table(Table::rename().table(Alias::new("berth_tags"), Alias::new("tags")).to_owned()).await
    }

    async fn down(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared("DROP TABLE harbours").await.map(drop)
    }
}
"##;

fn migrations() -> Vec<(&'static str, &'static str)> {
    vec![
        ("Cargo.toml", "[workspace]\nmembers = [\"migration\", \"service\"]\n"),
        ("migration/Cargo.toml", CARGO),
        ("migration/src/lib.rs", "mod m20240101_000001_first;\nmod m20240215_000002_second;\n"),
        ("migration/src/m20240101_000001_first.rs", FIRST),
        ("migration/src/m20240215_000002_second.rs", SECOND),
        ("service/Cargo.toml", "[package]\nname = \"service\"\nversion = \"0.1.0\"\nedition = \"2024\"\n"),
        ("service/src/lib.rs", "pub fn run() {}\n"),
    ]
}

#[test]
fn builders_are_read_in_order_as_sql_is() {
    let (_, schema, skipped) = read(&migrations(), &[]);
    assert_eq!(
        table(&schema, "berths"),
        [
            "column id bigint not null from a sequence",
            "column sign varchar not null",
            "column free_metres integer not null default 0",
            "column harbour bigint unsigned",
            "column owner uuid",
            "primary key (id)",
            "unique (sign)",
            "unique (harbour, sign)",
            "unique (owner)",
            "check (free_metres >= 0)",
            "foreign key (harbour) references harbours (id)",
        ],
        "{schema}"
    );
    assert_eq!(
        table(&schema, "harbours"),
        [
            "column id integer not null from a sequence",
            "column name varchar not null",
            "column note varchar",
            "column city text not null",
            "primary key (id)",
            "unique (name)",
        ],
        "{schema}"
    );
    assert_eq!(
        table(&schema, "tags"),
        ["column berth bigint not null", "column tag varchar not null", "primary key (berth, tag)"]
    );
    assert!(!schema.contains("leftovers") && !schema.contains("berth_tags"), "{schema}");
    assert_eq!(skipped, [""; 0]);
}

#[test]
fn migrations_in_rust_belong_to_the_packages_beside_them() {
    let (understood, _, _) = read(&migrations(), &[]);
    let berths = racelint::intern::Symbol::new("berths");
    let table = understood.schemas.for_file("service/src/lib.rs").table(berths).expect("the service sees it");
    assert!(table.is_complete());
}

#[test]
fn the_configuration_says_whose_migrations_in_rust_they_are() {
    let mut files = migrations();
    files.push(("audit/migrations/1.sql", "CREATE TABLE berths (id bigint PRIMARY KEY);"));
    files.push(("audit/src/lib.rs", "pub fn run() {}\n"));
    let databases: &[(&[&str], &[&str])] = &[(&["migration"], &["service"]), (&["audit/migrations"], &["audit"])];
    let (understood, ..) = read(&files, databases);
    let berths = racelint::intern::Symbol::new("berths");
    let columns = |file| understood.schemas.for_file(file).table(berths).map_or(0, |table| table.columns.len());
    assert_eq!((columns("service/src/lib.rs"), columns("audit/src/lib.rs")), (5, 1));
}

#[test]
fn databases_of_one_workspace_are_kept_apart() {
    let files = [
        ("orders/migrations/1_init.sql", "CREATE TABLE items (id bigint PRIMARY KEY, sku text UNIQUE);"),
        ("orders/src/lib.rs", "pub fn run() {}\n"),
        ("stock/migrations/2024-01-01-000000_init/up.sql", "CREATE TABLE items (id bigint PRIMARY KEY, place text);"),
        ("stock/migrations/2024-01-01-000000_init/down.sql", "DROP TABLE items;"),
        ("stock/src/lib.rs", "pub fn run() {}\n"),
        (
            "mail/db/migrations/20240101_init.sql",
            "-- migrate:up\nCREATE TABLE items (id bigint);\n-- migrate:down\nDROP TABLE items;",
        ),
        ("mail/src/lib.rs", "pub fn run() {}\n"),
        ("logs/migrations/V1__init.sql", "CREATE TABLE items (id bigint, at timestamptz, line text);"),
        ("logs/src/lib.rs", "pub fn run() {}\n"),
    ];
    let (understood, ..) = read(&files, &[]);
    let items = racelint::intern::Symbol::new("items");
    let columns = |package: &str| {
        let schema = understood.schemas.for_file(&format!("{package}/src/lib.rs"));
        schema.table(items).map_or(0, |table| table.columns.len())
    };
    assert_eq!(["orders", "stock", "mail", "logs"].map(columns), [2, 2, 1, 3]);
}

#[test]
fn a_migration_that_does_not_parse_is_listed_and_loses_nothing_else() {
    let files = [
        ("migrations/1_init.sql", "CREATE TABLE a (id bigint PRIMARY KEY);"),
        ("migrations/2_broken.sql", "CREATE TABLE ;\nALTER TABLE a ADD COLUMN n int NOT NULL;"),
        ("migrations/3_more.sql", "CREATE UNIQUE INDEX a_n ON a (n);"),
        ("src/lib.rs", "pub fn run() {}\n"),
    ];
    let (_, schema, skipped) = read(&files, &[]);
    assert_eq!(
        table(&schema, "a"),
        ["column id bigint not null", "column n int not null", "primary key (id)", "unique (n)"]
    );
    assert_eq!(skipped, ["migrations/2_broken.sql line 1: a table whose name could not be read"]);
}
