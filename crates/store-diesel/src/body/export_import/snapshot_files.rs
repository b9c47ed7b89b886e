//! Converts the rows of a snapshot to the rows of a file, and back.

use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::{Failure, Outcome, Stop, corrupt};
use super::body::statements::Row;
use super::body::tables;
use super::body::tables::batches::{AcceptedRow, PaymentRow};
use super::body::tables::cards::CardRecordRow;
use super::body::tables::events::EventRow;
use super::body::tables::mfa::SessionRow;
use super::body::tables::service::RecordRow;
use super::positions::{Line, PLACED, push_line};
use super::secrets;
use florin_domain::world::ImportRefusal;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The tables that a file leaves out: their rows have a meaning only in the world that wrote them.
const LEFT_OUT: [&str; 3] = [EventRow::TABLE, RecordRow::TABLE, SessionRow::TABLE];

/// A row of a file.
struct FileRow {
    table: &'static str,
    columns: Map<String, Value>,
}

/// Whether a file contains the rows of a table.
fn is_in_files(table: &str) -> bool {
    !LEFT_OUT.contains(&table) && !secrets::are_in(table)
}

/// Returns the rows of a snapshot that a file contains.
pub(crate) fn for_file(contents: &str) -> Outcome<String> {
    let rows = read(contents).map_err(corrupt)?;
    text(&rows)
}

/// Returns the rows of a file as a snapshot of this store contains them: with positions that are drawn here.
pub(crate) fn for_store(conn: &mut Conn, contents: &str) -> Result<String, Stop<ImportRefusal>> {
    let mut rows = read(contents).map_err(|reason| Stop::Answer(ImportRefusal::Invalid(reason)))?;
    keep_own_acceptances(&mut rows);
    replace_positions(conn, &mut rows)?;
    Ok(text(&rows)?)
}

/// Reads the rows of the tables that files contain. PINs are left out. Errors name the line of the file: its first line
/// is the header, so these lines are numbered from 2.
fn read(contents: &str) -> Result<Vec<FileRow>, String> {
    let mut rows = Vec::new();
    for (number, line) in (2_u64..).zip(contents.lines()) {
        let Line { table, row } = serde_json::from_str(line).map_err(|error| format!("line {number}: {error}"))?;
        let known = tables::named(table).filter(|known| known.is_reverted());
        let table = known.ok_or_else(|| format!("line {number}: `{table}` is no table of a snapshot"))?.name;
        if !is_in_files(table) {
            continue;
        }
        let mut columns: Map<String, Value> =
            serde_json::from_str(row.get()).map_err(|error| format!("line {number}: {error}"))?;
        if table == CardRecordRow::TABLE {
            columns.insert("pin_digest".into(), Value::Null);
        }
        rows.push(FileRow { table, columns });
    }
    Ok(rows)
}

fn text(rows: &[FileRow]) -> Outcome<String> {
    let mut text = String::new();
    for FileRow { table, columns } in rows {
        let row = serde_json::to_string(columns).map_err(corrupt)?;
        push_line(&mut text, table, &row);
    }
    Ok(text)
}

/// Removes the simulated bank's rows for payments that are not in the file. Worlds share these rows, which have the ids
/// of payments.
fn keep_own_acceptances(rows: &mut Vec<FileRow>) {
    let id = |row: &FileRow| row.columns.get("id").and_then(Value::as_str).map(str::to_owned);
    let payments: BTreeSet<_> = rows.iter().filter(|row| row.table == PaymentRow::TABLE).filter_map(id).collect();
    rows.retain(|row| row.table != AcceptedRow::TABLE || id(row).is_some_and(|id| payments.contains(&id)));
}

/// Replaces the positions of the rows by positions of this store, in the same order. Positions of another store have no
/// meaning here.
fn replace_positions(conn: &mut Conn, rows: &mut [FileRow]) -> Result<(), Failure> {
    let position = |row: &FileRow| row.columns.get("position").and_then(Value::as_i64);
    let is_placed = |row: &&FileRow| PLACED.contains(&row.table);
    let old: BTreeSet<i64> = rows.iter().filter(is_placed).filter_map(position).collect();
    if old.is_empty() {
        return Ok(());
    }
    let new = driver::draw_positions(conn, old.len())?;
    let moved: BTreeMap<i64, i64> = old.into_iter().zip(new).collect();
    for row in rows.iter_mut().filter(|row| PLACED.contains(&row.table)) {
        if let Some(new) = position(row).and_then(|old| moved.get(&old)) {
            row.columns.insert("position".into(), (*new).into());
        }
    }
    Ok(())
}
