-- The numbers of a merchant's payments and refunds, so that their list is counted without reading it. Every change of
-- payments updates them. No row means zero.

CREATE TABLE merchant_payment_counts (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    kind TEXT NOT NULL,
    status TEXT NOT NULL,
    total BIGINT NOT NULL CHECK (total >= 0),
    PRIMARY KEY (account_id, kind, status)
);

INSERT INTO merchant_payment_counts (account_id, kind, status, total)
SELECT account_id, kind, status, COUNT(*) FROM merchant_payments GROUP BY account_id, kind, status;

-- Earlier snapshots lack the new table. They can't be restored, and need no space.
UPDATE world_snapshots SET contents = '';
