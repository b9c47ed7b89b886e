//! The directory of cells.

use crate::MemoryStore;
use async_trait::async_trait;
use florin_domain::ids::AccountId;
use florin_ports::{CellDirectory, CellEntry, CellKey, CellName, StoreError};
use std::collections::{BTreeMap, HashMap};

#[async_trait]
impl CellDirectory for MemoryStore {
    async fn find(&self, key: &CellKey) -> Result<Option<CellName>, StoreError> {
        Ok(self.read(|data| data.cells.get(&key.stored()).map(|entry| entry.cell.clone())))
    }

    async fn find_all(&self, keys: Vec<CellKey>) -> Result<HashMap<CellKey, CellName>, StoreError> {
        Ok(self.read(|data| {
            let cell = |key: &CellKey| data.cells.get(&key.stored()).map(|entry| entry.cell.clone());
            keys.into_iter().filter_map(|key| cell(&key).map(|cell| (key, cell))).collect()
        }))
    }

    async fn add(&self, key: CellKey, cell: CellName, world: Option<AccountId>) -> Result<CellEntry, StoreError> {
        self.change(|data| {
            data.last_cell_revision += 1;
            let new = CellEntry { key, cell, world, revision: data.last_cell_revision };
            let entry = data.cells.entry(new.key.stored()).or_insert_with(|| new.clone());
            if entry.cell == new.cell {
                entry.revision = new.revision;
                entry.world = entry.world.take().filter(|_| new.world.is_some());
            }
            Ok(entry.clone())
        })
    }

    async fn of_world(&self, world: &AccountId) -> Result<Vec<CellEntry>, StoreError> {
        let of_world = |entry: &&CellEntry| entry.world.as_ref() == Some(world);
        Ok(self.read(|data| data.cells.values().filter(of_world).cloned().collect()))
    }

    async fn remove(&self, entry: &CellEntry) -> Result<bool, StoreError> {
        self.change(|data| {
            let key = entry.key.stored();
            let is_same = data.cells.get(&key).is_some_and(|stored| stored.revision == entry.revision);
            Ok(is_same && data.cells.remove(&key).is_some())
        })
    }

    async fn clients(&self) -> Result<BTreeMap<CellName, u64>, StoreError> {
        let mut clients = BTreeMap::new();
        self.read(|data| {
            for entry in data.cells.values().filter(|entry| matches!(entry.key, CellKey::Client(_))) {
                *clients.entry(entry.cell.clone()).or_default() += 1;
            }
        });
        Ok(clients)
    }

    async fn listed(&self) -> Result<BTreeMap<CellName, bool>, StoreError> {
        Ok(self.read(|data| data.listed_cells.clone()))
    }

    async fn list(&self, cell: CellName, accepts_clients: bool) -> Result<(), StoreError> {
        self.change(|data| {
            data.listed_cells.insert(cell, accepts_clients);
            Ok(())
        })
    }

    async fn bound_cell(&self) -> Result<Option<CellName>, StoreError> {
        Ok(self.read(|data| data.bound_cell.clone()))
    }

    async fn bind_cell(&self, cell: CellName) -> Result<CellName, StoreError> {
        self.change(|data| Ok(data.bound_cell.get_or_insert(cell).clone()))
    }
}
