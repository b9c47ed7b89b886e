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
    if situation.lives {
        return if replace { Ok(true) } else { Err(CreateWorldRefusal::Lives) };
    }
    if situation.worlds >= WORLDS_OF_A_CLIENT { Err(CreateWorldRefusal::TooMany) } else { Ok(false) }
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

/// Decides whether a snapshot may be kept, of so many bytes, beside so many others.
pub const fn decide_snapshot(others: i64, bytes: i64) -> Result<(), SnapshotRefusal> {
    if others >= SNAPSHOTS_OF_A_WORLD {
        return Err(SnapshotRefusal::TooMany);
    }
    if bytes > SNAPSHOT_BYTES { Err(SnapshotRefusal::TooLarge) } else { Ok(()) }
}

/// Decides whether a snapshot fits the store as it is now.
pub const fn decide_restore(same_schema: bool) -> Result<(), SnapshotRefusal> {
    if same_schema { Ok(()) } else { Err(SnapshotRefusal::Outdated) }
}
