-- The journal as legs: one row moves an amount from one pool to another. A journal transaction is the rows of one journal id,
-- which repeat its kind, cause, currency and time.

CREATE TABLE journal_legs (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    journal_id TEXT NOT NULL CHECK (length(journal_id) = 36),
    line INTEGER NOT NULL CHECK (line >= 0),
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    created_at INTEGER NOT NULL,
    -- The place of a credit or top-up in the feed of changes; of its first leg only.
    position INTEGER,
    kind TEXT NOT NULL CHECK (
        kind IN (
            'credit', 'card', 'batch_reservation', 'batch_payout', 'batch_release', 'payment', 'payment_release',
            'payment_return', 'transfer', 'merchant_payment', 'merchant_refund', 'top_up'
        )
    ),
    -- The card message, credit, batch, payment, transfer, or payment of a session that caused it.
    cause_id TEXT NOT NULL CHECK (length(cause_id) = 36),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    from_pool TEXT NOT NULL CHECK (
        from_pool IN (
            'available', 'held', 'reserved', 'card_network', 'inbound_payments', 'outbound_payments', 'fees',
            'payer_banks', 'merchant_settled'
        )
    ),
    from_budget_id TEXT CHECK (length(from_budget_id) = 36),
    to_pool TEXT NOT NULL CHECK (
        to_pool IN (
            'available', 'held', 'reserved', 'card_network', 'inbound_payments', 'outbound_payments', 'fees',
            'payer_banks', 'merchant_settled'
        )
    ),
    to_budget_id TEXT CHECK (length(to_budget_id) = 36),
    -- The settlement account or payee, if a side is a pool of a merchant.
    settled_to TEXT CHECK (length(settled_to) = 36),
    PRIMARY KEY (account_id, journal_id, line),
    CHECK ((from_budget_id IS NOT NULL) = (from_pool IN ('available', 'held', 'reserved'))),
    CHECK ((to_budget_id IS NOT NULL) = (to_pool IN ('available', 'held', 'reserved'))),
    CHECK (settled_to IS NULL OR from_pool = 'merchant_settled' OR to_pool = 'merchant_settled'),
    CHECK (from_pool <> to_pool OR (from_budget_id IS NOT NULL AND from_budget_id <> to_budget_id))
) STRICT, WITHOUT ROWID;

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

-- Credits and transfers refer to no leg, because a journal id is not unique among legs. SQLite cannot drop a reference, so both
-- tables are recreated.

CREATE TABLE new_credits (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    number INTEGER NOT NULL CHECK (number > 0),
    budget_id TEXT NOT NULL,
    journal_id TEXT NOT NULL CHECK (length(journal_id) = 36),
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    scheme TEXT NOT NULL CHECK (scheme IN ('FasterPayment', 'BACS', 'CHAPS', 'Swift', 'SEPA')),
    remitters_name TEXT NOT NULL,
    remitters_address TEXT NOT NULL,
    beneficiary_name TEXT NOT NULL,
    reference TEXT,
    bank_identifier TEXT,
    account_identifier TEXT,
    order_id TEXT,
    third_party_reference TEXT,
    institution_name TEXT,
    institution_address TEXT,
    -- The budget's balances after the credit.
    available_minor INTEGER NOT NULL,
    held_minor INTEGER NOT NULL CHECK (held_minor >= 0),
    reserved_minor INTEGER NOT NULL CHECK (reserved_minor >= 0),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, number),
    FOREIGN KEY (account_id, budget_id, currency) REFERENCES balances (account_id, budget_id, currency)
) STRICT, WITHOUT ROWID;

INSERT INTO new_credits SELECT
    account_id, number, budget_id, journal_id, currency, amount_minor, scheme, remitters_name,
    remitters_address, beneficiary_name, reference, bank_identifier, account_identifier, order_id,
    third_party_reference, institution_name, institution_address, available_minor, held_minor, reserved_minor,
    created_at
FROM credits;

CREATE TABLE new_transfers (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    from_budget_id TEXT NOT NULL,
    to_budget_id TEXT NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    journal_id TEXT NOT NULL CHECK (length(journal_id) = 36),
    reference TEXT,
    created_at INTEGER NOT NULL,
    number INTEGER NOT NULL DEFAULT 0,
    position INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, from_budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    FOREIGN KEY (account_id, to_budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    CHECK (from_budget_id <> to_budget_id)
) STRICT, WITHOUT ROWID;

INSERT INTO new_transfers SELECT
    account_id, id, from_budget_id, to_budget_id, currency, amount_minor, journal_id, reference, created_at, number,
    position
FROM transfers;

DROP TABLE transfers;
DROP TABLE credits;
DROP TABLE journal_entries;
DROP TABLE journal_transactions;
ALTER TABLE new_credits RENAME TO credits;
ALTER TABLE new_transfers RENAME TO transfers;

CREATE INDEX credits_by_journal ON credits (account_id, journal_id);
CREATE INDEX transfers_newest ON transfers (account_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX transfers_by_number ON transfers (account_id, number);
CREATE INDEX transfers_received ON transfers (account_id, created_at DESC, journal_id DESC);
CREATE INDEX transfers_changed ON transfers (account_id, position, id);

-- Activity, newest first, and its feed of changes.
CREATE INDEX journal_credits_newest ON journal_legs (account_id, created_at DESC, journal_id DESC, kind)
    WHERE kind = 'credit' AND line = 0;
CREATE INDEX journal_top_ups_newest ON journal_legs (account_id, created_at DESC, journal_id DESC, kind)
    WHERE kind = 'top_up' AND line = 0;
CREATE INDEX journal_changed ON journal_legs (account_id, kind, position, journal_id) WHERE position IS NOT NULL;

-- Earlier snapshots have rows of the earlier tables. They can't be restored, and need no space.
UPDATE world_snapshots SET contents = '';
