//! A store of any kind, selected by the URL.

use crate::ExportImport;
use florin_ports::{SandboxStorage, Storage, StoreError};

/// All storage ports, plus start-up, shut-down, export and import. An `Arc<dyn AnyStore>` coerces to an `Arc` of each
/// port.
pub trait AnyStore: Storage + SandboxStorage + ExportImport {
    /// Applies all pending migrations or none, and returns their number. Concurrent calls apply each migration once.
    /// Blocks: for start-up.
    fn migrate(&self) -> Result<usize, StoreError>;

    /// The names of the pending migrations, in order. Changes nothing. Blocks: for start-up.
    fn pending(&self) -> Result<Vec<String>, StoreError>;

    /// Whether it can serve a sandbox. A store that is [`florin_ports::ProductionOnly`] returns `false`.
    fn serves_sandbox(&self) -> bool {
        true
    }

    /// Stops the writer. Queued writes are completed, and later writes are [`StoreError::Unavailable`]. A second call
    /// does nothing. Blocks: for shut-down.
    fn close(&self);
}
