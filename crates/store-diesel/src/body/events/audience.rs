//! Who may see the events of accounts.

use super::body::backend::Conn;
use super::body::errors::Outcome;
use super::body::tables::access::{accounts, client_features};
use super::body::types::{Account, Named};
use diesel::prelude::*;
use florin_domain::access::{Environment, Feature};
use florin_domain::event::Audience;
use florin_domain::ids::AccountId;
use florin_ports::EventRecording;
use std::collections::{BTreeMap, BTreeSet};

/// Returns who may see the events of these accounts.
pub(crate) fn audiences(
    conn: &mut Conn,
    recording: &EventRecording,
    accounts: BTreeSet<AccountId>,
) -> Outcome<BTreeMap<AccountId, Audience>> {
    let listing = match recording.environment {
        Environment::Sandbox => accounts.clone(),
        Environment::Production => listing(conn, &accounts)?,
    };
    let audience = |account: AccountId| {
        let lists = listing.contains(&account);
        (account, Audience { lists })
    };
    Ok(accounts.into_iter().map(audience).collect())
}

/// Returns the accounts whose clients may list events.
fn listing(conn: &mut Conn, of: &BTreeSet<AccountId>) -> Outcome<BTreeSet<AccountId>> {
    let enabled = client_features::table
        .filter(client_features::feature.eq(Named(Feature::Events)))
        .select(client_features::client_id);
    let rows = accounts::table
        .filter(accounts::id.eq_any(of.iter().map(AccountId::as_str)))
        .filter(accounts::client_id.eq_any(enabled))
        .select(accounts::id)
        .load::<Account>(conn)?;
    Ok(rows.into_iter().map(|account| account.0).collect())
}
