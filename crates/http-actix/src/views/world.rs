//! Clocks, worlds and snapshots in responses.

use super::Time;
use chrono::{DateTime, Utc};
use florin_application::CreatedWorld;
use florin_domain::world::{ClockReading, ClockSetting, ImportedSnapshot, SandboxWorld, WorldSnapshot};
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// The clock of an account.
#[derive(Serialize, ToSchema)]
#[schema(as = Clock)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ClockView {
    /// The current time of the clock.
    #[schema(value_type = String, format = DateTime)]
    now: Time,
    /// `RUNNING` or `FROZEN`.
    #[schema(pattern = "^(RUNNING|FROZEN)$")]
    state: &'static str,
    /// Whether the clock shows real time: it runs, and is not ahead.
    real_time: bool,
}

impl From<ClockReading> for ClockView {
    fn from(reading: ClockReading) -> Self {
        Self {
            now: Time(reading.now),
            state: if reading.clock.is_frozen() { "FROZEN" } else { "RUNNING" },
            real_time: reading.clock == ClockSetting::default(),
        }
    }
}

/// A world: an account of the sandbox that can be restored and deleted.
#[derive(Serialize, ToSchema)]
#[schema(as = World)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorldView {
    /// The id of the world's account.
    #[schema(min_length = 1, max_length = 36)]
    account_id: String,
    /// The template that the world was created from.
    #[schema(pattern = "^(demo|empty|snapshot)$")]
    template: &'static str,
    /// The seed of the world's ids; null if the ids are random.
    #[schema(min_length = 1, max_length = 64)]
    seed: Option<String>,
    /// When the world was created, in real time.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the world expires, in real time. Afterwards it may be deleted at any time.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Time,
    /// The clock of the world.
    clock: ClockView,
}

impl WorldView {
    /// Builds the view of a world at the given real time.
    pub(crate) fn at(world: &SandboxWorld, real: DateTime<Utc>) -> Self {
        Self {
            account_id: world.account.to_string(),
            template: world.template.as_str(),
            seed: world.seed.as_ref().map(|seed| seed.as_str().to_owned()),
            created_at: Time(world.created_at),
            expires_at: Time(world.expires_at),
            clock: ClockReading { clock: world.clock, now: world.clock.now(real) }.into(),
        }
    }
}

/// A new world with its API key.
#[derive(Serialize, ToSchema)]
#[schema(as = CreatedWorld)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CreatedWorldView {
    #[serde(flatten)]
    world: WorldView,
    /// The API key of the world, which grants access to no other account. It is returned only once.
    api_key: String,
}

impl CreatedWorldView {
    /// Builds the view of a new world at the given real time.
    pub(crate) fn at(created: CreatedWorld, real: DateTime<Utc>) -> Self {
        Self { world: WorldView::at(&created.world, real), api_key: created.key }
    }
}

/// A snapshot of a world.
#[derive(Serialize, ToSchema)]
#[schema(as = WorldSnapshot)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SnapshotView {
    /// The id of the snapshot.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The id of the world's account.
    #[schema(min_length = 1, max_length = 36)]
    account_id: String,
    /// The name of the snapshot; null if it has none.
    #[schema(min_length = 1, max_length = 64)]
    name: Option<String>,
    /// When the snapshot was taken, by the world's clock.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
}

/// A snapshot that was imported from a file.
#[derive(Serialize, ToSchema)]
#[schema(as = ImportedSnapshot)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImportedSnapshotView {
    /// The id of the imported snapshot.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The name of the exported snapshot; null if it has none.
    #[schema(min_length = 1, max_length = 64)]
    name: Option<String>,
    /// When the snapshot was taken, by the clock of its world.
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// When the snapshot was last imported, in real time.
    #[schema(value_type = String, format = DateTime)]
    imported_at: Time,
    /// When the imported snapshot expires, in real time. It is deleted within a minute after that.
    #[schema(value_type = String, format = DateTime)]
    expires_at: Time,
}

impl From<&ImportedSnapshot> for ImportedSnapshotView {
    fn from(snapshot: &ImportedSnapshot) -> Self {
        Self {
            id: snapshot.id.0,
            name: snapshot.name.as_ref().map(|name| name.as_str().to_owned()),
            created_at: Time(snapshot.created_at),
            imported_at: Time(snapshot.imported_at),
            expires_at: Time(snapshot.expires_at),
        }
    }
}

impl From<&WorldSnapshot> for SnapshotView {
    fn from(snapshot: &WorldSnapshot) -> Self {
        Self {
            id: snapshot.id.0,
            account_id: snapshot.account.to_string(),
            name: snapshot.name.as_ref().map(|name| name.as_str().to_owned()),
            created_at: Time(snapshot.created_at),
        }
    }
}
