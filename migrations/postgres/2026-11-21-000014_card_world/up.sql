-- New messages, merchants in other currencies, and reasons of declines.

-- The fee of an ATM's acquirer; the amount in the merchant's currency and the rate of the first message; the journal
-- transaction of a message.
ALTER TABLE card_transactions
ADD COLUMN acquirer_fee_minor BIGINT CHECK (acquirer_fee_minor > 0),
ADD COLUMN original_currency TEXT CHECK (length(original_currency) = 3),
ADD COLUMN original_minor BIGINT CHECK (original_minor >= 0),
ADD COLUMN conversion_rate TEXT,
ADD COLUMN journal_id UUID,
ADD CHECK ((original_currency IS NULL) = (original_minor IS NULL)),
ADD CHECK ((original_currency IS NULL) = (conversion_rate IS NULL)),
DROP CONSTRAINT card_transactions_kind_check,
ADD CONSTRAINT card_transactions_kind_check CHECK (
        kind IN (
            'authorization', 'authorization.atm.withdrawal', 'refund.authorization', 'authorization.advice',
            'authorization.incremental', 'authorization.clearing', 'authorization.clearing.atm.withdrawal',
            'refund.authorization.clearing', 'authorization.reversal', 'refund.authorization.reversal',
            'authorization.reversal.issuerexpiration'
        )
    ),
DROP CONSTRAINT card_transactions_response_check,
ADD CONSTRAINT card_transactions_response_check CHECK (
        response IN ('0000', '1830', '1806', '1003', '1001', '1817', '1016', '0002', '1004', '1005', '1809')
    );

-- Held and cleared amounts in the merchant's currency.
ALTER TABLE card_chains
ADD COLUMN original_held_minor BIGINT CHECK (original_held_minor >= 0),
ADD COLUMN original_cleared_minor BIGINT CHECK (original_cleared_minor >= 0),
ADD CHECK ((original_held_minor IS NULL) = (original_cleared_minor IS NULL));

UPDATE card_transactions AS t SET journal_id = j.id
FROM journal_transactions AS j
WHERE j.account_id = t.account_id AND j.cause_id = t.token AND j.kind = 'card';

-- The same indexes as in the other database, which recreated its tables.
CREATE INDEX IF NOT EXISTS card_transactions_newest ON card_transactions (account_id, created_at DESC, token DESC);
CREATE INDEX IF NOT EXISTS card_chains_due_of_account ON card_chains (account_id, due_at, id) WHERE due_at IS NOT NULL;

-- Follow-ups of a chain in order of time. The first message has the id of the chain.
CREATE INDEX card_transactions_by_chain ON card_transactions (account_id, chain_id, created_at, token)
    WHERE preceding IS NOT NULL;

-- Why a message was declined: the checked rules in order, as JSON. The last one failed.
CREATE TABLE decline_reasons (
    account_id TEXT COLLATE "C" NOT NULL,
    token UUID NOT NULL,
    rules TEXT NOT NULL,
    PRIMARY KEY (account_id, token),
    FOREIGN KEY (account_id, token) REFERENCES card_transactions (account_id, token)
);
