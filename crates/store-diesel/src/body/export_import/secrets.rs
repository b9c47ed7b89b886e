//! Secrets in the rows of exports and snapshots.

use super::body::errors::{Outcome, corrupt};
use super::body::json_values;
use florin_domain::ids::AccountId;
use florin_domain::secret::{SealedSecret, SecretOwner};
use florin_ports::Reseal;
use florin_store_contract::export::{ExportError, ExportRow, hexadecimal};
use serde_json::{Map, Value};

/// The table of secrets.
const TABLE: &str = "totp_enrolments";
/// The column of the secret.
const COLUMN: &str = "secret";

/// Whether the rows of a table have secrets.
pub(super) fn are_in(table: &str) -> bool {
    table == TABLE
}

/// Returns a row without its secret, if its table has secrets.
pub(super) fn without(table: &str, row: &str) -> Outcome<Option<String>> {
    are_in(table).then(|| with(row, &SealedSecret::new(Vec::new()))).transpose()
}

/// Returns a row with another secret.
pub(super) fn with(row: &str, secret: &SealedSecret) -> Outcome<String> {
    let mut row: Map<String, Value> = serde_json::from_str(row).map_err(corrupt)?;
    row.insert(COLUMN.to_owned(), hexadecimal(secret.as_bytes()).into());
    serde_json::to_string(&row).map_err(corrupt)
}

/// Returns an imported row with its secret encrypted for this store, if its table has secrets.
pub(super) fn resealed(row: &ExportRow<'_>, reseal: &Reseal) -> Result<Option<String>, ExportError> {
    if !are_in(row.table) {
        return Ok(None);
    }
    let wrong = |reason: &str| ExportError::Line { line: row.line, reason: reason.to_owned() };
    let members: Map<String, Value> = serde_json::from_str(row.json).map_err(|_| wrong("the row is not an object"))?;
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let account = text("account_id").and_then(|id| AccountId::parse(id).ok()).ok_or_else(|| wrong("no account"))?;
    let secret = text(COLUMN)
        .and_then(|text| json_values::bytes(text.as_bytes()))
        .ok_or_else(|| wrong("the secret is not hexadecimal"))?;
    let owner = SecretOwner::Totp(account);
    let secret = reseal(&owner, &owner, &SealedSecret::new(secret)).map_err(|error| wrong(&error.to_string()))?;
    Ok(Some(with(row.json, &secret).map_err(florin_ports::StoreError::from)?))
}
