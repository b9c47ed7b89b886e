//! A client leaves: its rows become text.

use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::{Failure, Outcome, Stop, corrupt};
use super::body::secrets;
use super::body::tables;
use super::body::types::Id;
use super::body::webhooks;
use super::books::discrepancies;
use super::known_migrations::require_known_migrations;
use super::owner::Owner;
use super::parts::{self, PartWriter};
use super::{keys, new_positions, schema};
use florin_ports::CellMove;
use florin_store_contract::{Departure, MoveError};
use std::collections::{BTreeMap, BTreeSet};

/// Counts the rows of a client in another view.
type Recount<'a> = dyn Fn(&Owner) -> Outcome<Vec<i64>> + 'a;

/// Deletes all rows of a client, and keeps them as text. `None`: the store does not have the client.
///
/// If other transactions change the client in a way that this view does not contain, the departure fails as contended:
/// locked rows can't change, the deletion of a changed row fails, and rows that were added in between are counted.
pub(super) fn depart(
    conn: &mut Conn,
    begun: &CellMove,
    recount: &Recount<'_>,
) -> Result<Option<Departure>, Stop<MoveError>> {
    driver::set_repeatable_read(conn)?;
    driver::without_time_limits(conn)?;
    driver::lock_move(conn, Id(begun.client.0))?;
    require_known_migrations(conn)?;
    match parts::departure(conn, begun.client)? {
        Some(left) if !left.is_of(begun) => return Err(MoveError::Ended.into()),
        Some(left) if left.recalled => return Err(MoveError::NotDeparted.into()),
        Some(left) => return Ok(Some(left)),
        None => {}
    }
    let Some(owner) = Owner::find(conn, Id(begun.client.0))? else { return Ok(None) };
    if !parts::use_up(conn, begun)? {
        // The move was recalled, or the client left by it and was put back.
        return Err(MoveError::NotDeparted.into());
    }
    driver::lock_client(conn, owner.client)?;
    let counts = owner.counts(conn)?;
    if counts != recount(&owner)? {
        return Err(Failure::Contended("rows of the client were added or deleted in between".to_owned()).into());
    }
    if !webhooks::are_queued(conn, owner.client, &owner.accounts)? {
        return Err(Failure::Contended("deliveries of the client's events are not queued yet".to_owned()).into());
    }
    let found = discrepancies(conn, &owner)?;
    if !found.is_empty() {
        return Err(MoveError::Unsound(found).into());
    }
    let departure = keep(conn, begun, &owner)?;
    check_completeness(&departure, &counts)?;
    owner.delete(conn)?;
    if owner.counts(conn)?.iter().any(|left| *left != 0) {
        return Err(corrupt("rows of a client that leaves were not deleted").into());
    }
    Ok(Some(departure))
}

/// Checks that the text has as many rows as each table has. Shared rows are not compared, because they are counted for
/// each account.
fn check_completeness(departure: &Departure, counts: &[i64]) -> Outcome<()> {
    let counted = tables::all().zip(counts).filter(|(table, _)| !table.is_shared());
    for (table, count) in counted {
        let written = departure.rows.get(table.name).copied().unwrap_or_default();
        if u64::try_from(*count).map_err(corrupt)? != written {
            return Err(corrupt(format!("{written} rows of {count} became text: {}", table.name)));
        }
    }
    Ok(())
}

/// Stores all rows as text.
fn keep(conn: &mut Conn, begun: &CellMove, owner: &Owner) -> Outcome<Departure> {
    let keys = keys::of(conn, owner)?;
    let keys = keys.into_iter().map(|of| (of.key.stored(), of.world.map(|world| world.as_str().to_owned())));
    let last_position = driver::event_tail(conn)?.last;
    let mut writer = PartWriter::new(begun.client);
    let (mut counts, mut positions) = (BTreeMap::new(), BTreeSet::new());
    for table in tables::all() {
        let count: &mut u64 = counts.entry(table.name.to_owned()).or_default();
        owner.rows(conn, table, &mut |conn, rows| {
            for row in rows {
                *count += 1;
                new_positions::collect(table.name, &row, &mut positions)?;
                writer.add(conn, table.name, &row)?;
            }
            Ok(())
        })?;
    }
    let departure = Departure {
        move_id: begun.id.to_string(),
        to: begun.to.to_string(),
        secret_key: secrets::bound(conn)?.map(|key| key.id.to_string()),
        schema: schema()?,
        parts: 0,
        sha256: String::new(),
        rows: counts,
        keys: keys.collect(),
        last_position,
        positions: positions.into_iter().collect(),
        recalled: false,
    };
    writer.end(conn, departure)
}
