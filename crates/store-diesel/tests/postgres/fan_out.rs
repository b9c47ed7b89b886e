//! The fan-out does not pass transactions in progress, and one instance at a time moves its cursor.

use crate::support::Fixture;
use diesel::connection::SimpleConnection;
use florin_ports::Deliveries;

pub(crate) const SUBSCRIPTION: &str = "
    INSERT INTO webhooks (id, client_id, enabled, url, type_name, kind, ordered, secrets, created_at, updated_at,
            resumptions)
        SELECT gen_random_uuid(), client_id, true, 'https://example.com/', 'CardTransaction', 'CardTransaction', false,
            '', now(), now(), 0
        FROM accounts WHERE id = 'F1'";

/// Writes an event as an instance does: acquires the lock of transactions that draw positions, and draws a position.
pub(crate) const EVENT: &str = "
    INSERT INTO outbox_events (position, account_id, id, kind, object_id, sequence, occurred_at, recorded_at, body)
        SELECT nextval('outbox_positions'), 'F1', gen_random_uuid(), 'CardTransaction', gen_random_uuid(), 1, now(),
            now(), '{}'
        WHERE pg_advisory_xact_lock_shared(7003214873)::text IS NOT NULL";

const QUEUED: &str = "SELECT count(*) AS value FROM webhook_deliveries";

#[tokio::test(flavor = "multi_thread")]
async fn an_event_that_commits_after_a_later_one_is_queued() {
    let fixture = Fixture::seeded().await;
    fixture.sql(SUBSCRIPTION);
    let mut late = fixture.database.connect();
    late.batch_execute(&format!("BEGIN; {EVENT}")).unwrap();
    fixture.sql(EVENT);
    assert!(!fixture.store.fan_out().await.unwrap(), "the cursor passed a transaction in progress");
    assert_eq!(fixture.database.number(QUEUED), 0);
    late.batch_execute("COMMIT").unwrap();
    assert!(fixture.store.fan_out().await.unwrap());
    assert_eq!(fixture.database.number(QUEUED), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_instance_at_a_time_moves_the_cursor() {
    let fixture = Fixture::seeded().await;
    fixture.sql(SUBSCRIPTION);
    fixture.sql(EVENT);
    let mut other = fixture.database.connect();
    other.batch_execute("BEGIN; SELECT 1 FROM event_fan_out FOR UPDATE").unwrap();
    assert!(!fixture.store.fan_out().await.unwrap(), "two instances move the cursor");
    assert_eq!(fixture.database.number(QUEUED), 0);
    other.batch_execute("COMMIT").unwrap();
    assert!(fixture.store.fan_out().await.unwrap());
    assert_eq!(fixture.database.number(QUEUED), 1);
}
