-- Disputes of card transactions, their evidence, and the messages that they cause.

-- SQLite cannot change a CHECK, so the tables are recreated. Referencing tables are dropped before the tables that they
-- reference, so that no reference ever dangles and no rows are deleted one by one.

CREATE TABLE new_card_transactions (
    account_id TEXT NOT NULL,
    token TEXT NOT NULL CHECK (length(token) = 36),
    -- The token of the first message, for the first message its own.
    chain_id TEXT NOT NULL CHECK (length(chain_id) = 36),
    card_id TEXT NOT NULL,
    user_token TEXT NOT NULL,
    budget_id TEXT NOT NULL,
    chain_kind TEXT NOT NULL CHECK (chain_kind IN ('purchase', 'atm', 'refund', 'debit', 'inquiry', 'fee', 'dispute')),
    kind TEXT NOT NULL CHECK (
        kind IN (
            'authorization', 'authorization.atm.withdrawal', 'refund.authorization', 'authorization.advice',
            'authorization.incremental', 'authorization.clearing', 'authorization.clearing.atm.withdrawal',
            'refund.authorization.clearing', 'authorization.reversal', 'refund.authorization.reversal',
            'authorization.reversal.issuerexpiration', 'authorization.cashback', 'authorization.clearing.cashback',
            'pindebit', 'pindebit.cashback', 'pindebit.reversal', 'balanceinquiry', 'refund', 'refund.reversal',
            'fee.charge', 'fee.charge.reversal', 'authorization.clearing.chargeback',
            'authorization.clearing.chargeback.provisional.credit', 'authorization.clearing.chargeback.completed',
            'authorization.clearing.chargeback.provisional.debit'
        )
    ),
    state TEXT NOT NULL CHECK (state IN ('PENDING', 'CLEARED', 'COMPLETION', 'DECLINED')),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor INTEGER NOT NULL CHECK (amount_minor >= 0),
    requested_minor INTEGER NOT NULL CHECK (requested_minor >= 0),
    impacted_minor INTEGER NOT NULL,
    response TEXT NOT NULL CHECK (
        response IN (
            '0000', '1830', '1806', '1003', '1001', '1817', '1016', '0002', '1004', '1005', '1809', '1813', '1825', '1886',
            '1821', '1864', '1831', '1884', '1885', '1887', '1888', '1889'
        )
    ),
    ledger_minor INTEGER NOT NULL,
    available_minor INTEGER NOT NULL,
    -- The token that the follow-up named; null for first messages.
    preceding TEXT CHECK (length(preceding) = 36),
    network TEXT NOT NULL CHECK (network IN ('VISA', 'MASTERCARD', 'DISCOVER', 'PULSE')),
    acceptor_mid TEXT NOT NULL,
    acceptor_name TEXT NOT NULL,
    acceptor_city TEXT NOT NULL,
    acceptor_state TEXT NOT NULL,
    acceptor_postal_code TEXT NOT NULL,
    acceptor_country_code TEXT NOT NULL,
    acceptor_mcc TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- The fee of an ATM's acquirer, in addition to the amount; null for other messages.
    acquirer_fee_minor INTEGER CHECK (acquirer_fee_minor > 0),
    -- The amount in the merchant's currency, and the rate of the first message; null if it is the card's currency.
    original_currency TEXT CHECK (length(original_currency) = 3),
    original_minor INTEGER CHECK (original_minor >= 0),
    conversion_rate TEXT,
    -- The journal transaction; null if no money moved.
    journal_id TEXT CHECK (length(journal_id) = 36),
    -- What only some messages have, such as cash back, as JSON; null for nothing.
    details TEXT,
    -- The position of the message in the feed of activity.
    position INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (account_id, token),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id),
    CHECK ((original_currency IS NULL) = (original_minor IS NULL)),
    CHECK ((original_currency IS NULL) = (conversion_rate IS NULL)),
    CHECK ((preceding IS NULL) = (token = chain_id)),
    CHECK (state <> 'DECLINED' OR impacted_minor = 0)
) STRICT, WITHOUT ROWID;

INSERT INTO new_card_transactions SELECT * FROM card_transactions;

