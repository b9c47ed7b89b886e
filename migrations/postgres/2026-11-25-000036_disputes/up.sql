-- Disputes of card transactions, their evidence, and the messages that they cause.

ALTER TABLE card_transactions
DROP CONSTRAINT card_transactions_chain_kind_check,
ADD CONSTRAINT card_transactions_chain_kind_check CHECK (
        chain_kind IN ('purchase', 'atm', 'refund', 'debit', 'inquiry', 'fee', 'dispute')
    ),
DROP CONSTRAINT card_transactions_kind_check,
ADD CONSTRAINT card_transactions_kind_check CHECK (
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
    );

ALTER TABLE card_chains
-- The part of the cleared amount that open and won disputes claim.
ADD COLUMN disputed_minor BIGINT NOT NULL DEFAULT 0 CHECK (disputed_minor >= 0),
ADD CHECK (kind IN ('purchase', 'debit') OR disputed_minor = 0),
DROP CONSTRAINT card_chains_kind_check,
ADD CONSTRAINT card_chains_kind_check CHECK (
        kind IN ('purchase', 'atm', 'refund', 'debit', 'inquiry', 'fee', 'dispute')
    );

CREATE TABLE disputes (
    account_id TEXT COLLATE "C" NOT NULL,
    id UUID NOT NULL,
    card_id UUID NOT NULL,
    -- The disputed message, and the first one of its chain.
    transaction_id UUID NOT NULL,
    chain_id UUID NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    reason TEXT NOT NULL CHECK (
        reason IN ('FRAUD', 'DUPLICATE', 'NOT_RECEIVED', 'NOT_AS_DESCRIBED', 'WRONG_AMOUNT')
    ),
    status TEXT NOT NULL CHECK (status IN ('OPEN', 'WON', 'LOST')),
    -- The provisional credit, which begins the chain of the dispute; null if there is none.
    credit_id UUID,
    -- The message of the outcome; null while the dispute is open, and if it was lost without a credit.
    settlement_id UUID,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    resolved_at TIMESTAMPTZ,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id),
    FOREIGN KEY (account_id, transaction_id) REFERENCES card_transactions (account_id, token),
    FOREIGN KEY (account_id, chain_id) REFERENCES card_chains (account_id, id),
    CHECK ((resolved_at IS NULL) = (status = 'OPEN')),
    CHECK ((settlement_id IS NOT NULL) = (status = 'WON' OR (status = 'LOST' AND credit_id IS NOT NULL)))
);

CREATE INDEX disputes_newest ON disputes (account_id, created_at DESC, id DESC);
CREATE INDEX disputes_of_chain ON disputes (account_id, chain_id);

CREATE TABLE dispute_evidence (
    account_id TEXT COLLATE "C" NOT NULL,
    dispute_id UUID NOT NULL,
    position BIGINT NOT NULL CHECK (position >= 0),
    text TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, dispute_id, position),
    FOREIGN KEY (account_id, dispute_id) REFERENCES disputes (account_id, id)
);

-- Snapshots of the older schema can't be restored.
UPDATE world_snapshots SET contents = '';
