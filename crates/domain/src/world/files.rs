//! Snapshots as files: exported from a world, and imported to create worlds, in the same installation or another one.

use super::SnapshotName;
use crate::ids::{AccountId, ClientId, SnapshotId};
use chrono::{DateTime, Utc};

/// Maximum number of imported snapshots of a client.
pub const IMPORTED_SNAPSHOTS_OF_A_CLIENT: i64 = 20;
/// Maximum size of a snapshot file, in bytes.
pub const SNAPSHOT_FILE_BYTES: usize = 16 * 1024 * 1024;

/// A snapshot in the form of a file.
///
/// A file contains no secrets, PINs, idempotency records, MFA sessions or events, because they only have a meaning in
/// the store that created them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotFile {
    /// The version of the schema of the rows.
    pub schema: String,
    /// The world of the snapshot.
    pub account: AccountId,
    /// The name that the caller gave to the snapshot.
    pub name: Option<SnapshotName>,
    /// When the snapshot was created, by the clock of its world.
    pub created_at: DateTime<Utc>,
    /// The rows, in the format of the store's adapter.
    pub contents: String,
}

/// A snapshot that was imported from a file. It belongs to a client, who can create worlds from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedSnapshot {
    /// Its id.
    pub id: SnapshotId,
    /// The client that imported it.
    pub client: ClientId,
    /// The name in the file.
    pub name: Option<SnapshotName>,
    /// When the snapshot was created, by the clock of its world.
    pub created_at: DateTime<Utc>,
    /// When the file was last imported, in real time.
    pub imported_at: DateTime<Utc>,
    /// When it may be deleted, in real time.
    pub expires_at: DateTime<Utc>,
}

/// The result of an import.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotImport {
    /// The imported snapshot.
    pub snapshot: ImportedSnapshot,
    /// Whether the client had already imported the same file.
    pub is_repeated: bool,
}

/// The situation for the import of a file. An adapter loads it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportSituation {
    /// Number of imported snapshots of the client.
    pub imported: i64,
    /// Whether the client has already imported the same file.
    pub is_repeated: bool,
    /// Whether the schema of the file differs from that of the store.
    pub outdated: bool,
}

/// Reasons to refuse the import of a file. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportRefusal {
    /// The client has the maximum number of imported snapshots.
    #[error("a client has at most {IMPORTED_SNAPSHOTS_OF_A_CLIENT} imported snapshots")]
    TooMany,
    /// The schema of the file differs from that of the store.
    #[error("cannot be imported: the snapshot has another schema")]
    Outdated,
    /// The rows can't be stored, or their books are inconsistent. The text says why.
    #[error("{0}")]
    Invalid(String),
}

/// Decides whether a file may be imported.
///
/// ```
/// use florin_domain::world::{IMPORTED_SNAPSHOTS_OF_A_CLIENT, ImportRefusal, ImportSituation, decide_import};
///
/// let full = ImportSituation { imported: IMPORTED_SNAPSHOTS_OF_A_CLIENT, ..ImportSituation::default() };
/// assert_eq!(decide_import(full), Err(ImportRefusal::TooMany));
/// assert_eq!(decide_import(ImportSituation { is_repeated: true, ..full }), Ok(()));
/// ```
pub const fn decide_import(situation: ImportSituation) -> Result<(), ImportRefusal> {
    if situation.outdated {
        return Err(ImportRefusal::Outdated);
    }
    if !situation.is_repeated && situation.imported >= IMPORTED_SNAPSHOTS_OF_A_CLIENT {
        return Err(ImportRefusal::TooMany);
    }
    Ok(())
}
