//! Activity: a page merges the newest rows of each source, and reads at most `offset + limit` rows of each.

mod credits;
mod page;
#[cfg(test)]
mod tests;

use super::backend::Conn;
use super::body;
use super::errors::{Outcome, corrupt};
use super::store::Store;
use super::types::Account;
use super::{cards, payments, transfers};
use async_trait::async_trait;
use diesel::Connection;
use florin_domain::activity::{Activity, ActivityFilter, ActivitySource};
use florin_domain::ids::{AccountId, ActivityId};
use florin_domain::ledger::JournalKind;
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Activities, StoreError};
use page::{ActivityQuery, Key};
use std::collections::BTreeMap;
use uuid::Uuid;

#[async_trait]
impl Activities for Store {
    async fn list(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        page: PageRequest,
    ) -> Result<Page<Activity>, StoreError> {
        let query = ActivityQuery::new(Account(account.clone()), filter);
        self.read(move |conn| conn.transaction(|conn| list(conn, &query, page))).await
    }

    async fn find(&self, account: &AccountId, id: ActivityId) -> Result<Option<Activity>, StoreError> {
        let account = account.clone();
        self.read(move |conn| conn.transaction(|conn| find(conn, &account, id))).await
    }
}

fn list(conn: &mut Conn, query: &ActivityQuery, page: PageRequest) -> Outcome<Page<Activity>> {
    let keys = query.keys(conn, page)?;
    let count = query.count(conn)?;
    let mut found = BTreeMap::new();
    for source in ActivitySource::ALL {
        let ids: Vec<_> = keys.iter().filter(|key| key.source == source).map(|key| key.id).collect();
        if !ids.is_empty() {
            found.extend(load(conn, query.account(), source, &ids)?.into_iter().map(|row| (row.id, row)));
        }
    }
    let row = |key: Key| found.remove(&ActivityId(key.id)).ok_or_else(|| corrupt("a movement without its record"));
    Ok(Page { count, rows: keys.into_iter().map(row).collect::<Outcome<_>>()? })
}

/// Finds a movement. Ids are unique across all sources, so the id alone identifies it.
fn find(conn: &mut Conn, account: &AccountId, id: ActivityId) -> Outcome<Option<Activity>> {
    for source in ActivitySource::ALL {
        if let Some(found) = load(conn, account, source, &[id.0])?.pop() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Loads movements of a source by their ids, in any order. Skips ids that belong to another account or to no movement.
fn load(conn: &mut Conn, account: &AccountId, source: ActivitySource, ids: &[Uuid]) -> Outcome<Vec<Activity>> {
    match source {
        ActivitySource::Card => Ok(cards::by_tokens(conn, account, ids)?.into_iter().map(Activity::from).collect()),
        ActivitySource::Credit => credits::by_journal(conn, account, ids, JournalKind::Credit),
        ActivitySource::Deposit => credits::by_journal(conn, account, ids, JournalKind::TopUp),
        ActivitySource::Payment => {
            Ok(payments::by_ids(conn, account, ids)?.into_iter().filter_map(Activity::of_payment).collect())
        }
        ActivitySource::Transfer => {
            Ok(transfers::by_ids(conn, account, ids)?.into_iter().filter_map(Activity::of_transfer).collect())
        }
    }
}
