-- Additional checkouts of account `{account}`, numbers 1001 to `{last}`.
SET session_replication_role = replica;
SET synchronous_commit = off;
INSERT INTO checkouts
SELECT 'bench-' || {account}, bench_id(13, {account} * 1000000::bigint + n), CASE n % 4 WHEN 0 THEN 'TOP_UP' ELSE 'SHOPPING' END,
    CASE n % 5 WHEN 0 THEN 'DEACTIVATED' ELSE 'ACTIVE' END, 'Checkout ' || n, 'GBP',
    'https://shop.example/return/' || n, 'en-GB', CASE n % 4 WHEN 0 THEN NULL ELSE bench_id(14, {account}) END,
    CASE n % 4 WHEN 0 THEN NULL ELSE true END, CASE n % 4 WHEN 1 THEN 'https://shop.example/rates' END,
    now() - n * interval '1 second' - interval '1 day', now() - n * interval '1 second' - interval '1 day'
FROM generate_series(1001, {last}) n;
RESET session_replication_role;
RESET synchronous_commit;
