-- Payment batches, and the MFA sessions of their confirmation.

CREATE TABLE payment_batches (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL CHECK (
        status IN ('draft', 'validated', 'confirmed', 'started', 'completed', 'failed', 'cancelled')
    ),
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    confirmed_at TIMESTAMPTZ,
    passed_mfa_check_at TIMESTAMPTZ,
    PRIMARY KEY (account_id, id),
    CHECK (status NOT IN ('draft', 'validated') OR confirmed_at IS NULL),
    CHECK (status NOT IN ('confirmed', 'started', 'completed', 'failed') OR confirmed_at IS NOT NULL),
    CHECK (passed_mfa_check_at IS NULL OR confirmed_at IS NOT NULL)
);

-- A payment order: the payments of a batch in one currency from one funding budget.
CREATE TABLE payment_orders (
    account_id TEXT COLLATE "C" NOT NULL,
    batch_id UUID NOT NULL,
    position BIGINT NOT NULL CHECK (position >= 0),
    id UUID NOT NULL,
    budget_id UUID NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    total_minor BIGINT NOT NULL CHECK (total_minor > 0),
    PRIMARY KEY (account_id, batch_id, position),
    UNIQUE (account_id, batch_id, budget_id, currency),
    FOREIGN KEY (account_id, batch_id) REFERENCES payment_batches (account_id, id),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id)
);

CREATE TABLE mfa_sessions (
    account_id TEXT COLLATE "C" NOT NULL,
    id UUID NOT NULL,
    client_id UUID NOT NULL REFERENCES clients (id),
    batch_id UUID NOT NULL,
    provider TEXT NOT NULL CHECK (provider IN ('totp', 'sandbox')),
    state TEXT NOT NULL CHECK (state IN ('open', 'burnt', 'locked', 'expired')),
    wrong_tokens BIGINT NOT NULL CHECK (wrong_tokens >= 0),
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, batch_id) REFERENCES payment_batches (account_id, id)
);

CREATE TABLE totp_enrolments (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    secret BYTEA NOT NULL,
    -- The recently used RFC 6238 time steps, separated by spaces.
    used_steps TEXT NOT NULL,
    -- Times of wrong tokens within the last hour, separated by spaces.
    wrong_at TEXT NOT NULL,
    locked_until TIMESTAMPTZ
);
