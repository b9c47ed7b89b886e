//! The rows of one account, read as lines of an export, and inserted again into the same or another account.

#[cfg(test)]
use super::body::backend;
use super::body::backend::Conn;
use super::body::errors::{Failure, Outcome, Stop, corrupt};
use super::body::merchant::copied_logo;
use super::body::statements::Row;
use super::body::tables;
use super::body::tables::access::accounts;
use super::body::tables::batches::payment_batches;
use super::body::tables::events::EventRow;
use super::body::tables::table::OwnerId;
use super::body::types::{Id, Time};
use super::positions::{Line, push_line};
use super::{InsertBuffer, secrets};
use diesel::prelude::*;
use florin_domain::ids::AccountId;
use florin_domain::secret::SealedSecret;
use florin_store_contract::export::{ExportError, ExportRow};

/// The columns that refer to a client.
const CLIENTS: [&str; 3] = ["client_id", "created_by", "confirmed_by"];

/// The rows of an account.
#[derive(Default)]
pub(crate) struct AccountRows {
    /// The rows as lines of JSON.
    pub(crate) text: String,
    /// The number of rows.
    pub(crate) rows: i64,
}

impl AccountRows {
    fn add(&mut self, table: &str, row: &str) {
        self.rows += 1;
        push_line(&mut self.text, table, row);
    }
}

/// Returns the rows of an account that a snapshot contains. Secrets are left out.
pub(crate) fn of(conn: &mut Conn, account: &AccountId) -> Outcome<AccountRows> {
    let mut account_rows = AccountRows::default();
    for table in tables::all().filter(|table| table.is_reverted()) {
        table.rows_of(conn, OwnerId::Account(account.as_str()), &mut |row| {
            match secrets::without(table.name, row)? {
                Some(row) => account_rows.add(table.name, &row),
                None => account_rows.add(table.name, row),
            }
            Ok(())
        })?;
    }
    Ok(account_rows)
}

/// Deletes the rows that [`of`] returns, and what is derived from them.
pub(crate) fn clear(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    for table in tables::all().chain(tables::derived()).rev().filter(|table| table.is_reverted()) {
        table.delete_of(conn, OwnerId::Account(account.as_str()))?;
    }
    Ok(())
}

/// Inserts rows into an account that has none in these tables. An enrolment is stored with `secret`, and is left out if
/// that is `None`. Leases on batches are cleared. A copy of a world leaves out the events, because they happened in the
/// copied world. A logo from another account receives a new id. Rows name the client of the account, because a file
/// may come from a world of another client.
pub(crate) fn put(
    conn: &mut Conn,
    account: &AccountId,
    text: &str,
    secret: Option<&SealedSecret>,
    is_copy: bool,
) -> Outcome<()> {
    put_rows(conn, &mut InsertBuffer::default(), account, text, secret, is_copy).map_err(failure)
}

/// Inserts the rows of a file like [`put`]. The refusal of a row that can't be stored names the line of the text.
pub(crate) fn put_file(conn: &mut Conn, account: &AccountId, text: &str) -> Result<(), Stop<ExportError>> {
    let mut buffer = InsertBuffer::default();
    put_rows(conn, &mut buffer, account, text, None, true).map_err(|stop| match stop {
        Stop::Failed(failure) if !failure.is_transient() => {
            buffer.refused(&failure).map_or(Stop::Failed(failure), Stop::Answer)
        }
        stop => stop,
    })
}

fn put_rows(
    conn: &mut Conn,
    buffer: &mut InsertBuffer,
    account: &AccountId,
    text: &str,
    secret: Option<&SealedSecret>,
    is_copy: bool,
) -> Result<(), Stop<ExportError>> {
    let client = accounts::table.filter(accounts::id.eq(account.as_str())).select(accounts::client_id);
    let client = client.get_result::<Id>(conn).map_err(Failure::from)?;
    for (number, line) in (1..).zip(text.lines()) {
        let Line { table, row } = serde_json::from_str(line).map_err(corrupt)?;
        if is_copy && table == EventRow::TABLE {
            continue;
        }
        let mut row = match copied_logo(conn, table, row.get(), account)? {
            Some(copied) => copied,
            None => with_owner(row.get(), account, client)?,
        };
        if secrets::are_in(table) {
            let Some(secret) = secret else { continue };
            row = secrets::with(table, &row, secret)?;
        }
        // A world can be created from a snapshot of another world. If the two share a row, it may already be stored.
        if let Some(known) = tables::named(table)
            && known.has_shared(conn, &row)?
        {
            continue;
        }
        buffer.add(conn, ExportRow { line: number, table, json: &row })?;
    }
    buffer.store(conn)?;
    diesel::update(payment_batches::table.filter(payment_batches::account_id.eq(account.as_str())))
        .set((payment_batches::lease_id.eq(None::<Id>), payment_batches::leased_until.eq(None::<Time>)))
        .execute(conn)
        .map_err(Failure::from)?;
    Ok(())
}

/// Returns the row with its account and its clients replaced.
fn with_owner(row: &str, account: &AccountId, client: Id) -> Outcome<String> {
    let mut row: serde_json::Map<String, serde_json::Value> = serde_json::from_str(row).map_err(corrupt)?;
    if let Some(owner) = row.get_mut("account_id") {
        *owner = account.as_str().into();
    }
    for column in CLIENTS {
        if let Some(named) = row.get_mut(column).filter(|named| !named.is_null()) {
            *named = client.0.hyphenated().to_string().into();
        }
    }
    serde_json::to_string(&row).map_err(corrupt)
}

/// Converts an error of storing rows that this program has written. A refusal of such rows is a bug.
pub(super) fn failure(stop: Stop<ExportError>) -> Failure {
    match stop {
        Stop::Failed(failure) => failure,
        Stop::Answer(error) => corrupt(error),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use uuid::Uuid;

    #[test]
    fn rows_name_the_client_of_their_account() {
        let [account, client] = ["F1", "0198c0de-0000-7000-8000-000000000001"];
        let named = |row: &str| {
            let client = Id(Uuid::parse_str(client).unwrap());
            with_owner(row, &AccountId::parse(account).unwrap(), client).unwrap()
        };
        let expected = format!(r#"{{"account_id":"F1","confirmed_by":null,"created_by":"{client}","name":"x"}}"#);
        assert_eq!(named(r#"{"account_id":"W1","confirmed_by":null,"created_by":"y","name":"x"}"#), expected);
    }

    #[test]
    fn every_column_that_refers_to_a_client_is_known() {
        let migrations = backend::migrations::sources();
        let references: Vec<_> = migrations.lines().filter(|line| line.contains("REFERENCES clients (id)")).collect();
        assert!(references.len() > 5, "{references:?}");
        for reference in references {
            let column = reference.trim().trim_start_matches("ADD COLUMN ").split(' ').next().unwrap();
            assert!(CLIENTS.contains(&column), "{reference}");
        }
    }
}
