//! What the workers do in one round.

use super::schedule::{Next, Round, counted, ended};
use chrono::TimeDelta;
use florin_application::{CheckoutServices, ProcessingServices, RecordRefusals, Services};
use florin_ports::CompleteStorage;

pub(super) async fn sweep(services: Services) -> Round {
    let expired = florin_application::expire_holds(&services).await;
    counted(expired, "expire due holds", |expired| tracing::info!(expired, "expired holds"))
}

pub(super) async fn settle(checkouts: CheckoutServices) -> Round {
    let settled = florin_application::settle_checkouts(&checkouts).await;
    counted(settled, "apply what is due on checkout sessions and refunds", |settled| {
        tracing::info!(settled, "applied what was due on checkout sessions and refunds");
    })
}

pub(super) async fn sweep_worlds(services: Services) -> Round {
    let swept = florin_application::sweep_worlds(&services).await;
    counted(swept, "delete expired worlds", |swept| tracing::info!(swept, "deleted expired worlds"))
}

pub(super) async fn sweep_imports(services: Services) -> Round {
    let swept = florin_application::sweep_imported_snapshots(&services).await;
    counted(swept, "delete expired imported snapshots", |swept| {
        tracing::info!(swept, "deleted expired imported snapshots");
    })
}

/// Runs one round of processing. Rounds are bounded, so that a shutdown does not wait long.
pub(super) async fn process(processing: ProcessingServices) -> Round {
    match florin_application::process_batches(&processing).await {
        Ok(0) => Ok(Next::AfterPause),
        Ok(payments) => {
            tracing::info!(payments, "processed payments");
            Ok(Next::AtOnce)
        }
        Err(error) => Err(format!("could not claim payment batches: {error}")),
    }
}

/// Records refused authentications in the audit log.
pub(super) async fn record_refusals(services: &Services, log: &dyn CompleteStorage, when: RecordRefusals) -> Round {
    let at = (services.time.real_now(), when);
    let recorded = florin_application::record_refusals(&services.refusals, log, at).await;
    ended(recorded, "record refused authentications")
}

/// Records what a server that stops has not recorded yet: refused authentications, and the use of keys.
pub(crate) async fn record_the_rest(services: &Services, store: &dyn CompleteStorage) {
    let refusals = record_refusals(services, store, RecordRefusals::AtStop).await;
    for failure in [refusals, record_uses(services, store).await].into_iter().filter_map(Result::err) {
        tracing::error!("{failure}");
    }
}

/// Records when keys were last used.
pub(super) async fn record_uses(services: &Services, store: &dyn CompleteStorage) -> Round {
    ended(florin_application::record_key_uses(&services.key_uses, store).await, "record the use of keys")
}

pub(super) async fn delete_records(services: Services, retention: TimeDelta) -> Round {
    let deleted = florin_application::delete_idempotency_records(&services, retention).await;
    counted(deleted, "delete old idempotency records", |deleted| {
        tracing::info!(deleted, "deleted old idempotency records");
    })
}

pub(super) async fn delete_events(services: Services, retention: TimeDelta) -> Round {
    let deleted = florin_application::delete_events(&services, retention).await;
    counted(deleted, "delete old events", |deleted| tracing::info!(deleted, "deleted old events"))
}
