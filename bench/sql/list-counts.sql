-- The stored numbers of cards, budgets and people.
INSERT INTO card_counts (account_id, state, owner_type, total)
SELECT account_id, state, owner_type, COUNT(*) FROM cards GROUP BY account_id, state, owner_type;
INSERT INTO people_counts (account_id, role, total)
SELECT account_id, role, COUNT(*) FROM people GROUP BY account_id, role;
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
