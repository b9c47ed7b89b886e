//! Tests that the memory store keeps the promises of the ports.

use florin_store_conformance::{Factory, Handle, SetupError};
use florin_store_memory::MemoryStore;
use std::sync::Arc;

struct InMemory;

impl Factory for InMemory {
    async fn fresh(&self) -> Result<Handle, SetupError> {
        Ok(handle(Arc::new(MemoryStore::new())))
    }
}

/// Creates a handle; reopening returns another handle on the same store.
fn handle(store: Arc<MemoryStore>) -> Handle {
    Handle::of(&store).with_directory(Arc::<MemoryStore>::clone(&store)).reopened_by(move || {
        let store = Arc::clone(&store);
        async move { Ok(handle(store)) }
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_promise_is_kept() {
    florin_store_conformance::run(&InMemory).await.assert_passed();
}

/// Creates handles without the sandbox ports, as for a store that supports production only.
struct OfProduction;

impl Factory for OfProduction {
    async fn fresh(&self) -> Result<Handle, SetupError> {
        let store = Arc::new(MemoryStore::new());
        Ok(Handle::of_production(&store, Arc::<MemoryStore>::clone(&store)))
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sandbox_checks_are_skipped_for_production_only_stores() {
    let report = florin_store_conformance::run(&OfProduction).await;
    report.assert_passed();
    let skipped: Vec<_> = report.skipped().collect();
    for check in ["worlds.restore.puts_everything_back", "timelines.next_number.each_once"] {
        assert!(skipped.contains(&check), "{check} was not skipped");
        assert!(report.to_string().contains(&format!("skipped {check}: it serves production only")));
    }
}
