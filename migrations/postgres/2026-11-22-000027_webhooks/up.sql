-- Subscriptions to events, their deliveries, and idempotency records of requests that belong to no account.

CREATE TABLE webhooks (
    id UUID NOT NULL PRIMARY KEY,
    client_id UUID NOT NULL REFERENCES clients (id),
    -- Without an account: all accounts of the client. Not referenced: the row outlives the deletion of the subscription.
    account_id TEXT COLLATE "C",
    enabled BOOLEAN NOT NULL,
    url TEXT NOT NULL,
    -- As the client wrote it: a kind has several names.
    type_name TEXT NOT NULL,
    kind TEXT NOT NULL,
    -- Ids of checkouts, separated by spaces.
    checkout_ids TEXT,
    ordered BOOLEAN NOT NULL,
    -- Encrypted.
    secrets BYTEA NOT NULL,
    disabled_reason TEXT CHECK (disabled_reason IN ('gone', 'failing')),
    disabled_at TIMESTAMPTZ,
    -- The first failure since the last success: the account of the event, its time and real time.
    failing_account TEXT,
    failing_since TIMESTAMPTZ,
    failing_real_since TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    -- How often somebody asked for deliveries now.
    resumptions BIGINT NOT NULL,
    -- By real time. Its deliveries are deleted afterwards, in portions, and then this row.
    deleted_at TIMESTAMPTZ,
    CHECK (disabled_reason IS NULL OR disabled_at IS NOT NULL)
);

CREATE INDEX webhooks_by_client ON webhooks (client_id, created_at, id);
CREATE INDEX webhooks_by_account ON webhooks (account_id);
CREATE INDEX webhooks_deleted ON webhooks (deleted_at) WHERE deleted_at IS NOT NULL;

-- Neither the event nor the account is referenced: a restore may remove the one, and the deletion of a world both.
CREATE TABLE webhook_deliveries (
    webhook_id UUID NOT NULL,
    message_id UUID NOT NULL,
    account_id TEXT COLLATE "C" NOT NULL,
    object_id UUID NOT NULL,
    sequence BIGINT NOT NULL,
    -- The body of a test. Other bodies are those of the events.
    test_body TEXT,
    status TEXT NOT NULL CHECK (status IN ('pending', 'failed', 'delivered', 'exhausted', 'cancelled')),
    attempts BIGINT NOT NULL CHECK (attempts >= 0),
    -- Those that ended since the schedule began.
    scheduled BIGINT NOT NULL CHECK (scheduled >= 0),
    -- Those since one ended.
    unrecorded BIGINT NOT NULL CHECK (unrecorded >= 0),
    -- Whether it waits for an earlier event of its object.
    blocked BOOLEAN NOT NULL,
    -- By the clock of the account.
    created_at TIMESTAMPTZ NOT NULL,
    -- Without a time: at once.
    due_at TIMESTAMPTZ,
    -- By real time.
    queued_at TIMESTAMPTZ NOT NULL,
    lease_id UUID,
    leased_until TIMESTAMPTZ,
    PRIMARY KEY (webhook_id, message_id)
);

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
    webhook_id UUID NOT NULL,
    message_id UUID NOT NULL,
    number BIGINT NOT NULL,
    at TIMESTAMPTZ NOT NULL,
    duration_ms BIGINT NOT NULL,
    response_status BIGINT,
    response_body TEXT,
    error TEXT CHECK (
        error IN (
            'timeout', 'dns_failed', 'connection_failed', 'tls_failed', 'invalid_response', 'target_not_allowed'
        )
    ),
    PRIMARY KEY (webhook_id, message_id, number),
    CHECK ((response_status IS NULL) <> (error IS NULL))
);

CREATE TABLE client_records (
    client_id UUID NOT NULL REFERENCES clients (id),
    idempotency_key TEXT NOT NULL,
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    query TEXT NOT NULL,
    body_hash TEXT NOT NULL,
    -- Without an answer: it contained a secret.
    answer_status BIGINT,
    answer_body TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (client_id, idempotency_key),
    CHECK ((answer_status IS NULL) = (answer_body IS NULL))
);

CREATE INDEX client_records_by_age ON client_records (created_at);
