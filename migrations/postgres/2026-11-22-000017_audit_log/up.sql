-- The audit log: acts of operators and refused authentications. Each record has the hash of the one before.

CREATE TABLE __florin_audit (
    number BIGINT NOT NULL PRIMARY KEY CHECK (number > 0),
    -- Microseconds since 1970.
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    source TEXT NOT NULL,
    action TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('begun', 'done', 'failed', 'refused')),
    -- The number of the record in which the act began.
    begun BIGINT CHECK (begun > 0 AND begun < number),
    details TEXT NOT NULL,
    previous TEXT NOT NULL UNIQUE CHECK (length(previous) = 64 AND ltrim(previous, '0123456789abcdef') = ''),
    hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64 AND ltrim(hash, '0123456789abcdef') = '')
);

CREATE FUNCTION __florin_audit_is_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit log is append-only';
END;
$$;

CREATE TRIGGER __florin_audit_change BEFORE UPDATE OR DELETE ON __florin_audit
    FOR EACH ROW EXECUTE FUNCTION __florin_audit_is_append_only();

CREATE TRIGGER __florin_audit_truncate BEFORE TRUNCATE ON __florin_audit
    FOR EACH STATEMENT EXECUTE FUNCTION __florin_audit_is_append_only();

-- Whoever may insert can only append to the chain.
CREATE FUNCTION __florin_audit_continues() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    last RECORD;
BEGIN
    SELECT number, hash INTO last FROM __florin_audit ORDER BY number DESC LIMIT 1;
    IF NEW.number <> coalesce(last.number, 0) + 1 OR NEW.previous <> coalesce(last.hash, repeat('0', 64)) THEN
        RAISE EXCEPTION 'the audit log is append-only';
    END IF;
    RETURN NEW;
END;
$$;

CREATE TRIGGER __florin_audit_append BEFORE INSERT ON __florin_audit
    FOR EACH ROW EXECUTE FUNCTION __florin_audit_continues();
