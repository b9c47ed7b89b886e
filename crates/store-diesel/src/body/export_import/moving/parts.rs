//! The rows of clients that have left, as text. Part 0 is the [`Departure`].

use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::{Outcome, Stop, corrupt};
use super::body::types::Id;
use super::push_line;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};
use diesel::{QueryableByName, sql_query};
use florin_domain::ids::ClientId;
use florin_ports::CellMove;
use florin_store_contract::export::hexadecimal;
use florin_store_contract::{Departure, MoveError};
use sha2::{Digest, Sha256};

/// The size from which a part is stored, in bytes. The last row may exceed it.
const SIZE: usize = 1024 * 1024;
/// Maximum number of parts that one transaction deletes.
const FORGOTTEN_AT_ONCE: i64 = 16;

const INSERT: &str = "INSERT INTO __florin_departures (client_id, part, contents) VALUES ($1, $2, $3)";
const PART: &str = "SELECT contents FROM __florin_departures WHERE client_id = $1 AND part = $2";
/// Deletes the parts with the greatest numbers, so part 0 is deleted last.
const FORGET: &str = "DELETE FROM __florin_departures WHERE client_id = $1 AND part IN \
    (SELECT part FROM __florin_departures WHERE client_id = $1 ORDER BY part DESC LIMIT $2)";
const RECALL: &str = "UPDATE __florin_departures SET contents = $1 WHERE client_id = $2 AND part = 0";
/// Records a move, unless it is recorded already.
const USE_UP: &str = "INSERT INTO __florin_moves (move_id) VALUES ($1) ON CONFLICT (move_id) DO NOTHING";
const FORGET_ALL: &str = "DELETE FROM __florin_departures WHERE client_id = $1";

#[derive(QueryableByName)]
struct Contents {
    #[diesel(sql_type = Text)]
    contents: String,
}

/// Stores rows in parts.
pub(super) struct PartWriter {
    client: ClientId,
    text: String,
    parts: i64,
    digest: Sha256,
}

impl PartWriter {
    pub(super) fn new(client: ClientId) -> Self {
        Self { client, text: String::new(), parts: 0, digest: Sha256::new() }
    }

    /// Adds a row.
    pub(super) fn add(&mut self, conn: &mut Conn, table: &str, row: &str) -> Outcome<()> {
        push_line(&mut self.text, table, row);
        if self.text.len() < SIZE { Ok(()) } else { self.store(conn) }
    }

    fn store(&mut self, conn: &mut Conn) -> Outcome<()> {
        self.parts += 1;
        self.digest.update(self.text.as_bytes());
        insert(conn, self.client, self.parts, &self.text)?;
        self.text.clear();
        Ok(())
    }

    /// Stores the last part, and the departure as part 0. Returns the departure with the number and the digest of the
    /// parts.
    pub(super) fn end(mut self, conn: &mut Conn, departure: Departure) -> Outcome<Departure> {
        if !self.text.is_empty() {
            self.store(conn)?;
        }
        let departure = Departure { parts: self.parts, sha256: hexadecimal(&self.digest.finalize()), ..departure };
        insert(conn, self.client, 0, &serde_json::to_string(&departure).map_err(corrupt)?)?;
        Ok(departure)
    }
}

fn insert(conn: &mut Conn, client: ClientId, part: i64, contents: &str) -> Outcome<()> {
    let query = sql_query(INSERT).bind::<Text, _>(client.to_string()).bind::<BigInt, _>(part);
    query.bind::<Text, _>(contents).execute(conn)?;
    Ok(())
}

/// Returns a part of the text of a client.
pub(super) fn part(conn: &mut Conn, client: ClientId, number: i64) -> Outcome<Option<String>> {
    let query = sql_query(PART).bind::<Text, _>(client.to_string()).bind::<BigInt, _>(number);
    Ok(query.get_result::<Contents>(conn).optional()?.map(|row| row.contents))
}

/// Returns the departure of a client.
pub(super) fn departure(conn: &mut Conn, client: ClientId) -> Outcome<Option<Departure>> {
    part(conn, client, 0)?.map(|text| serde_json::from_str(&text).map_err(corrupt)).transpose()
}

/// Records that no client can leave by this move any more. Returns `false` if that was recorded before.
///
/// A transaction that sees an older state of the database than this row fails as contended.
pub(super) fn use_up(conn: &mut Conn, begun: &CellMove) -> Outcome<bool> {
    Ok(sql_query(USE_UP).bind::<Text, _>(begun.id.to_string()).execute(conn)? == 1)
}

/// Recalls a move, whether its client has left by it or not.
pub(super) fn recall(conn: &mut Conn, begun: &CellMove) -> Result<(), Stop<MoveError>> {
    driver::lock_move(conn, Id(begun.client.0))?;
    match departure(conn, begun.client)? {
        Some(left) if left.is_of(begun) => Ok(set_recalled(conn, begun.client, left)?),
        Some(_) => Err(MoveError::Ended.into()),
        None => {
            use_up(conn, begun)?;
            Ok(())
        }
    }
}

fn set_recalled(conn: &mut Conn, client: ClientId, departure: Departure) -> Outcome<()> {
    let text = serde_json::to_string(&Departure { recalled: true, ..departure }).map_err(corrupt)?;
    sql_query(RECALL).bind::<Text, _>(text).bind::<Text, _>(client.to_string()).execute(conn)?;
    Ok(())
}

/// Deletes some parts of the text of a client that has left by a move, the last ones first. Returns whether there may
/// be more.
pub(super) fn forget(conn: &mut Conn, begun: &CellMove) -> Outcome<bool> {
    let client = begun.client;
    driver::lock_move(conn, Id(client.0))?;
    if departure(conn, client)?.is_none_or(|left| !left.is_of(begun)) {
        return Ok(false);
    }
    let query = sql_query(FORGET).bind::<Text, _>(client.to_string()).bind::<BigInt, _>(FORGOTTEN_AT_ONCE);
    Ok(i64::try_from(query.execute(conn)?).map_err(corrupt)? == FORGOTTEN_AT_ONCE)
}

/// Deletes all text of a client.
pub(super) fn forget_all(conn: &mut Conn, client: ClientId) -> Outcome<()> {
    sql_query(FORGET_ALL).bind::<Text, _>(client.to_string()).execute(conn)?;
    Ok(())
}
