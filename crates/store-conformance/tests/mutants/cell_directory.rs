//! Bugs in the directory of cells.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use florin_domain::ids::AccountId;
use florin_ports::{CellDirectory, CellEntry, CellKey, CellMove, CellName, KeyOfWorld, StoreError};
use std::collections::BTreeMap;
use std::time::Duration;

/// Each bug in the directory of cells, and the check that must catch it.
pub(crate) const CAUGHT: &[(Bug, &str)] = &[
    (Bug::LastCellWins, "cell_directory.add.the_first_cell_counts"),
    (Bug::DirectoryFoldsCase, "cell_directory.add.the_first_cell_counts"),
    (Bug::CellsRacing, "cell_directory.add.of_concurrent_calls_the_first_counts"),
    (Bug::AbsentKeysFound, "cell_directory.find_all.only_keys_with_an_entry"),
    (Bug::ReservedEntriesOfWorlds, "cell_directory.add.without_a_world_makes_an_entry_permanent"),
    (Bug::RevisionsIgnored, "cell_directory.remove.only_what_was_not_added_again"),
    (Bug::RevisionsStartAgain, "cell_directory.remove.only_what_was_not_added_again"),
    (Bug::MarkedEntriesRemoved, "cell_directory.remove.no_marked_entry"),
    (Bug::EntriesOfAllWorlds, "cell_directory.of_world.entries_of_one_world"),
    (Bug::MovesHidden, "cell_directory.move.entries_are_marked_until_it_ends"),
    (Bug::LastMoveWins, "cell_directory.move.an_earlier_one_counts"),
    (Bug::AnyMoveEnds, "cell_directory.move.only_its_own_end_counts"),
    (Bug::MovesFromAnyCell, "cell_directory.move.entries_in_other_cells_stay"),
    (Bug::LateKeysStay, "cell_directory.move.entries_are_marked_until_it_ends"),
    (Bug::AccountsCountedAsClients, "cell_directory.clients.are_counted_by_cell"),
    (Bug::ListedCellsNeverChange, "cell_directory.list.the_last_call_counts"),
    (Bug::EveryBindingSucceeds, "cell_directory.bind_cell.the_first_counts"),
];

impl Mutant {
    /// Returns the key under which the mutant stores an entry.
    fn cell_key(&self, key: CellKey) -> CellKey {
        match key {
            CellKey::Account(account) if self.has(Bug::DirectoryFoldsCase) => {
                CellKey::Account(AccountId::parse(&account.as_str().to_lowercase()).unwrap())
            }
            key => key,
        }
    }

    /// Ends the move of a client that is in progress, even if it is another one.
    async fn end_any(&self, begun: CellMove, keys: Vec<KeyOfWorld>, cell: CellName) -> Result<bool, StoreError> {
        let other = self.inner.moves().await?.into_iter().find(|other| other.client == begun.client);
        self.inner.end_move(other.unwrap_or(begun), keys, cell).await
    }
}

#[async_trait]
impl CellDirectory for Mutant {
    async fn find(&self, key: &CellKey) -> Result<Option<CellEntry>, StoreError> {
        let found = CellDirectory::find(&self.inner, &self.cell_key(key.clone())).await?;
        Ok(found.map(|entry| {
            let is_seen = !self.has(Bug::MovesHidden);
            CellEntry { key: key.clone(), moving: entry.moving.filter(|_| is_seen), ..entry }
        }))
    }

    async fn find_all(&self, keys: Vec<CellKey>) -> Result<Vec<CellEntry>, StoreError> {
        let mut found = self.inner.find_all(keys.clone()).await?;
        if self.has(Bug::AbsentKeysFound) {
            let absent = keys.into_iter().filter(|key| !found.iter().any(|entry| entry.key == *key));
            let absent: Vec<_> = absent.collect();
            let cell = CellName::home;
            let entry = |key| CellEntry { key, cell: cell(), world: None, revision: 1, moving: None, last_move: None };
            found.extend(absent.into_iter().map(entry));
        }
        Ok(found)
    }

