-- The audit log: acts of operators and refused authentications. Each record has the hash of the one before.

CREATE TABLE __florin_audit (
    number INTEGER NOT NULL PRIMARY KEY CHECK (number > 0),
    -- Microseconds since 1970.
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    source TEXT NOT NULL,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('begun', 'done', 'failed', 'refused')),
    -- The number of the record in which the act began.
    begun INTEGER CHECK (begun > 0 AND begun < number),
    details TEXT NOT NULL,
    previous TEXT NOT NULL UNIQUE CHECK (length(previous) = 64 AND ltrim(previous, '0123456789abcdef') = ''),
    hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64 AND ltrim(hash, '0123456789abcdef') = '')
) STRICT;

CREATE TRIGGER __florin_audit_update BEFORE UPDATE ON __florin_audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

CREATE TRIGGER __florin_audit_delete BEFORE DELETE ON __florin_audit
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;

-- Whoever may insert can only append to the chain. Without this, INSERT OR REPLACE would delete records unnoticed.
CREATE TRIGGER __florin_audit_append BEFORE INSERT ON __florin_audit
WHEN NEW.number IS NOT (SELECT coalesce(max(number), 0) + 1 FROM __florin_audit)
    OR NEW.previous IS NOT coalesce(
        (SELECT hash FROM __florin_audit ORDER BY number DESC LIMIT 1),
        '0000000000000000000000000000000000000000000000000000000000000000')
    OR EXISTS (SELECT 1 FROM __florin_audit WHERE hash = NEW.hash)
BEGIN
    SELECT RAISE(ABORT, 'the audit log is append-only');
END;
