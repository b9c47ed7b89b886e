//! A client leaves: its rows become text.

use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::{Failure, Outcome, corrupt};
use super::body::tables;
use super::body::types::Id;
use super::body::webhooks;
use super::owner::Owner;
use super::parts::{self, PartWriter};
use super::{keys, places, schema};
use florin_domain::ids::{AccountId, ClientId};
use florin_store_contract::Departure;
use std::collections::{BTreeMap, BTreeSet};

/// Counts the rows of a client in another view.
type Recount<'a> = dyn Fn(&Owner) -> Outcome<Vec<i64>> + 'a;

/// Deletes all rows of a client, and keeps them as text. `None`: the store does not have the client.
///
/// Changes of other transactions that this view does not contain make it fail as contended: locked rows can't change,
/// the deletion of a changed row fails, and rows that were added in between are counted.
pub(super) fn depart(conn: &mut Conn, client: ClientId, recount: &Recount<'_>) -> Outcome<Option<Departure>> {
    driver::in_one_view(conn)?;
    driver::without_time_limits(conn)?;
    driver::lock_operators(conn)?;
    if let Some(departure) = parts::departure(conn, client)? {
        return Ok(Some(departure));
    }
    let Some(owner) = Owner::find(conn, Id(client.0))? else { return Ok(None) };
    lock(conn, &owner)?;
    if owner.counts(conn)? != recount(&owner)? {
        return Err(Failure::Contended("rows of the client were added or deleted in between".to_owned()));
    }
    if !webhooks::are_queued(conn, owner.client, &owner.accounts)? {
        return Err(Failure::Contended("deliveries of the client's events are not queued yet".to_owned()));
    }
    let departure = keep(conn, client, &owner)?;
    owner.delete(conn)?;
    Ok(Some(departure))
}

fn lock(conn: &mut Conn, owner: &Owner) -> Outcome<()> {
    for account in &owner.accounts {
        let account = AccountId::parse(account).map_err(|flaw| corrupt(flaw.message))?;
        driver::lock_account(conn, &account)?;
    }
    driver::lock_client(conn, owner.client)
}

/// Stores all rows as text.
fn keep(conn: &mut Conn, client: ClientId, owner: &Owner) -> Outcome<Departure> {
    let keys = keys::of(conn, owner)?;
    let keys = keys.into_iter().map(|(key, world)| (key.stored(), world.map(|world| world.as_str().to_owned())));
    let last_position = driver::event_tail(conn)?.last;
    let mut writer = PartWriter::new(client);
    let (mut counts, mut positions) = (BTreeMap::new(), BTreeSet::new());
    for table in tables::all() {
        let count: &mut u64 = counts.entry(table.name.to_owned()).or_default();
        owner.rows(conn, table, &mut |conn, rows| {
            for row in rows {
                *count += 1;
                places::collect(table.name, &row, &mut positions)?;
                writer.add(conn, table.name, &row)?;
            }
            Ok(())
        })?;
    }
    let departure = Departure {
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
