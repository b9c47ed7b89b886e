-- Events of every kind, with their bodies and with a sequence for each object.

-- The last sequence of an object whose events are not counted by other rows: a budget or a payment batch.
CREATE TABLE event_sequences (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    object_id UUID NOT NULL,
    last_sequence BIGINT NOT NULL CHECK (last_sequence > 0),
    PRIMARY KEY (account_id, object_id)
);

-- What happened counts, though nobody was told.
INSERT INTO event_sequences (account_id, object_id, last_sequence)
SELECT b.account_id, b.id, COUNT(*)
FROM payment_batches b
JOIN outbox_events e ON e.account_id = b.account_id AND e.batch_id = b.id
WHERE e.kind <> 'PaymentBatchCreated' OR b.status <> 'draft'
GROUP BY b.account_id, b.id;

INSERT INTO event_sequences (account_id, object_id, last_sequence)
SELECT m.account_id, m.budget_id, COUNT(*)
FROM (
    SELECT account_id, budget_id FROM credits
    UNION ALL SELECT account_id, from_budget_id FROM transfers
    UNION ALL SELECT account_id, to_budget_id FROM transfers
    UNION ALL
    SELECT paid.account_id, paid.budget_id
    FROM (
        SELECT DISTINCT t.account_id, t.id, n.budget_id
        FROM journal_transactions t
        JOIN journal_entries n ON n.account_id = t.account_id AND n.journal_id = t.id
        WHERE t.kind IN ('payment', 'payment_return') AND n.budget_id IS NOT NULL
    ) AS paid
) AS m
GROUP BY m.account_id, m.budget_id;

-- Nobody could read the earlier events, and their bodies were never written.
DROP TABLE outbox_events;

CREATE SEQUENCE outbox_positions;

CREATE TABLE outbox_events (
    position BIGINT NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    kind TEXT NOT NULL CHECK (
        kind IN (
            'BoxCredited', 'BoxDebited', 'CardTransaction', 'CardStateUpdated', 'PaymentBatchCreated',
            'PaymentBatchOrderCreated', 'PaymentBatchProcessing', 'PaymentBatchCompleted', 'PaymentBatchCancelled',
            'PaymentBatchOrderCancelled', 'PaymentCreated', 'PaymentReturned', 'MerchantCheckoutSessionCompleted',
            'MerchantCheckoutSessionCancelled', 'MerchantCheckoutSessionAbandoned', 'MerchantCheckoutSessionExpired',
            'MerchantPaymentFailed', 'MerchantRefundCompleted', 'MerchantPaymentReconciled'
        )
    ),
    object_id UUID NOT NULL,
    sequence BIGINT NOT NULL CHECK (sequence > 0),
    -- By the clock of the account.
    occurred_at TIMESTAMPTZ NOT NULL,
    -- By real time.
    recorded_at TIMESTAMPTZ NOT NULL,
    body TEXT NOT NULL
);

CREATE UNIQUE INDEX outbox_events_by_id ON outbox_events (id);
CREATE INDEX outbox_events_by_account ON outbox_events (account_id, position);
CREATE INDEX outbox_events_by_object ON outbox_events (account_id, object_id, position);

-- Earlier snapshots have rows of the earlier tables. They can't be restored, and need no space.
UPDATE world_snapshots SET contents = '';

ALTER TABLE payment_orders ADD COLUMN payments BIGINT NOT NULL DEFAULT 0 CHECK (payments >= 0);

UPDATE payment_orders SET payments = (
    SELECT COUNT(*)
    FROM payments p
    WHERE p.account_id = payment_orders.account_id
        AND p.batch_id = payment_orders.batch_id
        AND p.order_id = payment_orders.id
);

ALTER TABLE client_features
DROP CONSTRAINT client_features_feature_check,
ADD CONSTRAINT client_features_feature_check CHECK (feature IN ('addresses-lookup', 'events'));
