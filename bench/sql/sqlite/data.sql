-- The data set of sql/postgres/data.sql, on SQLite.
-- The tables of Florin's journal before it had legs. Florin does not use them. The baseline writes them, so that its
-- results stay comparable with earlier ones.
CREATE TABLE journal_transactions (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    kind TEXT NOT NULL CHECK (
        kind IN (
            'credit', 'card', 'batch_reservation', 'batch_payout', 'batch_release', 'payment', 'payment_release',
            'payment_return', 'transfer', 'merchant_payment', 'merchant_refund', 'top_up'
        )
    ),
    cause_id TEXT NOT NULL CHECK (length(cause_id) = 36),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    created_at INTEGER NOT NULL,
    position INTEGER,
    PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE journal_entries (
    account_id TEXT NOT NULL,
    journal_id TEXT NOT NULL,
    line INTEGER NOT NULL CHECK (line >= 0),
    pool TEXT NOT NULL CHECK (
        pool IN (
            'available', 'held', 'reserved', 'card_network', 'inbound_payments', 'outbound_payments', 'fees',
            'payer_banks', 'merchant_settled'
        )
    ),
    budget_id TEXT,
    amount_minor INTEGER NOT NULL CHECK (amount_minor <> 0),
    settled_to TEXT CHECK (length(settled_to) = 36),
    PRIMARY KEY (account_id, journal_id, line),
    FOREIGN KEY (account_id, journal_id) REFERENCES journal_transactions (account_id, id),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id),
    CHECK ((budget_id IS NOT NULL) = (pool IN ('available', 'held', 'reserved')))
) STRICT, WITHOUT ROWID;
CREATE INDEX earlier_credits_newest ON journal_transactions (account_id, created_at DESC, id DESC, kind) WHERE kind = 'credit';
CREATE INDEX earlier_top_ups_newest ON journal_transactions (account_id, created_at DESC, id DESC, kind) WHERE kind = 'top_up';
CREATE INDEX earlier_changed ON journal_transactions (account_id, kind, position, id) WHERE position IS NOT NULL;

CREATE TEMP TABLE numbers (n INTEGER PRIMARY KEY);
WITH RECURSIVE r (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM r WHERE n < max({chains}, {cards}, {checkouts}))
INSERT INTO numbers SELECT n FROM r;

CREATE TEMP VIEW clock AS SELECT CAST(unixepoch('now') AS INTEGER) * 1000000 AS now;

INSERT INTO clients (id, name, allowed_networks) VALUES (bench_id(1, 1), 'Benchmark', '');
INSERT INTO accounts (id, client_id, name, merchant, mfa_required) SELECT 'bench-' || n, bench_id(1, 1), 'Account ' || n, 1, 1 FROM numbers WHERE n <= 9;
INSERT INTO credit_counters (account_id, last_number) SELECT 'bench-' || n, 0 FROM numbers WHERE n <= 9;
-- SHA-256 of `florin_sandbox_` followed by 64 times `b`, and its first eight bytes as a number.
INSERT INTO api_keys (id, client_id, hash, hash_tag, environment, scopes, every_account, created_at, expires_at, revoked_at)
SELECT bench_id(2, 1), bench_id(1, 1), x'1015d342b24745e33918b74a5f2d469a91595054cdcddba14dadd239474d101f', 1159064762530088419, 'sandbox',
    'merchant:checkouts:read:any payment-batches:confirm:any budgets:simulate:any cards:simulate:any webhooks:write:any events:read:any cards:write:any', 1, now, NULL, NULL
FROM clock;

INSERT INTO checkouts
SELECT 'bench-' || a.n, bench_id(13, a.n * 1000000 + c.n), CASE c.n % 4 WHEN 0 THEN 'TOP_UP' ELSE 'SHOPPING' END,
    CASE c.n % 5 WHEN 0 THEN 'DEACTIVATED' ELSE 'ACTIVE' END, 'Checkout ' || c.n, 'GBP',
    'https://shop.example/return/' || c.n, 'en-GB', CASE c.n % 4 WHEN 0 THEN NULL ELSE bench_id(14, a.n) END,
    CASE c.n % 4 WHEN 0 THEN NULL ELSE 1 END, CASE c.n % 4 WHEN 1 THEN 'https://shop.example/rates' END,
    now - c.n * 60000000, now - c.n * 60000000
FROM clock, numbers a, numbers c WHERE a.n <= 9 AND c.n BETWEEN 1 AND {checkouts};

INSERT INTO budgets (account_id, id, name, features)
SELECT 'bench-' || (n % 10), bench_id(3, n), 'Budget ' || n, 'payments peopleCards budgetCards' FROM numbers WHERE n BETWEEN 1 AND {budgets};

CREATE TEMP TABLE chains AS
SELECT n, n * 7919 % {cards} + 1 AS card, (n * 7919 % {cards}) % {budgets} + 1 AS budget, 500 + n % 4000 AS amount,
    n % 3 <> 0 AS cleared, now - 259200000000 + n * (172800000000 / {chains}) AS at
FROM clock, numbers WHERE n BETWEEN 1 AND {chains};

