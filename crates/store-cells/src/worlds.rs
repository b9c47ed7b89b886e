//! Worlds and their snapshots. A world is in the cell of its client, and so is an imported snapshot.

use crate::Cells;
use crate::cells::{Cell, Store};
use crate::gather::{done_or_failure, log_failure};
use crate::routes::routes;
use chrono::{DateTime, Utc};
use florin_domain::access::KeyHash;
use florin_domain::ids::{AccountId, ClientId, SnapshotId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::world::{
    CreateWorldRefusal, ImportRefusal, ImportedSnapshot, SandboxWorld, SnapshotFile, SnapshotImport, SnapshotRefusal,
    WorldReading, WorldSnapshot,
};
use florin_ports::{
    CellKey, CellName, ClientClaim, CreateWorldCommand, IdempotencyClaim, ImportSnapshotCommand, RenewCommand,
    RestoreCommand, SnapshotCommand, SnapshotFiles, StoreError, Worlds, WriteError, Written,
};
use std::collections::BTreeSet;
use std::convert::Infallible;

routes! { Worlds:
    create(command: CreateWorldCommand) -> Result<SandboxWorld, WriteError<CreateWorldRefusal>> => [with(create)];
    find(account: &AccountId) -> Result<Option<SandboxWorld>, StoreError> => [account(account)];
    list(
        client: ClientId,
        only: Option<BTreeSet<AccountId>>,
        page: PageRequest
    ) -> Result<Page<SandboxWorld>, StoreError>
        => [client(client)];
    renew(command: RenewCommand) -> Result<Written<WorldReading>, WriteError<Infallible>>
        => [account(&command.account)];
    delete(account: &AccountId) -> Result<bool, StoreError> => [with(delete)];
    delete_expired(real: DateTime<Utc>, max: u32) -> Result<Vec<AccountId>, StoreError> => [with(delete_expired)];
    take_snapshot(command: SnapshotCommand) -> Result<Written<WorldSnapshot>, WriteError<SnapshotRefusal>>
        => [account(&command.account)];
    snapshots(account: &AccountId, page: PageRequest) -> Result<Page<WorldSnapshot>, StoreError>
        => [account(account)];
    delete_snapshot(
        account: &AccountId,
        snapshot: SnapshotId,
        claim: Option<IdempotencyClaim<()>>
    ) -> Result<Written<()>, WriteError<Infallible>>
        => [account(account)];
    restore(command: RestoreCommand) -> Result<Written<WorldReading>, WriteError<SnapshotRefusal>>
        => [account(&command.account)];
}

routes! { SnapshotFiles:
    snapshot_file(account: &AccountId, snapshot: SnapshotId) -> Result<Option<SnapshotFile>, StoreError>
        => [account(account)];
    import_snapshot(command: ImportSnapshotCommand) -> Result<Written<SnapshotImport>, WriteError<ImportRefusal>>
        => [client(command.client)];
    imported_snapshots(client: ClientId, page: PageRequest) -> Result<Page<ImportedSnapshot>, StoreError>
        => [client(client)];
    delete_imported_snapshot(
        client: ClientId,
        snapshot: SnapshotId,
        claim: Option<ClientClaim<()>>
    ) -> Result<Written<()>, WriteError<Infallible>>
        => [client(client)];
    delete_expired_imports(real: DateTime<Utc>, max: u32) -> Result<u64, StoreError>
        => [with(delete_expired_imports)];
}

/// Creates a world in the cell of its client, and then its entries in the directory: nobody can reach a world whose
/// entries are missing, because its key was not returned.
async fn create(cells: &Cells, command: CreateWorldCommand) -> Result<SandboxWorld, WriteError<CreateWorldRefusal>> {
    let (account, hash) = (command.world.account.clone(), command.hash);
    let cell = cells.client(command.world.client).await?;
    refuse_other_holders(cells, &account, &cell).await?;
    let world = match Worlds::create(&*cell.store, command).await {
        Ok(world) => world,
        Err(error) => {
            if let Some(existing) = existing_world(&error, &account) {
                enter_existing(cells, &cell, existing).await?;
            }
            cells.confirm(cell).await?;
            return Err(error);
        }
    };
    let created = match enter(cells, &cell, &account, hash).await {
        Ok(()) => Ok(world),
        Err(error) => Err(delete_without_entries(&cell, &account, error).await.into()),
    };
    // Remove what a replaced world or a failure has left.
    remove_stale_entries(cells, &account).await;
    cells.confirm(cell).await?;
    created
}

/// Returns the existing world because of which the creation of a world with this account was refused.
fn existing_world<'a>(error: &'a WriteError<CreateWorldRefusal>, account: &'a AccountId) -> Option<&'a AccountId> {
    match error {
        WriteError::Refused(CreateWorldRefusal::Exists) => Some(account),
        WriteError::Refused(CreateWorldRefusal::CreatedBefore(made)) => Some(made),
        _ => None,
    }
}

/// Adds the missing entry of a world: a process that ended after the write to the cell left the world without one.
/// Otherwise nobody could delete the world, and it would block its seed until it expires.
async fn enter_existing(cells: &Cells, cell: &Cell, world: &AccountId) -> Result<(), StoreError> {
    let key = CellKey::Account(world.clone());
    if cells.holder(&key).await?.is_none() && Worlds::find(&*cell.store, world).await?.is_some() {
        cells.enter(key, cell, Some(world.clone())).await?;
    }
    Ok(())
}

/// Refuses an account that another cell has. Unlike [`Cells::reserve`], this adds no entry, because a rule may refuse
/// the world.
async fn refuse_other_holders(cells: &Cells, account: &AccountId, cell: &Cell) -> Result<(), StoreError> {
    match cells.other_holder(&CellKey::Account(account.clone()), cell).await? {
        Some(holder) => Err(taken(account, &holder)),
        None => Ok(()),
    }
}

/// Adds the entries of a world, the one of its account first.
async fn enter(cells: &Cells, cell: &Cell, account: &AccountId, hash: KeyHash) -> Result<(), StoreError> {
    for key in [CellKey::Account(account.clone()), CellKey::ApiKey(hash)] {
        let holder = cells.enter(key, cell, Some(account.clone())).await?;
        if holder != cell.name {
            return Err(taken(account, &holder));
        }
    }
    Ok(())
}

fn taken(account: &AccountId, holder: &CellName) -> StoreError {
    StoreError::Duplicate(format!("account {account} or its key in cell {holder}"))
}

/// Deletes a world whose entries could not be added, and returns the error for its creator.
async fn delete_without_entries(cell: &Cell, account: &AccountId, error: StoreError) -> StoreError {
    match Worlds::delete(&*cell.store, account).await {
        Ok(_) => error,
        Err(second) => StoreError::OutcomeUnknown(format!("{error}; the new world is not deleted: {second}")),
    }
}

async fn delete(cells: &Cells, account: &AccountId) -> Result<bool, StoreError> {
    let cell = cells.account(account).await?;
    let existed = Worlds::delete(&*cell.store, account).await;
    cells.confirm(cell).await?;
    remove_stale_entries(cells, account).await;
    existed
}

async fn delete_expired(cells: &Cells, real: DateTime<Utc>, max: u32) -> Result<Vec<AccountId>, StoreError> {
    let (mut deleted, mut failure) = (Vec::new(), cells.unopened());
    for cell in cells.open_cells() {
        let left = max.saturating_sub(u32::try_from(deleted.len()).unwrap_or(u32::MAX));
        if left == 0 {
            break;
        }
        match Worlds::delete_expired(&*cell.store, real, left).await {
            Ok(mut more) => deleted.append(&mut more),
            Err(error) => failure = Some(log_failure(cell, error)),
        }
    }
    for account in &deleted {
        remove_stale_entries(cells, account).await;
    }
    done_or_failure(deleted, failure, Vec::is_empty)
}

/// Removes the entries of a deleted world. If that fails, they stay: entries without objects are harmless.
async fn remove_stale_entries(cells: &Cells, account: &AccountId) {
    if let Err(error) = cells.remove_stale_entries(account).await {
        tracing::warn!(%account, %error, "cannot remove a deleted world from the directory");
    }
}

async fn delete_expired_imports(cells: &Cells, real: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
    let delete = |store: Store, max| async move { SnapshotFiles::delete_expired_imports(&*store, real, max).await };
    cells.work_at_most(max, delete).await
}
