-- Validated batches `{first}` to `{last}`, each with one payment order of 1.00 and an open session.
SET session_replication_role = replica;
INSERT INTO payment_batches (account_id, id, name, status, created_by, visible, locked, created_at, updated_at)
SELECT 'bench-' || (n % 10), bench_id(15, n), 'Batch ' || n, 'validated', bench_id(1, 1), TRUE, FALSE, now(), now()
FROM generate_series({first}, {last}) n;
INSERT INTO payment_orders (account_id, batch_id, position, id, budget_id, currency, total_minor, fees_minor)
SELECT 'bench-' || (n % 10), bench_id(15, n), 0, bench_id(16, n), bench_id(3, (n - 1) % {budgets} + 1), 'GBP', 100, 0
FROM generate_series({first}, {last}) n;
INSERT INTO mfa_sessions
SELECT 'bench-' || (n % 10), bench_id(17, n), bench_id(1, 1), bench_id(15, n), 'sandbox', 'open', 0, now(),
    now() + interval '1 hour'
FROM generate_series({first}, {last}) n;
RESET session_replication_role;
