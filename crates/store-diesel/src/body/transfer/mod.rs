//! All rows of the store, out of it and into it.

pub(super) mod account_rows;

use super::audit::audit;
use super::backend::{self, Conn};
use super::body;
use super::errors::{Failure, Outcome, corrupt};
use super::store::Store;
use super::tables;
use super::tables::table::{NumberedRow, Table};
use crate::transfer::{About, Contents, ExportTable, Header, Imported, Row, Rows, Source, Transfer, TransferError};
use diesel::Connection;
use florin_ports::{AuditReport, StoreError};
use std::cell::RefCell;
use std::io::Write;

/// The number and the size of the rows that are inserted at once.
const ROWS_AT_ONCE: usize = 200;
const BYTES_AT_ONCE: usize = 1024 * 1024;

impl Transfer for Store {
    fn export(&self, about: &About, out: &mut dyn Write) -> Result<Contents, TransferError> {
        let sheet = RefCell::new(Some(ExportTable::begin(out, &Header::new(about, schema()?))?));
        let failed = RefCell::new(None);
        let read = backend::read(self.readers(), |conn| {
            // A read whose connection is lost is tried again: an export that has begun is not.
            let mut sheet = sheet.borrow_mut().take().ok_or_else(|| corrupt("the export was interrupted"))?;
            conn.transaction(|conn| export(conn, &mut sheet, &failed))?;
            Ok(sheet)
        });
        match (failed.into_inner(), read) {
            (Some(error), _) => Err(TransferError::File(error)),
            (None, read) => read?.end(),
        }
    }

    fn import(&self, environment: &str, file: &mut dyn Source) -> Result<Imported, TransferError> {
        let schema = schema()?;
        let rows = Rows::of(file)?;
        rows.header.fits(&schema, environment)?;
        let contents = rows.each(|_| Ok(()))?;
        if contents.rows.len() != tables::all().count()
            || tables::all().any(|table| !contents.rows.contains_key(table.name))
        {
            return Err(TransferError::Changed("its last line names other tables than this store has"));
        }
        let rows = Rows::of(file)?;
        rows.header.fits(&schema, environment)?;
        let exported_at = rows.header.exported_at.clone();
        let mut conn = backend::connect_writer(self.place()).map_err(|error| StoreError::from(Failure::from(error)))?;
        let mut refusal = None;
        let written = backend::write(&mut conn, |conn| {
            import(conn, rows).map_err(|error| {
                refusal = Some(error);
                corrupt("the import is rolled back")
            })
        });
        match (refusal, written) {
            (Some(refusal), _) => Err(refusal),
            (None, written) => {
                let (contents, audit) = written.map_err(StoreError::from)?;
                Ok(Imported { exported_at, contents, audit })
            }
        }
    }
}

/// The name of the last migration that this program knows.
fn schema() -> Result<String, TransferError> {
    let known = backend::known().map_err(StoreError::from)?;
    Ok(known.into_iter().next_back().map(|(_, name)| name).unwrap_or_default())
}

fn export(conn: &mut Conn, sheet: &mut ExportTable<'_>, failed: &RefCell<Option<std::io::Error>>) -> Outcome<()> {
    backend::unhurried(conn)?;
    for table in tables::all() {
        sheet.table(table.name);
        (table.export)(conn, &mut |row| {
            sheet.row(table.name, row).map_err(|error| {
                failed.replace(Some(error));
                corrupt("the file can't be written")
            })
        })?;
    }
    Ok(())
}

fn import(conn: &mut Conn, rows: Rows<'_>) -> Result<(Contents, AuditReport), TransferError> {
    prepare(conn).map_err(StoreError::from)?;
    for table in tables::all() {
        if !(table.is_empty)(conn).map_err(StoreError::from)? {
            return Err(TransferError::NotEmpty(table.name));
        }
    }
    let mut batch = Batch::default();
    let contents = rows.each(|row| batch.add(conn, row))?;
    batch.store(conn)?;
    for table in tables::all() {
        let found = (table.count)(conn).map_err(StoreError::from)?;
        let wanted = contents.rows.get(table.name).copied().unwrap_or_default();
        if u64::try_from(found) != Ok(wanted) {
            return Err(TransferError::Count { table: table.name, found, wanted });
        }
    }
    let report = audit(conn).map_err(StoreError::from)?;
    if report.discrepancies.is_empty() { Ok((contents, report)) } else { Err(TransferError::Books(report)) }
}

/// Keeps operators' changes of other programs waiting, and takes its time.
fn prepare(conn: &mut Conn) -> Outcome<()> {
    backend::lock_operators(conn)?;
    backend::unhurried(conn)
}

/// Rows of one table that are going to be inserted at once.
struct Batch {
    /// The table of the rows.
    table: Option<&'static Table>,
    /// The tables that may follow it.
    later: Vec<&'static Table>,
    rows: Vec<NumberedRow>,
    bytes: usize,
}

impl Default for Batch {
    fn default() -> Self {
        Self { table: None, later: tables::all().rev().collect(), rows: Vec::new(), bytes: 0 }
    }
}

impl Batch {
    fn add(&mut self, conn: &mut Conn, row: Row<'_>) -> Result<(), TransferError> {
        let is_of = |table: &&'static Table| table.name == row.table;
        let is_next = !self.table.as_ref().is_some_and(is_of);
        if is_next || self.rows.len() >= ROWS_AT_ONCE || self.bytes >= BYTES_AT_ONCE {
            self.store(conn)?;
        }
        if is_next {
            let unknown = || TransferError::Line {
                line: row.line,
                reason: format!("unknown table `{}`, or out of order", row.table),
            };
            let place = self.later.iter().rposition(is_of).ok_or_else(unknown)?;
            self.table = self.later.drain(place..).next();
        }
        self.bytes += row.json.len();
        self.rows.push((row.line, row.json.to_owned()));
        Ok(())
    }

    fn store(&mut self, conn: &mut Conn) -> Result<(), TransferError> {
        if let Some(table) = self.table.filter(|_| !self.rows.is_empty()) {
            (table.import)(conn, &self.rows)?;
        }
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }
}
