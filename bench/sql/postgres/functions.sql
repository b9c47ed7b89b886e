-- Functions of the baselines, with texts as long as those that Florin stores.
CREATE FUNCTION bench_body() RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '{"amount":10.00,"cardAcceptor":{"mid":"11111"},"cardId":"00000000-0000-0000-0004-000000000001","network":"VISA"}';
CREATE FUNCTION bench_answer() RETURNS TEXT LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN '{"transaction":{"acquirerFeeAmount":"0.00","type":"authorization","state":"PENDING","token":"01a1fe2e-30c6-755f-ba3a-06595b4b5706","userToken":"0198c0de-0007-7000-8000-000000000001","cardToken":"0198c0de-0006-7000-8000-000000000001","requestAmount":"10.00","response":{"code":"0000","memo":"Approved or completed successfully"},"createdTime":"2026-11-21T12:56:42Z","userTransactionTime":"2026-11-21T12:56:42Z","settlementDate":"2026-11-21T00:00:00Z","amount":"10.00","gpa":{"ledgerBalance":"1000000000000.00","availableBalance":"999999999990.00","impactedAmount":"-10.00"},"currencyCode":"GBP","currencyConversion":{"originalAmount":"10.00","conversionRate":1,"originalCurrencyCode":"826"},"network":"VISA","subnetwork":"VISANET","cardAcceptor":{"postalCode":"EC1A 1BB","mid":"000000000011111","mcc":"5999","name":"Sandbox Merchant","city":"London","state":"","countryCode":"GBR"}}}';

-- Stores an event with its sequence, which is counted for budgets and batches.
CREATE FUNCTION bench_event(account TEXT, kind TEXT, object UUID, number BIGINT) RETURNS VOID LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO outbox_events (position, account_id, id, kind, object_id, sequence, occurred_at, recorded_at, body)
    VALUES (nextval('outbox_positions'), account, gen_random_uuid(), kind, object, number, now(), now(), bench_answer());
END;
CREATE FUNCTION bench_counted_event(account TEXT, kind TEXT, object UUID) RETURNS VOID LANGUAGE plpgsql AS $$
DECLARE
    number BIGINT;
BEGIN
    INSERT INTO event_sequences AS s (account_id, object_id, last_sequence) VALUES (account, object, 1)
    ON CONFLICT (account_id, object_id) DO UPDATE SET last_sequence = s.last_sequence + 1
    RETURNING s.last_sequence INTO number;
    PERFORM bench_event(account, kind, object, number);
END $$;

CREATE FUNCTION bench_authorize(account TEXT, card UUID, message UUID, key TEXT) RETURNS BIGINT LANGUAGE plpgsql AS $$
DECLARE
    c RECORD;
    at TIMESTAMPTZ := now();
BEGIN
    SELECT k.budget_id, k.user_token, k.state, k.expires_on, b.available_minor, b.held_minor, b.reserved_minor,
        (SELECT min(l.amount_minor - l.spent_minor) FROM card_limits l
            WHERE l.account_id = k.account_id AND l.card_id = k.id) AS left_minor
    INTO STRICT c
    FROM cards k
    JOIN balances b ON b.account_id = k.account_id AND b.budget_id = k.budget_id AND b.currency = k.currency
    WHERE k.account_id = account AND k.id = card FOR UPDATE OF b;
    IF c.state <> 'ACTIVE' OR c.expires_on < at::date OR c.available_minor < 1000 OR c.left_minor < 1000 THEN
        RAISE 'declined';
    END IF;
    INSERT INTO card_transactions VALUES (
        account, message, message, card, c.user_token, c.budget_id, 'purchase', 'authorization', 'PENDING', 'GBP', 1000,
        1000, -1000, '0000', c.available_minor + c.held_minor + c.reserved_minor, c.available_minor - 1000, NULL, 'VISA',
        '000000000011111', 'Sandbox Merchant', 'London', '', 'EC1A 1BB', 'GBR', '5999', at, NULL, NULL, NULL, message);
    INSERT INTO card_chains VALUES (
        account, message, card, c.budget_id, 'GBP', 'purchase', 1000, 1000, 0, NULL, at + interval '7 days', at);
    INSERT INTO journal_transactions VALUES (account, message, 'card', message, 'GBP', at);
    INSERT INTO journal_entries VALUES
        (account, message, 0, 'available', c.budget_id, -1000), (account, message, 1, 'held', c.budget_id, 1000);
    PERFORM bench_event(account, 'CardTransaction', message, 1);
    UPDATE balances SET available_minor = c.available_minor - 1000, held_minor = c.held_minor + 1000
    WHERE account_id = account AND budget_id = c.budget_id AND currency = 'GBP';
    INSERT INTO idempotency_records VALUES (
        account, '00000000-0000-0000-0001-000000000001', key, 'POST', '/v2/cards/simulations/transaction/authorization',
        'accountId=' || account, 'json', bench_body(), 201, bench_answer(), at);
    RETURN c.available_minor - 1000;
