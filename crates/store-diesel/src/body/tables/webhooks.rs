//! Subscriptions to events, their deliveries, idempotency records of clients, and decision endpoints.

use super::access::{accounts, client_features};
use super::body::types::{Account, Bytes, Id, Named, Time};
use super::declare::{changes, lookups, tables};
use super::worlds::{timelines, worlds};
use florin_domain::card::Fallback;
use florin_domain::event::EventKind;
use florin_domain::webhook::{DeliveryStatus, DisabledReason, SendError};

tables! {
    /// A subscription.
    struct WebhookRow in webhooks(id) of client by client_id {
        id: Id,
        client_id: Id,
        account_id: Option<Account>,
        enabled: bool,
        url: String,
        type_name: String,
        kind: Named<EventKind>,
        checkout_ids: Option<String>,
        ordered: bool,
        secrets: Bytes,
        disabled_reason: Option<Named<DisabledReason>>,
        disabled_at: Option<Time>,
        failing_account: Option<Account>,
        failing_since: Option<Time>,
        failing_real_since: Option<Time>,
        created_at: Time,
        updated_at: Time,
        /// Number of requests after which its deliveries should resume without delay.
        resumptions: i64,
        deleted_at: Option<Time>,
        /// It receives events at positions above this one.
        since: i64,
        /// If it is disabled, it receives events up to this position.
        until: Option<i64>,
    }

    /// A delivery: an event for a subscription.
    struct DeliveryRow in webhook_deliveries(webhook_id, message_id) of webhook by webhook_id {
        webhook_id: Id,
        message_id: Id,
        account_id: Account,
        object_id: Id,
        sequence: i64,
        /// The body of a test. Null: it delivers an event.
        test_body: Option<String>,
        status: Named<DeliveryStatus>,
        /// Number of attempts, including the one in progress.
        attempts: i64,
        /// Number of ended attempts in the current schedule.
        scheduled: i64,
        /// Number of attempts that began since the last attempt ended.
        unrecorded: i64,
        /// Whether it is set aside until an earlier delivery about its object ends.
        blocked: bool,
        created_at: Time,
        due_at: Option<Time>,
        queued_at: Time,
        lease_id: Option<Id>,
        leased_until: Option<Time>,
    }

    /// An ended attempt to deliver an event.
    struct AttemptRow in webhook_attempts(webhook_id, message_id, number) of webhook by webhook_id {
        webhook_id: Id,
        message_id: Id,
        number: i64,
        at: Time,
        duration_ms: i64,
        response_status: Option<i64>,
        response_body: Option<String>,
        error: Option<Named<SendError>>,
    }

    /// A request of a client under an idempotency key, and its answer. The answer is missing if it contained a secret.
    struct ClientRecordRow in client_records(client_id, idempotency_key) of client by client_id {
        client_id: Id,
        idempotency_key: String,
        method: String,
        path: String,
        query: String,
        body_hash: String,
        answer_status: Option<i64>,
        answer_body: Option<String>,
        created_at: Time,
    }

    /// The endpoint of an account that decides on card messages.
    struct EndpointRow in decision_endpoints(account_id) of account by account_id {
        account_id: Account,
        url: String,
        enabled: bool,
        time_limit_ms: i64,
        fallback: Named<Fallback>,
        secrets: Bytes,
        created_at: Time,
        updated_at: Time,
    }
}

diesel::joinable!(decision_endpoints -> accounts (account_id));
diesel::allow_tables_to_appear_in_same_query!(decision_endpoints, accounts);
diesel::allow_tables_to_appear_in_same_query!(decision_endpoints, timelines);
diesel::allow_tables_to_appear_in_same_query!(decision_endpoints, worlds);

diesel::allow_tables_to_appear_in_same_query!(webhooks, accounts);
diesel::allow_tables_to_appear_in_same_query!(webhooks, client_features);
diesel::allow_tables_to_appear_in_same_query!(webhook_deliveries, webhook_attempts);

changes! {
    /// A subscription after a change.
    struct WebhookUpdate of webhooks {
        set {
            enabled, url, checkout_ids, ordered, secrets, disabled_reason, disabled_at, failing_account, failing_since,
            failing_real_since, updated_at, resumptions,
        }
        by { id, }
    }

    /// A delivery after a claim or a release. No index contains these columns.
    struct ClaimChange of webhook_deliveries {
        set { attempts, unrecorded, lease_id, leased_until, }
        by { webhook_id, message_id, }
    }

    /// A delivery after an attempt or another change of its state.
    struct DeliveryChange of webhook_deliveries {
        set { status, attempts, scheduled, unrecorded, blocked, due_at, lease_id, leased_until, }
        by { webhook_id, message_id, }
    }
}

lookups! {
    /// Subscriptions, locked.
    struct LockedWebhooks: WebhookRow {
        from webhooks by (id)
        order by "webhooks.id"
        for update
    }

    /// Deliveries, locked.
    struct LockedDeliveries: DeliveryRow {
        from webhook_deliveries by (webhook_id, message_id)
        order by "webhook_deliveries.webhook_id, webhook_deliveries.message_id"
        for update
    }
}
