//! All rows of one account: taken out as the lines of an export, and put back, into the same account or another one.

use super::super::backend::Conn;
use super::super::errors::{Failure, Outcome, Stop, corrupt};
use super::super::schema::{payment_batches, payments, sandbox_payments};
use super::super::types::Id;
use super::batches::SandboxPayment;
use super::{Batch, TABLES};
use diesel::prelude::*;
use florin_domain::ids::AccountId;
use florin_store_contract::export::{ExportError, ExportRow};
use serde::Deserialize;
use serde_json::value::RawValue;

/// Payments that the simulated bank is asked for at a time.
const PAYMENTS_AT_ONCE: usize = 500;
/// What the simulated bank remembers has no account: it is that of the account's payments.
const BANK: &str = "sandbox_payments";

/// The rows of an account.
#[derive(Default)]
pub(crate) struct AccountRows {
    /// A line for each.
    pub(crate) text: String,
    /// How many there are.
    pub(crate) rows: i64,
}

impl AccountRows {
    fn add(&mut self, table: &str, row: &str) {
        self.rows += 1;
        for part in [r#"{"table":""#, table, r#"","row":"#, row, "}\n"] {
            self.text.push_str(part);
        }
    }
}

/// All rows of an account that are put back.
pub(crate) fn of(conn: &mut Conn, account: &AccountId) -> Outcome<AccountRows> {
    let mut account_rows = AccountRows::default();
    for table in &TABLES {
        if table.name == BANK {
            for chunk in sent(conn, account)?.chunks(PAYMENTS_AT_ONCE) {
                let rows = sandbox_payments::table.filter(sandbox_payments::id.eq_any(chunk.iter().copied()));
                for row in rows.load::<SandboxPayment>(conn)? {
                    account_rows.add(BANK, &serde_json::to_string(&row).map_err(corrupt)?);
                }
            }
        } else if let Some(of_account) = table.of_account {
            of_account(conn, account.as_str(), &mut |row| {
                account_rows.add(table.name, row);
                Ok(())
            })?;
        }
    }
    Ok(account_rows)
}

fn sent(conn: &mut Conn, account: &AccountId) -> Outcome<Vec<Id>> {
    let payments = payments::table.filter(payments::account_id.eq(account.as_str()));
    Ok(payments.select(payments::id).load(conn)?)
}

/// Deletes the rows that [`of`] shows.
pub(crate) fn clear(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    for chunk in sent(conn, account)?.chunks(PAYMENTS_AT_ONCE) {
        let rows = sandbox_payments::table.filter(sandbox_payments::id.eq_any(chunk.iter().copied()));
        diesel::delete(rows).execute(conn)?;
    }
    for clear in TABLES.iter().rev().filter_map(|table| table.clear) {
        clear(conn, account.as_str())?;
    }
    Ok(())
}

#[derive(Deserialize)]
struct Line<'a> {
    table: &'a str,
    #[serde(borrow)]
    row: &'a RawValue,
}

/// Puts rows into an account in which there are none of these tables. Who had a lease on a batch has it no more.
pub(crate) fn put(conn: &mut Conn, account: &AccountId, text: &str) -> Outcome<()> {
    let mut batch = Batch::default();
    for (number, line) in (1..).zip(text.lines()) {
        let Line { table, row } = serde_json::from_str(line).map_err(corrupt)?;
        let row = moved(row.get(), account)?;
        if table == BANK && is_remembered(conn, &row)? {
            continue;
        }
        batch.add(conn, ExportRow { line: number, table, json: &row }).map_err(failure)?;
    }
    batch.store(conn).map_err(failure)?;
    diesel::update(payment_batches::table.filter(payment_batches::account_id.eq(account.as_str())))
        .set((
            payment_batches::lease_id.eq(None::<Id>),
            payment_batches::leased_until.eq(None::<super::super::types::Time>),
        ))
        .execute(conn)?;
    Ok(())
}

/// The row, in that account.
fn moved(row: &str, account: &AccountId) -> Outcome<String> {
    let mut row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(row).map_err(corrupt)?;
    if let Some(owner) = row.get_mut("account_id") {
        *owner = account.as_str().into();
    }
    serde_json::to_string(&row).map_err(corrupt)
}

/// Whether the bank knows a payment already: a world may be made from a snapshot of another one, whose payments it has.
fn is_remembered(conn: &mut Conn, row: &str) -> Outcome<bool> {
    let row: SandboxPayment = serde_json::from_str(row).map_err(corrupt)?;
    let known = sandbox_payments::table.filter(sandbox_payments::id.eq(row.id()));
    Ok(diesel::select(diesel::dsl::exists(known)).get_result(conn)?)
}

fn failure(stop: Stop<ExportError>) -> Failure {
    match stop {
        Stop::Failed(failure) => failure,
        Stop::Answer(error) => corrupt(error),
    }
}
