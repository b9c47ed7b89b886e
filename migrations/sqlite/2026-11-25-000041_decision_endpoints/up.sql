-- The endpoints of accounts that decide on card messages. On SQLite, an earlier migration has added the responses with which they
-- decline, because it recreates the table of messages.

CREATE TABLE decision_endpoints (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
    url TEXT NOT NULL,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    time_limit_ms INTEGER NOT NULL CHECK (time_limit_ms BETWEEN 100 AND 5000),
    -- What happens without a decision.
    fallback TEXT NOT NULL CHECK (fallback IN ('APPROVE', 'DECLINE')),
    -- Encrypted.
    secrets BLOB NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
