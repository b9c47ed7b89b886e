//! What the workers do in one round.

use super::schedule::{Next, Round};
use chrono::TimeDelta;
use florin_application::{CheckoutServices, ProcessingServices, RecordRefusals, Services};
use florin_ports::CompleteStorage;

pub(super) async fn sweep(services: &Services) -> Round {
    match florin_application::expire_holds(services).await {
        Ok(0) => {}
        Ok(expired) => tracing::info!(expired, "expired holds"),
        Err(error) => return Err(format!("could not expire due holds: {error}")),
    }
    Ok(Next::AfterPause)
}

pub(super) async fn settle(checkouts: &CheckoutServices) -> Round {
    match florin_application::settle_checkouts(checkouts).await {
        Ok(0) => {}
        Ok(settled) => tracing::info!(settled, "applied what was due on checkout sessions and refunds"),
        Err(error) => return Err(format!("could not apply what is due on checkout sessions and refunds: {error}")),
    }
    Ok(Next::AfterPause)
}

pub(super) async fn sweep_worlds(services: &Services) -> Round {
    match florin_application::sweep_worlds(services).await {
        Ok(0) => {}
        Ok(swept) => tracing::info!(swept, "deleted expired worlds"),
        Err(error) => return Err(format!("could not delete expired worlds: {error}")),
    }
    Ok(Next::AfterPause)
}

pub(super) async fn sweep_imports(services: &Services) -> Round {
    match florin_application::sweep_imported_snapshots(services).await {
        Ok(0) => {}
        Ok(swept) => tracing::info!(swept, "deleted expired imported snapshots"),
        Err(error) => return Err(format!("could not delete expired imported snapshots: {error}")),
    }
    Ok(Next::AfterPause)
}

/// Runs one round of processing. Rounds are bounded, so that a shutdown does not wait long.
pub(super) async fn process(processing: &ProcessingServices) -> Round {
    match florin_application::process_batches(processing).await {
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
    match florin_application::record_refusals(&services.refusals, log, (services.time.real_now(), when)).await {
        Ok(_) => Ok(Next::AfterPause),
        Err(error) => Err(format!("could not record refused authentications: {error}")),
    }
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
    match florin_application::record_key_uses(&services.key_uses, store).await {
        Ok(_) => Ok(Next::AfterPause),
        Err(error) => Err(format!("could not record the use of keys: {error}")),
    }
}

pub(super) async fn delete_records(services: &Services, retention: TimeDelta) -> Round {
    match florin_application::delete_idempotency_records(services, retention).await {
        Ok(0) => {}
        Ok(deleted) => tracing::info!(deleted, "deleted old idempotency records"),
        Err(error) => return Err(format!("could not delete old idempotency records: {error}")),
    }
    Ok(Next::AfterPause)
}

pub(super) async fn delete_events(services: &Services, retention: TimeDelta) -> Round {
    match florin_application::delete_events(services, retention).await {
        Ok(0) => {}
        Ok(deleted) => tracing::info!(deleted, "deleted old events"),
        Err(error) => return Err(format!("could not delete old events: {error}")),
    }
    Ok(Next::AfterPause)
}
