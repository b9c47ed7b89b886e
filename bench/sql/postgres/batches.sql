-- Validated batches `{first}` to `{last}`, one order of 1.00 each, every one with an open session.
SET session_replication_role = replica;
INSERT INTO payment_batches
SELECT 'bench-' || (n % 10), bench_id(15, n), 'Batch ' || n, 'validated', now(), now(), NULL, NULL
FROM generate_series({first}, {last}) n;
INSERT INTO payment_orders
SELECT 'bench-' || (n % 10), bench_id(15, n), 0, bench_id(16, n), bench_id(3, (n - 1) % {budgets} + 1), 'GBP', 100
FROM generate_series({first}, {last}) n;
INSERT INTO mfa_sessions
SELECT 'bench-' || (n % 10), bench_id(17, n), bench_id(1, 1), bench_id(15, n), 'sandbox', 'open', 0, now(),
    now() + interval '1 hour'
FROM generate_series({first}, {last}) n;
RESET session_replication_role;
