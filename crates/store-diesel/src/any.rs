//! A store of whatever kind the URL names.

use crate::settings::Kind;
use crate::{OpenError, StoreSettings, Transfer};
use florin_ports::{
    Accounts, Activities, AddressBook, Banks, BatchManagement, BatchProcessing, BatchReading, Books, Budgets, Callers,
    CardLedger, CardManagement, ChainStories, Checkouts, Credits, DryRuns, LedgerAudit, MfaSessions, PaymentBatches,
    Registry, SandboxBankMemory, Seeding, StoreError, Timelines, Transfers, Upkeep, Worlds,
};
use std::sync::Arc;

/// Every storage port, with what start-up and shut-down need, and the way from store to store. An `Arc<dyn AnyStore>` coerces to an `Arc` of each port.
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
    + LedgerAudit
    + MfaSessions
    + PaymentBatches
    + Registry
    + SandboxBankMemory
    + Seeding
    + Timelines
    + Transfer
    + Transfers
    + Upkeep
    + Worlds
{
    /// Applies pending migrations, all of them or none; how many. Programs that do so together do it once. Blocks: for
    /// start-up.
    fn migrate(&self) -> Result<usize, StoreError>;

    /// The names of the migrations that are pending, in order. Changes nothing. Blocks: for start-up.
    fn pending(&self) -> Result<Vec<String>, StoreError>;

    /// Ends the writer: what is queued is written, later writes are [`StoreError::Unavailable`]. A second call does
    /// nothing. Blocks: for shut-down.
    fn close(&self);
}

/// Opens the store that the URL names, and starts its writer. It does not migrate. Blocks: for start-up.
pub fn open(settings: &StoreSettings) -> Result<Arc<dyn AnyStore>, OpenError> {
    match settings.kind()? {
        #[cfg(feature = "sqlite")]
        Kind::Sqlite(_) => Ok(Arc::new(crate::SqliteStore::open(settings)?)),
        #[cfg(not(feature = "sqlite"))]
        Kind::Sqlite(_) => Err(OpenError::NotBuilt("SQLite")),
        #[cfg(feature = "postgres")]
        Kind::Postgres(_) => Ok(Arc::new(crate::PostgresStore::open(settings)?)),
        #[cfg(not(feature = "postgres"))]
        Kind::Postgres(_) => Err(OpenError::NotBuilt("PostgreSQL")),
    }
}

macro_rules! any_store {
    ($store:ty) => {
        impl AnyStore for $store {
            fn migrate(&self) -> Result<usize, StoreError> {
                <$store>::migrate(self)
            }

            fn pending(&self) -> Result<Vec<String>, StoreError> {
                <$store>::pending(self)
            }

            fn close(&self) {
                <$store>::close(self);
            }
        }
    };
}

#[cfg(feature = "sqlite")]
any_store!(crate::SqliteStore);
#[cfg(feature = "postgres")]
any_store!(crate::PostgresStore);
