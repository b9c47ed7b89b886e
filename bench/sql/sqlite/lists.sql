-- The accounts of sql/postgres/lists.sql, on SQLite.
CREATE TEMP TABLE numbers (n INTEGER PRIMARY KEY);
WITH RECURSIVE r (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < max({budgets}, {cards}, {movements}, 1000))
INSERT INTO numbers SELECT n FROM r;
CREATE TEMP VIEW clock AS SELECT CAST(unixepoch('now') AS INTEGER) * 1000 AS millis;
CREATE TEMP TABLE sizes (account TEXT, kind INTEGER, budgets INTEGER, cards INTEGER, movements INTEGER);
INSERT INTO sizes VALUES
    ('few', 1, 1000, 1000, 0), ('many', 2, {budgets}, {cards}, 0), ('short', 3, 1, 0, 1000), ('long', 4, 1, 0, {movements});

INSERT INTO clients (id, name, allowed_networks) VALUES (bench_id(1, 1), 'Benchmark', '');
INSERT INTO accounts (id, client_id, name, merchant, mfa_required)
SELECT account, bench_id(1, 1), account, 1, 1 FROM sizes;
INSERT INTO credit_counters (account_id, last_number) SELECT account, 0 FROM sizes;
-- SHA-256 of `florin_sandbox_` followed by 64 times `b`, and its first eight bytes as a number.
INSERT INTO api_keys (id, client_id, hash, hash_tag, environment, scopes, every_account, created_at)
SELECT bench_id(2, 1), bench_id(1, 1), x'1015d342b24745e33918b74a5f2d469a91595054cdcddba14dadd239474d101f', 1159064762530088419,
    'sandbox', 'budgets:read:any cards:read:any people:read:any', 1, millis * 1000
FROM clock;

INSERT INTO budgets (account_id, id, name, parent_id, features, kind, status)
SELECT account, bench_id(kind, n), CASE n WHEN 0 THEN 'Account' ELSE 'Budget ' || n END,
    CASE WHEN n > 0 THEN bench_id(kind, 0) END, '', CASE n WHEN 0 THEN 'accountBalance' ELSE 'shared' END, 'active'
FROM sizes, numbers WHERE n <= budgets;
INSERT INTO balances (account_id, budget_id, currency, available_minor, held_minor, reserved_minor, movements)
SELECT account, bench_id(kind, n), 'GBP', CASE n WHEN 1 THEN movements * 100 ELSE 0 END, 0, 0, CASE n WHEN 1 THEN movements ELSE 0 END
FROM sizes, numbers WHERE n <= budgets;

INSERT INTO people (
    account_id, id, persona_id, first_name, last_name, email, email_key, role, status, created_at, updated_at
)
SELECT account, bench_id(kind + 24, n), bench_id(kind + 32, n), 'Person', CAST(n AS TEXT), account || n || '@example.com',
    account || n || '@example.com', CASE n % 10 WHEN 0 THEN 'Payer' ELSE 'User' END, 'active',
    (millis - n * 1000) * 1000, (millis - n * 1000) * 1000
FROM clock, sizes, numbers WHERE n BETWEEN 1 AND budgets;

INSERT INTO cards (account_id, id, budget_id, currency, state, user_token, expires_on, name, created_at)
SELECT account, bench_id(kind + 8, n), bench_id(kind, 1 + n % budgets), 'GBP', CASE n % 10 WHEN 0 THEN 'SUSPENDED' ELSE 'ACTIVE' END,
    bench_id(kind + 16, n), '2099-12-31', 'Holder ' || n, (millis - n * 1000) * 1000
FROM clock, sizes, numbers WHERE n BETWEEN 1 AND cards;
INSERT INTO card_words (account_id, word, card_id)
SELECT account, CASE w WHEN 0 THEN 'holder ' || n WHEN 1 THEN CAST(n AS TEXT) ELSE printf('q%04d', n % 10000) END, bench_id(kind + 8, n)
FROM sizes, numbers, (SELECT 0 AS w UNION ALL SELECT 1 UNION ALL SELECT 2) WHERE n BETWEEN 1 AND cards ORDER BY 1, 2, 3;

CREATE TEMP TABLE moved AS
SELECT account, kind, n, millis - 1000 * (movements - n) - 3600000 AS at FROM clock, sizes, numbers WHERE n BETWEEN 1 AND movements;
CREATE TEMP VIEW moved_ids AS
SELECT account, kind, n, at, printf('%08x-%04x-7000-8000-%012x', at >> 16, at & 65535, n) AS id FROM moved;
INSERT INTO journal_legs (
    account_id, journal_id, line, amount_minor, created_at, kind, cause_id, currency, from_pool, to_pool, to_budget_id
)
SELECT account, id, 0, 100, at * 1000, CASE n % 3 WHEN 0 THEN 'card' ELSE 'credit' END, id, 'GBP', 'inbound_payments', 'available',
    bench_id(kind, 1)
FROM moved_ids ORDER BY account, n;
DROP VIEW moved_ids;
DROP TABLE moved;
DROP TABLE numbers;
DROP TABLE sizes;