INSERT INTO balances (account_id, budget_id, currency, available_minor, held_minor, reserved_minor)
SELECT 'bench-' || (n % 10), bench_id(3, n), 'GBP', 100000000000000 - coalesce(used, 0), coalesce(held, 0), 0
FROM numbers LEFT JOIN (
    SELECT budget, sum(amount) AS used, sum(CASE WHEN cleared THEN 0 ELSE amount END) AS held FROM chains GROUP BY budget
) ON budget = n
WHERE n BETWEEN 1 AND {budgets};
INSERT INTO cards (account_id, id, budget_id, currency, state, user_token, expires_on)
SELECT 'bench-' || (n % 10), bench_id(4, n), bench_id(3, (n - 1) % {budgets} + 1), 'GBP', 'ACTIVE', bench_id(5, n), '2099-12-31'
FROM numbers WHERE n BETWEEN 1 AND {cards};

INSERT INTO journal_transactions (account_id, id, kind, cause_id, currency, created_at)
SELECT 'bench-' || (n % 10), bench_id(12, n), 'credit', bench_id(12, n), 'GBP', now - 345600000000
FROM clock, numbers WHERE n BETWEEN 1 AND {budgets};
INSERT INTO journal_entries (account_id, journal_id, line, pool, budget_id, amount_minor)
SELECT 'bench-' || (n % 10), bench_id(12, n), 0, 'inbound_payments', NULL, -100000000000000
FROM numbers WHERE n BETWEEN 1 AND {budgets}
UNION ALL
SELECT 'bench-' || (n % 10), bench_id(12, n), 1, 'available', bench_id(3, n), 100000000000000
FROM numbers WHERE n BETWEEN 1 AND {budgets};

INSERT INTO card_transactions (
    account_id, token, chain_id, card_id, user_token, budget_id, chain_kind, kind, state, currency, amount_minor, requested_minor,
    impacted_minor, response, ledger_minor, available_minor, preceding, network, acceptor_mid, acceptor_name, acceptor_city,
    acceptor_state, acceptor_postal_code, acceptor_country_code, acceptor_mcc, created_at, original_currency,
    original_minor, conversion_rate, journal_id
)
SELECT 'bench-' || (card % 10), bench_id(6, n), bench_id(6, n), bench_id(4, card), bench_id(5, card), bench_id(3, budget),
    'purchase', 'authorization', CASE WHEN cleared THEN 'COMPLETION' ELSE 'PENDING' END, 'GBP', amount, amount, -amount,
    '0000', 100000000000000, 100000000000000 - amount, NULL, 'VISA', '000000000011111', 'Sandbox Merchant', 'London', '',
    'EC1A 1BB', 'GBR', '5999', at, NULL, NULL, NULL, bench_id(8, n)
FROM chains
UNION ALL
SELECT 'bench-' || (card % 10), bench_id(7, n), bench_id(6, n), bench_id(4, card), bench_id(5, card), bench_id(3, budget),
    'purchase', 'authorization.clearing', 'COMPLETION', 'GBP', amount, amount, -amount, '0000', 100000000000000 - amount,
    100000000000000 - amount, bench_id(6, n), 'VISA', '000000000011111', 'Sandbox Merchant', 'London', '', 'EC1A 1BB',
    'GBR', '5999', at + 3600000000, NULL, NULL, NULL, bench_id(9, n)
FROM chains WHERE cleared ORDER BY 1, 2;
INSERT INTO card_chains (
    account_id, id, card_id, budget_id, currency, kind, authorised_minor, held_minor, cleared_minor, ended_by, due_at, created_at,
    original_held_minor, original_cleared_minor
)
SELECT 'bench-' || (card % 10), bench_id(6, n), bench_id(4, card), bench_id(3, budget), 'GBP', 'purchase', amount,
    CASE WHEN cleared THEN 0 ELSE amount END, CASE WHEN cleared THEN amount ELSE 0 END,
    CASE WHEN cleared THEN 'cleared' END, CASE WHEN NOT cleared THEN at + 604800000000 END, at, NULL, NULL
FROM chains ORDER BY 1, 2;
INSERT INTO journal_transactions (account_id, id, kind, cause_id, currency, created_at)
SELECT 'bench-' || (card % 10), bench_id(8, n), 'card', bench_id(6, n), 'GBP', at FROM chains
UNION ALL
SELECT 'bench-' || (card % 10), bench_id(9, n), 'card', bench_id(7, n), 'GBP', at FROM chains WHERE cleared ORDER BY 1, 2;
INSERT INTO journal_entries (account_id, journal_id, line, pool, budget_id, amount_minor)
SELECT 'bench-' || (card % 10), bench_id(8, n), 0, 'available', bench_id(3, budget), -amount FROM chains
UNION ALL
SELECT 'bench-' || (card % 10), bench_id(8, n), 1, 'held', bench_id(3, budget), amount FROM chains
UNION ALL
SELECT 'bench-' || (card % 10), bench_id(9, n), 0, 'held', bench_id(3, budget), -amount FROM chains WHERE cleared
UNION ALL
SELECT 'bench-' || (card % 10), bench_id(9, n), 1, 'card_network', NULL, amount FROM chains WHERE cleared ORDER BY 1, 2, 3;
DROP TABLE chains;
DROP TABLE numbers;
