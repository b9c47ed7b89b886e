-- The data set. Ids contain numbers, so that scripts can name any row. `{name}` is replaced by a number.
-- Foreign keys are not checked while the data set is loaded. The checks afterwards verify the books.

CREATE FUNCTION bench_id(kind BIGINT, n BIGINT) RETURNS UUID LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN lpad(to_hex((kind << 48) + n), 32, '0')::uuid;

-- The tables of Florin's journal before it had legs. Florin does not use them. The baselines and the peers write them,
-- so that their results stay comparable with earlier ones.
CREATE TABLE journal_transactions (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    kind TEXT NOT NULL CHECK (
        kind IN (
            'credit', 'card', 'batch_reservation', 'batch_payout', 'batch_release', 'payment', 'payment_release',
            'payment_return', 'transfer', 'merchant_payment', 'merchant_refund', 'top_up'
        )
    ),
    cause_id UUID NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    created_at TIMESTAMPTZ NOT NULL,
    position BIGINT,
    PRIMARY KEY (account_id, id)
);
CREATE TABLE journal_entries (
    account_id TEXT COLLATE "C" NOT NULL,
    journal_id UUID NOT NULL,
    line BIGINT NOT NULL CHECK (line >= 0),
    pool TEXT NOT NULL CHECK (
        pool IN (
            'available', 'held', 'reserved', 'card_network', 'inbound_payments', 'outbound_payments', 'fees',
            'payer_banks', 'merchant_settled'
        )
    ),
    budget_id UUID,
    amount_minor BIGINT NOT NULL CHECK (amount_minor <> 0),
    settled_to UUID,
    PRIMARY KEY (account_id, journal_id, line),
    FOREIGN KEY (account_id, journal_id) REFERENCES journal_transactions (account_id, id),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id),
    CHECK ((budget_id IS NOT NULL) = (pool IN ('available', 'held', 'reserved')))
);
CREATE INDEX earlier_credits_newest ON journal_transactions (account_id, created_at DESC, id DESC, kind) WHERE kind = 'credit';
CREATE INDEX earlier_top_ups_newest ON journal_transactions (account_id, created_at DESC, id DESC, kind) WHERE kind = 'top_up';
CREATE INDEX earlier_changed ON journal_transactions (account_id, kind, position, id) WHERE position IS NOT NULL;

SET session_replication_role = replica;
SET synchronous_commit = off;

INSERT INTO clients VALUES (bench_id(1, 1), 'Benchmark', '');
INSERT INTO accounts (id, client_id, name, merchant, mfa_required)
SELECT 'bench-' || n, bench_id(1, 1), 'Account ' || n, true, true FROM generate_series(0, 9) n;
INSERT INTO credit_counters (account_id, last_number) SELECT id, 0 FROM accounts WHERE client_id = bench_id(1, 1);

-- The key is `florin_sandbox_` followed by 64 times `b`. It works on this database only.
INSERT INTO api_keys
SELECT bench_id(2, 1), bench_id(1, 1), h, ('x' || encode(substr(h, 1, 8), 'hex'))::bit(64)::bigint, 'sandbox',
    'merchant:checkouts:read:any payment-batches:confirm:any budgets:simulate:any cards:simulate:any webhooks:write:any events:read:any cards:write:any',
    true, now(), NULL, NULL
FROM sha256(convert_to('florin_sandbox_' || repeat('b', 64), 'UTF8')) h;

INSERT INTO checkouts
SELECT 'bench-' || a, bench_id(13, a * 1000000 + n), CASE n % 4 WHEN 0 THEN 'TOP_UP' ELSE 'SHOPPING' END,
    CASE n % 5 WHEN 0 THEN 'DEACTIVATED' ELSE 'ACTIVE' END, 'Checkout ' || n, 'GBP',
    'https://shop.example/return/' || n, 'en-GB', CASE n % 4 WHEN 0 THEN NULL ELSE bench_id(14, a) END,
    CASE n % 4 WHEN 0 THEN NULL ELSE true END, CASE n % 4 WHEN 1 THEN 'https://shop.example/rates' END,
    now() - n * interval '1 minute', now() - n * interval '1 minute'
FROM generate_series(0, 9) a, generate_series(1, {checkouts}) n;

INSERT INTO budgets (account_id, id, name, features)
SELECT 'bench-' || (n % 10), bench_id(3, n), 'Budget ' || n, 'payments peopleCards budgetCards' FROM generate_series(1, {budgets}) n;
INSERT INTO cards
SELECT 'bench-' || (n % 10), bench_id(4, n), bench_id(3, (n - 1) % {budgets} + 1), 'GBP', 'ACTIVE', bench_id(5, n), '2099-12-31'
FROM generate_series(1, {cards}) n;

