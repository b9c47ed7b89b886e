//! The fan-out works in portions, and leaves deliveries that an earlier version has queued.

use crate::support::Fixture;
use florin_domain::ids::WebhookId;
use florin_domain::page::PageRequest;
use florin_domain::webhook::DeliveryStatus;
use florin_ports::{Deliveries, DeliveryFilter};
use uuid::Uuid;

/// A subscription to card messages, 449 card messages, and another event. An earlier version has queued and sent the
/// first message.
const EVENTS: &str = "
    INSERT INTO webhooks (id, client_id, enabled, url, type_name, kind, ordered, secrets, created_at, updated_at,
            resumptions)
        SELECT '0198c0de-0005-7000-8000-000000000001', client_id, 1, 'https://example.com/', 'CardTransaction',
            'CardTransaction', 0, X'', 0, 0, 0
        FROM accounts WHERE id = 'F1';
    WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < 450)
        INSERT INTO outbox_events (account_id, id, kind, object_id, sequence, occurred_at, recorded_at, body)
        SELECT 'F1', printf('0198c0de-0006-7000-8000-%012d', number),
            CASE number WHEN 300 THEN 'BoxCredited' ELSE 'CardTransaction' END,
            '0198c0de-0007-7000-8000-000000000001', number, 0, 0, '{}'
        FROM numbers;
    INSERT INTO webhook_deliveries (webhook_id, message_id, account_id, object_id, sequence, status, attempts,
            scheduled, unrecorded, blocked, created_at, queued_at)
        SELECT w.id, e.id, e.account_id, e.object_id, e.sequence, 'delivered', 1, 1, 0, 0, 0, 0
        FROM webhooks w, outbox_events e WHERE e.sequence = 1";

#[tokio::test(flavor = "multi_thread")]
async fn more_than_two_portions_are_queued_once() {
    let fixture = Fixture::seeded().await;
    fixture.sql(EVENTS);
    let webhook = WebhookId(Uuid::parse_str("0198c0de-0005-7000-8000-000000000001").unwrap());
    for _ in 0..2 {
        assert!(fixture.store.fan_out().await.unwrap());
        for (status, expected) in [(None, 449), (Some(DeliveryStatus::Delivered), 1)] {
            let filter = DeliveryFilter { status, event: None, from: None, to: None, attempts: 1 };
            let found = fixture.store.log(webhook, filter, PageRequest::default()).await.unwrap();
            assert_eq!(found.count, expected, "{status:?}");
        }
    }
}
