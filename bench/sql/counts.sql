SELECT
    (SELECT COUNT(*) FROM card_transactions) AS messages,
    (SELECT COUNT(*) FROM card_chains) AS chains,
    -- Florin writes legs, and the baselines write entries.
    (SELECT COUNT(*) FROM journal_transactions) + (SELECT COUNT(*) FROM journal_legs WHERE line = 0) AS journals,
    (SELECT COUNT(*) FROM journal_entries) + (SELECT 2 * COUNT(*) FROM journal_legs) AS postings,
    (SELECT COUNT(*) FROM idempotency_records) AS records,
    (SELECT COUNT(*) FROM credits) AS credits,
    (SELECT COUNT(*) FROM payment_batches WHERE status = 'confirmed') AS confirmed,
    (SELECT COUNT(*) FROM mfa_sessions WHERE state = 'burnt') AS burnt,
    (SELECT CAST(SUM(available_minor) AS BIGINT) FROM balances) AS available,
    (SELECT CAST(SUM(held_minor) AS BIGINT) FROM balances) AS held,
    (SELECT CAST(SUM(reserved_minor) AS BIGINT) FROM balances) AS reserved
