-- Batches have payments, a creator and a confirmer; payment orders have fees.

ALTER TABLE payment_batches
ADD COLUMN created_by UUID REFERENCES clients (id),
ADD COLUMN visible BOOLEAN,
-- Created with its payments, which cannot be replaced.
ADD COLUMN locked BOOLEAN,
-- The last upload.
ADD COLUMN input_format TEXT CHECK (input_format IN ('json', 'csv')),
ADD COLUMN input_status TEXT CHECK (input_status IN ('validated', 'failed')),
-- As sent: it may not be a budget of the account.
ADD COLUMN input_budget_id UUID,
ADD COLUMN input_created_at TIMESTAMPTZ,
ADD COLUMN input_updated_at TIMESTAMPTZ,
ADD COLUMN confirmed_by UUID REFERENCES clients (id),
ADD COLUMN orders_sent_at TIMESTAMPTZ,
-- The time from which the batch has work: 1970 means now, null means none.
ADD COLUMN work_at TIMESTAMPTZ,
-- The lease: its id, and the time until which other workers leave the batch alone.
ADD COLUMN lease_id UUID,
ADD COLUMN leased_until TIMESTAMPTZ,
ADD CHECK (confirmed_by IS NULL OR confirmed_at IS NOT NULL),
ADD CHECK ((input_status IS NULL) = (input_format IS NULL)),
ADD CHECK ((input_created_at IS NULL) = (input_format IS NULL)),
ADD CHECK ((input_updated_at IS NULL) = (input_format IS NULL)),
ADD CHECK (input_budget_id IS NULL OR input_format IS NOT NULL),
ADD CHECK ((leased_until IS NULL) = (lease_id IS NULL));

-- Existing batches are older than their creation over the API, so their account's client is their creator. Who confirmed
-- them, and when processing began, is unknown.
UPDATE payment_batches SET
    created_by = (SELECT a.client_id FROM accounts a WHERE a.id = payment_batches.account_id),
    visible = TRUE,
    locked = FALSE;

ALTER TABLE payment_batches
ALTER COLUMN created_by SET NOT NULL,
ALTER COLUMN visible SET NOT NULL,
ALTER COLUMN locked SET NOT NULL;

ALTER TABLE payment_orders
ADD COLUMN fees_minor BIGINT NOT NULL DEFAULT 0 CHECK (fees_minor >= 0),
ADD UNIQUE (account_id, batch_id, id);

ALTER TABLE payment_orders ALTER COLUMN fees_minor DROP DEFAULT;

-- One index per combination of filters, each in list order.
CREATE INDEX payment_batches_by_age ON payment_batches (account_id, created_at, id);
CREATE INDEX payment_batches_in_status_by_age ON payment_batches (account_id, status, created_at, id);
CREATE INDEX payment_batches_shown_by_age ON payment_batches (account_id, visible, created_at, id);
CREATE INDEX payment_batches_shown_in_status_by_age ON payment_batches (account_id, visible, status, created_at, id);
-- Batches with work, of any account.
CREATE INDEX payment_batches_with_work ON payment_batches (work_at, account_id, id) WHERE work_at IS NOT NULL;

-- The input is kept as sent. The columns from order_id to network contain its meaning, if the payment has no Error.
CREATE TABLE payments (
    account_id TEXT COLLATE "C" NOT NULL,
    batch_id UUID NOT NULL,
    -- The position in the upload.
    input_index BIGINT NOT NULL CHECK (input_index >= 0),
    id UUID NOT NULL,
    status TEXT NOT NULL CHECK (
        status IN ('created', 'validated', 'confirmed', 'started', 'completed', 'failed', 'returned', 'cancelled')
    ),
    order_id UUID,
    budget_id UUID,
    currency TEXT CHECK (length(currency) = 3),
    amount_minor BIGINT CHECK (amount_minor > 0),
    fee_minor BIGINT CHECK (fee_minor >= 0),
    network TEXT CHECK (network IN ('FASTER_PAYMENTS', 'BACS', 'CHAPS', 'SEPA', 'SWIFT')),
    failure TEXT CHECK (
        failure IN ('account_closed', 'account_not_found', 'name_mismatch', 'rejected_by_bank', 'compliance')
    ),
    -- JSON with the member names of the interface.
    input TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    started_at TIMESTAMPTZ,
    -- When to ask the bank for the outcome.
    ask_at TIMESTAMPTZ,
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
);

CREATE INDEX payments_in_status ON payments (account_id, batch_id, status, input_index);
CREATE INDEX payments_to_ask ON payments (account_id, batch_id, ask_at, input_index) WHERE ask_at IS NOT NULL;

-- Alerts of an upload. The position is that in the list: by input index (null first), then in the order of the checks.
CREATE TABLE payment_alerts (
    account_id TEXT COLLATE "C" NOT NULL,
    batch_id UUID NOT NULL,
    position BIGINT NOT NULL CHECK (position >= 0),
    created_at TIMESTAMPTZ NOT NULL,
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
    input_index BIGINT CHECK (input_index >= 0),
    message TEXT NOT NULL,
    PRIMARY KEY (account_id, batch_id, position),
    FOREIGN KEY (account_id, batch_id) REFERENCES payment_batches (account_id, id)
);

CREATE INDEX payment_alerts_of_kind ON payment_alerts (account_id, batch_id, kind, position);
CREATE INDEX payment_alerts_with_code ON payment_alerts (account_id, batch_id, code, position);
CREATE INDEX payment_alerts_by_time ON payment_alerts (account_id, batch_id, created_at, position);
