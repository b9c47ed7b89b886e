-- The constraints that Florin's tables had when the baselines were written. They exist while a baseline runs, so that its
-- results do not change with Florin's schema. Stored rows are not checked.
ALTER TABLE card_transactions
ADD CONSTRAINT earlier_card FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id) NOT VALID,
ADD CONSTRAINT earlier_chain_kind CHECK (
    chain_kind IN ('purchase', 'atm', 'refund', 'debit', 'inquiry', 'fee', 'dispute')
) NOT VALID,
ADD CONSTRAINT earlier_kind CHECK (
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
) NOT VALID,
ADD CONSTRAINT earlier_state CHECK (state IN ('PENDING', 'CLEARED', 'COMPLETION', 'DECLINED')) NOT VALID,
ADD CONSTRAINT earlier_response CHECK (
    response IN (
        '0000', '1830', '1806', '1003', '1001', '1817', '1016', '0002', '1004', '1005', '1809', '1813', '1825', '1886',
        '1821', '1864', '1831', '1884', '1885', '1887', '1888', '1889'
    )
) NOT VALID,
ADD CONSTRAINT earlier_network CHECK (network IN ('VISA', 'MASTERCARD', 'DISCOVER', 'PULSE')) NOT VALID;
ALTER TABLE card_chains
ADD CONSTRAINT earlier_message FOREIGN KEY (account_id, id) REFERENCES card_transactions (account_id, token) NOT VALID,
ADD CONSTRAINT earlier_balance FOREIGN KEY (account_id, budget_id, currency)
REFERENCES balances (account_id, budget_id, currency) NOT VALID,
ADD CONSTRAINT earlier_kind CHECK (
    kind IN ('purchase', 'atm', 'refund', 'debit', 'inquiry', 'fee', 'dispute')
) NOT VALID,
ADD CONSTRAINT earlier_end CHECK (ended_by IN ('cleared', 'reversed', 'expired')) NOT VALID;
ALTER TABLE outbox_events
ADD CONSTRAINT earlier_account FOREIGN KEY (account_id) REFERENCES accounts (id) NOT VALID,
ADD CONSTRAINT earlier_kind CHECK (
    kind IN (
        'BoxCredited', 'BoxDebited', 'CardTransaction', 'CardStateUpdated', 'PaymentBatchCreated',
        'PaymentBatchOrderCreated', 'PaymentBatchProcessing', 'PaymentBatchCompleted', 'PaymentBatchCancelled',
        'PaymentBatchOrderCancelled', 'PaymentCreated', 'PaymentReturned', 'MerchantCheckoutSessionCompleted',
        'MerchantCheckoutSessionCancelled', 'MerchantCheckoutSessionAbandoned', 'MerchantCheckoutSessionExpired',
        'MerchantPaymentFailed', 'MerchantRefundCompleted', 'MerchantPaymentReconciled'
    )
) NOT VALID;
ALTER TABLE idempotency_records
ADD CONSTRAINT earlier_account FOREIGN KEY (account_id) REFERENCES accounts (id) NOT VALID