END $$;

CREATE FUNCTION bench_confirm(account TEXT, batch UUID, session UUID, journal UUID, key TEXT) RETURNS TEXT
LANGUAGE plpgsql AS $$
DECLARE
    b RECORD;
    o RECORD;
    at TIMESTAMPTZ := now();
BEGIN
    SELECT p.status, s.state, s.expires_at, s.wrong_tokens, a.mfa_required, e.locked_until INTO STRICT b
    FROM payment_batches p
    JOIN accounts a ON a.id = p.account_id
    JOIN mfa_sessions s ON s.account_id = p.account_id AND s.batch_id = p.id
    LEFT JOIN totp_enrolments e ON e.account_id = p.account_id
    WHERE p.account_id = account AND p.id = batch AND s.id = session FOR UPDATE OF p, s;
    IF b.status <> 'validated' OR b.state <> 'open' OR b.expires_at <= at THEN
        RAISE 'refused';
    END IF;
    SELECT r.id AS order_id, r.budget_id, r.total_minor, p.available_minor, p.reserved_minor INTO STRICT o
    FROM payment_orders r
    JOIN balances p ON p.account_id = r.account_id AND p.budget_id = r.budget_id AND p.currency = r.currency
    WHERE r.account_id = account AND r.batch_id = batch ORDER BY r.budget_id FOR UPDATE OF p;
    IF o.available_minor < o.total_minor THEN
        RAISE 'short of funds';
    END IF;
    UPDATE mfa_sessions SET state = 'burnt' WHERE account_id = account AND id = session;
    UPDATE payment_batches SET status = 'confirmed', updated_at = at, confirmed_by = '00000000-0000-0000-0001-000000000001',
        confirmed_at = at, passed_mfa_check_at = at
    WHERE account_id = account AND id = batch AND status = 'validated';
    INSERT INTO journal_transactions VALUES (account, journal, 'batch_reservation', batch, 'GBP', at);
    INSERT INTO journal_entries VALUES
        (account, journal, 0, 'available', o.budget_id, -o.total_minor),
        (account, journal, 1, 'reserved', o.budget_id, o.total_minor);
    PERFORM bench_counted_event(account, 'PaymentBatchOrderCreated', batch);
    UPDATE balances SET available_minor = o.available_minor - o.total_minor,
        reserved_minor = o.reserved_minor + o.total_minor
    WHERE account_id = account AND budget_id = o.budget_id AND currency = 'GBP';
    INSERT INTO idempotency_records VALUES (
        account, '00000000-0000-0000-0001-000000000001', key, 'POST', '/v2/payment-batches/' || batch || '/confirm',
        'accountId=' || account, 'hash', 'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9', 200,
        '{"status":"confirmed"}', at);
    RETURN 'confirmed';
END $$;
