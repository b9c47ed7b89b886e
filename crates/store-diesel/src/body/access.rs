//! Reading callers and accounts.

use super::backend::{Conn, Db};
use super::errors::Outcome;
use super::keys::{features, listed_accounts, tag};
use super::store::Store;
use super::tables::access::{AccountRow, ClientRow, accounts, clients};
use super::tables::keys::{KeyRow, api_keys};
use super::tables::money::{balances, budgets};
use super::tables::webhooks::{EndpointRow, decision_endpoints};
use super::tables::worlds::{EpochRow, TimelineRow, timelines, worlds};
use super::types::{self, Id, Time};
use async_trait::async_trait;
use diesel::prelude::*;
use florin_domain::access::{Account, AccountGrant, AccountProfile, ApiClient, ApiKey, Caller, KeyHash};
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{AccountProfiles, Accounts, Callers, StoreError};
use std::collections::BTreeMap;
use std::sync::Arc;
use subtle::ConstantTimeEq;

#[async_trait]
impl Callers for Store {
    async fn find(&self, hash: &KeyHash) -> Result<Option<Caller>, StoreError> {
        let hash = *hash;
        self.read_in_one_transaction(move |conn| {
            let rows = api_keys::table
                .inner_join(clients::table)
                .filter(api_keys::hash_tag.eq(tag(&hash)))
                .select((KeyRow::as_select(), ClientRow::as_select()))
                .load::<(KeyRow, ClientRow)>(conn)?;
            let found = rows.into_iter().find(|(key, _)| bool::from(key.hash.0.as_slice().ct_eq(&hash.0)));
            let Some((key, client)) = found else { return Ok(None) };
            let key =
                key.read(|client, id| Ok(listed_accounts(conn, Some((client, id)))?.remove(&id).unwrap_or_default()))?;
            let features = features(conn, Some(key.client))?.remove(&key.client).unwrap_or_default();
            Outcome::Ok(Some(Caller::new(key, client.read(features))))
        })
        .await
    }
}

/// The rows that an account is built from: its own, its timeline, its decision endpoint and its world.
pub(crate) type AccountParts = (AccountRow, Option<TimelineRow>, Option<EndpointRow>, Option<EpochRow>);

/// Selects the rows of an account.
pub(crate) fn account_parts() -> diesel::dsl::AsSelect<AccountParts, Db> {
    AccountParts::as_select()
}

/// Builds an account from its rows.
pub(crate) fn account((row, timeline, endpoint, world): AccountParts) -> Outcome<Account> {
    Ok(Account {
        id: row.id.0,
        client: ClientId(row.client_id.0),
        name: row.name,
        merchant: row.merchant,
        mfa_required: row.mfa_required,
        unique_budget_names: row.unique_budget_names,
        timeline: timeline.map(TimelineRow::read).transpose()?.unwrap_or_default(),
        decision_endpoint: endpoint.map(EndpointRow::read).transpose()?.map(Arc::new),
        epoch: world.map(|world| world.epoch).unwrap_or_default(),
    })
}

#[async_trait]
impl Accounts for Store {
    async fn find(&self, id: &AccountId) -> Result<Option<Account>, StoreError> {
        let id = id.clone();
        self.read(move |conn| {
            let row = accounts::table
                .left_join(timelines::table)
                .left_join(decision_endpoints::table)
                .left_join(worlds::table)
                .filter(accounts::id.eq(id.as_str()))
                .select(account_parts())
                .get_result::<AccountParts>(conn)
                .optional()?;
            row.map(account).transpose()
        })
        .await
    }

    async fn client(&self, id: ClientId) -> Result<Option<ApiClient>, StoreError> {
        self.read_in_one_transaction(move |conn| {
            let row = clients::table.filter(clients::id.eq(Id(id.0))).select(ClientRow::as_select());
            let Some(row) = row.get_result::<ClientRow>(conn).optional()? else { return Ok(None) };
            let features = features(conn, Some(id))?.remove(&id).unwrap_or_default();
            Outcome::Ok(Some(row.read(features)))
        })
        .await
    }
}

#[async_trait]
impl AccountProfiles for Store {
    async fn profile(&self, id: &AccountId) -> Result<Option<AccountProfile>, StoreError> {
        let Some(account) = Accounts::find(self, id).await? else { return Ok(None) };
        self.read_in_one_transaction(move |conn| Ok(profiles(conn, vec![account.clone()])?.pop())).await
    }

    async fn profiles(&self, key: &ApiKey, page: PageRequest) -> Result<Page<AccountProfile>, StoreError> {
        let key = key.clone();
        self.read_in_one_transaction(move |conn| {
            let rows = reached(&key)
                .left_join(timelines::table)
                .left_join(decision_endpoints::table)
                .left_join(worlds::table)
                .order(accounts::id)
                .limit(page.limit)
                .offset(page.offset)
                .select(account_parts())
                .load::<AccountParts>(conn)?;
            let count = reached(&key).count().get_result(conn)?;
            let found = rows.into_iter().map(account).collect::<Outcome<_>>()?;
            Ok(Page { count, rows: profiles(conn, found)? })
        })
        .await
    }
}

/// Selects the accounts that a key grants access to.
fn reached(key: &ApiKey) -> accounts::BoxedQuery<'static, Db> {
    let rows = accounts::table.filter(accounts::client_id.eq(Id(key.client.0))).into_boxed();
    match &key.accounts {
        AccountGrant::AllOfClient => rows,
        AccountGrant::Only(listed) => {
            rows.filter(accounts::id.eq_any(listed.iter().map(|id| id.as_str().to_owned()).collect::<Vec<_>>()))
        }
    }
}

/// Builds the profiles of accounts from the accounts and their parent budgets.
fn profiles(conn: &mut Conn, found: Vec<Account>) -> Outcome<Vec<AccountProfile>> {
    let ids: Vec<_> = found.iter().map(|account| account.id.as_str().to_owned()).collect();
    let parents = budgets::table
        .filter(budgets::account_id.eq_any(ids))
        // The kind is part of the SQL text, not a bound value, so that the partial index is used.
        .filter(diesel::dsl::sql::<diesel::sql_types::Bool>("kind = 'accountBalance'"));
    let opened: BTreeMap<types::Account, Option<Time>> =
        parents.clone().select((budgets::account_id, budgets::created_at)).load(conn)?.into_iter().collect();
    let of_parents = parents
        .inner_join(
            balances::table.on(balances::account_id.eq(budgets::account_id).and(balances::budget_id.eq(budgets::id))),
        )
        .order((budgets::account_id, balances::currency))
        .select((budgets::account_id, balances::currency));
    let mut currencies: BTreeMap<types::Account, Vec<_>> = BTreeMap::new();
    for (account, currency) in of_parents.load::<(types::Account, types::Currency)>(conn)? {
        currencies.entry(account).or_default().push(currency.0);
    }
    let profile = |account: Account| {
        let key = types::Account(account.id.clone());
        let opened_at = opened.get(&key).and_then(|at| at.map(|at| at.0));
        AccountProfile { opened_at, currencies: currencies.remove(&key).unwrap_or_default(), account }
    };
    Ok(found.into_iter().map(profile).collect())
}
