//! The tables of both databases match their declarations.
//!
//! PostgreSQL is the server of `DATABASE_URL`. Without that variable, the test skips PostgreSQL and prints a line.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::columns::{ColumnKind, DeclaredColumn};
use crate::{PostgresStore, SqliteStore, postgres, sqlite};
use diesel::connection::SimpleConnection;
use diesel::sql_types::{Bool, Text};
use diesel::{Connection, PgConnection, QueryableByName, RunQueryDsl, SqliteConnection, sql_query};
use florin_store_contract::StoreSettings;
use std::collections::{BTreeMap, BTreeSet};
use tempfile::TempDir;

/// SQL type and nullability, by table and column.
type Columns = BTreeMap<(String, String), (String, bool)>;

/// Declared columns, by table and column.
type Declared = BTreeMap<(String, String), DeclaredColumn>;

#[derive(QueryableByName)]
struct ColumnRow {
    #[diesel(sql_type = Text)]
    table_name: String,
    #[diesel(sql_type = Text)]
    column_name: String,
    #[diesel(sql_type = Text)]
    type_name: String,
    #[diesel(sql_type = Bool)]
    nullable: bool,
}

#[derive(QueryableByName)]
struct NameRow {
    #[diesel(sql_type = Text)]
    name: String,
}

/// An instruction of a compiled statement.
#[derive(QueryableByName)]
struct Instruction {
    #[diesel(sql_type = Text)]
    opcode: String,
}

const SQLITE_COLUMNS: &str = "SELECT m.name AS table_name, c.name AS column_name, c.type AS type_name, \
    c.\"notnull\" = 0 AS nullable FROM sqlite_master m JOIN pragma_table_info(m.name) c \
    WHERE m.type = 'table' AND m.name NOT LIKE '\\_\\_%' ESCAPE '\\' AND m.name NOT LIKE 'sqlite%'";

const POSTGRES_COLUMNS: &str = "SELECT table_name::text, column_name::text, data_type::text AS type_name, \
    is_nullable = 'YES' AS nullable FROM information_schema.columns \
    WHERE table_schema = 'public' AND table_name NOT LIKE '\\_\\_%'";

const SQLITE_TABLES: &str = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'";

const SQLITE_INDEXES: &str = "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL";

const POSTGRES_INDEXES: &str = "SELECT indexname::text AS name FROM pg_indexes WHERE schemaname = 'public' \
    AND NOT EXISTS (SELECT 1 FROM pg_constraint WHERE conname = indexname)";

fn columns(rows: Vec<ColumnRow>) -> Columns {
    rows.into_iter().map(|row| ((row.table_name, row.column_name), (row.type_name, row.nullable))).collect()
}

fn names(rows: Vec<NameRow>) -> BTreeSet<String> {
    rows.into_iter().map(|row| row.name).collect()
}

/// Returns the declared columns.
fn declared(tables: impl Iterator<Item = (&'static str, &'static [DeclaredColumn])>) -> Declared {
    let columns = tables.flat_map(|(table, columns)| columns.iter().map(move |column| (table, column)));
    columns.map(|(table, column)| ((table.to_owned(), column.name.to_owned()), *column)).collect()
}

fn compare(declared: &Declared, found: &Columns, sql_type: impl Fn(ColumnKind) -> &'static str) {
    let found_keys: BTreeSet<_> = found.keys().cloned().collect();
    assert_eq!(declared.keys().cloned().collect::<BTreeSet<_>>(), found_keys);
    for (key, column) in declared {
        let (type_name, is_nullable) = &found[key];
        assert_eq!(type_name, sql_type(column.kind), "{key:?}");
        assert_eq!(*is_nullable, column.nullable, "{key:?}");
    }
}

fn postgres_schema() -> Option<(Columns, BTreeSet<String>)> {
    let database = postgres::testing::Database::new("the schema")?;
    let store = PostgresStore::open(&StoreSettings { readers: Some(1), ..StoreSettings::at(database.url()) }).unwrap();
    store.migrate().unwrap();
    let mut conn = PgConnection::establish(&database.url()).unwrap();
    let found = columns(sql_query(POSTGRES_COLUMNS).load(&mut conn).unwrap());
    let indexes = names(sql_query(POSTGRES_INDEXES).load(&mut conn).unwrap());
    store.close();
    Some((found, indexes))
}

/// Creates a migrated SQLite database.
fn sqlite_database() -> (TempDir, SqliteConnection) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("florin.db").display().to_string();
    let store = SqliteStore::open(&StoreSettings::at(path.as_str())).unwrap();
    store.migrate().unwrap();
    // Ends the writer first: its last checkpoint of the write-ahead log would disturb the next connection.
    store.close();
    let conn = SqliteConnection::establish(&path).unwrap();
    (directory, conn)
}

