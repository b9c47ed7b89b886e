-- A credit of 200.00. Credits of an account are numbered, so those of one account wait for each other.
\set seq :seq + 1
\set n (:client_id << 32) + :seq
\set budget random(1, :span)
\set account :budget % 10
BEGIN;
SELECT g.name, b.available_minor, b.held_minor, b.reserved_minor
FROM budgets g JOIN balances b ON b.account_id = g.account_id AND b.budget_id = g.id
WHERE g.account_id = 'bench-' || :account AND g.id = bench_id(3, :budget) AND b.currency = 'GBP' FOR UPDATE OF b \gset
UPDATE credit_counters SET last_number = last_number + 1 WHERE account_id = 'bench-' || :account
RETURNING last_number \gset
INSERT INTO journal_transactions VALUES (
    'bench-' || :account, bench_id(:round, :n), 'credit', bench_id(:round, :n), 'GBP', now());
INSERT INTO journal_entries VALUES
    ('bench-' || :account, bench_id(:round, :n), 0, 'inbound_payments', NULL, -20000),
    ('bench-' || :account, bench_id(:round, :n), 1, 'available', bench_id(3, :budget), 20000);
INSERT INTO credits VALUES (
    'bench-' || :account, :last_number, bench_id(3, :budget), bench_id(:round, :n), 'GBP', 20000, 'FasterPayment', 'Ada Byron',
    '1 Inkersley Road, Manchester', 'Florin Bench', NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    :available_minor::bigint + 20000, :held_minor, :reserved_minor, now());
SELECT bench_counted_event('bench-' || :account, 'BoxCredited', bench_id(3, :budget));
UPDATE balances SET available_minor = :available_minor::bigint + 20000
WHERE account_id = 'bench-' || :account AND budget_id = bench_id(3, :budget) AND currency = 'GBP';
INSERT INTO idempotency_records VALUES (
    'bench-' || :account, bench_id(1, 1), :round || '-' || :n, 'POST', '/v2/budgets/generate-credit',
    'accountId=bench-' || :account, 'json', bench_body(), 200, '{"boxTransactionId" : 1}', now());
COMMIT;
