-- The first 100 checkouts of an account, and their count.
\set account random(0, 9)
SELECT account_id, id, checkout_type, status, name, currency, return_url, locale, settlement_account_id, collect_address,
    dynamic_rates_url, created_at, updated_at
FROM checkouts WHERE account_id = 'bench-' || :account ORDER BY created_at DESC, id DESC LIMIT 100 OFFSET 0;
SELECT count(*) FROM checkouts WHERE account_id = 'bench-' || :account;
