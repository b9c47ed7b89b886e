//! A store of any kind, selected by the URL.

use crate::ExportImport;
use florin_ports::{SandboxStorage, Storage, StoreError};

/// Every storage port, with what start-up and shut-down need, and export and import. An `Arc<dyn AnyStore>` coerces to an
/// `Arc` of each port.
pub trait AnyStore: Storage + SandboxStorage + ExportImport {
    /// Applies pending migrations, all of them or none, and returns their number. Programs that do so at the same time apply
    /// each one once. Blocks: for start-up.
    fn migrate(&self) -> Result<usize, StoreError>;

    /// The names of the pending migrations, in order. Changes nothing. Blocks: for start-up.
    fn pending(&self) -> Result<Vec<String>, StoreError>;

    /// Whether it can serve a sandbox. A store that is [`florin_ports::ProductionOnly`] says `false`.
    fn serves_sandbox(&self) -> bool {
        true
    }

    /// Ends the writer: what is queued is written, and later writes are [`StoreError::Unavailable`]. A second call does
    /// nothing. Blocks: for shut-down.
    fn close(&self);
}
