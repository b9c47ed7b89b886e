-- Batches have payments, a creator and a confirmer; payment orders have fees.
--
-- SQLite cannot add a NOT NULL column with a foreign key, so the tables are recreated, together with those that reference
-- them.

CREATE TABLE new_payment_batches (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (
        status IN ('draft', 'validated', 'confirmed', 'started', 'completed', 'failed', 'cancelled')
    ),
    created_by TEXT NOT NULL REFERENCES clients (id),
    visible INTEGER NOT NULL CHECK (visible IN (0, 1)),
    -- Created with its payments, which cannot be replaced.
    locked INTEGER NOT NULL CHECK (locked IN (0, 1)),
    -- The last upload.
    input_format TEXT CHECK (input_format IN ('json', 'csv')),
    input_status TEXT CHECK (input_status IN ('validated', 'failed')),
    -- As sent: it may not be a budget of the account.
    input_budget_id TEXT CHECK (length(input_budget_id) = 36),
    input_created_at INTEGER,
    input_updated_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    confirmed_by TEXT REFERENCES clients (id),
    confirmed_at INTEGER,
    passed_mfa_check_at INTEGER,
    orders_sent_at INTEGER,
    -- The time from which the batch has work: 0 means now, null means none.
    work_at INTEGER,
    -- The lease: its id, and the time until which other workers leave the batch alone.
    lease_id TEXT CHECK (length(lease_id) = 36),
    leased_until INTEGER,
    PRIMARY KEY (account_id, id),
    CHECK (status NOT IN ('draft', 'validated') OR confirmed_at IS NULL),
    CHECK (status NOT IN ('confirmed', 'started', 'completed', 'failed') OR confirmed_at IS NOT NULL),
    CHECK (passed_mfa_check_at IS NULL OR confirmed_at IS NOT NULL),
    CHECK (confirmed_by IS NULL OR confirmed_at IS NOT NULL),
    CHECK ((input_status IS NULL) = (input_format IS NULL)),
    CHECK ((input_created_at IS NULL) = (input_format IS NULL)),
    CHECK ((input_updated_at IS NULL) = (input_format IS NULL)),
    CHECK (input_budget_id IS NULL OR input_format IS NOT NULL),
    CHECK ((leased_until IS NULL) = (lease_id IS NULL))
) STRICT, WITHOUT ROWID;

-- Existing batches are older than their creation over the API, so their account's client is their creator. Who confirmed
-- them, and when processing began, is unknown.
INSERT INTO new_payment_batches (
    account_id, id, name, status, created_by, visible, locked, created_at, updated_at, confirmed_at, passed_mfa_check_at
)
SELECT
    b.account_id, b.id, b.name, b.status, a.client_id, 1, 0, b.created_at, b.updated_at, b.confirmed_at,
    b.passed_mfa_check_at
FROM payment_batches b JOIN accounts a ON a.id = b.account_id;

-- A payment order: the payments of a batch in one currency from one funding budget.
CREATE TABLE new_payment_orders (
    account_id TEXT NOT NULL,
    batch_id TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position >= 0),
    id TEXT NOT NULL CHECK (length(id) = 36),
    budget_id TEXT NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    total_minor INTEGER NOT NULL CHECK (total_minor > 0),
    fees_minor INTEGER NOT NULL CHECK (fees_minor >= 0),
    PRIMARY KEY (account_id, batch_id, position),
    UNIQUE (account_id, batch_id, budget_id, currency),
    UNIQUE (account_id, batch_id, id),
    FOREIGN KEY (account_id, batch_id) REFERENCES new_payment_batches (account_id, id),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id)
) STRICT, WITHOUT ROWID;

INSERT INTO new_payment_orders
SELECT account_id, batch_id, position, id, budget_id, currency, total_minor, 0 FROM payment_orders;

CREATE TABLE new_mfa_sessions (
    account_id TEXT NOT NULL,
    id TEXT NOT NULL CHECK (length(id) = 36),
    client_id TEXT NOT NULL REFERENCES clients (id),
    batch_id TEXT NOT NULL,
    provider TEXT NOT NULL CHECK (provider IN ('totp', 'sandbox')),
    state TEXT NOT NULL CHECK (state IN ('open', 'burnt', 'locked', 'expired')),
    wrong_tokens INTEGER NOT NULL CHECK (wrong_tokens >= 0),
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, batch_id) REFERENCES new_payment_batches (account_id, id)
) STRICT, WITHOUT ROWID;

INSERT INTO new_mfa_sessions
SELECT account_id, id, client_id, batch_id, provider, state, wrong_tokens, created_at, expires_at FROM mfa_sessions;

DROP TABLE mfa_sessions;
DROP TABLE payment_orders;
DROP TABLE payment_batches;

-- References follow renamed tables.
ALTER TABLE new_payment_batches RENAME TO payment_batches;
ALTER TABLE new_payment_orders RENAME TO payment_orders;
ALTER TABLE new_mfa_sessions RENAME TO mfa_sessions;

