//! Creates a world.

use super::body::ask::ask;
use super::body::backend::Conn;
use super::body::errors::{Failure, Outcome, Stop, corrupt};
use super::body::export_import::account_rows;
use super::body::tables::worlds::{world_snapshots, worlds};
use super::body::types::{self, Id};
use super::body::{checkout, key_admin, keys, registry, secrets, seeding, timelines};
use super::{delete, files, rows, snapshots};
use diesel::prelude::*;
use florin_domain::access::Account;
use florin_domain::ids::{AccountId, ClientId, SnapshotId};
use florin_domain::secret::{SealedSecret, SecretOwner};
use florin_domain::world::{ClockSetting, CreateSituation, CreateWorldRefusal, SandboxWorld, Timeline};
use florin_ports::{CreateWorldCommand, WorldContents, WriteError};
use std::collections::BTreeSet;

/// Creates a world with its account and key. A refusal writes nothing.
pub(super) fn create(
    conn: &mut Conn,
    command: &CreateWorldCommand,
) -> Result<SandboxWorld, Stop<WriteError<CreateWorldRefusal>>> {
    let world = &command.world;
    let snapshot = match &command.contents {
        WorldContents::Seeded(_) => None,
        WorldContents::Snapshot { id, reach, .. } => {
            Some(find_snapshot(conn, world.client, *id, reach.as_ref())?.ok_or(WriteError::Absent)?)
        }
    };
    let situation = CreateSituation {
        worlds: rows::count(conn, world.client)?,
        exists: rows::find(conn, &world.account)?.is_some(),
        created_before: match &command.claim {
            Some(claim) => rows::made_under(conn, world.client, &claim.key)?,
            None => None,
        },
        is_key_revoked: match command.key.made_by {
            Some(maker) => key_admin::is_revoked(conn, maker)?,
            None => false,
        },
        outdated: match &snapshot {
            Some(snapshot) => !snapshot.fits()?,
            None => false,
        },
    };
    let replaces = ask(|| (command.decide)(&situation))?.map_err(WriteError::Refused)?;
    // Read the secret first: the world of the snapshot may be the one that is replaced.
    let secret = match snapshot.as_ref().and_then(|snapshot| snapshot.account.as_ref()) {
        Some(from) => resealed(conn, command, from)?,
        None => None,
    };
    if replaces {
        delete::delete(conn, &world.account)?;
    }
    fill(conn, command, snapshot.as_ref(), secret.as_ref())?;
    rows::insert(conn, world, command.claim.as_ref())?;
    keys::insert_key(conn, &command.key, &command.hash)?;
    let created = rows::find(conn, &world.account)?;
    Ok(created.ok_or_else(|| corrupt("the created world is missing"))?)
}

fn fill(
    conn: &mut Conn,
    command: &CreateWorldCommand,
    snapshot: Option<&snapshots::SnapshotContents>,
    secret: Option<&SealedSecret>,
) -> Outcome<()> {
    let world = &command.world;
    match (&command.contents, snapshot) {
        (WorldContents::Seeded(seed), _) => {
            registry::insert_account(conn, &seed.account)?;
            // `insert_account` does not store the default timeline, but every world has a row.
            if seed.account.timeline == Timeline::default() {
                timelines::insert(conn, &world.account, &seed.account.timeline)?;
            }
            seeding::seed_account(conn, seed)
        }
        (WorldContents::Snapshot { name, timeline, .. }, Some(snapshot)) => {
            let account = Account {
                id: world.account.clone(),
                client: world.client,
                name: name.clone(),
                merchant: true,
                mfa_required: true,
                unique_budget_names: false,
                timeline: Timeline::default(),
                decision_endpoint: None,
                epoch: 0,
            };
            registry::insert_account(conn, &account)?;
            // A new account has a credit counter already. The counter of the snapshot replaces it.
            account_rows::clear(conn, &world.account)?;
            account_rows::put(conn, &world.account, &snapshot.contents, secret, true)?;
            checkout::replace_tokens(conn, &world.account, &command.page_tokens)?;
            let before = timelines::find(conn, &world.account)?.unwrap_or_default();
            let clock = match timeline.seed {
                Some(_) => ClockSetting::Frozen { at: snapshot.created_at },
                None => before.clock.put_back(snapshot.created_at, world.created_at),
            };
            timelines::update(conn, &world.account, &Timeline { clock, seed: timeline.seed })
        }
        (WorldContents::Snapshot { .. }, None) => Err(corrupt("the loaded snapshot is missing")),
    }
}

/// Encrypts the TOTP secret of a snapshot's world for the new world.
fn resealed(conn: &mut Conn, command: &CreateWorldCommand, from: &AccountId) -> Outcome<Option<SealedSecret>> {
    let Some(secret) = secrets::of_totp(conn, from)? else { return Ok(None) };
    let [from, to] = [from, &command.world.account].map(|account| SecretOwner::Totp(account.clone()));
    Ok(Some((command.reseal)(&from, &to, &secret).map_err(Failure::from)?))
}

/// Finds a snapshot of any world of a client, or only of the worlds in `reach`. Imported snapshots belong to no world,
/// so they are found only without `reach`.
fn find_snapshot(
    conn: &mut Conn,
    client: ClientId,
    snapshot: SnapshotId,
    reach: Option<&BTreeSet<AccountId>>,
) -> Outcome<Option<snapshots::SnapshotContents>> {
    let found = world_snapshots::table
        .inner_join(worlds::table.on(worlds::account_id.eq(world_snapshots::account_id)))
        .filter(worlds::client_id.eq(Id(client.0)))
        .filter(world_snapshots::id.eq(Id(snapshot.0)))
        .select(world_snapshots::account_id)
        .load::<types::Account>(conn)?;
    let reached = |account: &types::Account| reach.is_none_or(|reach| reach.contains(&account.0));
    match found.into_iter().find(reached) {
        Some(account) => snapshots::find(conn, &account.0, snapshot),
        None if reach.is_none() => files::find_imported(conn, client, snapshot),
        None => Ok(None),
    }
}
