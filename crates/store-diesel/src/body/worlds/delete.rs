//! Deletes worlds.

use super::body::backend::Conn;
use super::body::decision_endpoints;
use super::body::driver;
use super::body::errors::Outcome;
use super::body::export_import::account_rows;
use super::body::tables::access::accounts;
use super::body::tables::keys::{api_key_accounts, api_keys};
use super::body::tables::worlds::{world_snapshots, worlds};
use super::body::types::Id;
use super::body::webhooks;
use diesel::dsl::{exists, not};
use diesel::prelude::*;
use florin_domain::ids::AccountId;

/// Deletes a world with all its data and keys. Returns whether it existed.
pub(super) fn delete(conn: &mut Conn, account: &AccountId) -> Outcome<bool> {
    let id = account.as_str();
    let known = worlds::table.filter(worlds::account_id.eq(id));
    if !diesel::select(exists(known)).get_result::<bool>(conn)? {
        return Ok(false);
    }
    driver::lock_account(conn, account)?;
    diesel::delete(world_snapshots::table.filter(world_snapshots::account_id.eq(id))).execute(conn)?;
    diesel::delete(worlds::table.filter(worlds::account_id.eq(id))).execute(conn)?;
    account_rows::clear(conn, account)?;
    webhooks::forget_account(conn, account)?;
    decision_endpoints::delete(conn, account)?;
    delete_keys(conn, id)?;
    diesel::delete(accounts::table.filter(accounts::id.eq(id))).execute(conn)?;
    Ok(true)
}

/// Deletes keys that list no other account. Other keys lose only this account.
fn delete_keys(conn: &mut Conn, account: &str) -> Outcome<()> {
    let listed = api_key_accounts::table.filter(api_key_accounts::account_id.eq(account));
    let keys = listed.select(api_key_accounts::key_id).load::<Id>(conn)?;
    diesel::delete(listed).execute(conn)?;
    let others = api_key_accounts::table.filter(api_key_accounts::key_id.eq(api_keys::id));
    let left = api_keys::table.filter(api_keys::id.eq_any(keys)).filter(not(exists(others)));
    diesel::delete(left).execute(conn)?;
    Ok(())
}
