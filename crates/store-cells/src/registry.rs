//! Administration by an operator. Clients, accounts and keys are reserved in the directory before they are created.

use crate::Cells;
use crate::cells::{Cell, Route, Store};
use crate::gather::{done_or_failure, log_failure};
use crate::routes::routes;
use chrono::{DateTime, Utc};
use florin_domain::access::{Account, ApiClient, ApiKey, ClientChange, Feature, KeyHash, KeyRotation, RotateRefusal};
use florin_domain::address::Address;
use florin_domain::budget::BudgetRecord;
use florin_domain::ids::{AccountId, ApiKeyId, ClientId};
use florin_domain::merchant::Bank;
use florin_domain::mfa::TotpEnrolment;
use florin_ports::{Accounts, CellKey, Decide, KeyUpkeep, KeyUse, Registry, StoreError, WriteError};

routes! { Registry:
    clients() -> Result<Vec<ApiClient>, StoreError> => [with(clients)];
    add_client(client: ApiClient) -> Result<(), StoreError> => [with(add_client)];
    change_client(client: ClientId, change: ClientChange) -> Result<(), StoreError> => [client(client)];
    set_disabled(client: ClientId, at: Option<DateTime<Utc>>) -> Result<(), StoreError> => [client(client)];
    set_feature(client: ClientId, feature: Feature, on: bool) -> Result<(), StoreError> => [client(client)];
    accounts() -> Result<Vec<Account>, StoreError> => [with(accounts)];
    add_account(account: Account, parent: BudgetRecord) -> Result<(), StoreError> => [with(add_account)];
    rename_account(account: &AccountId, name: String) -> Result<(), StoreError> => [account(account)];
    set_unique_budget_names(account: &AccountId, unique: bool) -> Result<(), StoreError> => [account(account)];
    set_mfa_required(account: &AccountId, required: bool) -> Result<(), StoreError> => [account(account)];
    enrol(enrolment: TotpEnrolment) -> Result<(), StoreError> => [account(&enrolment.account)];
    remove_enrolment(account: &AccountId) -> Result<bool, StoreError> => [account(account)];
    unlock_enrolment(account: &AccountId) -> Result<bool, StoreError> => [account(account)];
    keys(client: Option<ClientId>) -> Result<Vec<ApiKey>, StoreError> => [with(keys)];
    add_key(key: ApiKey, hash: KeyHash) -> Result<(), StoreError> => [with(add_key)];
    revoke_key(key: ApiKeyId, at: DateTime<Utc>) -> Result<(), StoreError> => [with(revoke_key)];
    rotate_key(
        key: ApiKeyId,
        hash: KeyHash,
        decide: Decide<ApiKey, Result<KeyRotation, RotateRefusal>>
    ) -> Result<KeyRotation, WriteError<RotateRefusal>>
        => [with(rotate_key)];
    replace_banks(banks: Vec<Bank>) -> Result<(), StoreError> => [with(replace_banks)];
    replace_addresses(addresses: Vec<Address>) -> Result<(), StoreError> => [home];
}

routes! { KeyUpkeep:
    record_uses(uses: Vec<KeyUse>) -> Result<(), StoreError> => [with(record_uses)];
    expiring(from: DateTime<Utc>, until: DateTime<Utc>, max: u32) -> Result<Vec<ApiKey>, StoreError>
        => [with(expiring)];
}

async fn clients(cells: &Cells) -> Result<Vec<ApiClient>, StoreError> {
    let of_cells = cells.ask_all(|store| async move { Registry::clients(&*store).await }).await?;
    let mut clients: Vec<_> = of_cells.into_iter().flatten().collect();
    clients.sort_by(|one, other| (&one.name, one.id).cmp(&(&other.name, other.id)));
    Ok(clients)
}

async fn add_client(cells: &Cells, client: ApiClient) -> Result<(), StoreError> {
    Registry::add_client(&*cells.cell_for_new_client(client.id).await?.store, client).await
}

async fn accounts(cells: &Cells) -> Result<Vec<Account>, StoreError> {
    let of_cells = cells.ask_all(|store| async move { Registry::accounts(&*store).await }).await?;
    let mut accounts: Vec<_> = of_cells.into_iter().flatten().collect();
    accounts.sort_by(|one, other| one.id.cmp(&other.id));
    Ok(accounts)
}

async fn add_account(cells: &Cells, account: Account, parent: BudgetRecord) -> Result<(), StoreError> {
    let cell = cells.client(account.client).await?;
    let key = CellKey::Account(account.id.clone());
    if has_client(&cell, account.client).await? {
        cells.reserve(key.clone(), &cell).await?;
    }
    let added = Registry::add_account(&*cell.store, account, parent).await;
    confirm_added(cells, cell, &key, added).await
}

