-- Checkouts of merchants, and the banks that can pay them.

CREATE TABLE checkouts (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    checkout_type TEXT NOT NULL CHECK (checkout_type IN ('SHOPPING', 'TOP_UP')),
    status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'DEACTIVATED')),
    name TEXT,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    return_url TEXT NOT NULL,
    locale TEXT,
    settlement_account_id TEXT CHECK (length(settlement_account_id) = 36),
    collect_address INTEGER CHECK (collect_address IN (0, 1)),
    dynamic_rates_url TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, id),
    CHECK (checkout_type = 'SHOPPING' OR (settlement_account_id IS NULL AND collect_address IS NULL)),
    CHECK (dynamic_rates_url IS NULL OR collect_address IS NOT NULL)
) STRICT;

-- One index per combination of filters, each in list order.
CREATE INDEX checkouts_newest ON checkouts (account_id, created_at DESC, id DESC);
CREATE INDEX checkouts_newest_of_type ON checkouts (account_id, checkout_type, created_at DESC, id DESC);
CREATE INDEX checkouts_newest_in_status ON checkouts (account_id, status, created_at DESC, id DESC);
CREATE INDEX checkouts_newest_of_type_in_status
    ON checkouts (account_id, checkout_type, status, created_at DESC, id DESC);

CREATE TABLE banks (
    id TEXT NOT NULL PRIMARY KEY CHECK (length(id) = 32),
    name TEXT NOT NULL,
    icon_url TEXT NOT NULL,
    supports_refunds INTEGER NOT NULL CHECK (supports_refunds IN (0, 1))
) STRICT;

CREATE INDEX banks_by_name ON banks (name, id);
