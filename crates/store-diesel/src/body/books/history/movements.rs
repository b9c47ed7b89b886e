//! Reads the journal transactions of a balance, as one movement each.

use super::Of;
use super::body::backend::sql::{IdSql, TimeSql};
use super::body::backend::{Conn, RowByRow};
use super::body::errors::{Outcome, corrupt};
use super::body::names::PoolName;
use super::body::tables::money::{journal_entries, journal_transactions};
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
pub(super) const DISTANCE: &str = "SELECT COUNT(*) AS count FROM (SELECT 1 AS one FROM journal_transactions t \
    WHERE t.account_id = $1 AND t.id >= $2 ORDER BY t.id LIMIT $3) t";

const NEWEST: &str = "SELECT t.id AS id, t.created_at AS created_at FROM journal_transactions t \
    WHERE t.account_id = $1 ORDER BY t.id DESC LIMIT 1";

/// An entry, with its transaction.
type EntryRow = (Id, Named<JournalKind>, Id, Time, Named<PoolName>, i64);

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

/// Selects the entries of a balance with their transactions.
macro_rules! entries {
    ($of:expr) => {
        journal_entries::table
            .inner_join(
                journal_transactions::table.on(journal_transactions::account_id
                    .eq(journal_entries::account_id)
                    .and(journal_transactions::id.eq(journal_entries::journal_id))),
            )
            .filter(journal_entries::account_id.eq(&$of.account))
            .filter(journal_transactions::account_id.eq(&$of.account))
            .filter(journal_entries::budget_id.eq($of.budget))
            .filter(journal_transactions::currency.eq($of.currency))
    };
}
/// The columns of an [`EntryRow`].
macro_rules! entry_columns {
    () => {
        (
            journal_entries::journal_id,
            journal_transactions::kind,
            journal_transactions::cause_id,
            journal_transactions::created_at,
            journal_entries::pool,
            journal_entries::amount_minor,
        )
    };
}

/// Selects the movements of a balance from an id on, in the order of the ids.
macro_rules! after {
    ($of:expr, $from:expr) => {
        entries!($of)
            .filter(journal_entries::journal_id.ge($from))
            .filter(journal_transactions::id.ge($from))
            .order((journal_entries::journal_id, journal_entries::line))
            .select(entry_columns!())
    };
}
#[cfg(test)]
pub(super) use {after, entries, entry_columns};

/// Passes on the movements from an id on, in the order of the ids, one at a time.
pub(super) fn each_from(conn: &mut Conn, of: &Of, from: Id, take: &mut dyn FnMut(Booking)) -> Outcome<()> {
    let rows = after!(of, from);
    let mut current: Option<Booking> = None;
    for row in rows.load_iter::<EntryRow, RowByRow>(conn)? {
        if let Some(done) = add(&mut current, row?)? {
            take(done);
        }
    }
    current.into_iter().for_each(take);
    Ok(())
}

/// Returns the movements with these ids, oldest first by time, then by id. Omits those that do not exist.
pub(super) fn by_ids(conn: &mut Conn, of: &Of, ids: &[Id]) -> Outcome<Vec<Booking>> {
    let mut bookings = Vec::with_capacity(ids.len());
    for ids in ids.chunks(IDS_AT_ONCE) {
        let rows = entries!(of)
            .filter(journal_entries::journal_id.eq_any(ids))
            .order((journal_entries::journal_id, journal_entries::line))
            .select(entry_columns!())
            .load::<EntryRow>(conn)?;
        let mut current = None;
        for row in rows {
            bookings.extend(add(&mut current, row)?);
        }
        bookings.extend(current);
    }
    bookings.sort_by_key(|booking: &Booking| (booking.at, booking.journal));
    Ok(bookings)
}

/// Adds an entry to the movement that is being read. Returns that movement if the entry belongs to the next one.
fn add(current: &mut Option<Booking>, row: EntryRow) -> Outcome<Option<Booking>> {
    let (journal, kind, cause, at, pool, amount) = row;
    let journal = JournalId(journal.0);
    let done = current.take_if(|current| current.journal != journal);
    let booking = current.get_or_insert_with(|| Booking {
        journal,
        kind: kind.0,
        cause: cause.0,
        at: at.0,
        moved: PoolSums::default(),
    });
    let pool = BudgetPool::parse(pool.0.0).ok_or_else(|| corrupt("a posting to a budget has an unknown pool"))?;
    booking.moved.add(pool, Total(amount.into()));
    Ok(done)
}

/// Returns the number of the account's journal transactions from an id on, at most `max`.
pub(super) fn distance(conn: &mut Conn, of: &Of, from: Id, max: i64) -> Outcome<i64> {
    let counted = sql_query(DISTANCE).bind::<Text, _>(&of.account).bind::<IdSql, _>(from).bind::<BigInt, _>(max);
    Ok(counted.get_result::<CountRow>(conn)?.count)
}

/// Returns the greatest id of the account's journal transactions, and the time of that transaction.
pub(super) fn newest(conn: &mut Conn, of: &Of) -> Outcome<Option<(Id, Time)>> {
    let newest = sql_query(NEWEST).bind::<Text, _>(&of.account).get_result::<NewestRow>(conn).optional()?;
    Ok(newest.map(|row| (row.id, row.created_at)))
}
