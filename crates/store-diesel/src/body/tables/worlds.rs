//! Timelines of accounts, worlds and their snapshots.

use super::access::accounts;
use super::body::types::{Account, Id, Named, Time};
use super::declare::{parts, tables};
use florin_domain::world::WorldTemplate;

tables! {
    /// The timeline of an account.
    struct TimelineRow in timelines(account_id) owned by account_id {
        account_id: Account,
        ahead_micros: i64,
        frozen_at: Option<Time>,
        seed: Option<String>,
        last_number: i64,
    }

    /// A world, and the request that created it.
    struct WorldRow in worlds(account_id) of client by client_id {
        account_id: Account,
        client_id: Id,
        template: Named<WorldTemplate>,
        seed_text: Option<String>,
        created_at: Time,
        expires_at: Time,
        /// The idempotency key of the request.
        made_under: Option<String>,
        /// The hash of the request.
        request_hash: Option<String>,
        /// The epoch of its feed of changes: a position that is drawn when the world is created or restored.
        epoch: i64,
    }

    /// A snapshot of a world with its contents.
    struct SnapshotRow in world_snapshots(account_id, id) of account by account_id {
        account_id: Account,
        id: Id,
        name: Option<String>,
        created_at: Time,
        row_count: i64,
        schema_name: String,
        contents: String,
    }

    /// A snapshot that a client imported from a file, with its contents.
    struct ImportedRow in imported_snapshots(client_id, id) of client by client_id {
        client_id: Id,
        id: Id,
        name: Option<String>,
        created_at: Time,
        imported_at: Time,
        expires_at: Time,
        schema_name: String,
        contents: String,
    }
}

diesel::joinable!(timelines -> accounts (account_id));
diesel::joinable!(worlds -> accounts (account_id));
diesel::allow_tables_to_appear_in_same_query!(accounts, timelines);
diesel::allow_tables_to_appear_in_same_query!(worlds, timelines);
diesel::allow_tables_to_appear_in_same_query!(worlds, world_snapshots);

parts! {
    /// The epoch of a world.
    struct EpochRow of worlds {
        epoch,
    }

    /// A snapshot without its contents.
    struct SnapshotSummaryRow of world_snapshots {
        account_id,
        id,
        name,
        created_at,
        row_count,
    }

    /// An imported snapshot without its contents.
    struct ImportedSummaryRow of imported_snapshots {
        client_id,
        id,
        name,
        created_at,
        imported_at,
        expires_at,
    }
}
