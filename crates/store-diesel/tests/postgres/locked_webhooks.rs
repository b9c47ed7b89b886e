//! A subscription that another transaction has locked does not delay the deliveries of other subscriptions.

use crate::fan_out::{EVENT, SUBSCRIPTION};
use crate::groups::{Gate, queued};
use crate::support::{Fixture, noon};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::connection::SimpleConnection;
use florin_domain::ids::LeaseId;
use florin_domain::webhook::{AttemptOutcome, AttemptRecord, DeliveryDecision, DeliveryStatus, Webhook};
use florin_ports::{AttemptEnd, ClaimDeliveriesCommand, ClaimedDelivery, Deliveries};
use std::sync::Arc;
use uuid::Uuid;

/// A time at which everything is due.
fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(4_000_000_000, 0).unwrap()
}

fn claim(webhook: &Webhook) -> ClaimDeliveriesCommand {
    let (lease, until) = (LeaseId(Uuid::from_u128(1)), now() + TimeDelta::minutes(1));
    ClaimDeliveriesCommand { webhook: webhook.id, lease, now: now(), until, max: 1 }
}

/// Returns the end of a successful attempt.
fn end(claimed: &ClaimedDelivery) -> AttemptEnd {
    let outcome = AttemptOutcome { response: Ok(200), body: None, retry_after: None, took: TimeDelta::zero() };
    let decision = DeliveryDecision { status: DeliveryStatus::Delivered, due_at: None, disable: None, failing: None };
    AttemptEnd {
        claim: claimed.claim(),
        attempt: AttemptRecord { number: 1, at: noon(), outcome },
        decide: Arc::new(move |_| decision.clone()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ends_of_a_locked_subscription_are_recorded_after_those_of_others() {
    let fixture = Fixture::seeded().await;
    for statement in [SUBSCRIPTION, SUBSCRIPTION, EVENT] {
        fixture.sql(statement);
    }
    assert!(fixture.store.fan_out().await.unwrap());
    let webhooks = fixture.store.due(now()).await.unwrap();
    let [locked, free] = webhooks.as_slice() else { panic!("{webhooks:?}") };
    let mut ends = Vec::new();
    for webhook in [locked, free] {
        let claimed = fixture.store.claim(claim(webhook)).await.unwrap().unwrap();
        ends.push(end(&claimed.deliveries[0]));
    }
    let mut other = fixture.database.connect();
    other.batch_execute(&format!("BEGIN; SELECT 1 FROM webhooks WHERE id = '{}' FOR UPDATE", locked.id.0)).unwrap();
    // Both calls wait for the writer, so they share a transaction.
    let gate = Gate::shut(&fixture.store).await;
    let mut answers = Vec::new();
    for end in ends {
        let store = fixture.store.clone();
        answers.push(queued(async move { store.record(vec![end], now()).await }).await);
    }
    gate.open().await;
    let of_free = answers.pop().unwrap();
    assert_eq!(of_free.await.unwrap(), Ok(1));
    let of_locked = answers.pop().unwrap();
    assert!(!of_locked.is_finished(), "it waits for the lock");
    other.batch_execute("COMMIT").unwrap();
    assert_eq!(of_locked.await.unwrap(), Ok(1));
}