-- One index per combination of filters, each in list order.
CREATE INDEX payment_batches_by_age ON payment_batches (account_id, created_at, id);
CREATE INDEX payment_batches_in_status_by_age ON payment_batches (account_id, status, created_at, id);
CREATE INDEX payment_batches_shown_by_age ON payment_batches (account_id, visible, created_at, id);
CREATE INDEX payment_batches_shown_in_status_by_age ON payment_batches (account_id, visible, status, created_at, id);
-- Batches with work, of any account.
CREATE INDEX payment_batches_with_work ON payment_batches (work_at, account_id, id) WHERE work_at IS NOT NULL;

-- The input is kept as sent. The columns from order_id to network contain its meaning, if the payment has no Error.
CREATE TABLE payments (
    account_id TEXT NOT NULL,
    batch_id TEXT NOT NULL,
    -- The position in the upload.
    input_index INTEGER NOT NULL CHECK (input_index >= 0),
    id TEXT NOT NULL CHECK (length(id) = 36),
    status TEXT NOT NULL CHECK (
        status IN ('created', 'validated', 'confirmed', 'started', 'completed', 'failed', 'returned', 'cancelled')
    ),
    order_id TEXT,
    budget_id TEXT,
    currency TEXT CHECK (length(currency) = 3),
    amount_minor INTEGER CHECK (amount_minor > 0),
    fee_minor INTEGER CHECK (fee_minor >= 0),
    network TEXT CHECK (network IN ('FASTER_PAYMENTS', 'BACS', 'CHAPS', 'SEPA', 'SWIFT')),
    failure TEXT CHECK (
        failure IN ('account_closed', 'account_not_found', 'name_mismatch', 'rejected_by_bank', 'compliance')
    ),
    -- JSON with the member names of the interface.
    input TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    started_at INTEGER,
    -- When to ask the bank for the outcome.
    ask_at INTEGER,
    PRIMARY KEY (account_id, batch_id, input_index),
    UNIQUE (account_id, id),
    FOREIGN KEY (account_id, batch_id) REFERENCES payment_batches (account_id, id),
    FOREIGN KEY (account_id, batch_id, order_id) REFERENCES payment_orders (account_id, batch_id, id),
    CHECK ((budget_id IS NULL) = (order_id IS NULL)),
    CHECK ((currency IS NULL) = (order_id IS NULL)),
    CHECK ((amount_minor IS NULL) = (order_id IS NULL)),
    CHECK ((fee_minor IS NULL) = (order_id IS NULL)),
    CHECK ((network IS NULL) = (order_id IS NULL)),
    CHECK (status IN ('created', 'cancelled') OR order_id IS NOT NULL),
    CHECK ((failure IS NOT NULL) = (status IN ('failed', 'returned'))),
    CHECK (ask_at IS NULL OR started_at IS NOT NULL)
) STRICT;

CREATE INDEX payments_in_status ON payments (account_id, batch_id, status, input_index);
CREATE INDEX payments_to_ask ON payments (account_id, batch_id, ask_at, input_index) WHERE ask_at IS NOT NULL;

-- Alerts of an upload. The position is that in the list: by input index (null first), then in the order of the checks.
CREATE TABLE payment_alerts (
    account_id TEXT NOT NULL,
    batch_id TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position >= 0),
    created_at INTEGER NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('Error', 'Warning')),
    code TEXT NOT NULL CHECK (
        code IN (
            'no_payments', 'wrong_number_of_fields', 'amount_required', 'amount_invalid', 'amount_too_precise',
            'amount_out_of_range', 'currency_required', 'currency_unknown', 'funding_budget_required',
            'funding_budget_invalid', 'funding_budget_not_found', 'funding_budget_currency',
            'recipient_name_required', 'recipient_type_unknown', 'account_identifier_required',
            'account_number_invalid', 'iban_invalid', 'bank_identifier_required', 'bank_identifier_invalid',
            'sort_code_invalid', 'bank_country_mismatch', 'modulus_check_failed', 'network_unknown',
            'network_currency', 'country_unknown', 'country_required', 'purpose_code_required',
            'purpose_code_unknown', 'reference_invalid', 'email_invalid', 'text_too_long', 'text_invalid',
            'duplicate_payment'
        )
    ),
    -- The payment; null if the alert concerns the whole upload.
    input_index INTEGER CHECK (input_index >= 0),
    message TEXT NOT NULL,
    PRIMARY KEY (account_id, batch_id, position),
    FOREIGN KEY (account_id, batch_id) REFERENCES payment_batches (account_id, id)
) STRICT;

CREATE INDEX payment_alerts_of_kind ON payment_alerts (account_id, batch_id, kind, position);
CREATE INDEX payment_alerts_with_code ON payment_alerts (account_id, batch_id, code, position);
CREATE INDEX payment_alerts_by_time ON payment_alerts (account_id, batch_id, created_at, position);
