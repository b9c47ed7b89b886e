//! The directory of cells.

use super::backend::Conn;
use super::errors::{Outcome, corrupt};
use super::store::Store;
use super::tables::cells::{CellEntryRow, cell_entries};
use async_trait::async_trait;
use diesel::dsl::count_star;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Nullable, Text};
use florin_domain::ids::AccountId;
use florin_ports::{CellDirectory, CellEntry, CellKey, CellName, StoreError};
use std::collections::BTreeMap;

/// Adds the entry $1 with the cell $2 and the world $3. An existing entry keeps its cell, and is locked until the end of
/// the transaction.
const ADD: &str = "INSERT INTO cell_entries (entry, cell, world, revision) VALUES ($1, $2, $3, 1) \
    ON CONFLICT (entry) DO UPDATE SET revision = cell_entries.revision + 1 WHERE cell_entries.cell = excluded.cell";

/// The entries of clients are those from the first text to before the second.
const CLIENTS: [&str; 2] = ["client:", "client;"];

impl CellEntryRow {
    fn read(self) -> Outcome<CellEntry> {
        Ok(CellEntry {
            key: CellKey::parse(&self.entry).ok_or_else(|| corrupt("a key in the directory of cells can't be read"))?,
            cell: cell_name(&self.cell)?,
            world: self.world.map(|world| world.0),
            revision: self.revision,
        })
    }
}

fn cell_name(name: &str) -> Outcome<CellName> {
    CellName::parse(name).map_err(|_| corrupt(format!("`{name}` is not the name of a cell")))
}

fn find(conn: &mut Conn, key: &CellKey) -> Outcome<Option<CellName>> {
    let row = cell_entries::table.filter(cell_entries::entry.eq(key.stored()));
    let name = row.select(cell_entries::cell).get_result::<String>(conn).optional()?;
    name.map(|name| cell_name(&name)).transpose()
}

fn add(conn: &mut Conn, key: &CellKey, cell: &CellName, world: Option<&AccountId>) -> Outcome<CellEntry> {
    let entry = key.stored();
    let query = sql_query(ADD).bind::<Text, _>(entry.as_str()).bind::<Text, _>(cell.as_str());
    query.bind::<Nullable<Text>, _>(world.map(AccountId::as_str)).execute(conn)?;
    let row = cell_entries::table.filter(cell_entries::entry.eq(entry)).select(CellEntryRow::as_select());
    row.get_result::<CellEntryRow>(conn)?.read()
}

#[async_trait]
impl CellDirectory for Store {
    async fn find(&self, key: &CellKey) -> Result<Option<CellName>, StoreError> {
        let key = key.clone();
        self.read(move |conn| find(conn, &key)).await
    }

    async fn add(&self, key: CellKey, cell: CellName, world: Option<AccountId>) -> Result<CellEntry, StoreError> {
        self.write(move |conn| add(conn, &key, &cell, world.as_ref())).await
    }

    async fn of_world(&self, world: &AccountId) -> Result<Vec<CellEntry>, StoreError> {
        let world = world.clone();
        self.read(move |conn| {
            let rows = cell_entries::table.filter(cell_entries::world.eq(world.as_str()));
            let rows = rows.select(CellEntryRow::as_select()).load::<CellEntryRow>(conn)?;
            rows.into_iter().map(CellEntryRow::read).collect()
        })
        .await
    }

    async fn remove(&self, entry: &CellEntry) -> Result<bool, StoreError> {
        let (entry, revision) = (entry.key.stored(), entry.revision);
        self.write(move |conn| {
            let row = cell_entries::table
                .filter(cell_entries::entry.eq(entry.as_str()))
                .filter(cell_entries::revision.eq(revision));
            Ok(diesel::delete(row).execute(conn)? == 1)
        })
        .await
    }

    async fn clients(&self) -> Result<BTreeMap<CellName, u64>, StoreError> {
        self.read(|conn| {
            let [first, end] = CLIENTS;
            let counts = cell_entries::table
                .filter(cell_entries::entry.ge(first))
                .filter(cell_entries::entry.lt(end))
                .group_by(cell_entries::cell)
                .select((cell_entries::cell, count_star()))
                .load::<(String, i64)>(conn)?;
            let count =
                |(name, count): (String, i64)| Outcome::Ok((cell_name(&name)?, u64::try_from(count).map_err(corrupt)?));
            counts.into_iter().map(count).collect()
        })
        .await
    }
}
