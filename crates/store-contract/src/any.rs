//! A store of whatever kind the URL names.

use crate::ExportImport;
use florin_ports::{
    Accounts, Activities, AddressBook, Banks, BatchManagement, BatchProcessing, BatchReading, Books, Budgets, Callers,
    CardLedger, CardManagement, ChainStories, Checkouts, Credits, LedgerAudit, MfaSessions, PaymentBatches, Registry,
    SandboxBankMemory, Seeding, StoreError, Timelines, Transfers, Upkeep, Worlds,
};

/// Every storage port, with what start-up and shut-down need, and export and import. An `Arc<dyn AnyStore>` coerces to an
/// `Arc` of each port.
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
    /// Applies pending migrations, all of them or none, and returns their number. Programs that do so at the same time apply
    /// each one once. Blocks: for start-up.
    fn migrate(&self) -> Result<usize, StoreError>;

    /// The names of the pending migrations, in order. Changes nothing. Blocks: for start-up.
    fn pending(&self) -> Result<Vec<String>, StoreError>;

    /// Ends the writer: what is queued is written, and later writes are [`StoreError::Unavailable`]. A second call does
    /// nothing. Blocks: for shut-down.
    fn close(&self);
}