/// Returns the result of the creation of a reserved object, if its client and its key are still in the cell.
async fn confirm_added(
    cells: &Cells,
    cell: Route<'_>,
    key: &CellKey,
    added: Result<(), StoreError>,
) -> Result<(), StoreError> {
    if added.is_ok() {
        cells.must_not_be_taken_over(key, &cell).await?;
    }
    cells.confirm(cell).await?;
    added
}

async fn keys(cells: &Cells, client: Option<ClientId>) -> Result<Vec<ApiKey>, StoreError> {
    if let Some(id) = client {
        let cell = cells.client(id).await?;
        let keys = Registry::keys(&*cell.store, client).await;
        cells.confirm(cell).await?;
        return keys;
    }
    let of_cells = cells.ask_all(|store| async move { Registry::keys(&*store, None).await }).await?;
    let mut keys: Vec<_> = of_cells.into_iter().flatten().collect();
    keys.sort_by_key(|key| (key.created_at, key.id));
    Ok(keys)
}

async fn add_key(cells: &Cells, key: ApiKey, hash: KeyHash) -> Result<(), StoreError> {
    let cell = cells.client(key.client).await?;
    let entry = CellKey::ApiKey(hash);
    if has_client(&cell, key.client).await? {
        cells.reserve(entry.clone(), &cell).await?;
    }
    let added = Registry::add_key(&*cell.store, key, hash).await;
    confirm_added(cells, cell, &entry, added).await
}

async fn revoke_key(cells: &Cells, key: ApiKeyId, at: DateTime<Utc>) -> Result<(), StoreError> {
    let found = cell_of_key(cells, key).await?;
    let cell = found.ok_or_else(|| StoreError::NotFound(format!("key {key}")))?;
    Registry::revoke_key(&*cell.store, key, at).await
}

async fn rotate_key(
    cells: &Cells,
    key: ApiKeyId,
    hash: KeyHash,
    decide: Decide<ApiKey, Result<KeyRotation, RotateRefusal>>,
) -> Result<KeyRotation, WriteError<RotateRefusal>> {
    let cell = cell_of_key(cells, key).await?.ok_or(WriteError::Absent)?;
    let entry = CellKey::ApiKey(hash);
    cells.reserve(entry.clone(), cell).await?;
    let rotated = Registry::rotate_key(&*cell.store, key, hash, decide).await?;
    cells.must_not_be_taken_over(&entry, cell).await?;
    Ok(rotated)
}

/// Replaces the bank list in every cell, the home last: callers see the list of the home, and decisions read the list
/// of their own cell.
async fn replace_banks(cells: &Cells, banks: Vec<Bank>) -> Result<(), StoreError> {
    for cell in cells.others() {
        Registry::replace_banks(&*cell.store, banks.clone()).await?;
    }
    Registry::replace_banks(&*cells.home().store, banks).await
}

/// Records uses of keys in all cells; each ignores keys of other cells. If only some cells fail, the uses of their keys
/// are lost, because a retry would record those of the other cells again. The call fails only if all cells fail.
async fn record_uses(cells: &Cells, uses: Vec<KeyUse>) -> Result<(), StoreError> {
    let record = |store: Store| {
        let uses = uses.clone();
        async move { KeyUpkeep::record_uses(&*store, uses).await.map(|()| vec![()]) }
    };
    cells.gather(record).await.map(drop)
}

async fn expiring(
    cells: &Cells,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    max: u32,
) -> Result<Vec<ApiKey>, StoreError> {
    let expiring = |store: Store| async move { KeyUpkeep::expiring(&*store, from, until, max).await };
    let mut keys = cells.gather(expiring).await?;
    keys.sort_by_key(|key| (key.expires_at, key.id));
    keys.truncate(usize::try_from(max).unwrap_or(usize::MAX));
    Ok(keys)
}

/// Returns whether a cell has a client. Nothing is reserved for clients that do not exist.
async fn has_client(cell: &Cell, client: ClientId) -> Result<bool, StoreError> {
    Ok(Accounts::client(&*cell.store, client).await?.is_some())
}

/// Returns the cell of a key. The directory contains only hashes of keys, so this reads the keys of each cell
/// sequentially. As in [`Cells::find_in_any`], a key counts as absent only after two rounds without a move in progress.
async fn cell_of_key(cells: &Cells, key: ApiKeyId) -> Result<Option<&Cell>, StoreError> {
    for _ in 0..cells.rounds() {
        if let Some(cell) = cell_with_key(cells, key).await? {
            return Ok(Some(cell));
        }
        cells.fail_during_moves().await?;
    }
    Ok(None)
}

async fn cell_with_key(cells: &Cells, key: ApiKeyId) -> Result<Option<&Cell>, StoreError> {
    let mut failure = cells.unopened();
    for cell in cells.open_cells() {
        match Registry::keys(&*cell.store, None).await {
            Ok(keys) if keys.iter().any(|one| one.id == key) => return Ok(Some(cell)),
            Ok(_) => {}
            Err(error) => failure = Some(log_failure(cell, error)),
        }
    }
    done_or_failure(None, failure, Option::is_none)
}
