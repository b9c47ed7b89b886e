-- Whether the names of an account's budgets must be unique. Florin checks it when a budget is created or renamed. Budgets that
-- have the same name before keep it.
ALTER TABLE accounts ADD COLUMN unique_budget_names INTEGER NOT NULL DEFAULT 0 CHECK (unique_budget_names IN (0, 1));

-- The number in the account's sequence that a top-up, a payment or its return took; of its first leg only. Earlier ones were
-- not recorded.
ALTER TABLE journal_legs ADD COLUMN number INTEGER CHECK (number > 0);

CREATE UNIQUE INDEX journal_numbers ON journal_legs (account_id, number) WHERE number IS NOT NULL;
CREATE INDEX journal_numbers_by_cause ON journal_legs (account_id, cause_id, kind, number) WHERE number IS NOT NULL;

-- Earlier snapshots lack the new column. They can't be restored, and need no space.
UPDATE world_snapshots SET contents = '';
