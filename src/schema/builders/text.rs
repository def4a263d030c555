//! A chain as SQL text: statements, columns with their options, keys and checks.

use super::chain::{Chain, Step, Value};
use crate::intern::Symbol;
use crate::source::Span;

/// SQL text, with the place in Rust of each of its pieces.
#[derive(Clone, Debug, Default)]
pub struct Text {
    pub sql: String,
    /// Where each piece starts in the text, and the code that says it.
    pub pieces: Vec<(usize, Span)>,
}

impl Text {
    fn push(&mut self, span: Span, sql: &str) {
        if !self.sql.is_empty() {
            self.sql.push(' ');
        }
        self.pieces.push((self.sql.len(), span));
        self.sql.push_str(sql);
    }

    fn quoted(&mut self, span: Span, name: Symbol) {
        self.push(span, &quote(name));
    }
}

/// What each option of a column is in SQL; options that are not listed say nothing here.
const OPTIONS: &[(&str, &str)] = &[
    ("not_null", "NOT NULL"),
    ("null", "NULL"),
    ("unique_key", "UNIQUE"),
    ("primary_key", "PRIMARY KEY"),
    ("auto_increment", "AUTO_INCREMENT"),
];

/// The types that are not written as their method is called.
const TYPES: &[(&str, &str)] = &[
    ("string", "varchar"),
    ("string_len", "varchar"),
    ("char", "char"),
    ("char_len", "char"),
    ("tiny_integer", "tinyint"),
    ("small_integer", "smallint"),
    ("big_integer", "bigint"),
    ("tiny_unsigned", "tinyint unsigned"),
    ("small_unsigned", "smallint unsigned"),
    ("unsigned", "integer unsigned"),
    ("big_unsigned", "bigint unsigned"),
    ("date_time", "datetime"),
    ("timestamp_with_time_zone", "timestamp with time zone"),
    ("json_binary", "jsonb"),
    ("decimal_len", "decimal"),
    ("money_len", "money"),
    ("var_binary", "varbinary"),
    ("binary_len", "binary"),
    ("big_pk", "bigint"),
    ("pk", "integer"),
    ("timestamptz", "timestamp with time zone"),
    ("timestamp_len", "timestamp"),
    ("medium_integer", "integer"),
];

/// Types that are written as their method is called.
const PLAIN_TYPES: &[&str] = &[
    "integer",
    "text",
    "boolean",
    "uuid",
    "json",
    "float",
    "double",
    "decimal",
    "date",
    "time",
    "timestamp",
    "blob",
    "binary",
    "money",
    "interval",
    "cidr",
    "inet",
    "year",
    "tinytext",
    "mediumtext",
    "longtext",
    "bit",
    "smallint",
    "bigint",
];

/// The statement that a chain is; nothing if it is none, or if its table has no name that could be read.
pub(super) fn statement(chain: &Chain) -> Option<Text> {
    let mut text = Text::default();
    match chain.head.as_str() {
        "Table::create" | "TableCreateStatement::new" => create_table(&mut text, chain, chain.first("table")?.name()?),
        // Helpers of migrations that name a table and give it columns of their own.
        head if head.starts_with("table_auto") => create_table(&mut text, chain, chain.args.first()?.name()?),
        "Table::alter" => alter_table(&mut text, chain, chain.first("table")?.name()?)?,
        "Table::drop" => chain.all("table").filter_map(|step| Some((step.span, step.args.first()?.name()?))).for_each(
            |(span, table)| {
                text.push(span, "DROP TABLE IF EXISTS");
                text.quoted(span, table);
                text.push(span, if chain.has("cascade") { "CASCADE;" } else { ";" });
            },
        ),
        "Table::rename" => {
            let step = chain.all("table").next()?;
            text.push(step.span, "ALTER TABLE");
            text.quoted(step.span, step.args.first()?.name()?);
            text.push(step.span, "RENAME TO");
            text.quoted(step.span, step.args.get(1)?.name()?);
        }
        "Index::create" | "IndexCreateStatement::new" => create_index(&mut text, chain)?,
        "Index::drop" => {
            text.push(chain.span, "DROP INDEX IF EXISTS");
            text.quoted(chain.span, chain.first("name")?.name()?);
        }
        "ForeignKey::create" | "ForeignKeyCreateStatement::new" => {
            text.push(chain.span, "ALTER TABLE");
            text.quoted(chain.span, from_table(chain)?);
            text.push(chain.span, "ADD");
            foreign_key(&mut text, chain)?;
        }
        "ForeignKey::drop" => {
            text.push(chain.span, "ALTER TABLE");
            text.quoted(chain.span, chain.first("table")?.name()?);
            text.push(chain.span, "DROP CONSTRAINT");
            text.quoted(chain.span, chain.first("name")?.name()?);
        }
        _ => return None,
    }
    (!text.sql.is_empty()).then_some(text)
}

