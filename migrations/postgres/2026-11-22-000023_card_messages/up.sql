-- Messages beyond authorizations: debits, inquiries, unlinked refunds, fees, cash back, and returns.

ALTER TABLE card_transactions
-- What only some messages have, such as cash back, as JSON; null for nothing.
ADD COLUMN details TEXT,
DROP CONSTRAINT card_transactions_chain_kind_check,
ADD CONSTRAINT card_transactions_chain_kind_check CHECK (chain_kind IN ('purchase', 'atm', 'refund', 'debit', 'inquiry', 'fee')),
DROP CONSTRAINT card_transactions_kind_check,
ADD CONSTRAINT card_transactions_kind_check CHECK (
        kind IN (
            'authorization', 'authorization.atm.withdrawal', 'refund.authorization', 'authorization.advice',
            'authorization.incremental', 'authorization.clearing', 'authorization.clearing.atm.withdrawal',
            'refund.authorization.clearing', 'authorization.reversal', 'refund.authorization.reversal',
            'authorization.reversal.issuerexpiration', 'authorization.cashback', 'authorization.clearing.cashback',
            'pindebit', 'pindebit.cashback', 'pindebit.reversal', 'balanceinquiry', 'refund', 'refund.reversal',
            'fee.charge', 'fee.charge.reversal'
        )
    );

ALTER TABLE card_chains
DROP CONSTRAINT card_chains_kind_check,
ADD CONSTRAINT card_chains_kind_check CHECK (kind IN ('purchase', 'atm', 'refund', 'debit', 'inquiry', 'fee')),
DROP CONSTRAINT card_chains_check1,
ADD CONSTRAINT card_chains_check1 CHECK (kind IN ('purchase', 'atm') OR held_minor = 0);

-- Snapshots of the older schema can't be restored.
UPDATE world_snapshots SET contents = '';
