//! The directory of cells.

use super::backend::Conn;
use super::driver;
use super::errors::{Outcome, corrupt};
use super::statements;
use super::store::Store;
use super::tables::cells::{CellEntryRow, CellRow, cell_entries, cells};
use super::types::{Account, Id};
use async_trait::async_trait;
use diesel::dsl::count_star;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Bool, Nullable, Text};
use diesel::{QueryableByName, sql_query};
use florin_domain::ids::{AccountId, ClientId, MoveId};
use florin_ports::{CellDirectory, CellEntry, CellKey, CellMove, CellName, KeyOfWorld, StoreError};
use std::collections::BTreeMap;
use uuid::Uuid;

/// Adds the entry $1 with the cell $2, the world $3 and the revision $4. An existing entry keeps its cell, and is
/// locked until the end of the transaction. If its cell is $2, its revision increases, and it becomes permanent if $3
/// is null.
const ADD: &str = "INSERT INTO cell_entries (entry, cell, world, revision) VALUES ($1, $2, $3, $4) \
    ON CONFLICT (entry) DO UPDATE SET revision = cell_entries.revision + 1, \
    world = CASE WHEN excluded.world IS NULL THEN NULL ELSE cell_entries.world END \
    WHERE cell_entries.cell = excluded.cell";

/// Adds the cell $1 to the list of cells, or changes the listed cell. $2 says whether the cell accepts new clients.
const LIST: &str = "INSERT INTO cells (name, accepts_clients) VALUES ($1, $2) \
    ON CONFLICT (name) DO UPDATE SET accepts_clients = excluded.accepts_clients";

/// Reads the cell that the store is bound to. The table is not exported: an export can be imported into any cell.
const BOUND: &str = "SELECT name FROM __florin_cell";
const BIND: &str = "INSERT INTO __florin_cell (id, name) VALUES (1, $1) ON CONFLICT (id) DO NOTHING";
/// The migration that creates the table `__florin_cell`.
const SINCE: &str = "20261127000057";

#[derive(QueryableByName)]
struct Bound {
    #[diesel(sql_type = Text)]
    name: String,
}

/// The range of the entries of clients: from the first text, included, to the second, excluded.
const CLIENTS: [&str; 2] = ["client:", "client;"];

impl CellEntryRow {
    fn read(self) -> Outcome<CellEntry> {
        Ok(CellEntry {
            key: CellKey::parse(&self.entry).ok_or_else(|| corrupt("a key in the directory of cells can't be read"))?,
            cell: cell_name(&self.cell)?,
            moving: self.moving()?,
            last_move: self.move_id.map(|id| MoveId(id.0)),
            world: self.world.map(|world| world.0),
            revision: self.revision,
        })
    }

    /// Returns the move that the entry is marked with.
    fn moving(&self) -> Outcome<Option<CellMove>> {
        let (Some(to), Some(client), Some(id)) = (&self.moving_to, self.moving_client, self.move_id) else {
            return Ok(None);
        };
        let (id, client) = (MoveId(id.0), ClientId(client.0));
        Ok(Some(CellMove { id, client, from: cell_name(&self.cell)?, to: cell_name(to)? }))
    }
}

fn cell_name(name: &str) -> Outcome<CellName> {
    CellName::parse(name).map_err(|_| corrupt(format!("`{name}` is not the name of a cell")))
}

fn row(conn: &mut Conn, key: &CellKey) -> Outcome<Option<CellEntryRow>> {
    let row = cell_entries::table.filter(cell_entries::entry.eq(key.stored())).select(CellEntryRow::as_select());
    Ok(row.get_result::<CellEntryRow>(conn).optional()?)
}

fn find(conn: &mut Conn, key: &CellKey) -> Outcome<Option<CellEntry>> {
    row(conn, key)?.map(CellEntryRow::read).transpose()
}

