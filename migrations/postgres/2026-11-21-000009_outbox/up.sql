-- The outbox of events, and the memory of the simulated bank.

-- An event is written in the transaction of its cause.
CREATE TABLE outbox_events (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    kind TEXT NOT NULL CHECK (
        kind IN (
            'PaymentBatchCreated', 'PaymentBatchOrderCreated', 'PaymentBatchProcessing', 'PaymentBatchCompleted',
            'PaymentBatchCancelled', 'PaymentCreated', 'PaymentReturned'
        )
    ),
    batch_id UUID NOT NULL,
    order_id UUID,
    payment_id UUID,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, id)
);

-- In the order of delivery.
CREATE INDEX outbox_events_by_age ON outbox_events (created_at, account_id, id);

-- Payments that the simulated bank accepted. They do not reference our accounts.
CREATE TABLE sandbox_payments (
    id UUID NOT NULL PRIMARY KEY,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor BIGINT NOT NULL,
    reference TEXT,
    accepted_at TIMESTAMPTZ NOT NULL
);
