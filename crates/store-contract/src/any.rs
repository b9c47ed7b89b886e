//! A store of any kind, selected by the URL.

use crate::ExportImport;
use florin_ports::{
    Accounts, Activities, AddressBook, Banks, BatchManagement, BatchProcessing, BatchReading, Books, Budgets, Callers,
    CardLedger, CardManagement, ChainStories, Checkouts, Credits, DryRuns, LedgerAudit, MfaSessions, PaymentBatches,
    Registry, SandboxBankMemory, Seeding, StoreError, Timelines, Transfers, Upkeep, Worlds,
};

/// All storage ports, plus start-up, shut-down, export and import. An `Arc<dyn AnyStore>` coerces to an `Arc` of each
/// port.
pub trait AnyStore:
    Accounts
    + Activities
    + AddressBook
    + Banks
    + BatchManagement
    + BatchProcessing
    + BatchReading
    + Books
    + Budgets
    + Callers
    + CardLedger
    + CardManagement
    + ChainStories
    + Checkouts
    + Credits
    + DryRuns
    + ExportImport
    + LedgerAudit
    + MfaSessions
    + PaymentBatches
    + Registry
    + SandboxBankMemory
    + Seeding
    + Timelines
    + Transfers
    + Upkeep
    + Worlds
{
    /// Applies all pending migrations or none, and returns their number. Concurrent calls apply each migration once.
    /// Blocks: for start-up.
    fn migrate(&self) -> Result<usize, StoreError>;

    /// The names of the pending migrations, in order. Changes nothing. Blocks: for start-up.
    fn pending(&self) -> Result<Vec<String>, StoreError>;

    /// Stops the writer. Queued writes are completed, and later writes are [`StoreError::Unavailable`]. A second call
    /// does nothing. Blocks: for shut-down.
    fn close(&self);
}
