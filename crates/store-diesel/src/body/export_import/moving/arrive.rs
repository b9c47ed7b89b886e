//! A client arrives, or returns to the store that it has left: its rows are stored and verified.

use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::{Outcome, Stop, corrupt};
use super::body::secrets;
use super::body::tables;
use super::body::tables::table::Table;
use super::body::types::Id;
use super::books::discrepancies;
use super::digests::Digests;
use super::known_migrations::require_known_migrations;
use super::new_positions::NewPositions;
use super::owner::Owner;
use super::{InsertBuffer, Line, failure, parts};
use florin_domain::ids::ClientId;
use florin_ports::CellMove;
use florin_store_contract::export::{ExportRow, hexadecimal};
use florin_store_contract::{Departure, MoveError};
use sha2::{Digest, Sha256};

/// Returns the part with this number of the text of the client's rows.
type PartOf<'a> = dyn Fn(i64) -> Result<String, MoveError> + 'a;

/// Stores the rows of a client that has left another store, and verifies them.
pub(super) fn arrive(
    conn: &mut Conn,
    client: ClientId,
    departure: &Departure,
    part: &PartOf<'_>,
) -> Result<(), Stop<MoveError>> {
    driver::without_time_limits(conn)?;
    driver::lock_move(conn, Id(client.0))?;
    if Owner::find(conn, Id(client.0))?.is_some() {
        return Ok(());
    }
    require_known_migrations(conn)?;
    require_same_key(conn, departure)?;
    let new_positions = NewPositions::reserve(conn, departure)?;
    let mut arrival =
        Arrival { new_positions: Some(new_positions), buffer: InsertBuffer::default(), stored: Digests::default() };
    arrival.store_all(conn, departure, &mut |_, number| Ok(part(number)?))?;
    let owner = verify(conn, client, departure, arrival.stored)?;
    let found = discrepancies(conn, &owner)?;
    if !found.is_empty() {
        return Err(MoveError::Books(found).into());
    }
    // A rotation changes the secret key of the store under this lock, and then encrypts the secrets that it finds.
    driver::lock_operators(conn)?;
    require_same_key(conn, departure)
}

/// Refuses a client whose secrets are encrypted under another secret key than that of this store.
fn require_same_key(conn: &mut Conn, departure: &Departure) -> Result<(), Stop<MoveError>> {
    match secrets::bound(conn)? {
        Some(bound) if departure.secret_key.as_ref().is_some_and(|key| *key != bound.id.to_string()) => {
            Err(MoveError::Key { store: bound.id }.into())
        }
        _ => Ok(()),
    }
}

/// Stores the rows of a client that left this store by a move that was then recalled, and deletes their text.
pub(super) fn put_back(conn: &mut Conn, begun: &CellMove) -> Result<(), Stop<MoveError>> {
    driver::without_time_limits(conn)?;
    let client = begun.client;
    driver::lock_move(conn, Id(client.0))?;
    let is_here = Owner::find(conn, Id(client.0))?.is_some();
    let departure = match parts::departure(conn, client)? {
        None if is_here => return Ok(()),
        Some(left) if left.is_of(begun) && left.recalled => left,
        None | Some(_) => return Err(MoveError::Ended.into()),
    };
    if is_here {
        return Err(corrupt("a client that has left is still here").into());
    }
    let mut arrival = Arrival { new_positions: None, buffer: InsertBuffer::default(), stored: Digests::default() };
    let mut part = |conn: &mut Conn, number: i64| -> Result<String, Stop<MoveError>> {
        Ok(parts::part(conn, client, number)?.ok_or(MoveError::Changed)?)
    };
    arrival.store_all(conn, &departure, &mut part)?;
    let owner = verify(conn, client, &departure, arrival.stored)?;
    // Wrong books do not prevent the return: otherwise, the client would be in no store.
    for discrepancy in discrepancies(conn, &owner)? {
        tracing::warn!(%client, ?discrepancy, "the books of a client that returns are wrong; see `florin check`");
    }
    Ok(parts::forget_all(conn, client)?)
}

/// Stores the rows of a client.
struct Arrival<'d> {
    /// The new positions. `None`: the rows keep their positions.
    new_positions: Option<NewPositions<'d>>,
    buffer: InsertBuffer,
    stored: Digests,
}

/// Reads the text of a part.
type ReadPart<'a> = &'a mut dyn FnMut(&mut Conn, i64) -> Result<String, Stop<MoveError>>;

impl Arrival<'_> {
    /// Stores the rows of all parts.
    fn store_all(&mut self, conn: &mut Conn, departure: &Departure, part: ReadPart<'_>) -> Result<(), Stop<MoveError>> {
        let (mut digest, mut rows) = (Sha256::new(), 0);
        for number in 1..=departure.parts {
            let text = part(conn, number)?;
            digest.update(text.as_bytes());
            for line in text.lines() {
                rows += 1;
                let Line { table, row } = serde_json::from_str(line).map_err(|_| MoveError::Changed)?;
                let table = tables::named(table).ok_or(MoveError::Changed)?;
                self.store_row(conn, table, row.get(), rows)?;
            }
        }
        self.buffer.store(conn).map_err(failure)?;
        if rows != departure.total() || hexadecimal(&digest.finalize()) != departure.sha256 {
            return Err(MoveError::Changed.into());
        }
        Ok(())
    }

    /// Stores a row. A row that accounts of other clients share may be stored already.
    fn store_row(&mut self, conn: &mut Conn, table: &'static Table, row: &str, line: u64) -> Outcome<()> {
        let moved =
            self.new_positions.as_ref().map_or(Ok(None), |new_positions| new_positions.moved(table.name, row))?;
        let json = moved.as_deref().unwrap_or(row);
        if table.has_shared(conn, json)? {
            return Ok(());
        }
        self.stored.add(table.name, json);
        self.buffer.add(conn, ExportRow { line, table: table.name, json }).map_err(failure)
    }
}

/// Reads the stored rows again, and compares them with the rows of the text. Also compares their number in each table
/// with the number in the departure.
fn verify(conn: &mut Conn, client: ClientId, departure: &Departure, stored: Digests) -> Result<Owner, Stop<MoveError>> {
    let owner = Owner::find(conn, Id(client.0))?.ok_or(MoveError::Changed)?;
    let mut found = Digests::default();
    for table in tables::all() {
        owner.rows(conn, table, &mut |_, rows| {
            for row in &rows {
                found.add(table.name, row);
            }
            Ok(())
        })?;
    }
    let other_count = found.first_with_other_count(&departure.rows);
    if let Some(table) = other_count.or_else(|| stored.first_difference(found)) {
        return Err(MoveError::Differs(table).into());
    }
    Ok(owner)
}
