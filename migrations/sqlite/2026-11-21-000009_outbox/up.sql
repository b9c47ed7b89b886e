-- The outbox of events, and the memory of the simulated bank.

-- An event is written in the transaction of its cause.
CREATE TABLE outbox_events (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    kind TEXT NOT NULL CHECK (
        kind IN (
            'PaymentBatchCreated', 'PaymentBatchOrderCreated', 'PaymentBatchProcessing', 'PaymentBatchCompleted',
            'PaymentBatchCancelled', 'PaymentCreated', 'PaymentReturned'
        )
    ),
    batch_id TEXT NOT NULL CHECK (length(batch_id) = 36),
    order_id TEXT CHECK (length(order_id) = 36),
    payment_id TEXT CHECK (length(payment_id) = 36),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

-- In the order of delivery.
CREATE INDEX outbox_events_by_age ON outbox_events (created_at, account_id, id);

-- Payments that the simulated bank accepted. They do not reference our accounts.
CREATE TABLE sandbox_payments (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor INTEGER NOT NULL,
    reference TEXT,
    accepted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
