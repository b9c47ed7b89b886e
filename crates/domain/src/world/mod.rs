//! Worlds of the sandbox: accounts that clients create, restore and delete over the API, and the clocks of accounts.

mod clock;
mod duration;
mod files;
mod rules;
#[cfg(test)]
mod tests;

pub use clock::{AccountTime, ClockChange, ClockReading, ClockRefusal, ClockSetting, decide_clock, parse_time};
pub use duration::{format_duration, parse_duration};
pub use files::{
    IMPORTED_SNAPSHOTS_OF_A_CLIENT, ImportRefusal, ImportSituation, ImportedSnapshot, SNAPSHOT_FILE_BYTES,
    SnapshotFile, SnapshotImport, decide_import, parse_snapshot_time,
};
pub use rules::{
    CreateSituation, CreateWorldRefusal, CreationClaim, MAX_RENEWAL_HOURS, RestoreSituation, SNAPSHOT_BYTES,
    SNAPSHOTS_OF_A_WORLD, SnapshotRefusal, SnapshotSituation, WORLDS_OF_A_CLIENT, decide_create_world, decide_renewal,
    decide_restore, decide_snapshot,
};

use crate::ids::{AccountId, ClientId, SnapshotId};
use crate::text::Text;
use chrono::{DateTime, Utc};

/// The text of a seed, which the caller chooses.
pub type SeedText = Text<1, 64>;
/// The name that a caller gives to a snapshot.
pub type SnapshotName = Text<1, 64>;

/// The timeline of an account: its clock, and the seed of its ids. The default is real time and random ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Timeline {
    /// Its clock.
    pub clock: ClockSetting,
    /// The seed of its ids. `None`: its ids are random.
    pub seed: Option<WorldSeed>,
}

/// The seed of a world's ids: a hash of the client and the caller's seed text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorldSeed(pub [u8; 32]);

/// The template that a world was created from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WorldTemplate {
    /// The demo data: budgets, cards, checkouts, payment batches.
    Demo,
    /// An empty world.
    Empty,
    /// A snapshot of another world, or an imported snapshot.
    Snapshot,
}

impl WorldTemplate {
    /// All templates.
    pub const ALL: [Self; 3] = [Self::Demo, Self::Empty, Self::Snapshot];

    /// Returns the name in the API.
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
    /// The account that contains everything in the world.
    pub account: AccountId,
    /// The client that owns the world.
    pub client: ClientId,
    /// The template that the world was created from.
    pub template: WorldTemplate,
    /// The seed that the caller chose. `None`: the world has random ids.
    pub seed: Option<SeedText>,
    /// When it was created, in real time.
    pub created_at: DateTime<Utc>,
    /// When it may be deleted, in real time.
    pub expires_at: DateTime<Utc>,
    /// Its current clock.
    pub clock: ClockSetting,
}

/// A world after a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldReading {
    /// The world.
    pub world: SandboxWorld,
    /// When the change took place, in real time.
    pub real: DateTime<Utc>,
}

/// A snapshot: the stored state of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorldSnapshot {
    /// Its id.
    pub id: SnapshotId,
    /// The world of the snapshot.
    pub account: AccountId,
    /// The name that the caller gave to the snapshot.
    pub name: Option<SnapshotName>,
    /// When it was created, by the clock of the world.
    pub created_at: DateTime<Utc>,
    /// Number of rows in the snapshot, for operators. Background work can write rows at any time. Therefore the number
    /// is not reproducible, and responses do not contain it.
    pub rows: i64,
}
