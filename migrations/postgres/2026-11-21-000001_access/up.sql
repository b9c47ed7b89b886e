-- API clients, their keys and their accounts.
-- In every table: amounts are minor units of the row's currency. Text that rows are ordered by is ordered by code point.

CREATE TABLE clients (
    id UUID NOT NULL PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    -- CIDR networks, separated by spaces; empty means any.
    allowed_networks TEXT NOT NULL
);

CREATE TABLE client_features (
    client_id UUID NOT NULL REFERENCES clients (id),
    feature TEXT NOT NULL CHECK (feature IN ('addresses-lookup')),
    PRIMARY KEY (client_id, feature)
);

CREATE TABLE accounts (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 36),
    client_id UUID NOT NULL REFERENCES clients (id),
    name TEXT NOT NULL,
    merchant BOOLEAN NOT NULL,
    mfa_required BOOLEAN NOT NULL,
    UNIQUE (client_id, id)
);

CREATE TABLE api_keys (
    id UUID NOT NULL PRIMARY KEY,
    client_id UUID NOT NULL REFERENCES clients (id),
    -- SHA-256 of the key, and its first eight bytes as a number. Look-ups use the number and compare the whole hash.
    hash BYTEA NOT NULL UNIQUE CHECK (octet_length(hash) = 32),
    hash_tag BIGINT NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
    -- Separated by spaces.
    scopes TEXT NOT NULL,
    every_account BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ,
    revoked_at TIMESTAMPTZ,
    UNIQUE (client_id, id)
);

CREATE INDEX api_keys_by_hash_tag ON api_keys (hash_tag);
CREATE INDEX api_keys_by_age ON api_keys (created_at, id);

-- The accounts of keys that do not reach every account of their client. Key and account belong to the same client.
CREATE TABLE api_key_accounts (
    client_id UUID NOT NULL,
    key_id UUID NOT NULL,
    account_id TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (client_id, key_id, account_id),
    FOREIGN KEY (client_id, key_id) REFERENCES api_keys (client_id, id),
    FOREIGN KEY (client_id, account_id) REFERENCES accounts (client_id, id)
);
