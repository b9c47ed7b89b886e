-- Subscriptions to events, their deliveries, and idempotency records of requests that belong to no account.

CREATE TABLE webhooks (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    client_id TEXT NOT NULL REFERENCES clients (id),
    -- Without an account: all accounts of the client. Not referenced: the row outlives the deletion of the subscription.
    account_id TEXT,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    url TEXT NOT NULL,
    -- As the client wrote it: a kind has several names.
    type_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    -- Ids of checkouts, separated by spaces.
    checkout_ids TEXT,
    ordered INTEGER NOT NULL CHECK (ordered IN (0, 1)),
    -- Encrypted.
    secrets BLOB NOT NULL,
    disabled_reason TEXT CHECK (disabled_reason IN ('gone', 'failing')),
    disabled_at INTEGER,
    -- The first failure since the last success: the account of the event, its time and real time.
    failing_account TEXT,
    failing_since INTEGER,
    failing_real_since INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- How often somebody asked for deliveries now.
    resumptions INTEGER NOT NULL,
    -- By real time. Its deliveries are deleted afterwards, in portions, and then this row.
    deleted_at INTEGER,
    CHECK (disabled_reason IS NULL OR disabled_at IS NOT NULL)
) STRICT;

CREATE INDEX webhooks_by_client ON webhooks (client_id, created_at, id);
CREATE INDEX webhooks_by_account ON webhooks (account_id);
CREATE INDEX webhooks_deleted ON webhooks (deleted_at) WHERE deleted_at IS NOT NULL;

-- Neither the event nor the account is referenced: a restore may remove the one, and the deletion of a world both.
CREATE TABLE webhook_deliveries (
    webhook_id TEXT NOT NULL CHECK (length(webhook_id) = 36),
    message_id TEXT NOT NULL CHECK (length(message_id) = 36),
    account_id TEXT NOT NULL,
    object_id TEXT NOT NULL CHECK (length(object_id) = 36),
    sequence INTEGER NOT NULL,
    -- The body of a test. Other bodies are those of the events.
    test_body TEXT,
    status TEXT NOT NULL CHECK (status IN ('pending', 'failed', 'delivered', 'exhausted', 'cancelled')),
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    -- Those that ended since the schedule began.
    scheduled INTEGER NOT NULL CHECK (scheduled >= 0),
    -- Those since one ended.
    unrecorded INTEGER NOT NULL CHECK (unrecorded >= 0),
    -- Whether it waits for an earlier event of its object.
    blocked INTEGER NOT NULL CHECK (blocked IN (0, 1)),
    -- By the clock of the account.
    created_at INTEGER NOT NULL,
    -- Without a time: at once.
    due_at INTEGER,
    -- By real time.
    queued_at INTEGER NOT NULL,
    lease_id TEXT CHECK (length(lease_id) = 36),
    leased_until INTEGER,
    PRIMARY KEY (webhook_id, message_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (webhook_id, queued_at DESC, message_id DESC);
CREATE INDEX webhook_deliveries_by_account ON webhook_deliveries (account_id);
CREATE INDEX webhook_deliveries_at_once ON webhook_deliveries (webhook_id, queued_at, sequence, message_id)
WHERE status IN ('pending', 'failed') AND NOT blocked AND due_at IS NULL;
CREATE INDEX webhook_deliveries_retried
ON webhook_deliveries (webhook_id, account_id, due_at, sequence, message_id)
WHERE status IN ('pending', 'failed') AND NOT blocked AND due_at IS NOT NULL;
CREATE INDEX webhook_deliveries_blocked ON webhook_deliveries (webhook_id, object_id) WHERE blocked;
CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (queued_at, webhook_id, message_id)
WHERE status NOT IN ('pending', 'failed');
CREATE INDEX webhook_deliveries_by_object ON webhook_deliveries (webhook_id, object_id, sequence)
WHERE status IN ('pending', 'failed');

CREATE TABLE webhook_attempts (
    webhook_id TEXT NOT NULL CHECK (length(webhook_id) = 36),
    message_id TEXT NOT NULL CHECK (length(message_id) = 36),
    number INTEGER NOT NULL,
    at INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    response_status INTEGER,
    response_body TEXT,
    error TEXT CHECK (
        error IN (
            'timeout', 'dns_failed', 'connection_failed', 'tls_failed', 'invalid_response', 'target_not_allowed'
        )
    ),
    PRIMARY KEY (webhook_id, message_id, number),
    CHECK ((response_status IS NULL) <> (error IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE client_records (
    client_id TEXT NOT NULL REFERENCES clients (id),
    idempotency_key TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    query TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    -- Without an answer: it contained a secret.
    answer_status INTEGER,
    answer_body TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (client_id, idempotency_key),
    CHECK ((answer_status IS NULL) = (answer_body IS NULL))
) STRICT, WITHOUT ROWID;

CREATE INDEX client_records_by_age ON client_records (created_at);
