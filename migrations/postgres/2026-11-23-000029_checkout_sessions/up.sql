-- Sessions of checkouts and top-ups of budgets, their payments and refunds.

ALTER TABLE journal_transactions
DROP CONSTRAINT journal_transactions_kind_check,
ADD CONSTRAINT journal_transactions_kind_check CHECK (
        kind IN (
            'credit', 'card', 'batch_reservation', 'batch_payout', 'batch_release', 'payment', 'payment_release',
            'payment_return', 'transfer', 'merchant_payment', 'merchant_refund', 'top_up'
        )
    );

ALTER TABLE journal_entries
DROP CONSTRAINT journal_entries_pool_check,
ADD CONSTRAINT journal_entries_pool_check CHECK (
        pool IN (
            'available', 'held', 'reserved', 'card_network', 'inbound_payments', 'outbound_payments', 'fees',
            'payer_banks', 'merchant_settled'
        )
    );

CREATE INDEX journal_top_ups_newest ON journal_transactions (account_id, created_at DESC, id DESC, kind)
    WHERE kind = 'top_up';

CREATE TABLE checkout_sessions (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    purpose TEXT NOT NULL CHECK (purpose IN ('SHOPPING', 'TOP_UP', 'BUDGET')),
    status TEXT NOT NULL CHECK (
        status IN ('OPEN', 'PROCESSING', 'COMPLETED', 'CANCELLED', 'ABANDONED', 'EXPIRED')
    ),
    -- Whether the payer has continued on the page.
    has_begun BOOLEAN NOT NULL,
    checkout_id UUID,
    settlement_account_id UUID,
    payee_id UUID,
    budget_id UUID,
    -- How the page collects shipping data, as the checkout had it.
    collect_address BOOLEAN,
    dynamic_rates_url TEXT,
    idempotency_key TEXT NOT NULL,
    merchant_reference TEXT,
    description TEXT,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    -- JSON with the member names of the interface; amounts in minor units.
    basket TEXT,
    shipping TEXT,
    locale TEXT,
    return_url TEXT,
    token_hash BYTEA NOT NULL CHECK (length(token_hash) = 32),
    payment_reference TEXT NOT NULL CHECK (length(payment_reference) = 10),
    expires_at TIMESTAMPTZ NOT NULL,
    -- When it expires or the bank reports.
    due_at TIMESTAMPTZ,
    payment_id UUID,
    order_id UUID,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    completed_at TIMESTAMPTZ,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, checkout_id) REFERENCES checkouts (account_id, id),
    FOREIGN KEY (account_id, payee_id) REFERENCES payees (account_id, id),
    FOREIGN KEY (account_id, budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    CHECK ((settlement_account_id IS NOT NULL) = (purpose = 'SHOPPING')),
    CHECK ((payee_id IS NOT NULL) = (purpose = 'TOP_UP')),
    CHECK ((budget_id IS NOT NULL) = (purpose = 'BUDGET')),
    CHECK ((checkout_id IS NULL) = (purpose = 'BUDGET')),
    CHECK ((payment_id IS NOT NULL) = (status = 'COMPLETED')),
    CHECK ((completed_at IS NOT NULL) = (status = 'COMPLETED')),
    CHECK ((due_at IS NOT NULL) = (status IN ('OPEN', 'PROCESSING')))
);

CREATE INDEX checkout_sessions_by_token ON checkout_sessions (token_hash);
CREATE UNIQUE INDEX checkout_sessions_by_reference ON checkout_sessions (account_id, payment_reference);
-- Sessions and top-ups have separate idempotency keys.
CREATE UNIQUE INDEX checkout_sessions_by_key ON checkout_sessions (account_id, idempotency_key) WHERE purpose <> 'BUDGET';
CREATE UNIQUE INDEX checkout_sessions_by_top_up_key ON checkout_sessions (account_id, idempotency_key)
    WHERE purpose = 'BUDGET';
