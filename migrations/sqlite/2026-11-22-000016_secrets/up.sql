-- Secrets are encrypted under a key of the operator, and locks of TOTP take longer each time.

-- The key that the store is bound to, by its id. A sandbox of a database server keeps the key itself.
CREATE TABLE __florin_secret_key (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    key_id BLOB NOT NULL CHECK (length(key_id) = 8),
    kept BLOB CHECK (length(kept) = 32)
) STRICT;

-- The first byte of a stored secret says how it is stored: 0 in clear, until the next start encrypts it.
UPDATE totp_enrolments SET secret = CAST(X'00' || secret AS BLOB);

-- Wrong tokens that are not forgiven yet, and the time from which the next one is forgiven.
ALTER TABLE totp_enrolments ADD COLUMN unforgiven INTEGER NOT NULL DEFAULT 0 CHECK (unforgiven >= 0);
ALTER TABLE totp_enrolments ADD COLUMN forgiven_at INTEGER;

-- Snapshots of the older schema can't be restored, but they contain secrets in clear.
UPDATE world_snapshots SET contents = '';