    async fn add(&self, key: CellKey, cell: CellName, world: Option<AccountId>) -> Result<CellEntry, StoreError> {
        let stored_key = self.cell_key(key.clone());
        if self.has(Bug::CellsRacing) && CellDirectory::find(&self.inner, &stored_key).await?.is_none() {
            // Others add the same key before this call does.
            tokio::time::sleep(Duration::from_millis(20)).await;
            self.inner.add(stored_key, cell.clone(), world.clone()).await?;
            return Ok(CellEntry { key, cell, world, revision: 1, moving: None, last_move: None });
        }
        let is_known = CellDirectory::find(&self.inner, &stored_key).await?.is_some();
        let keeps_world = self.has(Bug::ReservedEntriesOfWorlds) && is_known;
        // An entry keeps its world if the call names a world. Any world will do.
        let world = world.or_else(|| keeps_world.then(|| AccountId::parse("F2").unwrap()));
        let mut entry = self.inner.add(stored_key, cell.clone(), world).await?;
        if self.has(Bug::LastCellWins) {
            entry.cell = cell;
        }
        Ok(CellEntry { key, ..entry })
    }

    async fn of_world(&self, world: &AccountId) -> Result<Vec<CellEntry>, StoreError> {
        let mut found = self.inner.of_world(world).await?;
        if self.has(Bug::EntriesOfAllWorlds) {
            found.extend(self.inner.of_world(&AccountId::parse("F2").unwrap()).await?);
        }
        Ok(found)
    }

    async fn remove(&self, entry: &CellEntry) -> Result<bool, StoreError> {
        let mut entry = CellEntry { key: self.cell_key(entry.key.clone()), ..entry.clone() };
        if self.has(Bug::MarkedEntriesRemoved) && entry.moving.is_some() {
            return Ok(true);
        }
        while self.has(Bug::RevisionsIgnored) && entry.revision < 9 {
            if self.inner.remove(&entry).await? {
                return Ok(true);
            }
            entry.revision += 1;
        }
        if self.inner.remove(&entry).await? {
            return Ok(true);
        }
        if self.has(Bug::RevisionsStartAgain) {
            // The third addition of an entry is taken for its first one.
            entry.revision += 2;
            return self.inner.remove(&entry).await;
        }
        Ok(false)
    }

    async fn begin_move(&self, wanted: CellMove, keys: Vec<KeyOfWorld>) -> Result<Option<CellMove>, StoreError> {
        if self.has(Bug::LastMoveWins) {
            self.end_any(wanted.clone(), Vec::new(), wanted.from.clone()).await?;
        }
        if self.has(Bug::MovesFromAnyCell)
            && let Some(entry) = CellDirectory::find(&self.inner, &CellKey::Client(wanted.client)).await?
        {
            return self.inner.begin_move(CellMove { from: entry.cell, ..wanted }, keys).await;
        }
        self.inner.begin_move(wanted, keys).await
    }

    async fn end_move(&self, begun: CellMove, keys: Vec<KeyOfWorld>, cell: CellName) -> Result<bool, StoreError> {
        let keys = if self.has(Bug::LateKeysStay) { Vec::new() } else { keys };
        if self.has(Bug::AnyMoveEnds) {
            return self.end_any(begun, keys, cell).await;
        }
        self.inner.end_move(begun, keys, cell).await
    }

    async fn moves(&self) -> Result<Vec<CellMove>, StoreError> {
        self.inner.moves().await
    }

    async fn clients(&self) -> Result<BTreeMap<CellName, u64>, StoreError> {
        let mut clients = self.inner.clients().await?;
        if self.has(Bug::AccountsCountedAsClients) {
            clients.insert(CellName::parse("c").unwrap(), 1);
        }
        Ok(clients)
    }

    async fn listed(&self) -> Result<BTreeMap<CellName, bool>, StoreError> {
        self.inner.listed().await
    }

    async fn list(&self, cell: CellName, accepts_clients: bool) -> Result<(), StoreError> {
        if self.has(Bug::ListedCellsNeverChange) && self.inner.listed().await?.contains_key(&cell) {
            return Ok(());
        }
        self.inner.list(cell, accepts_clients).await
    }

    async fn bound_cell(&self) -> Result<Option<CellName>, StoreError> {
        self.inner.bound_cell().await
    }

    async fn bind_cell(&self, cell: CellName) -> Result<CellName, StoreError> {
        let bound = self.inner.bind_cell(cell.clone()).await?;
        Ok(if self.has(Bug::EveryBindingSucceeds) { cell } else { bound })
    }
}
