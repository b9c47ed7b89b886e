//! `/v2/sandbox`: an extension of Florin, in the sandbox only. Clocks of accounts, worlds, and invariants.

pub(crate) mod create_world;
pub(crate) mod delete_snapshot;
pub(crate) mod delete_world;
pub(crate) mod find_world;
pub(crate) mod invariants;
pub(crate) mod list_snapshots;
pub(crate) mod list_worlds;
pub(crate) mod read_clock;
pub(crate) mod restore_world;
pub(crate) mod set_clock;
pub(crate) mod take_snapshot;

use super::fallback::{many, post, reading};
use crate::call::Call;
use crate::middleware::catch_panic;
use crate::problem::{Problem, read};
use actix_web::middleware::from_fn;
use actix_web::web::{self, ServiceConfig};
use florin_application::{Permission, ReachError, reach_account};
use florin_domain::access::{Account, Scope};
use florin_domain::ids::{AccountId, SnapshotId};

const PERMISSION: Permission = Permission::sandbox(Scope::BudgetsSimulate);
/// What names a world.
const WORLD: &str = "path.accountId";
/// What names a snapshot.
const SNAPSHOT: &str = "path.snapshotId";

/// The routes of clocks and worlds.
pub(super) fn configure(config: &mut ServiceConfig) {
    let clock = many("/sandbox/clock", "GET, HEAD, POST")
        .route(reading().to(read_clock::handle))
        .route(web::post().to(set_clock::handle));
    let worlds = many("/sandbox/worlds", "GET, HEAD, POST")
        .route(reading().to(list_worlds::handle))
        .route(web::post().to(create_world::handle));
    let world = many("/sandbox/worlds/{accountId}", "GET, HEAD, DELETE")
        .route(reading().to(find_world::handle))
        .route(web::delete().to(delete_world::handle));
    let snapshots = many("/sandbox/worlds/{accountId}/snapshots", "GET, HEAD, POST")
        .route(reading().to(list_snapshots::handle))
        .route(web::post().to(take_snapshot::handle));
    let snapshot = many("/sandbox/worlds/{accountId}/snapshots/{snapshotId}", "DELETE")
        .route(web::delete().to(delete_snapshot::handle));
    config
        .service(clock.wrap(from_fn(catch_panic)))
        .service(worlds.wrap(from_fn(catch_panic)))
        .service(world.wrap(from_fn(catch_panic)))
        .service(snapshots.wrap(from_fn(catch_panic)))
        .service(snapshot)
        .service(post("/sandbox/worlds/{accountId}/restore", restore_world::handle));
}

/// The account that the path names; a fault is noted.
fn world_id(call: &mut Call<'_>) -> Option<AccountId> {
    let text = percent_encoding::percent_decode_str(call.request.match_info().query("accountId")).decode_utf8_lossy();
    let id = AccountId::parse(&text);
    call.faults.take(WORLD, id)
}

/// The snapshot that the path names; a fault is noted.
fn snapshot_id(call: &mut Call<'_>) -> Option<SnapshotId> {
    let id = SnapshotId::parse(call.request.match_info().query("snapshotId"));
    call.faults.take(SNAPSHOT, id)
}

/// Ends the reading: all faults at once, or the account that the path names. Whether it was made as a world is another question.
async fn world_account(call: &mut Call<'_>, id: Option<AccountId>) -> Result<Account, Problem> {
    crate::problem::none_of(std::mem::take(&mut call.faults))?;
    match reach_account(&call.app.services, &call.caller, &read(id)?).await {
        Ok(account) => Ok(account),
        Err(ReachError::Absent) => Err(no_world()),
        Err(error @ ReachError::Store(_)) => Err(error.into()),
    }
}

/// No such world of the caller's client, or none that its key reaches.
fn no_world() -> Problem {
    Problem::absent(WORLD, "world")
}
