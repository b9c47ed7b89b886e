-- An authorization of 10.00, written by hand: one transaction of eight statements.
-- Uses the :span cards :first, :first + :step, ….
\set seq :seq + 1
\set n (:client_id << 32) + :seq
\set card :first + :step * random(0, :span - 1)
\set account :card % 10
BEGIN;
SELECT c.budget_id, c.user_token, c.state, c.expires_on, b.available_minor, b.held_minor, b.reserved_minor,
    (SELECT min(l.amount_minor - l.spent_minor) FROM card_limits l
        WHERE l.account_id = c.account_id AND l.card_id = c.id) AS left_minor
FROM cards c
JOIN balances b ON b.account_id = c.account_id AND b.budget_id = c.budget_id AND b.currency = c.currency
WHERE c.account_id = 'bench-' || :account AND c.id = bench_id(4, :card)
FOR UPDATE OF b \gset
INSERT INTO card_transactions VALUES (
    'bench-' || :account, bench_id(:round, :n), bench_id(:round, :n), bench_id(4, :card), :user_token, :budget_id, 'purchase',
    'authorization', 'PENDING', 'GBP', 1000, 1000, -1000, '0000',
    :available_minor::bigint + :held_minor::bigint + :reserved_minor::bigint, :available_minor::bigint - 1000, NULL,
    'VISA', '000000000011111', 'Sandbox Merchant', 'London', '', 'EC1A 1BB', 'GBR', '5999', now(),
    NULL, NULL, NULL, bench_id(:round, :n));
INSERT INTO card_chains VALUES (
    'bench-' || :account, bench_id(:round, :n), bench_id(4, :card), :budget_id, 'GBP', 'purchase', 1000, 1000, 0, NULL,
    now() + interval '7 days', now());
INSERT INTO journal_transactions VALUES (
    'bench-' || :account, bench_id(:round, :n), 'card', bench_id(:round, :n), 'GBP', now());
INSERT INTO journal_entries VALUES
    ('bench-' || :account, bench_id(:round, :n), 0, 'available', :budget_id, -1000),
    ('bench-' || :account, bench_id(:round, :n), 1, 'held', :budget_id, 1000);
SELECT bench_event('bench-' || :account, 'CardTransaction', bench_id(:round, :n), 1);
UPDATE balances SET available_minor = :available_minor::bigint - 1000, held_minor = :held_minor::bigint + 1000
WHERE account_id = 'bench-' || :account AND budget_id = :budget_id AND currency = 'GBP';
INSERT INTO idempotency_records VALUES (
    'bench-' || :account, bench_id(1, 1), :round || '-' || :n, 'POST', '/v2/cards/simulations/transaction/authorization',
    'accountId=bench-' || :account, 'json', bench_body(), 201, bench_answer(), now());
COMMIT;
