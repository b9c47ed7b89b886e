-- Whether the names of an account's budgets must be unique. Florin checks it when a budget is created or renamed; budgets
-- that exist already keep their names.

ALTER TABLE accounts ADD COLUMN unique_budget_names INTEGER NOT NULL DEFAULT 0 CHECK (unique_budget_names IN (0, 1));
