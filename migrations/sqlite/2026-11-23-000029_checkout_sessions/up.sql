-- Sessions of checkouts and top-ups of budgets, their payments and refunds.
--
-- SQLite cannot change a CHECK, so the tables of the journal are recreated for the new kinds and pools. Referencing tables
-- are dropped before the tables that they reference, so that no reference ever dangles and no rows are deleted one by one.

CREATE TABLE new_journal_transactions (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    kind TEXT NOT NULL CHECK (
        kind IN (
            'credit', 'card', 'batch_reservation', 'batch_payout', 'batch_release', 'payment', 'payment_release',
            'payment_return', 'transfer', 'merchant_payment', 'merchant_refund', 'top_up'
        )
    ),
    -- The card message, credit, batch, payment, transfer, or payment of a session that caused it.
    cause_id TEXT NOT NULL CHECK (length(cause_id) = 36),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

INSERT INTO new_journal_transactions SELECT account_id, id, kind, cause_id, currency, created_at FROM journal_transactions;

CREATE TABLE new_journal_entries (
    account_id TEXT NOT NULL,
    journal_id TEXT NOT NULL,
    line INTEGER NOT NULL CHECK (line >= 0),
    pool TEXT NOT NULL CHECK (
        pool IN (
            'available', 'held', 'reserved', 'card_network', 'inbound_payments', 'outbound_payments', 'fees',
            'payer_banks', 'merchant_settled'
        )
    ),
    budget_id TEXT,
    amount_minor INTEGER NOT NULL CHECK (amount_minor <> 0),
    PRIMARY KEY (account_id, journal_id, line),
    FOREIGN KEY (account_id, journal_id) REFERENCES new_journal_transactions (account_id, id),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id),
    CHECK ((budget_id IS NOT NULL) = (pool IN ('available', 'held', 'reserved')))
) STRICT, WITHOUT ROWID;

INSERT INTO new_journal_entries SELECT account_id, journal_id, line, pool, budget_id, amount_minor FROM journal_entries;

CREATE TABLE new_credits (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    number INTEGER NOT NULL CHECK (number > 0),
    budget_id TEXT NOT NULL,
    journal_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    scheme TEXT NOT NULL CHECK (scheme IN ('FasterPayment', 'BACS', 'CHAPS', 'Swift', 'SEPA')),
    remitters_name TEXT NOT NULL,
    remitters_address TEXT NOT NULL,
    beneficiary_name TEXT NOT NULL,
    reference TEXT,
    bank_identifier TEXT,
    account_identifier TEXT,
    order_id TEXT,
    third_party_reference TEXT,
    institution_name TEXT,
    institution_address TEXT,
    -- The budget's balances after the credit.
    available_minor INTEGER NOT NULL,
    held_minor INTEGER NOT NULL CHECK (held_minor >= 0),
    reserved_minor INTEGER NOT NULL CHECK (reserved_minor >= 0),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, number),
    FOREIGN KEY (account_id, budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    FOREIGN KEY (account_id, journal_id) REFERENCES new_journal_transactions (account_id, id)
) STRICT, WITHOUT ROWID;

INSERT INTO new_credits SELECT
    account_id, number, budget_id, journal_id, currency, amount_minor, scheme, remitters_name,
    remitters_address, beneficiary_name, reference, bank_identifier, account_identifier, order_id,
    third_party_reference, institution_name, institution_address, available_minor, held_minor, reserved_minor,
    created_at
FROM credits;

