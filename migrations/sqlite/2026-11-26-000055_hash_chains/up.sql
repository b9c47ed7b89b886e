-- Hash chains of the journal: the last link of each balance, and of the settlements of each account.
ALTER TABLE balances ADD COLUMN last_link INTEGER NOT NULL DEFAULT 0 CHECK (last_link >= 0);
ALTER TABLE balances ADD COLUMN last_hash BLOB
CHECK (length(last_hash) = 32) CHECK ((last_hash IS NULL) = (last_link = 0));
ALTER TABLE credit_counters ADD COLUMN last_link INTEGER NOT NULL DEFAULT 0 CHECK (last_link >= 0);
ALTER TABLE credit_counters ADD COLUMN last_hash BLOB
CHECK (length(last_hash) = 32) CHECK ((last_hash IS NULL) = (last_link = 0));

-- The links of a leg: its number and its hash in the chain of the pool that it takes from, and in that of the other pool if it is
-- another chain. Earlier legs have none.
ALTER TABLE journal_legs ADD COLUMN from_link INTEGER CHECK (from_link > 0);
ALTER TABLE journal_legs ADD COLUMN to_link INTEGER CHECK (to_link > 0);
ALTER TABLE journal_legs ADD COLUMN from_hash BLOB
CHECK (length(from_hash) = 32) CHECK ((from_hash IS NULL) = (from_link IS NULL));
ALTER TABLE journal_legs ADD COLUMN to_hash BLOB
CHECK (length(to_hash) = 32) CHECK ((to_hash IS NULL) = (to_link IS NULL));

-- The counter of movements starts at zero in every balance, so that the check of a chain knows how many earlier legs there are.
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
    AND m.movements <> balances.movements;

-- Checkpoints that relied on the difference are created again by the next explanation.
DELETE FROM balance_coverage WHERE uncounted <> 0;

-- Earlier snapshots lack the new columns. They can't be restored, and need no space. An instance of the earlier version must not
-- take the empty contents for a snapshot of its schema.
UPDATE world_snapshots SET contents = '', schema_name = '';