fn create_table(text: &mut Text, chain: &Chain, table: Symbol) {
    let span = chain.all("table").next().map_or(chain.span, |step| step.span);
    text.push(chain.span, "CREATE TABLE");
    if chain.has("if_not_exists") || chain.head.starts_with("table_auto") {
        text.push(span, "IF NOT EXISTS");
    }
    text.quoted(span, table);
    text.push(span, "(");
    let mut before = false;
    for step in &chain.calls {
        let mut part = Text::default();
        let Some(()) = part_of_table(&mut part, step) else { continue };
        if before {
            text.push(step.span, ",");
        }
        before = true;
        text.absorb(part);
    }
    text.push(span, ")");
}

impl Text {
    fn absorb(&mut self, part: Text) {
        self.sql.push(' ');
        let base = self.sql.len();
        self.pieces.extend(part.pieces.into_iter().map(|(at, span)| (base + at, span)));
        self.sql.push_str(&part.sql);
    }
}

/// What one call adds between the parentheses of CREATE TABLE.
fn part_of_table(text: &mut Text, step: &Step) -> Option<()> {
    let chain = || match step.args.first() {
        Some(Value::Chain(chain)) => Some(chain),
        _ => None,
    };
    match step.name.as_str() {
        "col" => column(text, chain()?),
        "foreign_key" => foreign_key(text, chain()?),
        "primary_key" => key(text, chain()?, "PRIMARY KEY"),
        "index" if chain()?.has("unique") => key(text, chain()?, "UNIQUE"),
        "index" if chain()?.has("primary") => key(text, chain()?, "PRIMARY KEY"),
        "check" => check(text, chain()?, step.span),
        _ => None,
    }
}

fn key(text: &mut Text, chain: &Chain, words: &str) -> Option<()> {
    if let Some(name) = chain.first("name").and_then(Value::name) {
        text.push(chain.span, "CONSTRAINT");
        text.quoted(chain.span, name);
    }
    text.push(chain.span, words);
    text.push(chain.span, &index_columns(chain)?);
    Some(())
}

/// `(a, b)`: a column may come with its order or the length of a prefix.
fn index_columns(chain: &Chain) -> Option<String> {
    let first = |value: &Value| match value {
        Value::List(members) => members.first().and_then(Value::name),
        Value::Chain(expr) => expr.args.first().and_then(Value::name),
        one => one.name(),
    };
    let columns: Option<Vec<String>> =
        chain.all("col").map(|step| step.args.first().and_then(first).map(quote)).collect();
    columns.filter(|columns| !columns.is_empty()).map(|columns| format!("({})", columns.join(", ")))
}

