-- Idempotency records, and the addresses that an operator imported.

CREATE TABLE idempotency_records (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    client_id TEXT NOT NULL CHECK (length(client_id) = 36),
    idempotency_key TEXT NOT NULL CHECK (length(idempotency_key) BETWEEN 1 AND 255),
    method TEXT NOT NULL,
    path TEXT NOT NULL,
    query TEXT NOT NULL,
    -- The body as canonical JSON, or its hash if it contains secrets.
    body_form TEXT NOT NULL CHECK (body_form IN ('json', 'hash')),
    body TEXT NOT NULL,
    answer_status INTEGER NOT NULL CHECK (answer_status BETWEEN 200 AND 299),
    answer_body TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, client_id, idempotency_key)
) STRICT;

CREATE INDEX idempotency_records_by_age ON idempotency_records (created_at);

CREATE TABLE imported_addresses (
    postcode TEXT NOT NULL,
    -- The position in the file.
    position INTEGER NOT NULL CHECK (position >= 0),
    address_line1 TEXT NOT NULL,
    address_line2 TEXT NOT NULL,
    address_line3 TEXT NOT NULL,
    city TEXT NOT NULL,
    county TEXT NOT NULL,
    PRIMARY KEY (postcode, position)
) STRICT, WITHOUT ROWID;
