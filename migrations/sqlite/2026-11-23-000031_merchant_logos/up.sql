-- The logos of merchants.
CREATE TABLE merchant_logos (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
    id TEXT NOT NULL UNIQUE CHECK (length(id) = 36),
    png BLOB NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;
