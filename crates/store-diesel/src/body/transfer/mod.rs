//! All rows of the store, out of it and into it.

mod access;
pub(super) mod account_rows;
mod batches;
mod cards;
mod merchant;
mod money;
mod rows;
mod service;
mod values;
mod worlds;

use super::audit::audit;
use super::backend::{self, Conn};
use super::body;
use super::errors::{Failure, Outcome, corrupt};
use super::store::Store;
use crate::transfer::{About, Contents, ExportTable, Header, Imported, Row, Rows, Source, Transfer, TransferError};
use diesel::Connection;
use florin_ports::{AuditReport, StoreError};
use rows::{Table, Waiting};
use std::cell::RefCell;
use std::io::Write;

/// All tables, each after those that its rows refer to.
const TABLES: [Table; 34] = [
    Table::of::<access::Client>(),
    Table::of::<access::ClientFeature>(),
    Table::of::<access::Account>(),
    Table::of::<worlds::Timeline>(),
    Table::of::<worlds::World>(),
    Table::of::<worlds::WorldSnapshot>(),
    Table::of::<access::ApiKey>(),
    Table::of::<access::ApiKeyAccount>(),
    Table::of::<merchant::Checkout>(),
    Table::of::<merchant::CheckoutCount>(),
    Table::of::<merchant::Bank>(),
    Table::of::<money::Budget>(),
    Table::of::<money::Balance>(),
    Table::of::<money::JournalTransaction>(),
    Table::of::<money::JournalEntry>(),
    Table::of::<money::BudgetTransfer>(),
    Table::of::<money::CreditCounter>(),
    Table::of::<money::Credit>(),
    Table::of::<cards::Card>(),
    Table::of::<cards::CardTransition>(),
    Table::of::<cards::SpendingLimit>(),
    Table::of::<cards::CardTransaction>(),
    Table::of::<cards::CardChain>(),
    Table::of::<cards::DeclineReason>(),
    Table::of::<batches::PaymentBatch>(),
    Table::of::<batches::PaymentOrder>(),
    Table::of::<batches::Payment>(),
    Table::of::<batches::PaymentAlert>(),
    Table::of::<batches::OutboxEvent>(),
    Table::of::<batches::SandboxPayment>(),
    Table::of::<batches::MfaSession>(),
    Table::of::<batches::TotpEnrolment>(),
    Table::of::<service::IdempotencyRecord>(),
    Table::of::<service::ImportedAddress>(),
];

/// So many rows are stored at once, of so many bytes.
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
        if contents.rows.len() != TABLES.len() || TABLES.iter().any(|table| !contents.rows.contains_key(table.name)) {
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
    for table in &TABLES {
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
    for table in &TABLES {
        if !(table.is_empty)(conn).map_err(StoreError::from)? {
            return Err(TransferError::NotEmpty(table.name));
        }
    }
    let mut batch = Batch::default();
    let contents = rows.each(|row| batch.add(conn, row))?;
    batch.store(conn)?;
    for table in &TABLES {
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

/// Rows of one table that wait to be stored.
#[derive(Default)]
struct Batch {
    table: usize,
    rows: Vec<Waiting>,
    bytes: usize,
}

impl Batch {
    fn add(&mut self, conn: &mut Conn, row: Row<'_>) -> Result<(), TransferError> {
        let unknown =
            || TransferError::Line { line: row.line, reason: format!("`{}` is no table, or out of order", row.table) };
        let later = TABLES.iter().skip(self.table).position(|table| table.name == row.table).ok_or_else(unknown)?;
        if later > 0 || self.rows.len() >= ROWS_AT_ONCE || self.bytes >= BYTES_AT_ONCE {
            self.store(conn)?;
            self.table += later;
        }
        self.bytes += row.json.len();
        self.rows.push((row.line, row.json.to_owned()));
        Ok(())
    }

    fn store(&mut self, conn: &mut Conn) -> Result<(), TransferError> {
        if !self.rows.is_empty() {
            (TABLES[self.table].import)(conn, &self.rows)?;
        }
        self.rows.clear();
        self.bytes = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
