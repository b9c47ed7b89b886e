//! The lines of account rows, and the positions of the events in them.

use super::body::errors::corrupt;
use super::body::statements::Row;
use super::body::tables::events::EventRow;
use super::body::tables::worlds::SnapshotRow;
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

#[derive(Deserialize)]
struct Event {
    position: i64,
}

#[derive(Deserialize)]
struct Snapshot<'a> {
    #[serde(borrow)]
    contents: Cow<'a, str>,
}

/// Returns the greatest position of an event in a row: of the event itself, or of those in a snapshot. Later events get
/// greater ones, so that a restore of the snapshot finds its positions free. Zero: there is none.
pub(super) fn last_in(row: &ExportRow<'_>) -> Result<i64, ExportError> {
    if row.table == EventRow::TABLE {
        return position(row.json);
    }
    if row.table != SnapshotRow::TABLE {
        return Ok(0);
    }
    let Snapshot { contents } = serde_json::from_str(row.json).map_err(unreadable)?;
    contents.lines().try_fold(0, |last, line| {
        let Line { table, row } = serde_json::from_str(line).map_err(unreadable)?;
        Ok(if table == EventRow::TABLE { last.max(position(row.get())?) } else { last })
    })
}

fn position(json: &str) -> Result<i64, ExportError> {
    let Event { position } = serde_json::from_str(json).map_err(unreadable)?;
    Ok(position)
}

fn unreadable(error: serde_json::Error) -> ExportError {
    StoreError::from(corrupt(error)).into()
}
