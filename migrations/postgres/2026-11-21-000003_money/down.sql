DROP TABLE credits;
DROP TABLE credit_counters;
DROP TABLE journal_entries;
DROP TABLE journal_transactions;
DROP TABLE balances;
DROP TABLE budgets;
