-- Controls of cards and budgets, PINs of cards, and the responses of the new rules.

ALTER TABLE cards
ADD COLUMN controls TEXT,
ADD COLUMN pin_digest BYTEA CHECK (length(pin_digest) = 32);

ALTER TABLE budgets ADD COLUMN controls TEXT;

ALTER TABLE card_transactions
DROP CONSTRAINT card_transactions_response_check,
ADD CONSTRAINT card_transactions_response_check CHECK (
        response IN (
            '0000', '1830', '1806', '1003', '1001', '1817', '1016', '0002', '1004', '1005', '1809', '1813', '1825', '1886',
            '1821', '1864', '1831'
        )
    );

-- Snapshots of the older schema can't be restored.
UPDATE world_snapshots SET contents = '';
