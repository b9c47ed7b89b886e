-- Secrets are encrypted under a key of the operator, and locks of TOTP take longer each time.

-- The key that the store is bound to, by its id. A sandbox of a database server keeps the key itself.
CREATE TABLE __florin_secret_key (
    id SMALLINT NOT NULL PRIMARY KEY CHECK (id = 1),
    key_id BYTEA NOT NULL CHECK (octet_length(key_id) = 8),
    kept BYTEA CHECK (octet_length(kept) = 32)
);

-- The first byte of a stored secret says how it is stored: 0 in clear, until the next start encrypts it.
UPDATE totp_enrolments SET secret = '\x00'::bytea || secret;

-- Wrong tokens that are not forgiven yet, and the time from which the next one is forgiven.
ALTER TABLE totp_enrolments ADD COLUMN unforgiven BIGINT NOT NULL DEFAULT 0 CHECK (unforgiven >= 0);
ALTER TABLE totp_enrolments ADD COLUMN forgiven_at TIMESTAMPTZ;

-- Snapshots of the older schema can't be restored, but they contain secrets in clear.
UPDATE world_snapshots SET contents = '';
