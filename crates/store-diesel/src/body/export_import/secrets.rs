//! Secrets in the rows of exports and snapshots.

use super::body::errors::{Outcome, corrupt};
use super::body::json_values;
use florin_domain::ids::{AccountId, WebhookId};
use florin_domain::secret::{SealedSecret, SecretOwner};
use florin_ports::Reseal;
use florin_store_contract::export::{ExportError, ExportRow, hexadecimal};
use serde_json::{Map, Value};

/// The tables with secrets, and the columns of the secrets.
const TABLES: [(&str, &str); 4] = [
    ("totp_enrolments", "secret"),
    ("webhooks", "secrets"),
    ("decision_endpoints", "secrets"),
    ("page_secrets", "secret"),
];

/// Returns the column of a table's secrets.
fn column_of(table: &str) -> Option<&'static str> {
    TABLES.into_iter().find(|(known, _)| *known == table).map(|(_, column)| column)
}

/// Whether the rows of a table have secrets.
pub(super) fn are_in(table: &str) -> bool {
    column_of(table).is_some()
}

/// Returns a row without its secret, if its table has secrets.
pub(super) fn without(table: &str, row: &str) -> Outcome<Option<String>> {
    are_in(table).then(|| with(table, row, &SealedSecret::new(Vec::new()))).transpose()
}

/// Returns a row with another secret.
pub(super) fn with(table: &str, row: &str, secret: &SealedSecret) -> Outcome<String> {
    let mut row: Map<String, Value> = serde_json::from_str(row).map_err(corrupt)?;
    if let Some(column) = column_of(table) {
        row.insert(column.to_owned(), hexadecimal(secret.as_bytes()).into());
    }
    serde_json::to_string(&row).map_err(corrupt)
}

/// Returns an imported row with its secret encrypted for this store, if its table has secrets.
pub(super) fn resealed(row: &ExportRow<'_>, reseal: &Reseal) -> Result<Option<String>, ExportError> {
    let Some(column) = column_of(row.table) else { return Ok(None) };
    let wrong = |reason: &str| ExportError::Line { line: row.line, reason: reason.to_owned() };
    let members: Map<String, Value> = serde_json::from_str(row.json).map_err(|_| wrong("the row is not an object"))?;
    let text = |name: &str| members.get(name).and_then(Value::as_str);
    let owner = match row.table {
        "page_secrets" => Some(SecretOwner::Pages),
        "webhooks" => text("id").and_then(|id| WebhookId::parse(id).ok()).map(SecretOwner::Webhook),
        "decision_endpoints" => text("account_id").and_then(|id| AccountId::parse(id).ok()).map(SecretOwner::Decisions),
        _ => text("account_id").and_then(|id| AccountId::parse(id).ok()).map(SecretOwner::Totp),
    };
    let owner = owner.ok_or_else(|| wrong("the owner of the secret is missing"))?;
    let secret = text(column)
        .and_then(|text| json_values::bytes(text.as_bytes()))
        .ok_or_else(|| wrong("the secret is not hexadecimal"))?;
    let secret = reseal(&owner, &owner, &SealedSecret::new(secret)).map_err(|error| wrong(&error.to_string()))?;
    Ok(Some(with(row.table, row.json, &secret).map_err(florin_ports::StoreError::from)?))
}
