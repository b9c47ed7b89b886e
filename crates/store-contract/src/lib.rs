//! The contract of storage adapters beyond the ports: opening by URL, migrations, the export file, and moves of
//! clients.
//!
//! An adapter implements the storage ports, [`ExportImport`] and [`AnyStore`], and declares itself as an [`Adapter`].
//! The application binary lists its adapters in one place, and [`open`] picks one by the scheme of the database URL.
//! `docs/ADAPTERS.md` is the guide.

mod adapter;
mod any;
pub mod export;
mod moving;
mod open_error;
mod settings;

pub use adapter::{Adapter, open};
pub use any::{AnyStore, MigrationProgress};
pub use export::{ExportError, ExportImport};
pub use moving::{Departure, MoveClients, MoveError};
pub use open_error::{ConnectFailure, OpenError};
pub use settings::StoreSettings;
