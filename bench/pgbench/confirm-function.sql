-- The confirmation of confirm.sql, in one function call.
\set n :first + :client_id * :each + :seq
\set seq :seq + 1
\set account :n % 10
SELECT bench_confirm('bench-' || :account, bench_id(15, :n), bench_id(17, :n), bench_id(:round, :n), :round || '-' || :n);
