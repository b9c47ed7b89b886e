-- Activity has one row per chain of card messages, and a feed of changes. Each message, credit, top-up and transfer, and
-- each payment of a confirmed batch, has the position of its last change, drawn like the positions of events.

DROP INDEX card_transactions_newest;
DROP INDEX payments_newest;

ALTER TABLE card_transactions ADD COLUMN position BIGINT NOT NULL DEFAULT 0;
ALTER TABLE journal_transactions ADD COLUMN position BIGINT;
ALTER TABLE transfers ADD COLUMN position BIGINT NOT NULL DEFAULT 0;
ALTER TABLE payments ADD COLUMN position BIGINT, ADD COLUMN confirmed_at TIMESTAMPTZ;
-- Drawn when the world is created or restored.
ALTER TABLE worlds ADD COLUMN epoch BIGINT NOT NULL DEFAULT 0;

UPDATE payments SET confirmed_at = b.confirmed_at
FROM payment_batches b
WHERE b.account_id = payments.account_id AND b.id = payments.batch_id AND b.confirmed_at IS NOT NULL
    AND payments.status NOT IN ('created', 'validated');

-- What exists gets positions in the order in which it happened.
CREATE TABLE placed AS
SELECT source, account_id, id, row_number() OVER (ORDER BY at, account_id, id) AS position
FROM (
    SELECT 'card' AS source, account_id, token AS id, created_at AS at FROM card_transactions
    UNION ALL
    SELECT 'journal', account_id, id, created_at FROM journal_transactions WHERE kind IN ('credit', 'top_up')
    UNION ALL SELECT 'transfer', account_id, id, created_at FROM transfers
    UNION ALL SELECT 'payment', account_id, id, updated_at FROM payments WHERE confirmed_at IS NOT NULL
) AS movements;

UPDATE card_transactions SET position = p.position
FROM placed p WHERE p.source = 'card' AND p.account_id = card_transactions.account_id AND p.id = card_transactions.token;
UPDATE journal_transactions SET position = p.position
FROM placed p
WHERE p.source = 'journal' AND p.account_id = journal_transactions.account_id AND p.id = journal_transactions.id;
UPDATE transfers SET position = p.position
FROM placed p WHERE p.source = 'transfer' AND p.account_id = transfers.account_id AND p.id = transfers.id;
UPDATE payments SET position = p.position
FROM placed p WHERE p.source = 'payment' AND p.account_id = payments.account_id AND p.id = payments.id;

SELECT setval('outbox_positions', m.number)
FROM (SELECT count(*) AS number FROM placed) AS m, outbox_positions s
WHERE m.number > 0 AND m.number >= s.last_value;

DROP TABLE placed;

-- The list, newest first.
CREATE INDEX card_transactions_newest ON card_transactions (account_id, created_at DESC, token DESC)
    WHERE preceding IS NULL;
CREATE INDEX payments_newest ON payments (account_id, confirmed_at DESC, id DESC) WHERE confirmed_at IS NOT NULL;
CREATE INDEX transfers_received ON transfers (account_id, created_at DESC, journal_id DESC);

-- The feed, oldest change first.
CREATE INDEX card_transactions_changed ON card_transactions (account_id, position, chain_id);
CREATE INDEX journal_changed ON journal_transactions (account_id, kind, position, id) WHERE position IS NOT NULL;
CREATE INDEX transfers_changed ON transfers (account_id, position, id);
CREATE INDEX payments_changed ON payments (account_id, position, id) WHERE position IS NOT NULL;
