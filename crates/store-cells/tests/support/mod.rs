//! Routers over memory stores.

use florin_domain::ids::ClientId;
use florin_ports::{CellDirectory, CellKey, CellName, StoreError};
use florin_store_cells::{Cell, Cells};
use florin_store_memory::MemoryStore;
use std::collections::BTreeMap;
use std::sync::Arc;
use uuid::Uuid;

/// The home and two other cells, `a` and `b`. Clones share their data.
#[derive(Clone, Default)]
pub(crate) struct Stores {
    pub(crate) home: MemoryStore,
    pub(crate) a: MemoryStore,
    pub(crate) b: MemoryStore,
}

pub(crate) fn name(text: &str) -> CellName {
    CellName::parse(text).unwrap()
}

/// Returns client `number` of the conformance kit.
pub(crate) fn kit_client(number: u128) -> ClientId {
    ClientId(Uuid::from_u128((1 << 64) + number))
}

impl Stores {
    /// Creates a router with the directory of the home.
    pub(crate) fn router(&self) -> Arc<Cells> {
        self.router_by(Arc::new(self.home.clone()))
    }

    /// Creates a router with another directory.
    pub(crate) fn router_by(&self, directory: Arc<dyn CellDirectory>) -> Arc<Cells> {
        let cell = |text, store: &MemoryStore| Cell { name: name(text), store: Arc::new(store.clone()) };
        let others = vec![cell("a", &self.a), cell("b", &self.b)];
        Arc::new(Cells::new(directory, Arc::new(self.home.clone()), others, BTreeMap::new()))
    }

    /// Chooses the cells of clients of the kit: those with odd numbers, and those with even numbers.
    pub(crate) async fn place(&self, (odd, even): (&str, &str)) -> Result<(), StoreError> {
        for number in 1..100 {
            let cell = if number % 2 == 0 { even } else { odd };
            self.home.add(CellKey::Client(kit_client(number)), name(cell), None).await?;
        }
        Ok(())
    }
}
