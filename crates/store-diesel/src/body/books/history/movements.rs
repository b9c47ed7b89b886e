//! Reads the journal transactions of a balance, as one movement each.

use super::BalanceId;
use super::body::backend::sql::{IdSql, TimeSql};
use super::body::backend::{Conn, RowByRow};
use super::body::errors::{Outcome, corrupt};
use super::body::names::PoolName;
use super::body::tables::money::journal_legs;
use super::body::types::{Id, Named, Time};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use florin_domain::books::{Booking, BudgetPool, PoolSums};
use florin_domain::ids::JournalId;
use florin_domain::ledger::JournalKind;
use florin_domain::money::Total;

/// Maximum number of ids per statement.
const IDS_AT_ONCE: usize = 500;

/// Counts the account's journal transactions from an id on, up to a maximum.
pub(super) const DISTANCE: &str = "SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM journal_legs t \
    WHERE t.account_id = $1 AND t.journal_id >= $2 AND t.line = 0 ORDER BY t.journal_id LIMIT $3) t";

const NEWEST: &str = "SELECT t.journal_id AS id, t.created_at AS created_at FROM journal_legs t \
    WHERE t.account_id = $1 ORDER BY t.journal_id DESC LIMIT 1";

/// A side of a leg.
type Side = (Named<PoolName>, Option<Id>);

/// A leg: its transaction, kind, cause, time, sides and amount.
type Row = (Id, Named<JournalKind>, Id, Time, Side, Side, i64);

#[derive(QueryableByName)]
struct CountRow {
    #[diesel(sql_type = BigInt)]
    count: i64,
}

#[derive(QueryableByName)]
struct NewestRow {
    #[diesel(sql_type = IdSql)]
    id: Id,
    #[diesel(sql_type = TimeSql)]
    created_at: Time,
}

/// Selects the legs of a balance, in the order of their transactions.
macro_rules! legs {
    ($of:expr) => {
        journal_legs::table
            .filter(journal_legs::account_id.eq(&$of.account))
            .filter(journal_legs::currency.eq($of.currency))
            .filter(journal_legs::from_budget_id.eq($of.budget).or(journal_legs::to_budget_id.eq($of.budget)))
            .order((journal_legs::journal_id, journal_legs::line))
            .select((
                journal_legs::journal_id,
                journal_legs::kind,
                journal_legs::cause_id,
                journal_legs::created_at,
                (journal_legs::from_pool, journal_legs::from_budget_id),
                (journal_legs::to_pool, journal_legs::to_budget_id),
                journal_legs::amount_minor,
            ))
    };
}

/// Selects the legs of a balance from an id on.
macro_rules! legs_from {
    ($of:expr, $from:expr) => {
        legs!($of).filter(journal_legs::journal_id.ge($from))
    };
}
#[cfg(test)]
pub(super) use {legs, legs_from};

/// Passes the movements from an id on to `take`, in the order of the ids, one at a time.
pub(super) fn each_from(conn: &mut Conn, of: &BalanceId, from: Id, take: &mut dyn FnMut(Booking)) -> Outcome<()> {
    let rows = legs_from!(of, from);
    let mut current: Option<Booking> = None;
    for row in rows.load_iter::<Row, RowByRow>(conn)? {
        if let Some(done) = add(of, &mut current, row?)? {
            take(done);
        }
    }
    current.into_iter().for_each(take);
    Ok(())
}

/// Returns the movements with these ids, oldest first by time, then by id. Omits those that do not exist.
pub(super) fn by_ids(conn: &mut Conn, of: &BalanceId, ids: &[Id]) -> Outcome<Vec<Booking>> {
    let mut bookings = Vec::with_capacity(ids.len());
    for ids in ids.chunks(IDS_AT_ONCE) {
        let rows = legs!(of).filter(journal_legs::journal_id.eq_any(ids)).load::<Row>(conn)?;
        let mut current = None;
        for row in rows {
            bookings.extend(add(of, &mut current, row)?);
        }
        bookings.extend(current);
    }
    bookings.sort_by_key(|booking: &Booking| (booking.at, booking.journal));
    Ok(bookings)
}

/// Adds a leg to the current movement. If the leg belongs to another movement, returns the current movement, which is
/// complete, and adds the leg to a new one.
fn add(of: &BalanceId, current: &mut Option<Booking>, row: Row) -> Outcome<Option<Booking>> {
    let (journal, kind, cause, at, from, to, amount) = row;
    let journal = JournalId(journal.0);
    let done = current.take_if(|current| current.journal != journal);
    let booking = current.get_or_insert_with(|| Booking {
        journal,
        kind: kind.0,
        cause: cause.0,
        at: at.0,
        moved: PoolSums::default(),
    });
    let amount = Total(amount.into());
    for ((pool, budget), gain) in [(from, Total::ZERO.minus(amount)), (to, amount)] {
        if budget == Some(of.budget) {
            let pool = BudgetPool::parse(pool.0.0).ok_or_else(|| corrupt("a leg of a budget has an unknown pool"))?;
            booking.moved.add(pool, gain);
        }
    }
    Ok(done)
}

/// Returns the number of the account's journal transactions from an id on, at most `max`.
pub(super) fn distance(conn: &mut Conn, of: &BalanceId, from: Id, max: i64) -> Outcome<i64> {
    let counted = sql_query(DISTANCE).bind::<Text, _>(&of.account).bind::<IdSql, _>(from).bind::<BigInt, _>(max);
    Ok(counted.get_result::<CountRow>(conn)?.count)
}

/// Returns the greatest id of the account's journal transactions, and the time of that transaction.
pub(super) fn newest(conn: &mut Conn, of: &BalanceId) -> Outcome<Option<(Id, Time)>> {
    let newest = sql_query(NEWEST).bind::<Text, _>(&of.account).get_result::<NewestRow>(conn).optional()?;
    Ok(newest.map(|row| (row.id, row.created_at)))
}