fn find_all(conn: &mut Conn, keys: &[CellKey]) -> Outcome<Vec<CellEntry>> {
    let rows = cell_entries::table.filter(cell_entries::entry.eq_any(keys.iter().map(CellKey::stored)));
    let rows = rows.select(CellEntryRow::as_select()).load::<CellEntryRow>(conn)?;
    rows.into_iter().map(CellEntryRow::read).collect()
}

/// Returns the revision of a new entry: a random positive number below 2^62, so that it can still be increased. If
/// every first revision were the same, an entry that was removed and added again could have an old revision.
#[expect(clippy::disallowed_methods, reason = "this is not an id: only the randomness of the UUID is used")]
fn new_revision() -> i64 {
    // The first two of these 64 bits are the variant of the UUID.
    let (_, bits) = Uuid::now_v7().as_u64_pair();
    i64::try_from(bits & (u64::MAX >> 2)).unwrap_or(1).max(1)
}

fn add(conn: &mut Conn, key: &CellKey, cell: &CellName, world: Option<&AccountId>) -> Outcome<CellEntry> {
    let query = sql_query(ADD).bind::<Text, _>(key.stored()).bind::<Text, _>(cell.as_str());
    let query = query.bind::<Nullable<Text>, _>(world.map(AccountId::as_str)).bind::<BigInt, _>(new_revision());
    query.execute(conn)?;
    find(conn, key)?.ok_or_else(|| corrupt("the added entry of the directory is missing"))
}

/// Marks the entries of keys with a move, and adds missing ones. Entries in other cells stay as they are.
fn mark(conn: &mut Conn, begun: &CellMove, keys: &[KeyOfWorld]) -> Outcome<()> {
    for KeyOfWorld { key, world } in keys {
        let entry = key.stored();
        if row(conn, key)?.is_none() {
            let new = CellEntryRow {
                entry: entry.clone(),
                cell: begun.from.to_string(),
                world: world.clone().map(Account),
                revision: new_revision(),
                moving_to: None,
                moving_client: None,
                move_id: None,
            };
            statements::insert(vec![new], conn)?;
        }
        let rows = cell_entries::table
            .filter(cell_entries::entry.eq(entry))
            .filter(cell_entries::cell.eq(begun.from.as_str()));
        diesel::update(rows)
            .set((
                cell_entries::moving_to.eq(Some(begun.to.as_str())),
                cell_entries::moving_client.eq(Some(Id(begun.client.0))),
                cell_entries::move_id.eq(Some(Id(begun.id.0))),
            ))
            .execute(conn)?;
    }
    Ok(())
}

fn begin_move(conn: &mut Conn, wanted: &CellMove, keys: &[KeyOfWorld]) -> Outcome<Option<CellMove>> {
    driver::lock_operators(conn)?;
    let client_entry = find(conn, &CellKey::Client(wanted.client))?;
    if client_entry.as_ref().is_some_and(|entry| entry.cell != wanted.from) {
        return Ok(None);
    }
    let begun = client_entry.and_then(|entry| entry.moving).unwrap_or_else(|| wanted.clone());
    mark(conn, &begun, &[KeyOfWorld { key: CellKey::Client(wanted.client), world: None }])?;
    mark(conn, &begun, keys)?;
    Ok(Some(begun))
}

fn end_move(conn: &mut Conn, ended: &CellMove, keys: &[KeyOfWorld], cell: &CellName) -> Outcome<bool> {
    driver::lock_operators(conn)?;
    let client_entry = find(conn, &CellKey::Client(ended.client))?;
    let Some(begun) = client_entry.and_then(|entry| entry.moving).filter(|begun| begun.id == ended.id) else {
        return Ok(false);
    };
    mark(conn, &begun, keys)?;
    let marked = cell_entries::table.filter(cell_entries::moving_client.eq(Some(Id(begun.client.0))));
    let marked = marked.filter(cell_entries::move_id.eq(Some(Id(begun.id.0))));
    diesel::update(marked)
        .set((
            cell_entries::cell.eq(cell.as_str()),
            cell_entries::moving_to.eq(None::<String>),
            cell_entries::moving_client.eq(None::<Id>),
            cell_entries::revision.eq(cell_entries::revision + 1_i64),
        ))
        .execute(conn)?;
    Ok(true)
}