fn create_index(text: &mut Text, chain: &Chain) -> Option<()> {
    text.push(chain.span, if chain.has("unique") { "CREATE UNIQUE INDEX" } else { "CREATE INDEX" });
    if chain.has("if_not_exists") {
        text.push(chain.span, "IF NOT EXISTS");
    }
    if let Some(name) = chain.first("name").and_then(Value::name) {
        text.quoted(chain.span, name);
    }
    text.push(chain.span, "ON");
    text.quoted(chain.span, chain.first("table")?.name()?);
    text.push(chain.span, &index_columns(chain)?);
    if chain.has("nulls_not_distinct") {
        text.push(chain.span, "NULLS NOT DISTINCT");
    }
    // A condition that cannot be read makes the index one of unknown rows: it must not count as one of all.
    for step in chain.calls.iter().filter(|step| ["and_where", "cond_where"].contains(&step.name.as_str())) {
        let condition = step.args.first().and_then(condition).unwrap_or_else(|| "unread()".to_owned());
        text.push(step.span, &format!("WHERE {condition}"));
    }
    Some(())
}

fn alter_table(text: &mut Text, chain: &Chain, table: Symbol) -> Option<()> {
    let mut changed = false;
    for step in &chain.calls {
        let mut part = Text::default();
        let Some(()) = change(&mut part, step) else { continue };
        text.push(step.span, "ALTER TABLE");
        text.quoted(step.span, table);
        text.absorb(part);
        text.push(step.span, ";");
        changed = true;
    }
    changed.then_some(())
}

/// What one call changes in ALTER TABLE.
fn change(text: &mut Text, step: &Step) -> Option<()> {
    let (first, span) = (step.args.first()?, step.span);
    match (step.name.as_str(), first) {
        ("add_column" | "add_column_if_not_exists", Value::Chain(chain)) => {
            text.push(span, if step.name == "add_column" { "ADD COLUMN" } else { "ADD COLUMN IF NOT EXISTS" });
            column(text, chain)?;
        }
        ("modify_column", Value::Chain(chain)) => {
            text.push(span, "MODIFY COLUMN");
            column(text, chain)?;
        }
        ("add_foreign_key", Value::Chain(chain)) => {
            text.push(span, "ADD");
            foreign_key(text, chain)?;
        }
        ("drop_column", name) => text.push(span, &format!("DROP COLUMN {}", quote(name.name()?))),
        ("drop_foreign_key", name) => text.push(span, &format!("DROP CONSTRAINT {}", quote(name.name()?))),
        ("rename_column", name) => {
            text.push(span, &format!("RENAME COLUMN {} TO {}", quote(name.name()?), quote(step.args.get(1)?.name()?)));
        }
        _ => return None,
    }
    Some(())
}

fn column(text: &mut Text, chain: &Chain) -> Option<()> {
    let name = chain.args.first()?.name()?;
    text.quoted(chain.span, name);
    let made = chain.head.starts_with("ColumnDef::");
    let helper = if made { "" } else { chain.head.as_str() };
    let ty = chain.calls.iter().map(|step| step.name.as_str()).find_map(sql_type).or_else(|| sql_type(base_of(helper)));
    text.push(chain.span, ty.unwrap_or("unknown"));
    if !made {
        helper_options(text, helper, chain.span);
    }
    for step in &chain.calls {
        option(text, step);
    }
    Some(())
}

fn sql_type(method: &str) -> Option<&'static str> {
    let other = TYPES.iter().find(|(name, _)| *name == method).map(|(_, ty)| *ty);
    other.or_else(|| PLAIN_TYPES.iter().find(|name| **name == method).copied())
}

/// The type in the name of a helper that makes a column: `string_uniq`, `big_integer_null`, `pk_auto`.
fn base_of(helper: &str) -> &str {
    let base = ["_uniq", "_null", "_auto"].into_iter().find_map(|end| helper.strip_suffix(end));
    base.unwrap_or(helper)
}

/// Columns that helpers make take no NULL where their name does not say so.
fn helper_options(text: &mut Text, helper: &str, span: Span) {
    if helper.starts_with("pk_") || helper.starts_with("big_pk") {
        text.push(span, "PRIMARY KEY AUTO_INCREMENT");
    }
    text.push(span, if helper.ends_with("_null") { "NULL" } else { "NOT NULL" });
    if helper.ends_with("_uniq") {
        text.push(span, "UNIQUE");
    }
}