-- Each budget starts with a credit.
INSERT INTO journal_transactions
SELECT 'bench-' || (n % 10), bench_id(12, n), 'credit', bench_id(12, n), 'GBP', now() - interval '4 days'
FROM generate_series(1, {budgets}) n;
INSERT INTO journal_entries
SELECT 'bench-' || (n % 10), bench_id(12, n), line, CASE line WHEN 0 THEN 'inbound_payments' ELSE 'available' END,
    CASE line WHEN 1 THEN bench_id(3, n) END, CASE line WHEN 0 THEN -1 ELSE 1 END * 100000000000000
FROM generate_series(1, {budgets}) n, generate_series(0, 1) line;

-- Chains of purchases in groups of three: two are cleared (two messages each), one is open. So 5 messages make 3
-- chains.
CREATE UNLOGGED TABLE bench_chains AS
SELECT n, 'bench-' || (card % 10) AS account, card, 500 + n % 4000 AS amount, n % 3 <> 0 AS cleared,
    now() - interval '3 days' + n * (interval '2 days' / {chains}) AS at
FROM generate_series(1, {chains}) n, LATERAL (SELECT n * 7919::bigint % {cards} + 1 AS card) c;

INSERT INTO card_transactions
SELECT account, bench_id(6, n), bench_id(6, n), bench_id(4, card), bench_id(5, card), bench_id(3, (card - 1) % {budgets} + 1),
    'purchase', 'authorization', CASE WHEN cleared THEN 'COMPLETION' ELSE 'PENDING' END, 'GBP', amount, amount, -amount,
    '0000', 100000000000000, 100000000000000 - amount, NULL, 'VISA', '000000000011111', 'Sandbox Merchant', 'London', '',
    'EC1A 1BB', 'GBR', '5999', at, NULL, NULL, NULL, bench_id(8, n)
FROM bench_chains ORDER BY n;
INSERT INTO card_transactions
SELECT account, bench_id(7, n), bench_id(6, n), bench_id(4, card), bench_id(5, card), bench_id(3, (card - 1) % {budgets} + 1),
    'purchase', 'authorization.clearing', 'COMPLETION', 'GBP', amount, amount, -amount,
    '0000', 100000000000000 - amount, 100000000000000 - amount, bench_id(6, n), 'VISA', '000000000011111',
    'Sandbox Merchant', 'London', '', 'EC1A 1BB', 'GBR', '5999', at + interval '1 hour',
    NULL, NULL, NULL, bench_id(9, n)
FROM bench_chains WHERE cleared ORDER BY n;
INSERT INTO card_chains
SELECT account, bench_id(6, n), bench_id(4, card), bench_id(3, (card - 1) % {budgets} + 1), 'GBP', 'purchase', amount,
    CASE WHEN cleared THEN 0 ELSE amount END, CASE WHEN cleared THEN amount ELSE 0 END,
    CASE WHEN cleared THEN 'cleared' END, CASE WHEN NOT cleared THEN at + interval '7 days' END, at
FROM bench_chains ORDER BY n;

INSERT INTO journal_transactions
SELECT account, bench_id(8, n), 'card', bench_id(6, n), 'GBP', at FROM bench_chains ORDER BY n;
INSERT INTO journal_transactions
SELECT account, bench_id(9, n), 'card', bench_id(7, n), 'GBP', at FROM bench_chains WHERE cleared ORDER BY n;
INSERT INTO journal_entries
SELECT account, bench_id(8, n), line, CASE line WHEN 0 THEN 'available' ELSE 'held' END,
    bench_id(3, (card - 1) % {budgets} + 1), CASE line WHEN 0 THEN -amount ELSE amount END
FROM bench_chains, generate_series(0, 1) line ORDER BY n, line;
INSERT INTO journal_entries
SELECT account, bench_id(9, n), line, CASE line WHEN 0 THEN 'held' ELSE 'card_network' END,
    CASE line WHEN 0 THEN bench_id(3, (card - 1) % {budgets} + 1) END, CASE line WHEN 0 THEN -amount ELSE amount END
FROM bench_chains, generate_series(0, 1) line WHERE cleared ORDER BY n, line;

-- Balances from the chains. The checks compare them with the journal.
INSERT INTO balances
SELECT 'bench-' || b % 10, bench_id(3, b), 'GBP', 100000000000000 - coalesce(used, 0), coalesce(held, 0), 0
FROM generate_series(1, {budgets}) b
LEFT JOIN (
    SELECT (card - 1) % {budgets} + 1 AS budget, sum(amount)::bigint AS used,
        coalesce(sum(amount) FILTER (WHERE NOT cleared), 0)::bigint AS held
    FROM bench_chains GROUP BY 1
) u ON u.budget = b;
DROP TABLE bench_chains;
RESET session_replication_role;
RESET synchronous_commit;
