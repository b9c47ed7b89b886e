//! Checks the rows of a snapshot file, which is untrusted input.

use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::{Failure, Outcome, Stop, corrupt};
use super::body::export_import::account_rows;
use super::body::export_import::snapshot_files::StoreRows;
use super::body::tables;
use super::body::tables::access::accounts;
use super::body::tables::table::OwnerId;
use super::body::{activity, books, budgets, checkout, journal, list_counts, merchant, people, registry};
use diesel::prelude::*;
use florin_domain::access::Account;
use florin_domain::books::{InvariantReport, check_books};
use florin_domain::ids::AccountId;
use florin_domain::world::{ImportRefusal, Timeline};
use florin_ports::{ImportSnapshotCommand, WriteError};
use florin_store_contract::ExportError;
use std::collections::BTreeSet;

/// The reason that an import stores nothing.
pub(super) type Refused = Stop<WriteError<ImportRefusal>>;

/// The tables of which every world has one row.
const ONE_ROW: [&str; 2] = ["timelines", "credit_counters"];

/// Checks that all records of an account can be read.
type ReadAll = fn(&mut Conn, &AccountId) -> Outcome<()>;

/// The tables whose rows must fit each other in ways that no constraint requires.
const READ_COMPLETELY: [(&str, ReadAll); 4] = [
    ("budgets", budgets::read_all),
    ("card_transactions", activity::read_chains),
    ("journal_legs", journal::read_all),
    ("merchant_payments", checkout::read_all),
];

/// Returns the accounts whose stored values are wrong: all of them, or only one.
type Wrong = fn(&mut Conn, Option<&AccountId>) -> Outcome<BTreeSet<AccountId>>;

/// The tables whose rows repeat what other rows contain.
const REPEATED: [(&str, Wrong); 5] = [
    ("`budget_counts` or `card_counts`", list_counts::miscounted),
    ("`people_counts`", people::miscounted),
    ("`checkout_counts`", merchant::miscounted),
    ("`merchant_payment_counts`", checkout::miscounted),
    ("`merchant_payments`", checkout::contradicting_payments),
];

/// Stores the rows in a trial account, reads them, checks its books, and deletes the account again. So the import
/// refuses a file from which no world could be created, or whose world could not be read.
pub(super) fn check(conn: &mut Conn, command: &ImportSnapshotCommand, rows: &StoreRows) -> Result<(), Refused> {
    let account = &command.trial_account;
    registry::insert_account(conn, &trial_account(command))?;
    account_rows::clear(conn, account)?;
    account_rows::put_file(conn, account, &rows.text).map_err(|stop| match stop {
        Stop::Answer(ExportError::Line { line, reason }) => invalid(format!("line {}: {reason}", rows.line_of(line))),
        Stop::Answer(error) => invalid(error.to_string()),
        Stop::Failed(failure) => refused(failure, "its rows"),
    })?;
    checkout::replace_tokens(conn, account, &command.page_tokens)?;
    check_records(conn, account)?;
    let books = books::of_account(conn, account).map_err(|failure| refused(failure, "its books"))?;
    if let Some(broken) = broken(&check_books(&books)) {
        return Err(invalid(format!("its books do not agree: {broken}")));
    }
    account_rows::clear(conn, account)?;
    diesel::delete(accounts::table.filter(accounts::id.eq(account.as_str()))).execute(conn).map_err(Failure::from)?;
    Ok(())
}

/// Checks that the rows of the trial account fit each other.
fn check_records(conn: &mut Conn, account: &AccountId) -> Result<(), Refused> {
    for table in ONE_ROW {
        has_one_row(conn, account, table).map_err(|failure| refused(failure, &format!("`{table}`")))?;
    }
    let violated = driver::violated_tables(conn, Some(account))?;
    if let Some(table) = violated.first() {
        return Err(invalid(format!("`{table}`: a row refers to a row that is not in the file")));
    }
    if let Some(column) = activity::beyond_counter(conn, account)? {
        return Err(invalid(format!("{column} exceeds `last_number` of `credit_counters`")));
    }
    for (table, read) in READ_COMPLETELY {
        read(conn, account).map_err(|failure| refused(failure, &format!("`{table}`")))?;
    }
    for (tables, wrong) in REPEATED {
        let wrong = wrong(conn, Some(account)).map_err(|failure| refused(failure, tables))?;
        if !wrong.is_empty() {
            return Err(invalid(format!("{tables}: a row does not agree with the rows that it counts or repeats")));
        }
    }
    Ok(())
}

fn has_one_row(conn: &mut Conn, account: &AccountId, table: &str) -> Outcome<()> {
    let rows = match tables::named(table) {
        Some(table) => table.count_of(conn, OwnerId::Account(account.as_str()))?,
        None => 0,
    };
    if rows == 1 { Ok(()) } else { Err(corrupt(format!("must have one row (got {rows})"))) }
}

fn invalid(reason: String) -> Refused {
    WriteError::Refused(ImportRefusal::Invalid(reason)).into()
}

/// Returns the refusal of a file because `what` can't be stored or read. A transient failure is not due to the file.
fn refused(failure: Failure, what: &str) -> Refused {
    if failure.is_transient() { failure.into() } else { invalid(format!("{what}: {}", failure.of_file())) }
}

/// Returns the first invariant that does not hold, and what violates it.
fn broken(report: &InvariantReport) -> Option<String> {
    report.checks.iter().find_map(|check| {
        let example = check.counter_example.as_ref()?;
        Some(format!("`{}` is violated by {example}", check.invariant.as_str()))
    })
}

fn trial_account(command: &ImportSnapshotCommand) -> Account {
    Account {
        id: command.trial_account.clone(),
        client: command.client,
        name: "Imported snapshot".into(),
        merchant: true,
        mfa_required: true,
        unique_budget_names: false,
        timeline: Timeline::default(),
        decision_endpoint: None,
        epoch: 0,
    }
}
