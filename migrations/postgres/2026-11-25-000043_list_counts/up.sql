-- Numbers of cards and budgets, so that a list is counted without reading it. Every change of cards and budgets updates
-- them. No row means zero.

CREATE TABLE card_counts (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    state TEXT NOT NULL,
    owner_type TEXT NOT NULL,
    total BIGINT NOT NULL CHECK (total >= 0),
    PRIMARY KEY (account_id, state, owner_type)
);

CREATE TABLE budget_counts (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    -- The parent of the budgets; empty for any.
    below TEXT NOT NULL,
    -- A currency that the budgets hold; empty for any.
    held TEXT NOT NULL,
    total BIGINT NOT NULL CHECK (total >= 0),
    PRIMARY KEY (account_id, below, held)
);

INSERT INTO card_counts (account_id, state, owner_type, total)
SELECT account_id, state, owner_type, COUNT(*) FROM cards GROUP BY account_id, state, owner_type;

INSERT INTO budget_counts (account_id, below, held, total)
SELECT account_id, '', '', COUNT(*) FROM budgets GROUP BY account_id
UNION ALL
SELECT account_id, CAST(parent_id AS TEXT), '', COUNT(*) FROM budgets WHERE parent_id IS NOT NULL GROUP BY account_id, parent_id
UNION ALL
SELECT account_id, '', currency, COUNT(*) FROM balances GROUP BY account_id, currency
UNION ALL
SELECT b.account_id, CAST(b.parent_id AS TEXT), e.currency, COUNT(*)
FROM budgets b JOIN balances e ON e.account_id = b.account_id AND e.budget_id = b.id
WHERE b.parent_id IS NOT NULL GROUP BY b.account_id, b.parent_id, e.currency;

-- Lists of the budgets below one, and of the cards of one kind of owner, in the order of the list.
DROP INDEX budgets_by_parent;
CREATE INDEX budgets_by_parent ON budgets (account_id, parent_id, name, id);
CREATE INDEX cards_by_owner ON cards (account_id, owner_type, name, id);

-- Earlier snapshots lack the new tables. They can't be restored, and need no space.
UPDATE world_snapshots SET contents = '';
