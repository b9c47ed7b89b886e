-- Timelines of accounts; and worlds, which are accounts that are created, restored and deleted over the API.

-- No row: real time, random ids.
CREATE TABLE timelines (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    -- How far a running clock is ahead of real time, in microseconds.
    ahead_micros BIGINT NOT NULL,
    -- The time at which the clock is frozen; null if it runs.
    frozen_at TIMESTAMPTZ,
    -- The seed of ids, in hexadecimal digits; null means random ids.
    seed TEXT CHECK (length(seed) = 64),
    -- The last request number.
    last_number BIGINT NOT NULL CHECK (last_number >= 0),
    CHECK (frozen_at IS NULL OR ahead_micros = 0)
);

CREATE TABLE worlds (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    client_id UUID NOT NULL REFERENCES clients (id),
    template TEXT NOT NULL CHECK (template IN ('demo', 'empty', 'snapshot')),
    -- As the caller wrote it.
    seed_text TEXT CHECK (length(seed_text) BETWEEN 1 AND 64),
    -- In real time.
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    -- The idempotency key and a hash of the request that created the world. The answer is not stored, because it contains a secret.
    made_under TEXT CHECK (length(made_under) BETWEEN 1 AND 255),
    request_hash TEXT CHECK (length(request_hash) = 64),
    CHECK ((made_under IS NULL) = (request_hash IS NULL))
);

CREATE INDEX worlds_by_age ON worlds (client_id, created_at DESC, account_id);
CREATE INDEX worlds_by_end ON worlds (expires_at, account_id);
CREATE UNIQUE INDEX worlds_made_under ON worlds (client_id, made_under) WHERE made_under IS NOT NULL;

CREATE TABLE world_snapshots (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES worlds (account_id),
    id UUID NOT NULL,
    name TEXT CHECK (length(name) BETWEEN 1 AND 64),
    -- By the world's clock.
    created_at TIMESTAMPTZ NOT NULL,
    row_count BIGINT NOT NULL CHECK (row_count >= 0),
    -- The last migration when the snapshot was taken: rows of another schema cannot be restored.
    schema_name TEXT NOT NULL,
    -- One line of JSON per row, as in an export.
    contents TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
);

-- Due holds of accounts with clocks of their own.
CREATE INDEX card_chains_due_of_account ON card_chains (account_id, due_at, id) WHERE due_at IS NOT NULL;
