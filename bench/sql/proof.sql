-- Counts journal transactions whose entries do not add up to zero, and balances that disagree with the journal, open
-- chains or confirmed batches. The journal is the legs of Florin, and the entries of the baselines that were not
-- copied into legs.
WITH moved AS (
    SELECT account_id, from_budget_id AS budget_id, currency, from_pool AS pool, -amount_minor AS amount_minor FROM journal_legs
    UNION ALL
    SELECT account_id, to_budget_id, currency, to_pool, amount_minor FROM journal_legs
    UNION ALL
    SELECT e.account_id, e.budget_id, t.currency, e.pool, e.amount_minor
    FROM journal_entries e JOIN journal_transactions t ON t.account_id = e.account_id AND t.id = e.journal_id
    WHERE NOT EXISTS (SELECT 1 FROM journal_legs l WHERE l.account_id = e.account_id AND l.journal_id = e.journal_id)
), pools AS (
    SELECT account_id, budget_id, currency,
        SUM(CASE WHEN pool = 'available' THEN amount_minor ELSE 0 END) AS available,
        SUM(CASE WHEN pool = 'held' THEN amount_minor ELSE 0 END) AS held,
        SUM(CASE WHEN pool = 'reserved' THEN amount_minor ELSE 0 END) AS reserved
    FROM moved
    WHERE budget_id IS NOT NULL
    GROUP BY account_id, budget_id, currency
), holds AS (
    SELECT account_id, budget_id, currency, SUM(held_minor) AS held
    FROM card_chains WHERE ended_by IS NULL GROUP BY account_id, budget_id, currency
), reservations AS (
    SELECT o.account_id, o.budget_id, o.currency, SUM(o.total_minor) AS reserved
    FROM payment_orders o JOIN payment_batches b ON b.account_id = o.account_id AND b.id = o.batch_id
    WHERE b.status = 'confirmed' GROUP BY o.account_id, o.budget_id, o.currency
), unbalanced AS (
    SELECT 1 FROM journal_entries GROUP BY account_id, journal_id HAVING SUM(amount_minor) <> 0
)
SELECT
    (SELECT COUNT(*) FROM unbalanced) AS unbalanced,
    (SELECT COUNT(*) FROM balances s LEFT JOIN pools p
        ON p.account_id = s.account_id AND p.budget_id = s.budget_id AND p.currency = s.currency
        WHERE s.available_minor <> COALESCE(p.available, 0) OR s.held_minor <> COALESCE(p.held, 0)
            OR s.reserved_minor <> COALESCE(p.reserved, 0)) AS unproved,
    (SELECT COUNT(*) FROM balances s LEFT JOIN holds h
        ON h.account_id = s.account_id AND h.budget_id = s.budget_id AND h.currency = s.currency
        WHERE s.held_minor <> COALESCE(h.held, 0)) AS unheld,
    (SELECT COUNT(*) FROM balances s LEFT JOIN reservations r
        ON r.account_id = s.account_id AND r.budget_id = s.budget_id AND r.currency = s.currency
        WHERE s.reserved_minor <> COALESCE(r.reserved, 0)) AS unreserved
