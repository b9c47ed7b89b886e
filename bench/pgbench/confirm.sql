-- The confirmation of a batch with one payment order, with its session and event.
\set n :first + :client_id * :each + :seq
\set seq :seq + 1
\set account :n % 10
BEGIN;
SELECT b.status, s.state, s.expires_at, s.wrong_tokens, a.mfa_required, e.locked_until
FROM payment_batches b
JOIN accounts a ON a.id = b.account_id
JOIN mfa_sessions s ON s.account_id = b.account_id AND s.batch_id = b.id
LEFT JOIN totp_enrolments e ON e.account_id = b.account_id
WHERE b.account_id = 'bench-' || :account AND b.id = bench_id(15, :n) AND s.id = bench_id(17, :n)
FOR UPDATE OF b, s \gset
SELECT o.id AS order_id, o.budget_id, o.total_minor, p.available_minor, p.reserved_minor
FROM payment_orders o
JOIN balances p ON p.account_id = o.account_id AND p.budget_id = o.budget_id AND p.currency = o.currency
WHERE o.account_id = 'bench-' || :account AND o.batch_id = bench_id(15, :n)
ORDER BY o.budget_id FOR UPDATE OF p \gset
UPDATE mfa_sessions SET state = 'burnt' WHERE account_id = 'bench-' || :account AND id = bench_id(17, :n);
UPDATE payment_batches SET status = 'confirmed', updated_at = now(), confirmed_by = bench_id(1, 1),
    confirmed_at = now(), passed_mfa_check_at = now()
WHERE account_id = 'bench-' || :account AND id = bench_id(15, :n) AND status = 'validated';
INSERT INTO journal_transactions VALUES (
    'bench-' || :account, bench_id(:round, :n), 'batch_reservation', bench_id(15, :n), 'GBP', now());
INSERT INTO journal_entries VALUES
    ('bench-' || :account, bench_id(:round, :n), 0, 'available', :budget_id, - :total_minor::bigint),
    ('bench-' || :account, bench_id(:round, :n), 1, 'reserved', :budget_id, :total_minor::bigint);
SELECT bench_counted_event('bench-' || :account, 'PaymentBatchOrderCreated', bench_id(15, :n));
UPDATE balances SET available_minor = :available_minor::bigint - :total_minor::bigint,
    reserved_minor = :reserved_minor::bigint + :total_minor::bigint
WHERE account_id = 'bench-' || :account AND budget_id = :budget_id AND currency = 'GBP';
INSERT INTO idempotency_records VALUES (
    'bench-' || :account, bench_id(1, 1), :round || '-' || :n, 'POST', '/v2/payment-batches/' || bench_id(15, :n) || '/confirm',
    'accountId=bench-' || :account, 'hash', 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9', 200,
    '{"status" : "confirmed"}', now());
COMMIT;
