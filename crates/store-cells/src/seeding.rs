//! Seeding with prepared data, which is divided by client.

use crate::Cells;
use crate::routes::routes;
use florin_domain::batch::PaymentBatch;
use florin_domain::budget::Budget;
use florin_domain::card::Card;
use florin_domain::ids::AccountId;
use florin_ports::{Accounts, Banks, Callers, CellKey, CellName, SeedData, SeedKey, Seeding, StoreError};
use std::collections::BTreeMap;

routes! { Seeding:
    is_fresh() -> Result<bool, StoreError> => [with(is_fresh)];
    seed(data: SeedData) -> Result<(), StoreError> => [with(seed)];
    budgets(account: &AccountId) -> Result<Vec<Budget>, StoreError> => [account(account)];
    cards(account: &AccountId) -> Result<Vec<Card>, StoreError> => [account(account)];
    batches(account: &AccountId) -> Result<Vec<PaymentBatch>, StoreError> => [account(account)];
}

async fn is_fresh(cells: &Cells) -> Result<bool, StoreError> {
    let fresh = cells.ask_all(|store| async move { Seeding::is_fresh(&*store).await }).await?;
    Ok(fresh.into_iter().all(|is_fresh| is_fresh))
}

/// Seeds each cell with its clients, and every cell with the bank list, the home last.
async fn seed(cells: &Cells, data: SeedData) -> Result<(), StoreError> {
    data.prove()?;
    refuse_duplicates(cells, &data).await?;
    let SeedData { clients, keys, accounts, banks } = data;
    let mut shares: BTreeMap<CellName, SeedData> = BTreeMap::new();
    for client in clients {
        let cell = cells.cell_for_new_client(client.id).await?;
        shares.entry(cell.name.clone()).or_default().clients.push(client);
    }
    for seed in accounts {
        let cell = cells.client(seed.account.client).await?;
        cells.reserve(CellKey::Account(seed.account.id.clone()), &cell).await?;
        shares.entry(cell.name.clone()).or_default().accounts.push(seed);
    }
    for seed in keys {
        let cell = cells.client(seed.key.client).await?;
        cells.reserve(CellKey::ApiKey(seed.hash), &cell).await?;
        shares.entry(cell.name.clone()).or_default().keys.push(seed);
    }
    for cell in cells.others().iter().chain([cells.home()]) {
        let share = SeedData { banks: banks.clone(), ..shares.remove(&cell.name).unwrap_or_default() };
        Seeding::seed(&*cell.store, share).await?;
    }
    Ok(())
}

/// Refuses data of which some already exists, before anything is written.
async fn refuse_duplicates(cells: &Cells, data: &SeedData) -> Result<(), StoreError> {
    let duplicate = |what: String| Err(StoreError::Duplicate(what));
    for client in &data.clients {
        if Accounts::client(cells, client.id).await?.is_some() {
            return duplicate(format!("client {}", client.id));
        }
    }
    for seed in &data.accounts {
        if Accounts::find(cells, &seed.account.id).await?.is_some() {
            return duplicate(format!("account {}", seed.account.id));
        }
    }
    for SeedKey { key, hash } in &data.keys {
        if Callers::find(cells, hash).await?.is_some() {
            return duplicate(format!("the hash of key {}", key.id));
        }
    }
    for bank in &data.banks {
        if Banks::find(cells, &bank.id).await?.is_some() {
            return duplicate(format!("{:?}", bank.id));
        }
    }
    Ok(())
}
