//! The lines of account rows, and the positions in them.

use super::body::errors::corrupt;
use super::body::statements::Row;
use super::body::tables::batches::PaymentRow;
use super::body::tables::cards::MessageRow;
use super::body::tables::events::{EventRow, RedeliveryRow};
use super::body::tables::money::{LegRow, TransferRow};
use super::body::tables::webhooks::WebhookRow;
use super::body::tables::worlds::{ImportedRow, SnapshotRow, WorldRow};
use florin_ports::StoreError;
use florin_store_contract::export::{ExportError, ExportRow};
use serde::Deserialize;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// A line of the rows of an account.
#[derive(Deserialize)]
pub(super) struct Line<'a> {
    pub(super) table: &'a str,
    #[serde(borrow)]
    pub(super) row: &'a RawValue,
}

/// Appends a line to a text.
pub(super) fn push_line(text: &mut String, table: &str, row: &str) {
    for part in [r#"{"table":""#, table, r#"","row":"#, row, "}\n"] {
        text.push_str(part);
    }
}

/// The positions of a row. The epoch of a world is a position, too, and so are the ends of a subscription's range.
#[derive(Deserialize)]
struct Placed {
    #[serde(alias = "epoch", alias = "since")]
    position: Option<i64>,
    until: Option<i64>,
}

/// The tables whose rows have positions.
pub(super) const PLACED: [&str; 8] = [
    EventRow::TABLE,
    RedeliveryRow::TABLE,
    MessageRow::TABLE,
    LegRow::TABLE,
    TransferRow::TABLE,
    PaymentRow::TABLE,
    WorldRow::TABLE,
    WebhookRow::TABLE,
];

#[derive(Deserialize)]
struct Snapshot<'a> {
    #[serde(borrow)]
    contents: Cow<'a, str>,
}

/// Returns the greatest position in a row: its own, or, for a snapshot, the greatest of the snapshot's rows; 0 if there
/// is none. Later rows receive greater positions, so that a restore of the snapshot finds its positions free.
pub(super) fn last_in(row: &ExportRow<'_>) -> Result<i64, ExportError> {
    if ![SnapshotRow::TABLE, ImportedRow::TABLE].contains(&row.table) {
        return position(row.table, row.json);
    }
    let Snapshot { contents } = serde_json::from_str(row.json).map_err(unreadable)?;
    contents.lines().try_fold(0, |last, line| {
        let Line { table, row } = serde_json::from_str(line).map_err(unreadable)?;
        Ok(last.max(position(table, row.get())?))
    })
}

fn position(table: &str, json: &str) -> Result<i64, ExportError> {
    if !PLACED.contains(&table) {
        return Ok(0);
    }
    let Placed { position, until } = serde_json::from_str(json).map_err(unreadable)?;
    Ok(position.max(until).unwrap_or_default())
}

fn unreadable(error: serde_json::Error) -> ExportError {
    StoreError::from(corrupt(error)).into()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// After an import, new events must get positions above the range of every subscription.
    #[test]
    fn the_ends_of_a_subscriptions_range_are_positions() {
        for (row, expected) in
            [(r#"{"since":7,"until":null}"#, 7), (r#"{"since":7,"until":9,"url":"x"}"#, 9), (r#"{"id":"x"}"#, 0)]
        {
            assert_eq!(position(WebhookRow::TABLE, row).unwrap(), expected);
        }
    }
}