CREATE INDEX checkout_sessions_newest ON checkout_sessions (account_id, created_at DESC, id DESC);
CREATE INDEX checkout_sessions_by_checkout ON checkout_sessions (account_id, checkout_id, created_at DESC, id DESC);
CREATE INDEX checkout_sessions_by_merchant ON checkout_sessions (account_id, merchant_reference);
CREATE UNIQUE INDEX checkout_sessions_by_order ON checkout_sessions (account_id, order_id) WHERE order_id IS NOT NULL;
CREATE INDEX checkout_sessions_due ON checkout_sessions (due_at, account_id, id) WHERE due_at IS NOT NULL;
-- Sessions that may still pay into a settlement account.
CREATE INDEX checkout_sessions_paying ON checkout_sessions (account_id, settlement_account_id)
    WHERE status IN ('OPEN', 'PROCESSING');

CREATE TABLE merchant_payments (
    account_id TEXT COLLATE "C" NOT NULL,
    id UUID NOT NULL,
    session_id UUID NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('PAYMENT', 'REFUND')),
    status TEXT NOT NULL CHECK (status IN ('PENDING', 'COMPLETED', 'FAILED', 'CANCELLED')),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    bank_id TEXT COLLATE "C" NOT NULL CHECK (length(bank_id) = 32),
    bank_name TEXT NOT NULL,
    -- What the bank reports, and from when on.
    report TEXT CHECK (report IN ('CONFIRMED', 'REJECTED_BY_BANK', 'TIMED_OUT', 'TECHNICAL_ERROR')),
    report_at TIMESTAMPTZ,
    failure TEXT CHECK (failure IN ('REJECTED_BY_BANK', 'TIMED_OUT', 'TECHNICAL_ERROR')),
    initiated_at TIMESTAMPTZ,
    completed_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    -- Of refunds only.
    refund_id UUID,
    refunded_payment_id UUID,
    reason TEXT,
    token_hash BYTEA CHECK (length(token_hash) = 32),
    authorise_before TIMESTAMPTZ,
    -- When the time for the authorisation is over, or the bank reports.
    due_at TIMESTAMPTZ,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, session_id) REFERENCES checkout_sessions (account_id, id),
    -- Checked at the end: an import inserts rows by their ids.
    FOREIGN KEY (account_id, refunded_payment_id) REFERENCES merchant_payments (account_id, id)
        DEFERRABLE INITIALLY DEFERRED,
    CHECK ((report IS NULL) = (report_at IS NULL)),
    CHECK ((failure IS NOT NULL) = (status = 'FAILED')),
    CHECK ((completed_at IS NOT NULL) = (status = 'COMPLETED')),
    CHECK ((refund_id IS NOT NULL) = (kind = 'REFUND')),
    CHECK ((refunded_payment_id IS NOT NULL) = (kind = 'REFUND')),
    CHECK ((token_hash IS NOT NULL) = (kind = 'REFUND')),
    CHECK ((authorise_before IS NOT NULL) = (kind = 'REFUND')),
    CHECK ((due_at IS NOT NULL) = (kind = 'REFUND' AND status = 'PENDING'))
);

CREATE INDEX merchant_payments_by_token ON merchant_payments (token_hash) WHERE token_hash IS NOT NULL;
CREATE UNIQUE INDEX merchant_payments_by_refund ON merchant_payments (account_id, refund_id) WHERE refund_id IS NOT NULL;
CREATE INDEX merchant_payments_newest ON merchant_payments (account_id, created_at DESC, id DESC);
CREATE INDEX merchant_payments_by_session ON merchant_payments (account_id, session_id, created_at DESC, id DESC);
CREATE INDEX merchant_payments_refunding ON merchant_payments (account_id, refunded_payment_id)
    WHERE refunded_payment_id IS NOT NULL;
CREATE INDEX merchant_payments_due ON merchant_payments (due_at, account_id, id) WHERE due_at IS NOT NULL;
-- A session has one payment that is not final, and one that completed it.
CREATE UNIQUE INDEX merchant_payments_pending ON merchant_payments (account_id, session_id)
    WHERE kind = 'PAYMENT' AND status = 'PENDING';
CREATE UNIQUE INDEX merchant_payments_completed ON merchant_payments (account_id, session_id)
    WHERE kind = 'PAYMENT' AND status = 'COMPLETED';

-- The secret from which the tokens of payment pages follow: one row.
CREATE TABLE page_secrets (
    id BIGINT NOT NULL PRIMARY KEY CHECK (id = 1),
    secret BYTEA NOT NULL
);
