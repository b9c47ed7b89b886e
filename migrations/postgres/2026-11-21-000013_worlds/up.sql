-- The time of accounts, and worlds: accounts that are made, put back and deleted over the API.

-- No row: real time, random ids.
CREATE TABLE timelines (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    -- How far the clock is ahead of real time, in microseconds, while it runs.
    ahead_micros BIGINT NOT NULL,
    -- Where it stands still.
    frozen_at TIMESTAMPTZ,
    -- What ids follow from, in hexadecimal digits; none: they are random.
    seed TEXT CHECK (length(seed) = 64),
    -- How many requests were numbered.
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
    -- The idempotency key of the request that made it, and a hash of that. The answer is not kept: a secret was in it.
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
    -- In the time of the world.
    created_at TIMESTAMPTZ NOT NULL,
    row_count BIGINT NOT NULL CHECK (row_count >= 0),
    -- The last migration when it was taken: rows of another schema can't be put back.
    schema_name TEXT NOT NULL,
    -- A line of JSON for each row, like an export.
    contents TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
);

-- Due holds of accounts that go by their own time.
CREATE INDEX card_chains_due_of_account ON card_chains (account_id, due_at, id) WHERE due_at IS NOT NULL;
