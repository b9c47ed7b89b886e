//! Clients, keys, accounts and enrolments, as operators manage them.

use super::access::{AccountParts, account, account_parts};
use super::backend::Conn;
use super::errors::{Failure, Outcome};
use super::keys::{features, insert_key, listed_accounts};
use super::statements::insert;
use super::store::Store;
use super::tables::access::{AccountRow, ClientRow, FeatureRow, accounts, client_features, clients};
use super::tables::keys::{KeyRow, api_keys};
use super::tables::merchant::banks;
use super::tables::mfa::totp_enrolments;
use super::tables::money::CounterRow;
use super::tables::service::imported_addresses;
use super::tables::webhooks::decision_endpoints;
use super::tables::worlds::{timelines, worlds};
use super::types::{Account, Id, Named};
use super::{addresses, balances, key_admin, merchant, mfa};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use florin_domain::access::{self, ApiClient, ApiKey, ClientChange, Feature, KeyHash, KeyRotation, RotateRefusal};
use florin_domain::address::Address;
use florin_domain::budget::BudgetRecord;
use florin_domain::ids::{AccountId, ApiKeyId, ClientId};
use florin_domain::merchant::Bank;
use florin_domain::mfa::TotpEnrolment;
use florin_domain::world::Timeline;
use florin_ports::{Decide, Registry, StoreError, WriteError};

#[async_trait]
impl Registry for Store {
    async fn clients(&self) -> Result<Vec<ApiClient>, StoreError> {
        self.read_in_one_transaction(|conn| {
            let order = (clients::name, clients::id);
            let rows = clients::table.order(order).select(ClientRow::as_select()).load(conn)?;
            let mut features = features(conn, None)?;
            let client = |row: ClientRow| {
                let features = features.remove(&row.id()).unwrap_or_default();
                row.read(features)
            };
            Outcome::Ok(rows.into_iter().map(client).collect())
        })
        .await
    }

    async fn add_client(&self, client: ApiClient) -> Result<(), StoreError> {
        self.change(move |conn| insert_client(conn, &client)).await
    }

    async fn change_client(&self, client: ClientId, change: ClientChange) -> Result<(), StoreError> {
        self.change(move |conn| key_admin::change_client(conn, client, &change)).await
    }

    async fn set_disabled(&self, client: ClientId, at: Option<DateTime<Utc>>) -> Result<(), StoreError> {
        self.change(move |conn| key_admin::set_disabled(conn, client, at)).await
    }

    async fn set_feature(&self, client: ClientId, feature: Feature, on: bool) -> Result<(), StoreError> {
        self.change(move |conn| set_feature(conn, client, feature, on)).await
    }

    async fn accounts(&self) -> Result<Vec<access::Account>, StoreError> {
        self.read(|conn| {
            let rows = accounts::table
                .left_join(timelines::table)
                .left_join(decision_endpoints::table)
                .left_join(worlds::table)
                .order(accounts::id)
                .select(account_parts())
                .load::<AccountParts>(conn)?;
            rows.into_iter().map(account).collect()
        })
        .await
    }

    async fn add_account(&self, account: access::Account, parent: BudgetRecord) -> Result<(), StoreError> {
        self.change(move |conn| {
            insert_account(conn, &account)?;
            balances::insert(conn, &parent)
        })
        .await
    }

    async fn rename_account(&self, account: &AccountId, name: String) -> Result<(), StoreError> {
        let account = account.clone();
        self.change(move |conn| {
            let row = accounts::table.filter(accounts::id.eq(account.as_str()));
            let changed = diesel::update(row).set(accounts::name.eq(&name)).execute(conn)?;
            if changed == 1 { Ok(()) } else { Err(no_account(&account)) }
        })
        .await
    }

    async fn set_unique_budget_names(&self, account: &AccountId, unique: bool) -> Result<(), StoreError> {
        let account = account.clone();
        self.change(move |conn| {
            let row = accounts::table.filter(accounts::id.eq(account.as_str()));
            let changed = diesel::update(row).set(accounts::unique_budget_names.eq(unique)).execute(conn)?;
            if changed == 1 { Ok(()) } else { Err(no_account(&account)) }
        })
        .await
    }

    async fn set_mfa_required(&self, account: &AccountId, required: bool) -> Result<(), StoreError> {
        let account = account.clone();
        self.change(move |conn| {
            let row = accounts::table.filter(accounts::id.eq(account.as_str()));
            let changed = diesel::update(row).set(accounts::mfa_required.eq(required)).execute(conn)?;
            if changed == 1 { Ok(()) } else { Err(no_account(&account)) }
        })
        .await
    }

    async fn enrol(&self, enrolment: TotpEnrolment) -> Result<(), StoreError> {
        self.change(move |conn| {
            remove_enrolment(conn, &enrolment.account)?;
            mfa::insert_enrolment(conn, &enrolment)
        })
        .await
    }

