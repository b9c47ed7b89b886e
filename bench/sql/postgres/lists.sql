-- Accounts with few and with many budgets, people, cards and movements. `{name}` is replaced by a number.
CREATE FUNCTION bench_id(kind BIGINT, n BIGINT) RETURNS UUID LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN lpad(to_hex((kind << 48) + n), 32, '0')::uuid;
-- An id of the form that Florin assigns (UUID version 7), with a time in milliseconds.
CREATE FUNCTION bench_id_at(millis BIGINT, n BIGINT) RETURNS UUID LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (lpad(to_hex(millis), 12, '0') || '70008' || lpad(to_hex(n), 15, '0'))::uuid;

SET session_replication_role = replica;
SET synchronous_commit = off;

CREATE TEMP TABLE sizes (account TEXT, kind BIGINT, budgets BIGINT, cards BIGINT, movements BIGINT);
INSERT INTO sizes VALUES
    ('few', 1, 1000, 1000, 0), ('many', 2, {budgets}, {cards}, 0), ('short', 3, 1, 0, 1000), ('long', 4, 1, 0, {movements});

INSERT INTO clients (id, name, allowed_networks) VALUES (bench_id(1, 1), 'Benchmark', '');
INSERT INTO accounts (id, client_id, name, merchant, mfa_required)
SELECT account, bench_id(1, 1), account, true, true FROM sizes;
INSERT INTO credit_counters (account_id, last_number) SELECT account, 0 FROM sizes;
-- The key is `florin_sandbox_` followed by 64 times `b`. It works on this database only.
INSERT INTO api_keys (id, client_id, hash, hash_tag, environment, scopes, every_account, created_at)
SELECT bench_id(2, 1), bench_id(1, 1), h, ('x' || encode(substr(h, 1, 8), 'hex'))::bit(64)::bigint, 'sandbox',
    'budgets:read:any cards:read:any people:read:any', true, now()
FROM sha256(convert_to('florin_sandbox_' || repeat('b', 64), 'UTF8')) h;

-- Budget 0 is the parent budget of the account.
INSERT INTO budgets (account_id, id, name, parent_id, features, kind, status)
SELECT account, bench_id(kind, n), CASE n WHEN 0 THEN 'Account' ELSE 'Budget ' || n END,
    CASE WHEN n > 0 THEN bench_id(kind, 0) END, '', CASE n WHEN 0 THEN 'accountBalance' ELSE 'shared' END, 'active'
FROM sizes, generate_series(0, budgets) n;
INSERT INTO balances (account_id, budget_id, currency, available_minor, held_minor, reserved_minor, movements)
SELECT account, bench_id(kind, n), 'GBP', CASE n WHEN 1 THEN movements * 100 ELSE 0 END, 0, 0, CASE n WHEN 1 THEN movements ELSE 0 END
FROM sizes, generate_series(0, budgets) n;

-- There are as many people as budgets. A tenth of them are payers.
INSERT INTO people (
    account_id, id, persona_id, first_name, last_name, email, email_key, role, status, created_at, updated_at
)
SELECT account, bench_id(kind + 24, n), bench_id(kind + 32, n), 'Person', n::text, account || n || '@example.com',
    account || n || '@example.com', CASE n % 10 WHEN 0 THEN 'Payer' ELSE 'User' END, 'active',
    now() - n * interval '1 second', now() - n * interval '1 second'
FROM sizes, generate_series(1, budgets) n;

-- A tenth of the cards is suspended. The names of cards have two words.
INSERT INTO cards (account_id, id, budget_id, currency, state, user_token, expires_on, name, created_at)
SELECT account, bench_id(kind + 8, n), bench_id(kind, 1 + n % budgets), 'GBP', CASE n % 10 WHEN 0 THEN 'SUSPENDED' ELSE 'ACTIVE' END,
    bench_id(kind + 16, n), '2099-12-31', 'Holder ' || n, now() - n * interval '1 second'
FROM sizes, generate_series(1, cards) n;
INSERT INTO card_words (account_id, word, card_id)
SELECT account, word, bench_id(kind + 8, n)
FROM sizes, generate_series(1, cards) n, LATERAL (VALUES ('holder ' || n), (n::text), ('q' || lpad((n % 10000)::text, 4, '0'))) w (word);

CREATE TEMP TABLE moved AS
SELECT account, kind, n, bench_id_at((extract(epoch FROM now()) * 1000)::bigint - 1000 * (movements - n) - 3600000, n) AS id,
    now() - (movements - n) * interval '1 second' - interval '1 hour' AS at
FROM sizes, generate_series(1, movements) n;
INSERT INTO journal_legs (
    account_id, journal_id, line, amount_minor, created_at, kind, cause_id, currency, from_pool, to_pool, to_budget_id
)
SELECT account, id, 0, 100, at, CASE n % 3 WHEN 0 THEN 'card' ELSE 'credit' END, id, 'GBP', 'inbound_payments', 'available',
    bench_id(kind, 1)
FROM moved ORDER BY n;
DROP TABLE moved;
DROP TABLE sizes;
RESET session_replication_role;
RESET synchronous_commit;
