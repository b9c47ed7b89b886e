//! A store of any kind, selected by the URL.

use crate::{ExportImport, MoveClients};
use florin_ports::{CellDirectory, CompleteStorage, StoreError};
use std::sync::Arc;

/// Receives the number of applied migrations and the number of all migrations that were pending, before each migration
/// and after the last one. If a store starts the migrations again, the numbers start again, too.
pub type MigrationProgress<'p> = &'p (dyn Fn(usize, usize) + Sync);

/// All storage ports, plus start-up, shutdown, export and import. An `Arc<dyn AnyStore>` coerces to an `Arc` of each
/// port.
pub trait AnyStore: CompleteStorage + ExportImport {
    /// Applies all pending migrations or none, and returns their number. Concurrent calls apply each migration once.
    /// Blocks the thread, so call it at start-up only.
    fn migrate(&self, progress: MigrationProgress<'_>) -> Result<usize, StoreError>;

    /// Returns the names of the pending migrations, in order. Changes nothing. Blocks the thread, so call it at
    /// start-up only.
    fn pending(&self) -> Result<Vec<String>, StoreError>;

    /// Returns whether the store can serve a sandbox. A store that is [`florin_ports::ProductionOnly`] returns `false`.
    fn serves_sandbox(&self) -> bool {
        true
    }

    /// Returns the port to the directory of cells and to the name of the cell to which the store is bound. `None`: the
    /// store can be neither a home nor a cell.
    fn directory(&self) -> Option<Arc<dyn CellDirectory>> {
        None
    }

    /// Returns the port that moves clients out of this store and into it. `None`: the store cannot move clients.
    fn moving(&self) -> Option<Arc<dyn MoveClients>> {
        None
    }

    /// Stops the writer. Queued writes are completed, and later writes are [`StoreError::Unavailable`]. A second call
    /// does nothing. Blocks the thread, so call it at shutdown only.
    fn close(&self);
}
