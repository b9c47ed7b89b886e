-- Counts journal transactions that do not add up to zero, and balances that disagree with journal, open chains or
-- confirmed batches.
WITH pools AS (
    SELECT e.account_id, e.budget_id, t.currency,
        SUM(CASE WHEN e.pool = 'available' THEN e.amount_minor ELSE 0 END) AS available,
        SUM(CASE WHEN e.pool = 'held' THEN e.amount_minor ELSE 0 END) AS held,
        SUM(CASE WHEN e.pool = 'reserved' THEN e.amount_minor ELSE 0 END) AS reserved
    FROM journal_entries e JOIN journal_transactions t ON t.account_id = e.account_id AND t.id = e.journal_id
    WHERE e.budget_id IS NOT NULL
    GROUP BY e.account_id, e.budget_id, t.currency
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
