-- The logos of merchants.
CREATE TABLE merchant_logos (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    id UUID NOT NULL UNIQUE,
    png BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL
);
