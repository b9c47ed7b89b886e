//! Export and import of all rows of the store.

pub(super) mod account_rows;
mod moving;
mod positions;
mod row_checks;
mod secrets;
pub(super) mod snapshot_files;

use super::backend::Conn;
use super::body;
use super::books_check::check_all;
use super::departures::departed;
use super::driver;
use super::errors::{Failure, Outcome, Stop, corrupt};
use super::store::Store;
use super::tables;
use super::tables::table::{NumberedRow, Table};
use super::webhooks;
use diesel::Connection;
use florin_ports::{BooksReport, Reseal, StoreError};
use florin_store_contract::export::{
    ExportContents, ExportHeader, ExportOrigin, ExportReader, ExportRow, ExportSource, ExportWriter, ImportReport,
};
use florin_store_contract::{ExportError, ExportImport};
use std::cell::RefCell;
use std::io::Write;

/// Maximum number of rows per insert.
const ROWS_AT_ONCE: usize = 200;
/// Maximum size of the rows per insert, in bytes. The last row may exceed it.
const BYTES_AT_ONCE: usize = 1024 * 1024;

impl ExportImport for Store {
    fn export(&self, origin: &ExportOrigin, out: &mut dyn Write) -> Result<ExportContents, ExportError> {
        let schema = schema().map_err(StoreError::from)?;
        let writer = RefCell::new(Some(ExportWriter::begin(out, &ExportHeader::new(origin, schema))?));
        let failed = RefCell::new(None);
        let read = driver::read(self.readers(), |conn| {
            // A read is retried after a lost connection, but an export that has begun is not.
            let mut writer = writer.borrow_mut().take().ok_or_else(|| corrupt("the export was interrupted"))?;
            conn.transaction(|conn| export(conn, &mut writer, &failed))?;
            Ok(writer)
        });
        match (failed.into_inner(), read) {
            (Some(error), _) => Err(ExportError::File(error)),
            (None, read) => read?.end(),
        }
    }

    fn import(
        &self,
        environment: &str,
        file: &mut dyn ExportSource,
        reseal: &Reseal,
    ) -> Result<ImportReport, ExportError> {
        let schema = schema().map_err(StoreError::from)?;
        let rows = ExportReader::open(file)?;
        rows.header().check_fits(&schema, environment)?;
        let contents = rows.each(|_| Ok(()))?;
        if contents.rows.len() != tables::all().count()
            || tables::all().any(|table| !contents.rows.contains_key(table.name))
        {
            return Err(ExportError::Changed("its last line lists other tables than those of this store"));
        }
        let rows = ExportReader::open(file)?;
        rows.header().check_fits(&schema, environment)?;
        let exported_at = rows.header().exported_at().to_owned();
        let mut conn = driver::connect_writer(self.place()).map_err(|error| StoreError::from(Failure::from(error)))?;
        let mut refusal = None;
        let written = driver::write(&mut conn, |conn| {
            import(conn, rows, reseal).map_err(|error| {
                refusal = Some(error);
                corrupt("the import is rolled back")
            })
        });
        match (refusal, written) {
            (Some(refusal), _) => Err(refusal),
            (None, written) => {
                let (contents, books) = written.map_err(StoreError::from)?;
                Ok(ImportReport { exported_at, contents, books })
            }
        }
    }
}

/// Returns the name of the last migration that this program knows.
pub(super) fn schema() -> Outcome<String> {
    Ok(driver::known_migrations()?.into_iter().next_back().map(|(_, name)| name).unwrap_or_default())
}

fn export(conn: &mut Conn, writer: &mut ExportWriter<'_>, failed: &RefCell<Option<std::io::Error>>) -> Outcome<()> {
    driver::without_time_limits(conn)?;
    // A client may have left since the command checked this.
    if let Some(client) = departed(conn)?.first() {
        return Err(Failure::Unavailable(format!(
            "client {client} is being moved to another cell, so the export would not contain it"
        )));
    }
    for table in tables::all() {
        writer.table(table.name);
        table.export(conn, &mut |row| {
            writer.row(table.name, row).map_err(|error| {
                failed.replace(Some(error));
                corrupt("the file can't be written")
            })
        })?;
    }
    Ok(())
}

