//! Changes of clients and keys: disabling, revocation, rotation, use.

use super::ask::ask;
use super::backend::Conn;
use super::driver;
use super::errors::{Failure, Outcome, Stop};
use super::keys::{insert_key, joined, listed_accounts};
use super::store::Store;
use super::tables::access::clients;
use super::tables::keys::{KeyRow, api_keys};
use super::types::{Id, Time};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::exists;
use diesel::prelude::*;
use florin_domain::access::{ApiKey, ClientChange, KeyHash, KeyRotation, RotateRefusal};
use florin_domain::ids::{ApiKeyId, ClientId};
use florin_ports::{Decide, KeyUpkeep, KeyUse, StoreError, WriteError};

/// Fails unless the client exists.
pub(crate) fn require_client(conn: &mut Conn, client: ClientId) -> Outcome<()> {
    let known = clients::table.filter(clients::id.eq(Id(client.0)));
    let is_known = diesel::select(exists(known)).get_result(conn)?;
    if is_known { Ok(()) } else { Err(Failure::NotFound(format!("client {client}"))) }
}

/// Changes the given members of a client.
pub(crate) fn change_client(conn: &mut Conn, client: ClientId, change: &ClientChange) -> Outcome<()> {
    require_client(conn, client)?;
    let row = || clients::table.filter(clients::id.eq(Id(client.0)));
    if let Some(name) = &change.name {
        diesel::update(row()).set(clients::name.eq(name)).execute(conn)?;
    }
    if let Some(networks) = &change.allowed_networks {
        let networks = joined(networks.iter().map(String::as_str))?;
        diesel::update(row()).set(clients::allowed_networks.eq(networks)).execute(conn)?;
    }
    Ok(())
}

/// Disables or enables a client.
pub(crate) fn set_disabled(conn: &mut Conn, client: ClientId, at: Option<DateTime<Utc>>) -> Outcome<()> {
    require_client(conn, client)?;
    let row = clients::table.filter(clients::id.eq(Id(client.0)));
    match at {
        Some(at) => {
            let row = row.filter(clients::disabled_at.is_null());
            diesel::update(row).set(clients::disabled_at.eq(Some(Time(at)))).execute(conn)?
        }
        None => diesel::update(row).set(clients::disabled_at.eq(None::<Time>)).execute(conn)?,
    };
    Ok(())
}

/// Revokes a key, and the keys of the worlds that it created. The caller holds the lock of operators. Creations of
/// worlds hold it, too, so the key can't create a world at the same time.
pub(crate) fn revoke(conn: &mut Conn, key: ApiKeyId, at: DateTime<Utc>) -> Outcome<()> {
    let row = api_keys::table.filter(api_keys::id.eq(Id(key.0)));
    let at = || api_keys::revoked_at.eq(Some(Time(at)));
    let revoked = diesel::update(row.filter(api_keys::revoked_at.is_null())).set(at()).execute(conn)?;
    if revoked == 0 && row.count().get_result::<i64>(conn)? == 0 {
        return Err(Failure::NotFound(format!("key {key}")));
    }
    let made = api_keys::table.filter(api_keys::made_by.eq(Id(key.0))).filter(api_keys::revoked_at.is_null());
    diesel::update(made).set(at()).execute(conn)?;
    Ok(())
}

/// Whether a key is revoked.
pub(crate) fn is_revoked(conn: &mut Conn, key: ApiKeyId) -> Outcome<bool> {
    let revoked = api_keys::table.filter(api_keys::id.eq(Id(key.0))).filter(api_keys::revoked_at.is_not_null());
    Ok(diesel::select(exists(revoked)).get_result(conn)?)
}

/// Rotates a key. `hash` is the hash of the new key.
pub(crate) fn rotate(
    conn: &mut Conn,
    key: ApiKeyId,
    hash: &KeyHash,
    decide: &Decide<ApiKey, Result<KeyRotation, RotateRefusal>>,
) -> Result<KeyRotation, Stop<WriteError<RotateRefusal>>> {
    driver::lock_operators(conn)?;
    let row = || api_keys::table.filter(api_keys::id.eq(Id(key.0)));
    let found = row().select(KeyRow::as_select()).get_result(conn).optional().map_err(Failure::from)?;
    let found = found.ok_or(WriteError::Absent)?;
    let known =
        found.read(|client, id| Ok(listed_accounts(conn, Some((client, id)))?.remove(&id).unwrap_or_default()))?;
    let rotation = ask(|| decide(&known))?.map_err(WriteError::Refused)?;
    insert_key(conn, &rotation.successor, hash)?;
    let replaced_by = Some(Id(rotation.successor.id.0));
    let ends = (api_keys::expires_at.eq(Some(Time(rotation.ends_at))), api_keys::replaced_by.eq(replaced_by));
    diesel::update(row()).set(ends).execute(conn).map_err(Failure::from)?;
    let made = api_keys::table.filter(api_keys::made_by.eq(Id(key.0)));
    diesel::update(made).set(api_keys::made_by.eq(replaced_by)).execute(conn).map_err(Failure::from)?;
    Ok(rotation)
}

fn record_use(conn: &mut Conn, KeyUse { key, at }: KeyUse) -> Outcome<()> {
    let is_later = api_keys::last_used_at.is_null().or(api_keys::last_used_at.lt(Time(at)));
    let row = api_keys::table.filter(api_keys::id.eq(Id(key.0))).filter(is_later);
    diesel::update(row).set(api_keys::last_used_at.eq(Some(Time(at)))).execute(conn)?;
    Ok(())
}

fn expiring(conn: &mut Conn, from: DateTime<Utc>, until: DateTime<Utc>, max: u32) -> Outcome<Vec<ApiKey>> {
    let rows = api_keys::table
        .inner_join(clients::table)
        .filter(clients::disabled_at.is_null())
        .filter(api_keys::revoked_at.is_null())
        .filter(api_keys::made_by.is_null())
        .filter(api_keys::replaced_by.is_null())
        .filter(api_keys::expires_at.gt(Time(from)))
        .filter(api_keys::expires_at.le(Time(until)))
        .order((api_keys::expires_at, api_keys::id))
        .limit(i64::from(max))
        .select(KeyRow::as_select())
        .load::<KeyRow>(conn)?;
    let listed =
        |conn: &mut Conn, client, id| Ok(listed_accounts(conn, Some((client, id)))?.remove(&id).unwrap_or_default());
    rows.into_iter().map(|row| row.read(|client, id| listed(conn, client, id))).collect()
}

#[async_trait]
impl KeyUpkeep for Store {
    async fn record_uses(&self, mut uses: Vec<KeyUse>) -> Result<(), StoreError> {
        // All instances update keys in the same order, so that they do not deadlock.
        uses.sort_unstable();
        // Without the lock of operators: a statistic must not delay the revocation of a key.
        self.write(move |conn| uses.iter().try_for_each(|one| record_use(conn, *one))).await
    }

    async fn expiring(&self, from: DateTime<Utc>, until: DateTime<Utc>, max: u32) -> Result<Vec<ApiKey>, StoreError> {
        self.read_in_one_transaction(move |conn| expiring(conn, from, until, max)).await
    }
}
