//! Rules for creating and renewing worlds, and for creating and restoring snapshots.

use crate::ids::AccountId;
use chrono::{DateTime, TimeDelta, Utc};

/// Maximum number of worlds of a client.
pub const WORLDS_OF_A_CLIENT: i64 = 100;
/// Maximum number of snapshots of a world.
pub const SNAPSHOTS_OF_A_WORLD: i64 = 20;
/// Maximum size of a snapshot, in bytes of its text form.
pub const SNAPSHOT_BYTES: i64 = 8 * 1024 * 1024;

/// Maximum number of hours by which a request can renew a world: 30 days.
pub const MAX_RENEWAL_HOURS: i64 = 720;

/// An idempotency key with a hash of its request. Creations of worlds and networks use it instead of an idempotency
/// record with a stored response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreationClaim {
    /// The idempotency key.
    pub key: String,
    /// A hash of the request.
    pub request: String,
}

/// The situation for the creation of a world. An adapter loads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CreateSituation {
    /// Number of worlds of the client.
    pub worlds: i64,
    /// Whether a world with the same account id exists. A client's worlds with the same seed have the same id.
    pub exists: bool,
    /// The client's world that was created with the same idempotency key, and the hash of that request.
    pub created_before: Option<(AccountId, String)>,
    /// Whether the world is created from a snapshot with an earlier schema than the store's.
    pub outdated: bool,
    /// Whether the key that creates the world has been revoked in the meantime.
    pub is_key_revoked: bool,
}

/// The situation for the creation of a snapshot. An adapter loads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotSituation {
    /// Number of snapshots that the world already has.
    pub snapshots: i64,
    /// The size of the new snapshot, in bytes of its text form.
    pub bytes: i64,
}

/// The situation for the restore of a world. An adapter loads it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestoreSituation {
    /// Whether the snapshot has an earlier schema than the store.
    pub outdated: bool,
}

/// Reasons to refuse the creation of a world. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateWorldRefusal {
    /// The key that creates the world has been revoked in the meantime.
    #[error("was revoked")]
    KeyRevoked,
    /// The same request already created this world. Its API key was shown then, and is not shown again.
    #[error("was used for this request before, which created {0}")]
    CreatedBefore(AccountId),
    /// The idempotency key was used for another request.
    #[error("was used for another request")]
    OtherRequest,
    /// A world with this seed exists.
    #[error("names a world that exists")]
    Exists,
    /// The client has the maximum number of worlds.
    #[error("a client has at most {WORLDS_OF_A_CLIENT} worlds")]
    TooMany,
    /// The snapshot has an earlier schema than the store.
    #[error("cannot be restored: the snapshot has an older schema")]
    Outdated,
}

/// Decides the creation of a world. Returns whether to delete an existing world with the same seed first.
///
/// ```
/// use florin_domain::world::{CreateSituation, CreateWorldRefusal, decide_create_world};
///
/// let situation = CreateSituation { exists: true, ..CreateSituation::default() };
/// assert_eq!(decide_create_world(&situation, false, None), Err(CreateWorldRefusal::Exists));
/// assert_eq!(decide_create_world(&situation, true, None), Ok(true));
/// ```
pub fn decide_create_world(
    situation: &CreateSituation,
    replace: bool,
    claim: Option<&CreationClaim>,
) -> Result<bool, CreateWorldRefusal> {
    if situation.is_key_revoked {
        return Err(CreateWorldRefusal::KeyRevoked);
    }
    if let (Some(claim), Some((account, request))) = (claim, &situation.created_before) {
        return Err(if claim.request == *request {
            CreateWorldRefusal::CreatedBefore(account.clone())
        } else {
            CreateWorldRefusal::OtherRequest
        });
    }
    if situation.exists && !replace {
        return Err(CreateWorldRefusal::Exists);
    }
    if !situation.exists && situation.worlds >= WORLDS_OF_A_CLIENT {
        return Err(CreateWorldRefusal::TooMany);
    }
    if situation.outdated { Err(CreateWorldRefusal::Outdated) } else { Ok(situation.exists) }
}

/// Reasons to refuse the creation or restore of a snapshot. Nothing changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotRefusal {
    /// The world has the maximum number of snapshots.
    #[error("a world has at most {SNAPSHOTS_OF_A_WORLD} snapshots")]
    TooMany,
    /// The new snapshot is too large.
    #[error("a snapshot is at most {SNAPSHOT_BYTES} bytes")]
    TooLarge,
    /// The snapshot has an earlier schema than the store.
    #[error("cannot be restored: the snapshot has an older schema")]
    Outdated,
}

/// Decides whether a snapshot may be created.
///
/// ```
/// use florin_domain::world::{SNAPSHOTS_OF_A_WORLD, SnapshotRefusal, SnapshotSituation, decide_snapshot};
///
/// let situation = SnapshotSituation { snapshots: 0, bytes: 1024 };
/// assert_eq!(decide_snapshot(situation), Ok(()));
///
/// let full = SnapshotSituation { snapshots: SNAPSHOTS_OF_A_WORLD, ..situation };
/// assert_eq!(decide_snapshot(full), Err(SnapshotRefusal::TooMany));
/// ```
pub const fn decide_snapshot(situation: SnapshotSituation) -> Result<(), SnapshotRefusal> {
    if situation.snapshots >= SNAPSHOTS_OF_A_WORLD {
        return Err(SnapshotRefusal::TooMany);
    }
    if situation.bytes > SNAPSHOT_BYTES { Err(SnapshotRefusal::TooLarge) } else { Ok(()) }
}

/// Decides whether a world may be restored to a snapshot.
///
/// ```
/// use florin_domain::world::{RestoreSituation, SnapshotRefusal, decide_restore};
///
/// assert_eq!(decide_restore(RestoreSituation { outdated: true }), Err(SnapshotRefusal::Outdated));
/// ```
pub const fn decide_restore(situation: RestoreSituation) -> Result<(), SnapshotRefusal> {
    if situation.outdated { Err(SnapshotRefusal::Outdated) } else { Ok(()) }
}

/// Decides when a renewed world expires: `hours` from now (1 to [`MAX_RENEWAL_HOURS`]), but never earlier than before.
///
/// ```
/// use chrono::TimeDelta;
/// use florin_domain::test_support::noon;
/// use florin_domain::world::decide_renewal;
///
/// let expires_at = noon() + TimeDelta::hours(24);
/// assert_eq!(decide_renewal(expires_at, 48, noon()), noon() + TimeDelta::hours(48));
/// assert_eq!(decide_renewal(expires_at, 1, noon()), expires_at);
/// ```
pub fn decide_renewal(expires_at: DateTime<Utc>, hours: i64, real: DateTime<Utc>) -> DateTime<Utc> {
    expires_at.max(real + TimeDelta::hours(hours.clamp(1, MAX_RENEWAL_HOURS)))
}
