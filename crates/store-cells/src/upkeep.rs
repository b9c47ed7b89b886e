//! Readiness and maintenance. Readiness is that of the home, so that one broken cell does not stop the others.

use crate::Cells;
use crate::cells::Store;
use crate::routes::routes;
use chrono::{DateTime, Utc};
use florin_domain::access::Environment;
use florin_ports::{Readiness, StoreError, Upkeep};

routes! { Upkeep:
    readiness() -> Result<Readiness, StoreError> => [home];
    check_writes() -> Result<(), StoreError> => [home];
    environment() -> Result<Option<Environment>, StoreError> => [home];
    bind(environment: Environment) -> Result<Environment, StoreError> => [with(bind)];
    renew_statistics() -> Result<(), StoreError> => [with(renew_statistics)];
    delete_idempotency_records(before: DateTime<Utc>, max: u32) -> Result<u64, StoreError>
        => [with(delete_idempotency_records)];
    + {
        /// Returns whether all cells are overloaded. If only some cells are, each of them refuses its own writes.
        fn is_overloaded(&self) -> bool {
            self.open_cells().all(|cell| Upkeep::is_overloaded(&*cell.store))
        }
    }
}

/// Binds the home, and then the other cells to the same environment.
async fn bind(cells: &Cells, environment: Environment) -> Result<Environment, StoreError> {
    let bound = Upkeep::bind(&*cells.home().store, environment).await?;
    for cell in cells.others() {
        let other = Upkeep::bind(&*cell.store, bound).await?;
        if other != bound {
            let what = format!("cell {} is bound to {}, the home to {}", cell.name, other.as_str(), bound.as_str());
            return Err(StoreError::Corrupt(what));
        }
    }
    Ok(bound)
}

async fn renew_statistics(cells: &Cells) -> Result<(), StoreError> {
    cells.ask_all(|store| async move { Upkeep::renew_statistics(&*store).await }).await.map(drop)
}

async fn delete_idempotency_records(cells: &Cells, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
    let delete = |store: Store, max| async move { Upkeep::delete_idempotency_records(&*store, before, max).await };
    cells.work_at_most(max, delete).await
}
