//! The accounts and keys of a client, as the directory names them.

use super::body::backend::Conn;
use super::body::errors::{Outcome, corrupt};
use super::body::tables::keys::{api_key_accounts, api_keys};
use super::body::tables::worlds::worlds;
use super::body::types::{Account, Bytes, Id};
use super::owner::Owner;
use diesel::prelude::*;
use florin_domain::access::KeyHash;
use florin_domain::ids::AccountId;
use florin_ports::{CellKey, KeyOfWorld};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the accounts and API keys of a client. An API key that another one created, and that lists only a world,
/// belongs to the world.
pub(super) fn of(conn: &mut Conn, owner: &Owner) -> Outcome<Vec<KeyOfWorld>> {
    let own_worlds = worlds::table.filter(worlds::client_id.eq(owner.client)).select(worlds::account_id);
    let own_worlds: BTreeSet<AccountId> = own_worlds.load::<Account>(conn)?.into_iter().map(|world| world.0).collect();
    let mut found = Vec::new();
    for account in &owner.accounts {
        let key = CellKey::Account(account.clone());
        found.push(KeyOfWorld { key, world: own_worlds.get(account).cloned() });
    }
    let listed = api_key_accounts::table
        .filter(api_key_accounts::client_id.eq(owner.client))
        .select((api_key_accounts::key_id, api_key_accounts::account_id))
        .load::<(Id, Account)>(conn)?;
    let mut lists: BTreeMap<Id, Vec<AccountId>> = BTreeMap::new();
    for (key, account) in listed {
        lists.entry(key).or_default().push(account.0);
    }
    let keys = api_keys::table
        .filter(api_keys::client_id.eq(owner.client))
        .order(api_keys::id)
        .select((api_keys::id, api_keys::hash, api_keys::made_by))
        .load::<(Id, Bytes, Option<Id>)>(conn)?;
    for (id, hash, made_by) in keys {
        let hash = <[u8; 32]>::try_from(hash.0).map_err(|_| corrupt("the hash of a key is damaged"))?;
        let world = match lists.get(&id).map(Vec::as_slice) {
            Some([account]) if made_by.is_some() => own_worlds.get(account).cloned(),
            _ => None,
        };
        found.push(KeyOfWorld { key: CellKey::ApiKey(KeyHash(hash)), world });
    }
    Ok(found)
}