CREATE TABLE new_card_chains (
    account_id TEXT NOT NULL,
    -- The token of the first message.
    id TEXT NOT NULL CHECK (length(id) = 36),
    card_id TEXT NOT NULL,
    budget_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('purchase', 'atm', 'refund', 'debit', 'inquiry', 'fee', 'dispute')),
    authorised_minor INTEGER NOT NULL CHECK (authorised_minor >= 0),
    held_minor INTEGER NOT NULL CHECK (held_minor >= 0),
    cleared_minor INTEGER NOT NULL CHECK (cleared_minor >= 0),
    ended_by TEXT CHECK (ended_by IN ('cleared', 'reversed', 'expired')),
    -- When the hold expires; null if nothing is held.
    due_at INTEGER,
    created_at INTEGER NOT NULL,
    -- Held and cleared amounts in the merchant's currency; null if it is the card's.
    original_held_minor INTEGER CHECK (original_held_minor >= 0),
    original_cleared_minor INTEGER CHECK (original_cleared_minor >= 0),
    -- What limits counted of the chain, as JSON; null for nothing.
    counted TEXT,
    -- What was cleared by force and took nothing from the hold.
    forced_minor INTEGER NOT NULL DEFAULT 0 CHECK (forced_minor >= 0),
    -- When the hold of an open chain expires; null if it cannot hold money, or has ended.
    expires_at INTEGER,
    -- The part of the cleared amount that open and won disputes claim.
    disputed_minor INTEGER NOT NULL DEFAULT 0 CHECK (disputed_minor >= 0),
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, id) REFERENCES new_card_transactions (account_id, token),
    FOREIGN KEY (account_id, budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    CHECK ((original_held_minor IS NULL) = (original_cleared_minor IS NULL)),
    CHECK (ended_by IS NULL OR held_minor = 0),
    CHECK (kind IN ('purchase', 'atm') OR held_minor = 0),
    CHECK (kind IN ('purchase', 'debit') OR disputed_minor = 0),
    CHECK ((due_at IS NULL) = (held_minor = 0))
) STRICT, WITHOUT ROWID;

INSERT INTO new_card_chains SELECT *, 0 FROM card_chains;

CREATE TABLE new_decline_reasons (
    account_id TEXT NOT NULL,
    token TEXT NOT NULL CHECK (length(token) = 36),
    rules TEXT NOT NULL,
    PRIMARY KEY (account_id, token),
    FOREIGN KEY (account_id, token) REFERENCES new_card_transactions (account_id, token)
) STRICT, WITHOUT ROWID;

INSERT INTO new_decline_reasons SELECT * FROM decline_reasons;

DROP TABLE decline_reasons;
DROP TABLE card_chains;
DROP TABLE card_transactions;

-- References follow renamed tables.
ALTER TABLE new_card_transactions RENAME TO card_transactions;
ALTER TABLE new_card_chains RENAME TO card_chains;
ALTER TABLE new_decline_reasons RENAME TO decline_reasons;

-- Recreating the tables dropped their indexes.
CREATE INDEX card_chains_due ON card_chains (due_at, account_id, id) WHERE due_at IS NOT NULL;
CREATE INDEX card_transactions_newest ON card_transactions (account_id, created_at DESC, token DESC)
    WHERE preceding IS NULL;
CREATE INDEX card_transactions_changed ON card_transactions (account_id, position, chain_id);
CREATE INDEX card_chains_due_of_account ON card_chains (account_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX card_transactions_by_chain ON card_transactions (account_id, chain_id, created_at, token)
    WHERE preceding IS NOT NULL;

CREATE TABLE disputes (
    account_id TEXT NOT NULL,
    id TEXT NOT NULL CHECK (length(id) = 36),
    card_id TEXT NOT NULL,
    -- The disputed message, and the first one of its chain.
    transaction_id TEXT NOT NULL,
    chain_id TEXT NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    reason TEXT NOT NULL CHECK (
        reason IN ('FRAUD', 'DUPLICATE', 'NOT_RECEIVED', 'NOT_AS_DESCRIBED', 'WRONG_AMOUNT')
    ),
    status TEXT NOT NULL CHECK (status IN ('OPEN', 'WON', 'LOST')),
    -- The provisional credit, which begins the chain of the dispute; null if there is none.
    credit_id TEXT CHECK (length(credit_id) = 36),
    -- The message of the outcome; null while the dispute is open, and if it was lost without a credit.
    settlement_id TEXT CHECK (length(settlement_id) = 36),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    resolved_at INTEGER,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id),
    FOREIGN KEY (account_id, transaction_id) REFERENCES card_transactions (account_id, token),
    FOREIGN KEY (account_id, chain_id) REFERENCES card_chains (account_id, id),
    CHECK ((resolved_at IS NULL) = (status = 'OPEN')),
    CHECK ((settlement_id IS NOT NULL) = (status = 'WON' OR (status = 'LOST' AND credit_id IS NOT NULL)))
) STRICT, WITHOUT ROWID;

CREATE INDEX disputes_newest ON disputes (account_id, created_at DESC, id DESC);
CREATE INDEX disputes_of_chain ON disputes (account_id, chain_id);

CREATE TABLE dispute_evidence (
    account_id TEXT NOT NULL,
    dispute_id TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position >= 0),
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, dispute_id, position),
    FOREIGN KEY (account_id, dispute_id) REFERENCES disputes (account_id, id)
) STRICT, WITHOUT ROWID;

-- Snapshots of the older schema can't be restored.
UPDATE world_snapshots SET contents = '';
