//! Activity: a page merges the newest rows of each source, and reads at most `offset + limit` rows of each. The feed of
//! changes merges the rows of the sources by their positions.

mod chains;
mod credits;
mod feed;
mod numbers;
mod page;
mod sources;
#[cfg(test)]
mod tests;

pub(crate) use chains::read_all as read_chains;
pub(crate) use numbers::beyond_counter;

use super::backend::Conn;
use super::body;
use super::epochs;
use super::errors::{Outcome, corrupt};
use super::store::Store;
use super::types::Account;
use super::{events, payments, transfers};
use async_trait::async_trait;
use feed::FeedRange;
use florin_domain::activity::{Activity, ActivityChanges, ActivityCursor, ActivityFilter, ActivityKey, ActivitySource};
use florin_domain::ids::{AccountId, ActivityId};
use florin_domain::ledger::JournalKind;
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Activities, StoreError};
use page::Key;
use sources::ActivityQuery;
use std::collections::BTreeMap;
use uuid::Uuid;

/// The sources of the movements that are not chains or payments.
const OF_BUDGETS: [ActivitySource; 4] =
    [ActivitySource::Credit, ActivitySource::Unload, ActivitySource::Load, ActivitySource::TopUp];

#[async_trait]
impl Activities for Store {
    async fn list(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        page: PageRequest,
    ) -> Result<Page<Activity>, StoreError> {
        let query = ActivityQuery::new(Account(account.clone()), filter);
        self.read_in_one_transaction(move |conn| list(conn, &query, page)).await
    }

    async fn find(&self, account: &AccountId, key: ActivityKey) -> Result<Option<Activity>, StoreError> {
        let account = account.clone();
        self.read_in_one_transaction(move |conn| find(conn, &account, key)).await
    }

    async fn changes(
        &self,
        account: &AccountId,
        filter: ActivityFilter,
        after: Option<ActivityCursor>,
        max: i64,
    ) -> Result<Option<ActivityChanges>, StoreError> {
        // Without a new tail, the feed ends at the last known tail: a transaction that does not end delays rows, but
        // not the response.
        let until = match events::tail(self).await? {
            Some(tail) => self.greatest_tail(tail.0),
            None => self.greatest_tail(0),
        };
        let query = ActivityQuery::new(Account(account.clone()), filter);
        self.read_in_one_transaction(move |conn| changes(conn, &query, after, (until, max))).await
    }
}

fn list(conn: &mut Conn, query: &ActivityQuery, page: PageRequest) -> Outcome<Page<Activity>> {
    let keys = query.keys(conn, page)?;
    let count = query.count(conn)?;
    Ok(Page { count, rows: movements(conn, query.account(), &keys)? })
}

fn changes(
    conn: &mut Conn,
    query: &ActivityQuery,
    after: Option<ActivityCursor>,
    (until, max): (i64, i64),
) -> Outcome<Option<ActivityChanges>> {
    let epoch = epochs::current(conn, query.account())?;
    let after = after.unwrap_or(ActivityCursor::beginning(epoch));
    if after.epoch != epoch {
        return Ok(None);
    }
    let found = query.changed(conn, &FeedRange { after, until, max })?;
    let is_complete = i64::try_from(found.len()).is_ok_and(|found| found < max);
    let last = found.last().map(|(_, place)| *place).filter(|_| !is_complete);
    // Everything up to the tail was read.
    let next = last.unwrap_or_else(|| ActivityCursor::after_all(epoch, until).max(after));
    let keys: Vec<_> = found.into_iter().map(|(key, _)| key).collect();
    Ok(Some(ActivityChanges { rows: movements(conn, query.account(), &keys)?, next }))
}

/// Loads the movements with these keys, in their order.
fn movements(conn: &mut Conn, account: &AccountId, keys: &[Key]) -> Outcome<Vec<Activity>> {
    let mut found = BTreeMap::new();
    for source in ActivitySource::ALL {
        let ids: Vec<_> = keys.iter().filter(|key| key.source == source).map(|key| key.id).collect();
        if !ids.is_empty() {
            found.extend(load(conn, account, source, &ids)?.into_iter().map(|row| (row.id, row)));
        }
    }
    let row = |key: &Key| found.remove(&ActivityId(key.id)).ok_or_else(|| corrupt("a movement without its record"));
    keys.iter().map(row).collect()
}

fn find(conn: &mut Conn, account: &AccountId, key: ActivityKey) -> Outcome<Option<Activity>> {
    match key {
        ActivityKey::Transaction(token) => {
            let first = chains::first_of(conn, account, token)?;
            match first {
                Some(first) => Ok(load(conn, account, ActivitySource::Card, &[first])?.pop()),
                None => of_budget(conn, account, token.0),
            }
        }
        ActivityKey::Payment(id) => Ok(load(conn, account, ActivitySource::Payment, &[id.0])?.pop()),
        ActivityKey::BudgetMovement(id) => of_budget(conn, account, id.0),
        ActivityKey::Number(number) => match numbers::movement(conn, account, number)? {
            Some((source, id)) => Ok(load(conn, account, source, &[id])?.pop()),
            None => Ok(None),
        },
    }
}

/// Finds a credit, a top-up or a side of a transfer by its id, which is unique among all of them.
fn of_budget(conn: &mut Conn, account: &AccountId, id: Uuid) -> Outcome<Option<Activity>> {
    for source in OF_BUDGETS {
        if let Some(found) = load(conn, account, source, &[id])?.pop() {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Loads movements of a source by their ids, in any order. Skips ids that belong to another account or to no movement.
fn load(conn: &mut Conn, account: &AccountId, source: ActivitySource, ids: &[Uuid]) -> Outcome<Vec<Activity>> {
    match source {
        ActivitySource::Card => chains::by_firsts(conn, account, ids),
        ActivitySource::Credit => credits::by_journal(conn, account, ids, JournalKind::Credit),
        ActivitySource::TopUp => credits::by_journal(conn, account, ids, JournalKind::TopUp),
        ActivitySource::Payment => {
            let mut numbers = numbers::of_payments(conn, account, ids)?;
            let found = payments::by_ids(conn, account, ids)?.into_iter();
            let movements = found.filter_map(|(payment, confirmed_at)| {
                let numbers = numbers.remove(&payment.id.0).unwrap_or_default();
                Activity::of_payment(payment, numbers, confirmed_at)
            });
            Ok(movements.collect())
        }
        ActivitySource::Unload | ActivitySource::Load => {
            let found = match source {
                ActivitySource::Unload => transfers::by_ids(conn, account, ids)?,
                _ => transfers::by_journals(conn, account, ids)?,
            };
            let sides = found.iter().filter_map(Activity::of_transfer).flatten();
            Ok(sides.filter(|side| side.source() == source).collect())
        }
    }
}
