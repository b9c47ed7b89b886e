-- The journal as legs: one row moves an amount from one pool to another. A journal transaction is the rows of one journal id,
-- which repeat its kind, cause, currency and time.

-- An instance that still runs must not write what the copy below would miss.
LOCK TABLE journal_transactions, journal_entries, credits, transfers IN ACCESS EXCLUSIVE MODE;

CREATE TABLE journal_legs (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    journal_id UUID NOT NULL,
    line BIGINT NOT NULL CHECK (line >= 0),
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    created_at TIMESTAMPTZ NOT NULL,
    -- The place of a credit or top-up in the feed of changes; of its first leg only.
    position BIGINT,
    kind TEXT NOT NULL CHECK (
        kind IN (
            'credit', 'card', 'batch_reservation', 'batch_payout', 'batch_release', 'payment', 'payment_release',
            'payment_return', 'transfer', 'merchant_payment', 'merchant_refund', 'top_up'
        )
    ),
    -- The card message, credit, batch, payment, transfer, or payment of a session that caused it.
    cause_id UUID NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    from_pool TEXT NOT NULL CHECK (
        from_pool IN (
            'available', 'held', 'reserved', 'card_network', 'inbound_payments', 'outbound_payments', 'fees',
            'payer_banks', 'merchant_settled'
        )
    ),
    from_budget_id UUID,
    to_pool TEXT NOT NULL CHECK (
        to_pool IN (
            'available', 'held', 'reserved', 'card_network', 'inbound_payments', 'outbound_payments', 'fees',
            'payer_banks', 'merchant_settled'
        )
    ),
    to_budget_id UUID,
    -- The settlement account or payee, if a side is a pool of a merchant.
    settled_to UUID,
    PRIMARY KEY (account_id, journal_id, line),
    CHECK ((from_budget_id IS NOT NULL) = (from_pool IN ('available', 'held', 'reserved'))),
    CHECK ((to_budget_id IS NOT NULL) = (to_pool IN ('available', 'held', 'reserved'))),
    CHECK (settled_to IS NULL OR from_pool = 'merchant_settled' OR to_pool = 'merchant_settled'),
    CHECK (from_pool <> to_pool OR (from_budget_id IS NOT NULL AND from_budget_id <> to_budget_id))
);

-- Entries become legs. In the order of their lines, the losses of a transaction and its gains are laid side by side, from zero
-- to their sum: a leg moves the amount where a loss and a gain overlap.
INSERT INTO journal_legs (
    account_id, journal_id, line, amount_minor, created_at, position, kind, cause_id, currency, from_pool, from_budget_id,
    to_pool, to_budget_id, settled_to
)
WITH spans AS (
    SELECT account_id, journal_id, line, pool, budget_id, settled_to, amount_minor < 0 AS loses,
        SUM(ABS(amount_minor)) OVER side - ABS(amount_minor) AS begins, SUM(ABS(amount_minor)) OVER side AS ends
    FROM journal_entries
    WINDOW side AS (PARTITION BY account_id, journal_id, amount_minor < 0 ORDER BY line)
), pairs AS (
    SELECT l.account_id, l.journal_id, ROW_NUMBER() OVER (PARTITION BY l.account_id, l.journal_id ORDER BY l.line, g.line) - 1 AS line,
        CASE WHEN l.ends < g.ends THEN l.ends ELSE g.ends END
        - CASE WHEN l.begins > g.begins THEN l.begins ELSE g.begins END AS amount_minor,
        l.pool AS from_pool, l.budget_id AS from_budget_id, g.pool AS to_pool, g.budget_id AS to_budget_id,
        COALESCE(l.settled_to, g.settled_to) AS settled_to
    FROM spans l
    JOIN spans g ON g.account_id = l.account_id AND g.journal_id = l.journal_id
    WHERE l.loses AND NOT g.loses AND l.begins < g.ends AND g.begins < l.ends
)
SELECT t.account_id, t.id, p.line, p.amount_minor, t.created_at, CASE WHEN p.line = 0 THEN t.position END, t.kind, t.cause_id,
    t.currency, p.from_pool, p.from_budget_id, p.to_pool, p.to_budget_id, p.settled_to
FROM journal_transactions t
JOIN pairs p ON p.account_id = t.account_id AND p.journal_id = t.id;

DROP TABLE journal_entries;
-- Credits and transfers referred to it. They refer to no leg, because a journal id is not unique among legs.
DROP TABLE journal_transactions CASCADE;

-- Activity, newest first, and its feed of changes.
CREATE INDEX journal_credits_newest ON journal_legs (account_id, created_at DESC, journal_id DESC, kind)
    WHERE kind = 'credit' AND line = 0;
CREATE INDEX journal_top_ups_newest ON journal_legs (account_id, created_at DESC, journal_id DESC, kind)
    WHERE kind = 'top_up' AND line = 0;
CREATE INDEX journal_changed ON journal_legs (account_id, kind, position, journal_id) WHERE position IS NOT NULL;

-- The first reads of a large journal need statistics.
ANALYZE journal_legs;

-- Earlier snapshots have rows of the earlier tables. They can't be restored, and need no space.
UPDATE world_snapshots SET contents = '';