#[test]
fn tables_columns_and_indexes_are_the_same() {
    let (_directory, mut conn) = sqlite_database();
    let found = columns(sql_query(SQLITE_COLUMNS).load(&mut conn).unwrap());
    let tables = sqlite::tables::all().chain(sqlite::tables::derived()).map(|table| (table.name, table.columns));
    compare(&declared(tables), &found, |kind| match kind {
        ColumnKind::Integer | ColumnKind::Bool | ColumnKind::Time => "INTEGER",
        ColumnKind::Bytes => "BLOB",
        ColumnKind::Text | ColumnKind::Id | ColumnKind::Day => "TEXT",
    });
    let Some((in_postgres, indexes)) = postgres_schema() else { return };
    let tables = postgres::tables::all().chain(postgres::tables::derived()).map(|table| (table.name, table.columns));
    compare(&declared(tables), &in_postgres, |kind| match kind {
        ColumnKind::Text => "text",
        ColumnKind::Integer => "bigint",
        ColumnKind::Bool => "boolean",
        ColumnKind::Bytes => "bytea",
        ColumnKind::Id => "uuid",
        ColumnKind::Time => "timestamp with time zone",
        ColumnKind::Day => "date",
    });
    assert_eq!(names(sql_query(SQLITE_INDEXES).load(&mut conn).unwrap()), indexes);
}

/// Every migration of one database has a counterpart of the same name in the other.
#[test]
fn migrations_have_the_same_names() {
    let names = |known: Vec<(String, String)>| known.into_iter().map(|(_, name)| name).collect::<Vec<_>>();
    assert_eq!(names(sqlite::known_migrations().unwrap()), names(postgres::known_migrations().unwrap()));
}

/// Returns every CHECK by its table, except checks that a native type makes unnecessary. A migration that recreates a
/// table names it `new_…` until it replaces the old table.
fn checks(source: &str) -> BTreeSet<(String, String)> {
    const UNNECESSARY: [&str; 5] = [" = 36)", " = 10)", "IN (0, 1)", "typeof(", "CAST(available_minor"];
    let mut checks = BTreeSet::new();
    let code: Vec<_> = source.lines().map(|line| line.split("--").next().unwrap()).collect();
    for statement in code.join(" ").split(';') {
        let words: Vec<_> = statement.split_whitespace().collect();
        let [_, "TABLE", table, ..] = words[..] else { continue };
        let text = words.join(" ").replace("( ", "(").replace(" )", ")").replace("octet_length", "length");
        for (start, _) in text.match_indices("CHECK (") {
            let rest = &text[start + "CHECK ".len()..];
            let mut depth = 0;
            let end = rest.find(|character| {
                depth += i32::from(character == '(') - i32::from(character == ')');
                depth == 0
            });
            let check = &rest[..=end.unwrap()];
            if !UNNECESSARY.iter().any(|unnecessary| check.contains(unnecessary)) {
                checks.insert((table.trim_start_matches("new_").to_owned(), check.to_owned()));
            }
        }
    }
    checks
}

#[test]
fn both_schemas_have_the_same_checks() {
    let (in_sqlite, in_postgres) = (checks(&sqlite::migrations::sources()), checks(&postgres::migrations::sources()));
    assert!(in_sqlite.len() > 80, "{} CHECKs were found", in_sqlite.len());
    // The two differences are disjoint, so they are equal only if both are empty.
    assert_eq!(
        in_sqlite.difference(&in_postgres).collect::<Vec<_>>(),
        in_postgres.difference(&in_sqlite).collect::<Vec<_>>()
    );
}

/// For a list of more than two constants in a CHECK, or in the condition of an index, SQLite builds an index of the
/// list for every row that it writes. Comparisons take a tenth of the time: `x = 'a' OR x = 'b' OR x = 'c'`.
#[test]
fn no_insert_into_sqlite_builds_an_index_of_a_list() {
    const LISTS: &str = "CREATE TABLE a_list (x TEXT CHECK (x IN ('a', 'b', 'c'))); \
        CREATE TABLE an_indexed_list (x TEXT CHECK (x IN ('a', 'b'))); \
        CREATE INDEX listed ON an_indexed_list (x) WHERE x NOT IN ('a', 'b', 'c');";
    let (_directory, mut conn) = sqlite_database();
    conn.batch_execute(LISTS).unwrap();
    let mut slow = names(sql_query(SQLITE_TABLES).load(&mut conn).unwrap());
    assert!(slow.len() > 50, "{} tables", slow.len());
    slow.retain(|table| {
        let insert = format!("EXPLAIN INSERT INTO {table} DEFAULT VALUES");
        let program: Vec<Instruction> = sql_query(insert).load(&mut conn).unwrap();
        program.iter().any(|instruction| instruction.opcode == "OpenEphemeral")
    });
    assert_eq!(slow.into_iter().collect::<Vec<_>>(), ["a_list", "an_indexed_list"]);
}
