-- What a database may hold before payments carry what lists show of their sessions: a failed and a completed payment of
-- one session, and a failed refund.

INSERT INTO clients (id, name, allowed_networks) VALUES ('00000000-0000-0000-0000-0000000000c1', 'Client', '');
INSERT INTO accounts (id, client_id, name, merchant, mfa_required)
SELECT 'F1', id, 'Account', TRUE, FALSE FROM clients;
INSERT INTO checkouts (account_id, id, checkout_type, status, currency, return_url, created_at, updated_at) VALUES
('F1', '00000000-0000-0000-0000-0000000000d1', 'SHOPPING', 'ACTIVE', 'GBP', 'https://a.example', @time, @time);
INSERT INTO checkout_counts (account_id, checkout_type, status, total) VALUES ('F1', 'SHOPPING', 'ACTIVE', 1);
INSERT INTO checkout_sessions (
    account_id, id, purpose, status, has_begun, checkout_id, settlement_account_id, idempotency_key, merchant_reference,
    currency, amount_minor, token_hash, payment_reference, expires_at, payment_id, order_id, created_at, updated_at,
    completed_at
) VALUES (
    'F1', '00000000-0000-0000-0000-0000000000e1', 'SHOPPING', 'COMPLETED', TRUE, '00000000-0000-0000-0000-0000000000d1',
    '00000000-0000-0000-0000-0000000000a5', 'key', 'reference', 'GBP', 1000, @hash, '0000000000', @time,
    '00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-0000000000f1', @time, @time, @time
);
INSERT INTO merchant_payments (
    account_id, id, session_id, kind, status, currency, amount_minor, bank_id, bank_name, failure, completed_at, created_at,
    refund_id, refunded_payment_id, token_hash, authorise_before
) VALUES
(
    'F1', '00000000-0000-0000-0000-000000000001', '00000000-0000-0000-0000-0000000000e1', 'PAYMENT', 'FAILED', 'GBP', 1000,
    '00000000000000000000000000000000', 'Bank', 'TIMED_OUT', NULL, @time, NULL, NULL, NULL, NULL
),
(
    'F1', '00000000-0000-0000-0000-000000000002', '00000000-0000-0000-0000-0000000000e1', 'PAYMENT', 'COMPLETED', 'GBP', 1000,
    '00000000000000000000000000000000', 'Bank', NULL, @time, @time, NULL, NULL, NULL, NULL
),
(
    'F1', '00000000-0000-0000-0000-000000000003', '00000000-0000-0000-0000-0000000000e1', 'REFUND', 'FAILED', 'GBP', 100,
    '00000000000000000000000000000000', 'Bank', 'REJECTED_BY_BANK', NULL, @time, '00000000-0000-0000-0000-0000000000b3',
    '00000000-0000-0000-0000-000000000002', @hash, @time
);
INSERT INTO merchant_payment_counts (account_id, kind, status, total)
SELECT account_id, kind, status, 1 FROM merchant_payments;
INSERT INTO journal_legs (
    account_id, journal_id, line, amount_minor, created_at, kind, cause_id, currency, from_pool, to_pool, settled_to
) VALUES (
    'F1', '00000000-0000-0000-0000-0000000000b1', 0, 1000, @time, 'merchant_payment', '00000000-0000-0000-0000-000000000002',
    'GBP', 'payer_banks', 'merchant_settled', '00000000-0000-0000-0000-0000000000a5'
);
