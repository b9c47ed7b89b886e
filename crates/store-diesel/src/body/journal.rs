//! The journal: written, never changed.

use super::backend::Conn;
use super::errors::{Outcome, corrupt};
use super::schema::{journal_entries as entries, journal_transactions as transactions};
use super::types::{Account, Currency, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::ledger::{JournalKind, JournalTransaction};

#[derive(Insertable)]
#[diesel(table_name = transactions)]
struct TransactionRow {
    account_id: Account,
    id: Id,
    kind: Named<JournalKind>,
    cause_id: Id,
    currency: Currency,
    created_at: Time,
}

#[derive(Insertable)]
#[diesel(table_name = entries, treat_none_as_default_value = false)]
struct EntryRow {
    account_id: Account,
    journal_id: Id,
    line: i64,
    pool: &'static str,
    budget_id: Option<Id>,
    amount_minor: i64,
}

/// Writes a transaction with its entries.
pub(crate) fn insert(conn: &mut Conn, journal: &JournalTransaction) -> Outcome<()> {
    let row = TransactionRow {
        account_id: Account(journal.account.clone()),
        id: Id(journal.id.0),
        kind: Named(journal.kind),
        cause_id: Id(journal.cause),
        currency: Currency(journal.currency),
        created_at: Time(journal.at),
    };
    diesel::insert_into(transactions::table).values(row).execute(conn)?;
    insert_entries(conn, entries_of(journal))
}

fn entries_of(journal: &JournalTransaction) -> Vec<EntryRow> {
    let entry = |(line, posting): (i64, &florin_domain::ledger::Posting)| EntryRow {
        account_id: Account(journal.account.clone()),
        journal_id: Id(journal.id.0),
        line,
        pool: posting.account.kind(),
        budget_id: posting.account.budget().map(|budget| Id(budget.0)),
        amount_minor: posting.amount.0,
    };
    (0_i64..).zip(journal.postings()).map(entry).collect()
}

/// Nearly every transaction has two entries or three: arrays make statements that stay prepared.
fn insert_entries(conn: &mut Conn, rows: Vec<EntryRow>) -> Outcome<()> {
    let expected = rows.len();
    let rows = match <[EntryRow; 2]>::try_from(rows) {
        Ok(two) => return stored(diesel::insert_into(entries::table).values(two).execute(conn)?, expected),
        Err(rows) => rows,
    };
    match <[EntryRow; 3]>::try_from(rows) {
        Ok(three) => stored(diesel::insert_into(entries::table).values(three).execute(conn)?, expected),
        Err(rows) => stored(diesel::insert_into(entries::table).values(rows).execute(conn)?, expected),
    }
}

fn stored(written: usize, expected: usize) -> Outcome<()> {
    if written == expected { Ok(()) } else { Err(corrupt(format!("{written} of {expected} journal entries written"))) }
}
