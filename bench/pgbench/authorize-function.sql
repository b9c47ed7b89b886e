-- The authorization of authorize.sql, in one function call.
\set seq :seq + 1
\set n (:client_id << 32) + :seq
\set card :first + :step * random(0, :span - 1)
\set account :card % 10
SELECT bench_authorize('bench-' || :account, bench_id(4, :card), bench_id(:round, :n), :round || '-' || :n);