fn moves(conn: &mut Conn) -> Outcome<Vec<CellMove>> {
    let [first, end] = CLIENTS;
    let rows = cell_entries::table
        .filter(cell_entries::moving_client.is_not_null())
        .filter(cell_entries::entry.ge(first))
        .filter(cell_entries::entry.lt(end))
        .order(cell_entries::entry)
        .select(CellEntryRow::as_select())
        .load::<CellEntryRow>(conn)?;
    let moves = rows.iter().map(CellEntryRow::moving).collect::<Outcome<Vec<_>>>()?;
    Ok(moves.into_iter().flatten().collect())
}

/// Returns the cell that the store is bound to, if any. The schema may be of any version.
fn bound(conn: &mut Conn) -> Outcome<Option<CellName>> {
    if !driver::is_applied(conn, SINCE)? {
        return Ok(None);
    }
    let row = sql_query(BOUND).get_result::<Bound>(conn).optional()?;
    row.map(|row| cell_name(&row.name)).transpose()
}

/// Binds the store, unless it is bound, and returns the cell that it is bound to.
fn bind(conn: &mut Conn, cell: &CellName) -> Outcome<CellName> {
    // The database user of a server may lack the right to write this table.
    if let Some(bound) = bound(conn)? {
        return Ok(bound);
    }
    sql_query(BIND).bind::<Text, _>(cell.as_str()).execute(conn)?;
    bound(conn)?.ok_or_else(|| corrupt("the name of the store's cell is missing"))
}

#[async_trait]
impl CellDirectory for Store {
    async fn find(&self, key: &CellKey) -> Result<Option<CellEntry>, StoreError> {
        let key = key.clone();
        self.read(move |conn| find(conn, &key)).await
    }

    async fn find_all(&self, keys: Vec<CellKey>) -> Result<Vec<CellEntry>, StoreError> {
        self.read(move |conn| find_all(conn, &keys)).await
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
                .filter(cell_entries::revision.eq(revision))
                .filter(cell_entries::moving_client.is_null());
            Ok(diesel::delete(row).execute(conn)? == 1)
        })
        .await
    }

    async fn begin_move(&self, wanted: CellMove, keys: Vec<KeyOfWorld>) -> Result<Option<CellMove>, StoreError> {
        self.write(move |conn| begin_move(conn, &wanted, &keys)).await
    }

    async fn end_move(&self, begun: CellMove, keys: Vec<KeyOfWorld>, cell: CellName) -> Result<bool, StoreError> {
        self.write(move |conn| end_move(conn, &begun, &keys, &cell)).await
    }

    async fn moves(&self) -> Result<Vec<CellMove>, StoreError> {
        self.read(moves).await
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

    async fn listed(&self) -> Result<BTreeMap<CellName, bool>, StoreError> {
        self.read(|conn| {
            let rows = cells::table.select(CellRow::as_select()).load::<CellRow>(conn)?;
            rows.into_iter().map(|row| Ok((cell_name(&row.name)?, row.accepts_clients))).collect()
        })
        .await
    }

    async fn list(&self, cell: CellName, accepts_clients: bool) -> Result<(), StoreError> {
        self.write(move |conn| {
            let query = sql_query(LIST).bind::<Text, _>(cell.as_str()).bind::<Bool, _>(accepts_clients);
            query.execute(conn)?;
            Ok(())
        })
        .await
    }

    async fn bound_cell(&self) -> Result<Option<CellName>, StoreError> {
        self.read(bound).await
    }

    async fn bind_cell(&self, cell: CellName) -> Result<CellName, StoreError> {
        self.write(move |conn| bind(conn, &cell)).await
    }
}
