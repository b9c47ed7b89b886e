-- Payment batches, and the MFA sessions of their confirmation.

CREATE TABLE payment_batches (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (
        status IN ('draft', 'validated', 'confirmed', 'started', 'completed', 'failed', 'cancelled')
    ),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    confirmed_at INTEGER,
    passed_mfa_check_at INTEGER,
    PRIMARY KEY (account_id, id),
    CHECK (status NOT IN ('draft', 'validated') OR confirmed_at IS NULL),
    CHECK (status NOT IN ('confirmed', 'started', 'completed', 'failed') OR confirmed_at IS NOT NULL),
    CHECK (passed_mfa_check_at IS NULL OR confirmed_at IS NOT NULL)
) STRICT, WITHOUT ROWID;

-- A payment order: the payments of a batch in one currency from one funding budget.
CREATE TABLE payment_orders (
    account_id TEXT NOT NULL,
    batch_id TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position >= 0),
    id TEXT NOT NULL CHECK (length(id) = 36),
    budget_id TEXT NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    total_minor INTEGER NOT NULL CHECK (total_minor > 0),
    PRIMARY KEY (account_id, batch_id, position),
    UNIQUE (account_id, batch_id, budget_id, currency),
    FOREIGN KEY (account_id, batch_id) REFERENCES payment_batches (account_id, id),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE mfa_sessions (
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
    FOREIGN KEY (account_id, batch_id) REFERENCES payment_batches (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE totp_enrolments (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
    secret BLOB NOT NULL,
    -- The recently used RFC 6238 time steps, separated by spaces.
    used_steps TEXT NOT NULL,
    -- Times of wrong tokens within the last hour, separated by spaces.
    wrong_at TEXT NOT NULL,
    locked_until INTEGER
) STRICT, WITHOUT ROWID;
