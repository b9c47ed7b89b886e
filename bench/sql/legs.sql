-- Copies the journal of the earlier tables into legs. It runs after the data set is loaded, for Florin, and after the
-- baselines have run, so that `florin check` verifies the whole store. Each transaction in these tables has two
-- entries.
INSERT INTO journal_legs (
    account_id, journal_id, line, amount_minor, created_at, kind, cause_id, currency, from_pool, from_budget_id, to_pool, to_budget_id
)
SELECT t.account_id, t.id, 0, g.amount_minor, t.created_at, t.kind, t.cause_id, t.currency, l.pool, l.budget_id, g.pool, g.budget_id
FROM journal_transactions t
JOIN journal_entries l ON l.account_id = t.account_id AND l.journal_id = t.id AND l.amount_minor < 0
JOIN journal_entries g ON g.account_id = t.account_id AND g.journal_id = t.id AND g.amount_minor > 0
WHERE NOT EXISTS (SELECT 1 FROM journal_legs o WHERE o.account_id = t.account_id AND o.journal_id = t.id)
ORDER BY t.account_id, t.id;
-- These legs have no links in the hash chains. Balances count them as movements.
UPDATE balances SET movements = m.movements
FROM (
    SELECT account_id, budget_id, currency, COUNT(*) AS movements
    FROM (
        SELECT account_id, from_budget_id AS budget_id, currency, journal_id
        FROM journal_legs WHERE from_budget_id IS NOT NULL
        UNION
        SELECT account_id, to_budget_id, currency, journal_id
        FROM journal_legs WHERE to_budget_id IS NOT NULL
    ) AS s
    GROUP BY account_id, budget_id, currency
) AS m
WHERE m.account_id = balances.account_id AND m.budget_id = balances.budget_id AND m.currency = balances.currency
