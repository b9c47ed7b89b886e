-- API clients, their keys and their accounts.
-- In every table: ids are lower-case hyphenated UUIDs, times are microseconds since 1970-01-01T00:00:00Z,
-- dates are YYYY-MM-DD, amounts are minor units of the row's currency.

CREATE TABLE clients (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    name TEXT NOT NULL,
    -- CIDR networks, separated by spaces; empty means any.
    allowed_networks TEXT NOT NULL
) STRICT;

CREATE TABLE client_features (
    client_id TEXT NOT NULL REFERENCES clients (id),
    feature TEXT NOT NULL CHECK (feature IN ('addresses-lookup')),
    PRIMARY KEY (client_id, feature)
) STRICT, WITHOUT ROWID;

CREATE TABLE accounts (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) BETWEEN 1 AND 36),
    client_id TEXT NOT NULL REFERENCES clients (id),
    name TEXT NOT NULL,
    merchant INTEGER NOT NULL CHECK (merchant IN (0, 1)),
    mfa_required INTEGER NOT NULL CHECK (mfa_required IN (0, 1)),
    UNIQUE (client_id, id)
) STRICT;

CREATE TABLE api_keys (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 36),
    client_id TEXT NOT NULL REFERENCES clients (id),
    -- SHA-256 of the key, and its first eight bytes as a number. Look-ups use the number and compare the whole hash.
    hash BLOB NOT NULL UNIQUE CHECK (length(hash) = 32),
    hash_tag INTEGER NOT NULL,
    environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production')),
    -- Separated by spaces.
    scopes TEXT NOT NULL,
    every_account INTEGER NOT NULL CHECK (every_account IN (0, 1)),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    UNIQUE (client_id, id)
) STRICT;

CREATE INDEX api_keys_by_hash_tag ON api_keys (hash_tag);
CREATE INDEX api_keys_by_age ON api_keys (created_at, id);

-- The accounts of keys that do not reach every account of their client. Key and account belong to the same client.
CREATE TABLE api_key_accounts (
    client_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    PRIMARY KEY (client_id, key_id, account_id),
    FOREIGN KEY (client_id, key_id) REFERENCES api_keys (client_id, id),
    FOREIGN KEY (client_id, account_id) REFERENCES accounts (client_id, id)
) STRICT, WITHOUT ROWID;
