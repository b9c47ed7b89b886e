//! The adapters of this crate, one for each kind of database.

use crate::schemes;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
use florin_ports::{CellDirectory, StoreError};
use florin_store_contract::{Adapter, AnyStore, OpenError, StoreSettings};
#[cfg(any(feature = "sqlite", feature = "postgres"))]
use florin_store_contract::{MigrationProgress, MoveClients};
use std::sync::Arc;

/// SQLite. Accepts `sqlite:///absolute/path`, `sqlite://relative/path`, `sqlite:path`, or a plain path. Paths are taken
/// literally, with no escapes. The default is 4 readers.
pub const SQLITE: Adapter = Adapter { schemes: schemes::SQLITE, accepts_paths: true, open: open_sqlite };

/// PostgreSQL. Accepts `postgres://…` or `postgresql://…` with every option of libpq, including several hosts. The
/// default is 8 readers.
pub const POSTGRES: Adapter = Adapter { schemes: schemes::POSTGRES, accepts_paths: false, open: open_postgres };

#[cfg(feature = "sqlite")]
fn open_sqlite(settings: &StoreSettings) -> Result<Arc<dyn AnyStore>, OpenError> {
    Ok(Arc::new(crate::SqliteStore::open(settings)?))
}

#[cfg(not(feature = "sqlite"))]
fn open_sqlite(_settings: &StoreSettings) -> Result<Arc<dyn AnyStore>, OpenError> {
    Err(OpenError::NotBuilt("SQLite"))
}

#[cfg(feature = "postgres")]
fn open_postgres(settings: &StoreSettings) -> Result<Arc<dyn AnyStore>, OpenError> {
    Ok(Arc::new(crate::PostgresStore::open(settings)?))
}

#[cfg(not(feature = "postgres"))]
fn open_postgres(_settings: &StoreSettings) -> Result<Arc<dyn AnyStore>, OpenError> {
    Err(OpenError::NotBuilt("PostgreSQL"))
}

/// Returns the database file that the settings name, or `None` if they do not name a SQLite database.
#[cfg(feature = "sqlite")]
pub fn sqlite_file(settings: &StoreSettings) -> Option<std::path::PathBuf> {
    crate::sqlite::place(settings).ok()
}

macro_rules! any_store {
    ($store:ty) => {
        impl AnyStore for $store {
            fn migrate(&self, progress: MigrationProgress<'_>) -> Result<usize, StoreError> {
                self.migrate_reporting(progress)
            }

            fn pending(&self) -> Result<Vec<String>, StoreError> {
                <$store>::pending(self)
            }

            fn directory(&self) -> Option<Arc<dyn CellDirectory>> {
                Some(Arc::new(self.clone()))
            }

            fn moving(&self) -> Option<Arc<dyn MoveClients>> {
                Some(Arc::new(self.clone()))
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
