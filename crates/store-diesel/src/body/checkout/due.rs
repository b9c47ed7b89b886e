//! Finds the sessions and refunds on which something is due, and the settlement accounts that are in use.

use super::body::backend::sql::TimeSql;
use super::body::backend::{CLOCK, Conn};
use super::body::errors::Outcome;
use super::body::tables::checkout::{checkout_sessions, merchant_payments};
use super::body::tables::worlds::{TimelineRow, timelines};
use super::body::types::{Account, Id, Named, Time};
use chrono::{DateTime, Utc};
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{Bool, Text};
use florin_domain::checkout::{DueItem, SessionStatus};
use florin_domain::ids::{AccountId, CheckoutSessionId, RefundId, SettlementAccountId};
use florin_ports::{AccountTimeline, Due};
use std::collections::BTreeSet;

/// Returns the sessions and refunds that are due, earliest first: of one account, or, if `account` is `None`, of all
/// accounts without a timeline.
pub(super) fn due(
    conn: &mut Conn,
    account: Option<&AccountId>,
    now: DateTime<Utc>,
    max: u32,
) -> Outcome<Vec<Due<DueItem>>> {
    let mut found = sessions(conn, account, now, max)?;
    found.extend(refunds(conn, account, now, max)?);
    found.sort();
    found.truncate(max as usize);
    Ok(found)
}

/// Returns the condition that the account of a row has no timeline.
fn no_timeline(table: &str) -> String {
    format!("NOT EXISTS (SELECT 1 FROM timelines t WHERE t.account_id = {table}.account_id)")
}

fn sessions(conn: &mut Conn, account: Option<&AccountId>, now: DateTime<Utc>, max: u32) -> Outcome<Vec<Due<DueItem>>> {
    let mut rows = checkout_sessions::table.filter(checkout_sessions::due_at.le(Time(now))).into_boxed();
    rows = match account {
        Some(account) => rows.filter(checkout_sessions::account_id.eq(account.as_str())),
        None => rows.filter(sql::<Bool>(&no_timeline("checkout_sessions"))),
    };
    let rows: Vec<(Option<Time>, Account, Id)> = rows
        .order((checkout_sessions::due_at, checkout_sessions::account_id, checkout_sessions::id))
        .limit(i64::from(max))
        .select((checkout_sessions::due_at, checkout_sessions::account_id, checkout_sessions::id))
        .load(conn)?;
    let due = |(at, account, id): (Option<Time>, Account, Id)| {
        Some(Due { at: at?.0, item: DueItem::Session(account.0, CheckoutSessionId(id.0)) })
    };
    Ok(rows.into_iter().filter_map(due).collect())
}

fn refunds(conn: &mut Conn, account: Option<&AccountId>, now: DateTime<Utc>, max: u32) -> Outcome<Vec<Due<DueItem>>> {
    let mut rows = merchant_payments::table.filter(merchant_payments::due_at.le(Time(now))).into_boxed();
    rows = match account {
        Some(account) => rows.filter(merchant_payments::account_id.eq(account.as_str())),
        None => rows.filter(sql::<Bool>(&no_timeline("merchant_payments"))),
    };
    let rows: Vec<(Option<Time>, Account, Option<Id>)> = rows
        .order((merchant_payments::due_at, merchant_payments::account_id, merchant_payments::id))
        .limit(i64::from(max))
        .select((merchant_payments::due_at, merchant_payments::account_id, merchant_payments::refund_id))
        .load(conn)?;
    let due = |(at, account, id): (Option<Time>, Account, Option<Id>)| {
        Some(Due { at: at?.0, item: DueItem::Refund(account.0, RefundId(id?.0)) })
    };
    Ok(rows.into_iter().filter_map(due).collect())
}

/// The accounts with a timeline on which something is due at the real time $1. `{clock}` is replaced by the SQL of the
/// account's time. The subqueries are scalar, because a planner may turn EXISTS into a join of all rows.
const ACCOUNTS: &str = "SELECT t.account_id AS account_id FROM timelines t WHERE \
    (SELECT 1 FROM checkout_sessions s WHERE s.account_id = t.account_id AND s.due_at <= {clock} LIMIT 1) IS NOT NULL \
    OR (SELECT 1 FROM merchant_payments p WHERE p.account_id = t.account_id AND p.due_at <= {clock} LIMIT 1) \
    IS NOT NULL ORDER BY t.account_id";

#[derive(QueryableByName)]
struct AccountRow {
    #[diesel(sql_type = Text)]
    account_id: Account,
}

/// Returns the accounts with a timeline on which something is due by the account's clock.
pub(super) fn accounts(conn: &mut Conn, real_now: DateTime<Utc>) -> Outcome<Vec<AccountTimeline>> {
    let due =
        sql_query(ACCOUNTS.replace("{clock}", CLOCK)).bind::<TimeSql, _>(Time(real_now)).load::<AccountRow>(conn)?;
    if due.is_empty() {
        return Ok(Vec::new());
    }
    let rows = timelines::table
        .filter(timelines::account_id.eq_any(due.into_iter().map(|row| row.account_id)))
        .order(timelines::account_id)
        .select(TimelineRow::as_select())
        .load::<TimelineRow>(conn)?;
    rows.into_iter().map(TimelineRow::read_with_account).collect()
}

/// Returns the settlement accounts that open sessions pay into, or that pending refunds are paid from.
pub(crate) fn settlement_accounts_in_use(
    conn: &mut Conn,
    account: &AccountId,
) -> Outcome<BTreeSet<SettlementAccountId>> {
    let mut found: Vec<Option<Id>> = checkout_sessions::table
        .filter(checkout_sessions::account_id.eq(account.as_str()))
        .filter(checkout_sessions::status.eq_any([SessionStatus::Open, SessionStatus::Processing].map(Named)))
        .filter(checkout_sessions::settlement_account_id.is_not_null())
        .select(checkout_sessions::settlement_account_id)
        .distinct()
        .load(conn)?;
    // Only pending refunds have a due time.
    let refunding = merchant_payments::table
        .inner_join(
            checkout_sessions::table.on(checkout_sessions::account_id
                .eq(merchant_payments::account_id)
                .and(checkout_sessions::id.eq(merchant_payments::session_id))),
        )
        .filter(merchant_payments::account_id.eq(account.as_str()))
        .filter(merchant_payments::due_at.is_not_null())
        .select(checkout_sessions::settlement_account_id)
        .distinct()
        .load::<Option<Id>>(conn)?;
    found.extend(refunding);
    Ok(found.into_iter().flatten().map(|id| SettlementAccountId(id.0)).collect())
}