CREATE TABLE new_transfers (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    from_budget_id TEXT NOT NULL,
    to_budget_id TEXT NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    journal_id TEXT NOT NULL,
    reference TEXT,
    created_at INTEGER NOT NULL,
    number INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, from_budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    FOREIGN KEY (account_id, to_budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    FOREIGN KEY (account_id, journal_id) REFERENCES new_journal_transactions (account_id, id),
    CHECK (from_budget_id <> to_budget_id)
) STRICT, WITHOUT ROWID;

INSERT INTO new_transfers SELECT
    account_id, id, from_budget_id, to_budget_id, currency, amount_minor, journal_id, reference, created_at, number
FROM transfers;

DROP TABLE transfers;
DROP TABLE credits;
DROP TABLE journal_entries;
DROP TABLE journal_transactions;

-- References follow renamed tables.
ALTER TABLE new_journal_transactions RENAME TO journal_transactions;
ALTER TABLE new_journal_entries RENAME TO journal_entries;
ALTER TABLE new_credits RENAME TO credits;
ALTER TABLE new_transfers RENAME TO transfers;

CREATE INDEX journal_credits_newest ON journal_transactions (account_id, created_at DESC, id DESC, kind)
    WHERE kind = 'credit';
CREATE INDEX journal_top_ups_newest ON journal_transactions (account_id, created_at DESC, id DESC, kind)
    WHERE kind = 'top_up';
CREATE INDEX credits_by_journal ON credits (account_id, journal_id);
CREATE INDEX transfers_newest ON transfers (account_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX transfers_by_number ON transfers (account_id, number);

CREATE TABLE checkout_sessions (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    purpose TEXT NOT NULL CHECK (purpose IN ('SHOPPING', 'TOP_UP', 'BUDGET')),
    status TEXT NOT NULL CHECK (
        status IN ('OPEN', 'PROCESSING', 'COMPLETED', 'CANCELLED', 'ABANDONED', 'EXPIRED')
    ),
    -- Whether the payer has continued on the page.
    has_begun INTEGER NOT NULL CHECK (has_begun IN (0, 1)),
    checkout_id TEXT,
    settlement_account_id TEXT,
    payee_id TEXT,
    budget_id TEXT,
    -- How the page collects shipping data, as the checkout had it.
    collect_address INTEGER CHECK (collect_address IN (0, 1)),
    dynamic_rates_url TEXT,
    idempotency_key TEXT NOT NULL,
    merchant_reference TEXT,
    description TEXT,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    -- JSON with the member names of the interface; amounts in minor units.
    basket TEXT,
    shipping TEXT,
    locale TEXT,
    return_url TEXT,
    token_hash BLOB NOT NULL CHECK (length(token_hash) = 32),
    payment_reference TEXT NOT NULL CHECK (length(payment_reference) = 10),
    expires_at INTEGER NOT NULL,
    -- When it expires or the bank reports.
    due_at INTEGER,
    payment_id TEXT,
    order_id TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    completed_at INTEGER,
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
) STRICT;

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
    account_id TEXT NOT NULL,
    id TEXT NOT NULL CHECK (length(id) = 36),
    session_id TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('PAYMENT', 'REFUND')),
    status TEXT NOT NULL CHECK (status IN ('PENDING', 'COMPLETED', 'FAILED', 'CANCELLED')),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    bank_id TEXT NOT NULL CHECK (length(bank_id) = 32),
    bank_name TEXT NOT NULL,
    -- What the bank reports, and from when on.
    report TEXT CHECK (report IN ('CONFIRMED', 'REJECTED_BY_BANK', 'TIMED_OUT', 'TECHNICAL_ERROR')),
    report_at INTEGER,
    failure TEXT CHECK (failure IN ('REJECTED_BY_BANK', 'TIMED_OUT', 'TECHNICAL_ERROR')),
    initiated_at INTEGER,
    completed_at INTEGER,
    created_at INTEGER NOT NULL,
    -- Of refunds only.
    refund_id TEXT,
    refunded_payment_id TEXT,
    reason TEXT,
    token_hash BLOB CHECK (length(token_hash) = 32),
    authorise_before INTEGER,
    -- When the time for the authorisation is over, or the bank reports.
    due_at INTEGER,
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
) STRICT;

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
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    secret BLOB NOT NULL
) STRICT;
