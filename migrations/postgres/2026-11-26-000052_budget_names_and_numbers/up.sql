-- Whether the names of an account's budgets must be unique. Florin checks it when a budget is created or renamed; budgets
-- that exist already keep their names.

ALTER TABLE accounts ADD COLUMN unique_budget_names BOOLEAN NOT NULL DEFAULT FALSE;