fn option(text: &mut Text, step: &Step) {
    if let Some((_, words)) = OPTIONS.iter().find(|(name, _)| step.name == *name) {
        text.push(step.span, words);
        return;
    }
    match (step.name.as_str(), step.args.first()) {
        ("default", Some(value)) => text.push(step.span, &format!("DEFAULT {}", default(value))),
        ("check", Some(Value::Chain(chain))) => {
            let mut part = Text::default();
            if check(&mut part, chain, step.span).is_some() {
                text.absorb(part);
            }
        }
        ("extra", Some(Value::Name(words))) => text.push(step.span, words.as_str()),
        ("generated", _) => text.push(step.span, "GENERATED ALWAYS AS (unread())"),
        _ => {}
    }
}

fn default(value: &Value) -> String {
    match value {
        Value::Plain(plain) => plain.clone(),
        Value::Name(literal) => format!("'{}'", literal.as_str().replace('\'', "''")),
        _ => "(unread())".to_owned(),
    }
}

fn check(text: &mut Text, chain: &Chain, span: Span) -> Option<()> {
    text.push(span, &format!("CHECK ({})", condition(&Value::Chain(chain.clone()))?));
    Some(())
}

/// `Expr::col(x).gte(0)`, `Expr::cust("x >= 0")`, and such joined by `and`.
fn condition(value: &Value) -> Option<String> {
    let Value::Chain(chain) = value else { return None };
    let mut out = match chain.head.as_str() {
        "Expr::cust" | "SimpleExpr::Custom" => chain.args.first()?.name()?.as_str().to_owned(),
        "Expr::col" => quote(chain.args.first()?.name()?),
        _ => return None,
    };
    for step in &chain.calls {
        let first = step.args.first();
        let operator = match step.name.as_str() {
            "and" => {
                out = format!("{out} AND {}", condition(first?)?);
                continue;
            }
            "is_null" => {
                out.push_str(" IS NULL");
                continue;
            }
            "is_not_null" => {
                out.push_str(" IS NOT NULL");
                continue;
            }
            "eq" => "=",
            "ne" => "<>",
            "gt" => ">",
            "gte" => ">=",
            "lt" => "<",
            "lte" => "<=",
            _ => return None,
        };
        let right = match first? {
            Value::Chain(other) if other.head == "Expr::col" => quote(other.args.first()?.name()?),
            Value::Chain(_) | Value::Unknown | Value::List(_) => return None,
            literal => default(literal),
        };
        out = format!("{out} {operator} {right}");
    }
    Some(out)
}

fn from_table(chain: &Chain) -> Option<Symbol> {
    chain.first("from").or_else(|| chain.first("from_tbl")).and_then(Value::name)
}

/// `[CONSTRAINT name] FOREIGN KEY (a) REFERENCES t (b)`.
fn foreign_key(text: &mut Text, chain: &Chain) -> Option<()> {
    let side = |both: &str, one: &str| {
        let columns = chain
            .all(both)
            .filter_map(|step| step.args.get(1))
            .chain(chain.all(one).filter_map(|step| step.args.first()));
        let columns: Vec<String> = columns.flat_map(Value::names).map(quote).collect();
        (!columns.is_empty()).then(|| columns.join(", "))
    };
    if let Some(name) = chain.first("name").and_then(Value::name) {
        text.push(chain.span, &format!("CONSTRAINT {}", quote(name)));
    }
    text.push(chain.span, &format!("FOREIGN KEY ({}) REFERENCES", side("from", "from_col")?));
    text.quoted(chain.span, chain.first("to").or_else(|| chain.first("to_tbl"))?.name()?);
    if let Some(columns) = side("to", "to_col") {
        text.push(chain.span, &format!("({columns})"));
    }
    Some(())
}

fn quote(name: Symbol) -> String {
    format!("\"{}\"", name.as_str().replace('"', "\"\""))
}
