//! What may be made, kept and put back, and how much of it.

use crate::ids::AccountId;

/// How many worlds a client may have at once.
pub const WORLDS_OF_A_CLIENT: i64 = 100;
/// How many snapshots a world may have at once.
pub const SNAPSHOTS_OF_A_WORLD: i64 = 20;
/// How large a snapshot may be, in bytes of its text.
pub const SNAPSHOT_BYTES: i64 = 8 * 1024 * 1024;

/// The request that made a world under an idempotency key. Its answer is not kept: it has the world's API key in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MadeUnder {
    /// The idempotency key.
    pub key: String,
    /// A hash of the request.
    pub request: String,
}

/// What a store shows before a world is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CreateSituation {
    /// How many worlds the client has.
    pub worlds: i64,
    /// Whether one of them is the account that is to be made: the same seed.
    pub lives: bool,
    /// The client's world that was made under the same idempotency key, with the hash of its request.
    pub made: Option<(AccountId, String)>,
    /// Whether the snapshot that the world is created from has an earlier schema than the store. `false` without a snapshot.
    pub outdated: bool,
}

/// What a rule sees before a snapshot is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SnapshotSituation {
    /// The number of snapshots that the world has.
    pub snapshots: i64,
    /// The size of the new one, in bytes of its text.
    pub bytes: i64,
}

/// What a rule sees before a world is restored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestoreSituation {
    /// Whether the snapshot has an earlier schema than the store.
    pub outdated: bool,
}

/// Why a world is not made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CreateWorldRefusal {
    /// The same request made one, whose API key was shown then.
    #[error("the same request has made {0}")]
    MadeBefore(AccountId),
    /// The idempotency key was used for another request.
    #[error("the idempotency key was used for another request")]
    OtherRequest,
    /// A world of this seed lives.
    #[error("a world of this seed lives")]
    Lives,
    /// The client has as many as it may have.
    #[error("the client has as many worlds as it may have")]
    TooMany,
    /// The snapshot is of a schema that was changed since.
    #[error("the snapshot is of an earlier version of this program")]
    Outdated,
}

/// Decides whether a world may be made; true where one that lives is to be deleted first.
pub fn decide_create_world(
    situation: &CreateSituation,
    replace: bool,
    under: Option<&MadeUnder>,
) -> Result<bool, CreateWorldRefusal> {
    if let (Some(under), Some((account, request))) = (under, &situation.made) {
        return Err(if under.request == *request {
            CreateWorldRefusal::MadeBefore(account.clone())
        } else {
            CreateWorldRefusal::OtherRequest
        });
    }
    if situation.lives && !replace {
        return Err(CreateWorldRefusal::Lives);
    }
    if !situation.lives && situation.worlds >= WORLDS_OF_A_CLIENT {
        return Err(CreateWorldRefusal::TooMany);
    }
    if situation.outdated { Err(CreateWorldRefusal::Outdated) } else { Ok(situation.lives) }
}

/// Why a snapshot is not taken, or not put back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SnapshotRefusal {
    /// The world has as many as it may have.
    #[error("the world has as many snapshots as it may have")]
    TooMany,
    /// There is too much in the world.
    #[error("there is too much in the world")]
    TooLarge,
    /// It is of a schema that was changed since.
    #[error("the snapshot is of an earlier version of this program")]
    Outdated,
}

/// Decides whether a world may get another snapshot.
pub const fn decide_snapshot(situation: SnapshotSituation) -> Result<(), SnapshotRefusal> {
    if situation.snapshots >= SNAPSHOTS_OF_A_WORLD {
        return Err(SnapshotRefusal::TooMany);
    }
    if situation.bytes > SNAPSHOT_BYTES { Err(SnapshotRefusal::TooLarge) } else { Ok(()) }
}

/// Decides whether a world may be restored to a snapshot.
pub const fn decide_restore(situation: RestoreSituation) -> Result<(), SnapshotRefusal> {
    if situation.outdated { Err(SnapshotRefusal::Outdated) } else { Ok(()) }
}
