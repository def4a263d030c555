//! Tables that Rust code declares.

use super::super::testing::{app, with_rows};

const SCHEMA: &str = "pub mod schema { diesel::table! { members (id) { id -> Int4, points -> Int4, } } }";

#[test]
fn a_diesel_table_gives_table_and_columns() {
    let s = app(&[(
        "src/lib.rs",
        &format!(
            "{SCHEMA} use schema::members;
             fn a() {{ let t = members::table; let c = members::points; let d = members::dsl::id; let e = members::columns::points; }}
             fn b() {{ use crate::schema::members::dsl::*; let t = members; let c = points; }}"
        ),
    )]);
    assert_eq!(s.local("a", "t"), "table members");
    assert_eq!(s.local("a", "c"), "column members.points");
    assert_eq!(s.local("a", "d"), "column members.id");
    assert_eq!(s.local("a", "e"), "column members.points");
    assert_eq!(s.local("b", "t"), "table members");
    assert_eq!(s.local("b", "c"), "column members.points");
}

#[test]
fn structs_are_mapped_to_their_tables() {
    let s = app(&[(
        "src/lib.rs",
        &format!(
            "{SCHEMA} use schema::members;
             #[derive(Insertable)] #[diesel(table_name = members)] struct NewMember {{ points: i32 }}
             #[derive(diesel::AsChangeset)] #[diesel(table_name = crate::schema::members)] struct Change {{ points: Option<i32> }}
             #[derive(Debug)] struct Other {{ points: i32 }}"
        ),
    )]);
    let table = |name: &str| s.program.adts.iter().find(|adt| adt.name == name).unwrap().table;
    let members = s.program.tables.iter().position(|table| table.name == "members").unwrap() as u32;
    assert_eq!(table("NewMember").map(|id| id.0), Some(members));
    assert_eq!(table("Change").map(|id| id.0), Some(members));
    assert_eq!(table("Other"), None);
}

#[test]
fn an_entity_may_be_written_out() {
    let s = app(&[(
        "src/lib.rs",
        "mod user { use sea_orm::entity::prelude::*;
             #[derive(Copy, Clone, Default, Debug, DeriveEntity)] pub struct Entity;
             impl EntityName for Entity { fn table_name(&self) -> &str { \"accounts\" } }
             #[derive(DeriveModel, DeriveActiveModel)] pub struct Model { #[sea_orm(primary_key)] pub user_id: i32, pub mail: String }
             #[derive(EnumIter, DeriveColumn)] pub enum Column { UserId, Mail }
             impl Entity { pub fn by_mail() {} } }
         async fn run(db: &sea_orm::DatabaseConnection) {
             let q = user::Entity::find(); let c = user::Column::Mail; let row = user::Entity::find_by_id(1).one(db).await.unwrap(); user::Entity::by_mail();
         }",
    )]);
    assert_eq!(s.local("run", "c"), "column accounts.mail");
    assert_eq!(s.local("run", "row"), "Option<Model>");
    assert_eq!(s.calls("run", "user::Entity::by_mail()").len(), 1);
    assert!(s.target("run", "user::Entity::find()").row.is_some());
}

/// An entity library of its own, in the words that describe one.
const ENTITIES: &str = "
    [[type]]
    path = [\"orm::EntityTrait\"]
    [[type]]
    path = [\"orm::ColumnTrait\"]
    role = \"column\"
    [[type]]
    path = [\"orm::ActiveModelTrait\"]
    [[type]]
    path = [\"orm::Select\"]
    [[derive]]
    derive = \"DeriveThing\"
    attr = \"orm\"
    table_key = \"table_name\"
    column_key = \"column_name\"
    key_word = \"primary_key\"
    unique_word = \"unique\"
    columns = \"Column\"
    reads = true
    [derive.adds]
    Entity = \"orm::EntityTrait\"
    Column = \"orm::ColumnTrait\"
    ActiveModel = \"orm::ActiveModelTrait\"
    [[call]]
    path = [\"orm::EntityTrait::find\"]
    does = \"query\"
    step = \"select\"
    table = \"self_type\"
    returns = \"orm::Select<$self>\"
";

#[test]
fn an_entity_adds_its_names_to_the_module() {
    let s = with_rows(
        &[(
            "src/lib.rs",
            "mod tour { use orm::prelude::*; #[derive(DeriveThing)] #[orm(table_name = \"tours\")]
                 pub struct Model { #[orm(primary_key)] pub id: i64, #[orm(column_name = \"seats\", unique)] pub free_places: i32 } }
             use tour::{Entity as Tour, ActiveModel};
             fn run(m: tour::Model) { let q = Tour::find(); let c = tour::Column::FreePlaces; let r = ActiveModel { ..Default::default() }; let e: tour::ActiveModel = m.into(); let t = tour::Entity; }",
        )],
        ENTITIES,
    );
    assert_eq!(s.local("run", "q"), "Select<table tours>");
    assert_eq!(s.local("run", "c"), "column tours.free_places");
    assert_eq!(s.local("run", "r"), "record tours");
    assert_eq!(s.local("run", "e"), "record tours");
    assert_eq!(s.local("run", "t"), "table tours");
    let table = s.program.tables.iter().find(|table| table.name == "tours").unwrap();
    let columns: Vec<String> =
        table.columns.iter().map(|(rust, db, ty)| format!("{rust} {db} {}", s.show(ty))).collect();
    assert_eq!(columns, ["id id i64", "free_places seats i32"]);
    assert_eq!((table.keys.len(), table.unique.len(), table.complete), (1, 1, true));
    assert!(s.program.adts[0].table.is_some());
}
