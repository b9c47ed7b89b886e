-- New kinds of journal transactions and a new pool, because payments move money and cost fees.

ALTER TABLE journal_transactions
DROP CONSTRAINT journal_transactions_kind_check,
ADD CONSTRAINT journal_transactions_kind_check CHECK (
        kind IN (
            'credit', 'card', 'batch_reservation', 'batch_payout', 'batch_release', 'payment', 'payment_release',
            'payment_return'
        )
    );

ALTER TABLE journal_entries
DROP CONSTRAINT journal_entries_pool_check,
ADD CONSTRAINT journal_entries_pool_check CHECK (
        pool IN ('available', 'held', 'reserved', 'card_network', 'inbound_payments', 'outbound_payments', 'fees')
    );
