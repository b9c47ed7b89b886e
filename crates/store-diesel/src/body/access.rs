//! Reading callers and accounts.

use super::errors::Outcome;
use super::keys::{features, listed_accounts, tag};
use super::store::Store;
use super::tables::access::{AccountRow, ClientRow, accounts, clients};
use super::tables::keys::{KeyRow, api_keys};
use super::tables::worlds::{TimelineRow, timelines};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::access::{Account, Caller, KeyHash};
use florin_domain::ids::AccountId;
use florin_ports::{Accounts, Callers, StoreError};
use subtle::ConstantTimeEq;

#[async_trait]
impl Callers for Store {
    async fn find(&self, hash: &KeyHash) -> Result<Option<Caller>, StoreError> {
        let hash = *hash;
        self.read(move |conn| {
            conn.transaction(|conn| {
                let rows = api_keys::table
                    .inner_join(clients::table)
                    .filter(api_keys::hash_tag.eq(tag(&hash)))
                    .select((KeyRow::as_select(), ClientRow::as_select()))
                    .load::<(KeyRow, ClientRow)>(conn)?;
                let found = rows.into_iter().find(|(key, _)| bool::from(key.hash.0.as_slice().ct_eq(&hash.0)));
                let Some((key, client)) = found else { return Ok(None) };
                let key = key.read(|client, id| {
                    Ok(listed_accounts(conn, Some((client, id)))?.remove(&id).unwrap_or_default())
                })?;
                let features = features(conn, Some(key.client))?.remove(&key.client).unwrap_or_default();
                Outcome::Ok(Some(Caller { client: client.read(features), key }))
            })
        })
        .await
    }
}

#[async_trait]
impl Accounts for Store {
    async fn find(&self, id: &AccountId) -> Result<Option<Account>, StoreError> {
        let id = id.clone();
        self.read(move |conn| {
            let row = accounts::table
                .left_join(timelines::table)
                .filter(accounts::id.eq(id.as_str()))
                .select((AccountRow::as_select(), Option::<TimelineRow>::as_select()))
                .get_result::<(AccountRow, Option<TimelineRow>)>(conn)
                .optional()?;
            row.map(|(account, timeline)| account.read(timeline)).transpose()
        })
        .await
    }
}