    async fn remove_enrolment(&self, account: &AccountId) -> Result<bool, StoreError> {
        let account = account.clone();
        self.change(move |conn| remove_enrolment(conn, &account)).await
    }

    async fn unlock_enrolment(&self, account: &AccountId) -> Result<bool, StoreError> {
        let account = account.clone();
        self.change(move |conn| {
            require_account(conn, &account)?;
            mfa::unlock(conn, &account)
        })
        .await
    }

    async fn keys(&self, client: Option<ClientId>) -> Result<Vec<ApiKey>, StoreError> {
        self.read_in_one_transaction(move |conn| keys(conn, client)).await
    }

    async fn add_key(&self, key: ApiKey, hash: KeyHash) -> Result<(), StoreError> {
        self.change(move |conn| insert_key(conn, &key, &hash)).await
    }

    async fn revoke_key(&self, key: ApiKeyId, at: DateTime<Utc>) -> Result<(), StoreError> {
        self.change(move |conn| key_admin::revoke(conn, key, at)).await
    }

    async fn rotate_key(
        &self,
        key: ApiKeyId,
        hash: KeyHash,
        decide: Decide<ApiKey, Result<KeyRotation, RotateRefusal>>,
    ) -> Result<KeyRotation, WriteError<RotateRefusal>> {
        self.task(move |conn| key_admin::rotate(conn, key, &hash, &decide)).await
    }

    async fn replace_banks(&self, banks: Vec<Bank>) -> Result<(), StoreError> {
        self.change(move |conn| {
            diesel::delete(banks::table).execute(conn)?;
            merchant::insert_banks(conn, &banks)
        })
        .await
    }

    async fn replace_addresses(&self, addresses: Vec<Address>) -> Result<(), StoreError> {
        self.change(move |conn| {
            diesel::delete(imported_addresses::table).execute(conn)?;
            addresses::insert(conn, &addresses)
        })
        .await
    }
}

fn no_account(account: &AccountId) -> Failure {
    Failure::NotFound(format!("account {account}"))
}

/// Fails unless the account exists.
fn require_account(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    let known = accounts::table.filter(accounts::id.eq(account.as_str()));
    let exists = diesel::select(diesel::dsl::exists(known)).get_result(conn)?;
    if exists { Ok(()) } else { Err(no_account(account)) }
}

/// Removes the enrolment of an account, which must exist. Returns whether it had an enrolment.
fn remove_enrolment(conn: &mut Conn, account: &AccountId) -> Outcome<bool> {
    require_account(conn, account)?;
    let row = totp_enrolments::table.filter(totp_enrolments::account_id.eq(account.as_str()));
    Ok(diesel::delete(row).execute(conn)? == 1)
}

fn set_feature(conn: &mut Conn, client: ClientId, feature: Feature, on: bool) -> Outcome<()> {
    key_admin::require_client(conn, client)?;
    let row = client_features::table
        .filter(client_features::client_id.eq(Id(client.0)))
        .filter(client_features::feature.eq(Named(feature)));
    diesel::delete(row).execute(conn)?;
    if on { insert_features(conn, client, [feature]) } else { Ok(()) }
}

fn insert_features(conn: &mut Conn, client: ClientId, features: impl IntoIterator<Item = Feature>) -> Outcome<()> {
    let row = |feature| FeatureRow { client_id: Id(client.0), feature: Named(feature) };
    insert(features.into_iter().map(row).collect(), conn)
}

fn keys(conn: &mut Conn, client: Option<ClientId>) -> Outcome<Vec<ApiKey>> {
    let mut query = api_keys::table.order((api_keys::created_at, api_keys::id)).into_boxed();
    if let Some(client) = client {
        query = query.filter(api_keys::client_id.eq(Id(client.0)));
    }
    let rows = query.select(KeyRow::as_select()).load(conn)?;
    let mut listed = listed_accounts(conn, None)?;
    rows.into_iter().map(|row| row.read(|_, id| Ok(listed.remove(&id).unwrap_or_default()))).collect()
}

/// Stores a new client with its features.
pub(crate) fn insert_client(conn: &mut Conn, client: &ApiClient) -> Outcome<()> {
    insert(vec![ClientRow::of(client)?], conn)?;
    insert_features(conn, client.id, client.features.iter().copied())
}

/// Stores a new account, with its counter, but without its parent budget.
pub(crate) fn insert_account(conn: &mut Conn, account: &access::Account) -> Outcome<()> {
    insert(vec![AccountRow::from(account)], conn)?;
    let account_id = Account(account.id.clone());
    insert(vec![CounterRow { account_id, last_number: 0, last_link: 0, last_hash: None }], conn)?;
    if account.timeline != Timeline::default() {
        super::timelines::insert(conn, &account.id, &account.timeline)?;
    }
    Ok(())
}
