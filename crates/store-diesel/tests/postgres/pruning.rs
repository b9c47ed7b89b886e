//! Old deliveries are deleted while others change them.

use crate::support::{Fixture, noon};
use diesel::connection::SimpleConnection;
use florin_ports::Deliveries;
use std::time::Duration;

/// A subscription with one delivery, which ended long ago after one attempt.
const ENDED: &str = "
    INSERT INTO webhooks (id, client_id, enabled, url, type_name, kind, ordered, secrets, created_at,
            updated_at, resumptions)
        SELECT gen_random_uuid(), id, true, 'https://example.com/', 'CardTransaction', 'CardTransaction', false, '',
            now(), now(), 0
        FROM clients LIMIT 1;
    INSERT INTO webhook_deliveries (webhook_id, message_id, account_id, object_id, sequence, status, attempts,
            scheduled, unrecorded, blocked, created_at, queued_at)
        SELECT id, gen_random_uuid(), 'F1', gen_random_uuid(), 1, 'exhausted', 1, 1, 0, false, now(), '2000-01-01'
        FROM webhooks;
    INSERT INTO webhook_attempts (webhook_id, message_id, number, at, duration_ms, error)
        SELECT webhook_id, message_id, 1, now(), 1, 'timeout' FROM webhook_deliveries";

#[tokio::test(flavor = "multi_thread")]
async fn a_delivery_that_restarts_meanwhile_keeps_its_attempts() {
    let fixture = Fixture::seeded().await;
    fixture.sql(ENDED);
    // A redelivery locks the subscription first, as every change does.
    let mut redelivery = fixture.database.connect();
    redelivery.batch_execute("BEGIN; SELECT 1 FROM webhooks FOR UPDATE").unwrap();
    let store = fixture.store.clone();
    let pruning = tokio::spawn(async move { store.delete_deliveries(noon(), 9).await });
    while fixture.waiting_sessions() == 0 {
        assert!(!pruning.is_finished(), "it deletes without a lock");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    redelivery.batch_execute("UPDATE webhook_deliveries SET status = 'pending'; COMMIT").unwrap();
    assert_eq!(pruning.await.unwrap().unwrap(), 0);
    let count_of = |table| fixture.database.number(&format!("SELECT count(*) AS value FROM {table}"));
    assert_eq!((count_of("webhook_deliveries"), count_of("webhook_attempts")), (1, 1));
    fixture.sql("UPDATE webhook_deliveries SET status = 'delivered'");
    assert_eq!(fixture.store.delete_deliveries(noon(), 9).await.unwrap(), 1);
    assert_eq!((count_of("webhook_deliveries"), count_of("webhook_attempts")), (0, 0));
}
