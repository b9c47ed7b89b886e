//! Snapshots as files: exported from one world, and imported for new ones, in this installation or another.

use super::SnapshotName;
use crate::ids::{AccountId, ClientId, SnapshotId};
use chrono::{DateTime, Utc};

/// Maximum number of imported snapshots of a client.
pub const IMPORTED_SNAPSHOTS_OF_A_CLIENT: i64 = 20;
/// Maximum size of a file with a snapshot, in bytes.
pub const SNAPSHOT_FILE_BYTES: usize = 16 * 1024 * 1024;

/// A snapshot as a file carries it.
///
/// It has no secrets, PINs, idempotency records, MFA sessions and events: they have a meaning only where they arose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotFile {
    /// The schema of its rows.
    pub schema: String,
    /// The world that the snapshot was taken of.
    pub account: AccountId,
    /// The caller's name for it.
    pub name: Option<SnapshotName>,
    /// When the snapshot was taken, by the clock of its world.
    pub created_at: DateTime<Utc>,
    /// The rows, in the form of the store.
    pub contents: String,
}

/// A snapshot that was imported from a file. It belongs to a client, and worlds can be created from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImportedSnapshot {
    /// Its id.
    pub id: SnapshotId,
    /// Its owner.
    pub client: ClientId,
    /// The name in the file.
    pub name: Option<SnapshotName>,
    /// When the snapshot was taken, by the clock of its world.
    pub created_at: DateTime<Utc>,
    /// When it was last imported, in real time.
    pub imported_at: DateTime<Utc>,
    /// When it may be deleted, in real time.
    pub expires_at: DateTime<Utc>,
}

/// An imported snapshot, and whether the client had it already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapshotImport {
    /// The snapshot.
    pub snapshot: ImportedSnapshot,
    /// Whether the same file was imported before.
    pub is_repeated: bool,
}

/// What an adapter loads before a file is imported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImportSituation {
    /// Number of imported snapshots that the client has.
    pub imported: i64,
    /// Whether the client has the snapshot of this file already.
    pub is_repeated: bool,
    /// Whether the file has another schema than the store.
    pub outdated: bool,
}

/// Reasons to refuse a file. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImportRefusal {
    /// The client has the maximum number of imported snapshots.
    #[error("a client has at most {IMPORTED_SNAPSHOTS_OF_A_CLIENT} imported snapshots")]
    TooMany,
    /// The file has another schema than the store.
    #[error("cannot be imported: the snapshot has another schema")]
    Outdated,
    /// The rows cannot be stored, or their books disagree.
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