fn import(
    conn: &mut Conn,
    rows: ExportReader<'_>,
    reseal: &Reseal,
) -> Result<(ExportContents, BooksReport), ExportError> {
    prepare(conn).map_err(StoreError::from)?;
    for table in tables::all() {
        if !table.is_empty(conn).map_err(StoreError::from)? {
            return Err(ExportError::NotEmpty(table.name));
        }
    }
    let mut buffer = InsertBuffer::default();
    let mut last_position = 0;
    let contents = rows.each(|row| {
        last_position = last_position.max(positions::last_in(&row)?);
        let resealed = secrets::resealed(&row, reseal)?;
        let json = resealed.as_deref().unwrap_or(row.json);
        Ok(buffer.add(conn, ExportRow { json, ..row })?)
    })?;
    buffer.store(conn)?;
    driver::events_imported(conn, last_position).map_err(StoreError::from)?;
    webhooks::imported(conn, last_position).map_err(StoreError::from)?;
    webhooks::cancel_all(conn).map_err(StoreError::from)?;
    for table in tables::all() {
        let found = table.count(conn).map_err(StoreError::from)?;
        let expected = contents.rows.get(table.name).copied().unwrap_or_default();
        if u64::try_from(found) != Ok(expected) {
            return Err(ExportError::Count { table: table.name, found, expected });
        }
    }
    let report = check_all(conn, &|_| {}).map_err(StoreError::from)?;
    if report.discrepancies.is_empty() { Ok((contents, report)) } else { Err(ExportError::Books(report)) }
}

/// Locks out other operator commands, and disables the transaction's timeouts.
fn prepare(conn: &mut Conn) -> Outcome<()> {
    driver::lock_operators(conn)?;
    driver::without_time_limits(conn)
}

/// Rows of one table, collected for one insert.
struct InsertBuffer {
    /// The table of the rows.
    table: Option<&'static Table>,
    /// The tables that may follow this table, last first.
    later: Vec<&'static Table>,
    rows: Vec<NumberedRow>,
    bytes: usize,
}

impl Default for InsertBuffer {
    fn default() -> Self {
        Self { table: None, later: tables::all().rev().collect(), rows: Vec::new(), bytes: 0 }
    }
}

impl InsertBuffer {
    fn add(&mut self, conn: &mut Conn, row: ExportRow<'_>) -> Result<(), Stop<ExportError>> {
        let is_of = |table: &&'static Table| table.name == row.table;
        let is_next = !self.table.as_ref().is_some_and(is_of);
        if is_next || self.rows.len() >= ROWS_AT_ONCE || self.bytes >= BYTES_AT_ONCE {
            self.store(conn)?;
        }
        if is_next {
            let unknown = || ExportError::Line {
                line: row.line,
                reason: format!("table `{}` is unknown or out of order", row.table),
            };
            let index = self.later.iter().rposition(is_of).ok_or_else(unknown)?;
            self.table = self.later.drain(index..).next();
        }
        self.bytes += row.json.len();
        self.rows.push((row.line, row.json.to_owned()));
        Ok(())
    }

    /// Returns the refusal of the collected rows, which the database does not accept. `None`: no rows are collected.
    fn refused(&self, failure: &Failure) -> Option<ExportError> {
        let (table, (line, _)) = (self.table?.name, self.rows.first()?);
        let rows = match self.rows.len() - 1 {
            0 => "this row".to_owned(),
            more => format!("this row or one of the {more} after it"),
        };
        let reason = failure.of_file();
        Some(ExportError::Line { line: *line, reason: format!("`{table}`: {rows} can't be stored: {reason}") })
    }

    fn store(&mut self, conn: &mut Conn) -> Result<(), Stop<ExportError>> {
        if let Some(table) = self.table.filter(|_| !self.rows.is_empty()) {
            table.import(conn, &self.rows)?;
        }
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }
}
