//! Snapshots as files: exported from a world, and imported to create worlds, in the same installation or another one.

use super::SnapshotName;
use crate::fault::Flaw;
use crate::ids::{AccountId, ClientId, SnapshotId};
use chrono::{DateTime, Datelike, Utc};
use std::ops::RangeInclusive;

/// Maximum number of imported snapshots of a client.
pub const IMPORTED_SNAPSHOTS_OF_A_CLIENT: i64 = 20;
/// Maximum size of a snapshot file, in bytes.
pub const SNAPSHOT_FILE_BYTES: usize = 16 * 1024 * 1024;

/// The years in which a snapshot can be created. The clock of a world can be set to the years 2000 to 2099, and then it
/// may run on.
const YEARS: RangeInclusive<i32> = 2000..=2199;

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

/// Parses the time in a file at which a snapshot was created.
///
/// ```
/// use florin_domain::world::parse_snapshot_time;
///
/// assert!(parse_snapshot_time("2026-01-05T12:00:00.000001Z").is_ok());
/// assert!(parse_snapshot_time("9999-12-31T23:59:59Z").is_err());
/// assert!(parse_snapshot_time("2026-01-05").is_err());
/// ```
pub fn parse_snapshot_time(text: &str) -> Result<DateTime<Utc>, Flaw> {
    let time = DateTime::parse_from_rfc3339(text).map(|time| time.to_utc());
    match time {
        Ok(time) if time.timestamp_subsec_nanos() % 1000 == 0 && YEARS.contains(&time.year()) => Ok(time),
        Ok(time) if YEARS.contains(&time.year()) => Err(Flaw::format("must have at most 6 decimals of a second")),
        Ok(_) => Err(Flaw::range(format!("must be in the years {} to {}", YEARS.start(), YEARS.end()))),
        Err(_) => Err(Flaw::format("must be a time such as 2026-01-05T12:00:00.000000Z")),
    }
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
    /// The rows can't be stored or read, or their books are inconsistent. The text says why, and in which line or
    /// object.
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
