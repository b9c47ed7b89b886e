-- The number of checkouts of each account, type and status. Every change of checkouts updates it, so that counting a list
-- does not read it. No row means zero.
CREATE TABLE checkout_counts (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    checkout_type TEXT NOT NULL CHECK (checkout_type IN ('SHOPPING', 'TOP_UP')),
    status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'DEACTIVATED')),
    total INTEGER NOT NULL CHECK (total >= 0),
    PRIMARY KEY (account_id, checkout_type, status)
) STRICT;

INSERT INTO checkout_counts (account_id, checkout_type, status, total)
SELECT account_id, checkout_type, status, COUNT(*) FROM checkouts GROUP BY account_id, checkout_type, status;
