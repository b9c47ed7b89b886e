//! Worlds of the sandbox: accounts that clients create, restore and delete over the API, and the clocks of accounts.

mod clock;
mod duration;
mod files;
mod rules;
#[cfg(test)]
mod tests;

pub use clock::{ClockChange, ClockReading, ClockRefusal, ClockSetting, decide_clock, parse_time};
pub use duration::{format_duration, parse_duration};
pub use files::{
    IMPORTED_SNAPSHOTS_OF_A_CLIENT, ImportRefusal, ImportSituation, ImportedSnapshot, SNAPSHOT_FILE_BYTES,
    SnapshotFile, SnapshotImport, decide_import,
};
pub use rules::{
    CreateSituation, CreateWorldRefusal, CreationClaim, MAX_RENEWAL_HOURS, RestoreSituation, SNAPSHOT_BYTES,
    SNAPSHOTS_OF_A_WORLD, SnapshotRefusal, SnapshotSituation, WORLDS_OF_A_CLIENT, decide_create_world, decide_renewal,
    decide_restore, decide_snapshot,
};

use crate::ids::{AccountId, ClientId, SnapshotId};
use crate::text::Text;
use chrono::{DateTime, Utc};

/// The name that a caller gives to a seed.
pub type SeedText = Text<1, 64>;
/// The name that a caller gives to a snapshot.
pub type SnapshotName = Text<1, 64>;

/// The clock and the ids of an account. The default is real time and random ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Its clock.
    pub clock: ClockSetting,
    /// The source of its ids; `None` for random ids.
    pub seed: Option<WorldSeed>,
}

/// The seed of a world's ids: a hash of its client and the seed that the caller named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorldSeed(pub [u8; 32]);

/// The template of a world.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WorldTemplate {
    /// The demo set: budgets, cards, checkouts, payment batches.
    Demo,
    /// An empty world.
    Empty,
    /// A snapshot of another world of the client.
    Snapshot,
}

impl WorldTemplate {
    /// All templates.
    pub const ALL: [Self; 3] = [Self::Demo, Self::Empty, Self::Snapshot];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Demo => "demo",
            Self::Empty => "empty",
            Self::Snapshot => "snapshot",
        }
    }
}

/// An account that was created as a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxWorld {
    /// The account, which owns everything in the world.
    pub account: AccountId,
    /// Its owner.
    pub client: ClientId,
    /// Its template.
    pub template: WorldTemplate,
    /// The seed that its caller named.
    pub seed: Option<SeedText>,
    /// When it was created, in real time.
    pub created_at: DateTime<Utc>,
    /// When it may be deleted, in real time.
    pub expires_at: DateTime<Utc>,
    /// Its clock now.
    pub clock: ClockSetting,
}

/// A world after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldReading {
    /// The world.
    pub world: SandboxWorld,
    /// When it was changed, in real time.
    pub real: DateTime<Utc>,
}

/// The stored state of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldSnapshot {
    /// Its id.
    pub id: SnapshotId,
    /// The world.
    pub account: AccountId,
    /// The caller's name for it.
    pub name: Option<SnapshotName>,
    /// When it was created, by the clock of the world.
    pub created_at: DateTime<Utc>,
    /// Number of rows in it, for operators. Background work can write rows at any time, so the number is not
    /// reproducible and answers do not include it.
    pub rows: i64,
}
